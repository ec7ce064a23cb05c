"""Numbers that only the metric knows, and that decide whether an interval or a test holds."""

import numpy as np
import pytest

import evallang as ev

RNG = np.random.default_rng(20261129)


def results(columns, clauses):
    text = f'evallang 1\nstudy\n  seed 1\npredictions p from "p.csv"\n{clauses}\n'
    return ev.run(ev.parse(text, data={"p": {k: list(v) for k, v in columns.items()}}))


def notes(found):
    return [note for estimate in found.estimates for note in estimate.notes if "only" in note]


@pytest.mark.parametrize(("positive", "said"), [(4, True), (30, False)])
def test_brier_scores_of_rare_events_state_how_many_there_are(positive, said):
    p = RNG.uniform(0.01, 0.2, 150).round(4)
    columns = {"y": np.arange(150) < positive, "a": p, "b": (p + RNG.uniform(0, 0.1, 150)).round(4)}
    clauses = "  truth y\n  positive true\n  score a = a\n  score b = b\nmeasure brier\n"
    found = results(columns, clauses + "compare a vs b with t")
    of_events = "only 4 examples outside the largest class; with fewer than {}"
    stated = [n for n in notes(found) if n.startswith(of_events.format(10))]
    assert len(stated) == (2 if said else 0)
    ((pair,),) = (one.pairwise for one in found.comparisons)
    assert any(n.startswith(of_events.format(20)) for n in pair.notes) == said


@pytest.mark.parametrize(("events", "said"), [(9, True), (80, False)])
def test_a_concordance_states_how_few_events_it_rests_on(events, said):
    times = RNG.exponential(1, 100)
    risk = (RNG.normal(size=100) - np.log(times)).round(4)
    columns = {"t": times.round(5), "e": (np.arange(100) < events).astype(int), "r": risk}
    found = results(columns, "  truth t\n  event e\n  score r = r\nmeasure concordance")
    assert any(n.startswith("only 9 events; with fewer than 20") for n in notes(found)) == said


@pytest.mark.parametrize(("weight", "said"), [(1000.0, True), (2.0, False)])
def test_a_share_of_which_one_weight_decides_states_it(weight, said):
    right = RNG.random(100) < 0.9
    columns = {"y": np.arange(100) % 2, "w": np.where(np.arange(100) == 5, weight, 1.0)}
    columns["a"] = np.where(right, columns["y"], 1 - columns["y"])
    clauses = "  truth y\n  models a\n  positive 1\n  weight w\nmeasure accuracy"
    found = results(columns, clauses)
    assert any("by their weights; with fewer than 50" in n for n in notes(found)) == said
