"""All metrics, models and pairs of a setting rest on the same resamples, and on nothing else."""

import numpy as np
import pytest
from msgspec.structs import replace
from studies import study, write_rows

from evallang.api import run
from evallang.engine.providers import ComparedModels
from evallang.stats import draws

N = 300
RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 2, N)
VALUE = RNG.normal(size=N)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("given")
    scores = [1 / (1 + np.exp(-(2 * TRUTH - 1 + k * RNG.normal(size=N)))) for k in (1, 2, 3)]
    rows = zip(range(N), TRUTH, *np.round(scores, 2), RNG.integers(0, 40, N), strict=True)
    write_rows(made, "scores.csv", "id,truth,a,b,c,ward", rows)
    values = [VALUE + k * RNG.normal(size=N) for k in (0.4, 0.6)]
    write_rows(made, "values.csv", "id,truth,a,b", zip(range(N), VALUE, *values, strict=True))
    return made


def scores(names, measures, group="", compare=""):
    given = "".join(f'  score {name} = "{column}"\n' for name, column in names.items())
    return (
        'evallang 1\npredictions p from "scores.csv"\n  id id\n  truth truth\n  positive 1\n'
        f"{group}{given}measure {measures}\n  interval bootstrap(rounds=300)\n{compare}"
    )


def estimates(results, renamed=None):
    """Give every estimate by its model and metric, under the models' first names."""
    first = {name: name for name in ("a", "b", "c")} | (renamed or {})
    return {(first[e.model], e.metric): replace(e, model=first[e.model]) for e in results.estimates}


@pytest.mark.parametrize("group", ["", "  group ward\n"])
def test_another_model_or_metric_or_name_changes_no_number(folder, group):
    few = run(study(scores({"a": "a", "b": "b"}, "brier, average_precision", group), folder))
    more = scores(
        {"c": "c", "a": "a", "z": "b"}, "log_loss, average_precision, roc_auc, f1, brier", group
    )
    found = estimates(run(study(more, folder)), {"z": "b"})
    expected = estimates(few)
    assert len(expected) == 4
    assert {key: found[key] for key in expected} == expected
    assert all(e.interval is not None for e in found.values())


def test_losses_are_the_same_array_for_as_long_as_they_are_used(folder, monkeypatch):
    seen = []
    found = ComparedModels.losses

    def losses(compared, which):
        seen.append((compared.evaluation, compared.models[which], found(compared, which)))
        return seen[-1][2]

    monkeypatch.setattr(ComparedModels, "losses", losses)
    compare = "compare all with t holm\n"
    run(study(scores({n: n for n in "abc"}, "brier", compare=compare), folder))
    assert len(seen) == 6  # three pairs
    assert len({id(array) for _, _, array in seen}) == 3
    evaluation, model, array = seen[0]
    truth, given = evaluation.models[model].truth, evaluation.models[model].scores
    assert array.tolist() == pytest.approx(((given - truth) ** 2).tolist())


def test_the_difference_of_two_models_is_that_of_their_own_resamples(folder):
    compare = "compare a, b with bootstrap(rounds=300) by brier\n"
    results = run(study(scores({"a": "a", "b": "b"}, "brier", compare=compare), folder))
    alone = scores({"a": "a", "b": "b", "c": "c"}, "brier, log_loss", compare=compare)
    again = run(study(alone, folder))
    assert results.comparisons[0].pairwise == again.comparisons[0].pairwise


def test_pairs_of_a_permutation_test_are_swapped_once_and_have_their_own_numbers(
    folder, monkeypatch
):
    drawn = []
    draw = draws.Coins.draw
    monkeypatch.setattr(draws.Coins, "draw", lambda *a: drawn.append(a) or draw(*a))
    head = scores({"a": "a", "b": "b", "c": "c"}, "brier, log_loss")
    every = run(study(head + "compare all by log_loss with permutation holm\n", folder))
    assert len(drawn) == 1  # a block of 10,000 rounds for 300 rows
    for found in every.comparisons[0].pairwise:
        names = ", ".join(found.models)
        alone = run(study(f"{head}compare {names} by log_loss with permutation\n", folder))
        (one,) = alone.comparisons[0].pairwise
        assert (found.p, found.estimate) == (one.p, one.estimate)


@pytest.mark.parametrize(
    ("clause", "metric"),
    [
        ("", "average_precision"),
        ("  group ward\n", "average_precision"),
        ("  group ward\n", "f1"),
        ("  fold ward\n  group ward\n", "roc_auc"),
    ],
)
def test_swaps_of_weighted_examples_are_those_of_the_outputs(folder, monkeypatch, clause, metric):
    head = scores({"a": "a", "b": "b"}, metric, clause)
    text = f"{head}compare a, b with permutation(rounds=200)\n"
    by_weights, called = run(study(text, folder)), []
    value = ComparedModels.value
    monkeypatch.setattr(ComparedModels, "weighted_value", lambda *_: None)
    monkeypatch.setattr(ComparedModels, "value", lambda *a: called.append(a) or value(*a))
    by_outputs = run(study(text, folder))
    assert len(called) >= 400
    (one,), (other,) = (found.comparisons[0].pairwise for found in (by_weights, by_outputs))
    assert 0 < one.p < 1
    assert (one.p, one.estimate.method) == (other.p, other.estimate.method)
    bounds = [(e.value, e.low, e.high) for e in (one.estimate, other.estimate)]
    assert bounds[0] == pytest.approx(bounds[1], rel=1e-9)


@pytest.mark.parametrize("metric", ["brier", "roc_auc", "f1"])
def test_the_interval_of_a_permutation_test_ends_at_0_at_the_level_of_its_p(folder, metric):
    text = scores({"a": "a", "b": "b"}, metric)
    text += f"compare a, b by {metric} with permutation(rounds=500)\n"
    p = run(study(text, folder)).comparisons[0].pairwise[0].p
    for level, excluded in ((1 - p - 1e-6, True), (1 - p + 1e-6, False)):
        stated = text.replace("evallang 1\n", f"evallang 1\nstudy\n  confidence {level}\n", 1)
        found = run(study(stated, folder)).comparisons[0].pairwise[0].estimate
        assert (found.low is not None and not found.low <= 0 <= found.high) == excluded
