"""`analyze leaderboard`: against differences, bootstraps and counts by numpy alone."""

import csv
from itertools import combinations, permutations

import numpy as np
import pytest
from msgspec.structs import replace
from studies import write_rows

import evallang as ev
from evallang.reporting.context import Context
from evallang.reporting.document import Figure, Table
from evallang.reporting.report import figures as report_figures, plain
from evallang.reporting.section import build

HEAD = """evallang 1
study
  seed 1
predictions suite from "rows.csv"
  id question
  dataset task
  model model
  correct all as right
"""
AVERAGED = f"{HEAD}measure accuracy averaged over data\n"
RATES = {"a b": 0.9, "c": 0.86, "d": 0.62, "e": 0.6, "f": 0.3}


def rows(rates=RATES, tasks=3, n=60, seed=5):
    rng = np.random.default_rng(seed)
    return [
        [f"t{task}", f"{task}-{i}", model, int(rng.random() < p)]
        for task in range(tasks)
        for i in range(n + 10 * task)
        for model, p in rates.items()
    ]


def run(folder, given, body):
    write_rows(folder, "rows.csv", "task,question,model,right", given)
    (folder / "study.eval").write_text(body, encoding="utf-8")
    return ev.run(folder / "study.eval", out=folder / "out", look=False).record


def by_hand(given, rounds=4000):
    """Return the value and the interval of ranks of each model, by max-T of sign flips of means.

    The differences of the averages over tasks are flipped by examples, and each is divided by its
    standard deviation under the flips.
    """
    models = list(dict.fromkeys(row[2] for row in given))
    tasks = list(dict.fromkeys(row[0] for row in given))
    right = {model: [[r[3] for r in given if (r[0], r[2]) == (t, model)] for t in tasks]
             for model in models}  # fmt: skip
    values = {model: float(np.mean([np.mean(x) for x in right[model]])) for model in models}
    weights = np.concatenate([np.full(len(x), 1 / len(x) / len(tasks)) for x in right[models[0]]])
    x = np.array([np.concatenate(right[model]) for model in models])
    pairs = list(combinations(range(len(models)), 2))
    d = np.array([(x[i] - x[j]) * weights for i, j in pairs])
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (rounds, d.shape[1]))
    drawn = np.abs(signs @ d.T) / np.sqrt((d**2).sum(axis=1))
    limit = np.quantile(drawn.max(axis=1), 0.95)
    z = d.sum(axis=1) / np.sqrt((d**2).sum(axis=1))
    wins = {(models[i], models[j]) for (i, j), one in zip(pairs, z, strict=True) if one > limit}
    wins |= {(models[j], models[i]) for (i, j), one in zip(pairs, z, strict=True) if one < -limit}
    ranks = {
        m: (1 + sum(b == m for _, b in wins), len(models) - sum(a == m for a, _ in wins))
        for m in models
    }
    return values, ranks, wins


def test_values_ranks_and_groups_are_those_of_all_differences(tmp_path):
    given = rows()
    record = run(tmp_path, given, f"{AVERAGED}analyze leaderboard\n")
    (found,) = record.analyses
    values, ranks, wins = by_hand(given)
    models = found.values["models"]
    assert (found.data, found.averaged) == (None, "data")
    assert [one["model"] for one in models] == sorted(values, key=values.get, reverse=True)
    intervals = {e.model: e.interval for e in record.estimates if e.averaged == "data"}
    for place, one in enumerate(models, start=1):
        assert one["value"] == pytest.approx(values[one["model"]], abs=1e-12)
        assert (one["low"], one["high"]) == (
            intervals[one["model"]].low,
            intervals[one["model"]].high,
        )
        assert one["rank"] == place
        assert (one["low_rank"], one["high_rank"]) == ranks[one["model"]]
    assert 0 < len(wins) < 10
    together = [
        set(some)
        for size in range(1, 6)
        for some in combinations(values, size)
        if not any(pair in wins for pair in permutations(some, 2))
    ]
    largest = [some for some in together if not any(some < other for other in together)]
    assert sorted(map(sorted, found.values["groups"])) == sorted(map(sorted, largest))


def test_the_pairs_of_a_line_are_those_of_the_leaderboard(tmp_path):
    body = f"{AVERAGED}compare all averaged over data\nanalyze leaderboard\n"
    record = run(tmp_path, rows(), body)
    (line,), (board,) = record.comparisons, record.analyses
    decided = [test for test in line.pairwise if test.reject]
    ranks = {one["model"]: (one["low_rank"], one["high_rank"]) for one in board.values["models"]}
    for model, (low, high) in ranks.items():
        value = {m: v["value"] for v in board.values["models"] for m in [v["model"]]}
        above = [
            t for t in decided if model in t.models and value[model] < max(map(value.get, t.models))
        ]
        assert low == 1 + len(above)
        assert high == 5 - sum(model in t.models for t in decided) + len(above)


def test_one_data_set_losses_and_lower_values_first(tmp_path):
    rng = np.random.default_rng(2)
    rates = {"small": 1.0, "middle": 1.2, "large": 4.0}
    given = [
        ["t", i, m, round(float(rng.exponential(x)), 4)]
        for i in range(80)
        for m, x in rates.items()
    ]
    body = HEAD.replace("  dataset task\n", "").replace(
        "correct all as right", 'value "seconds" all as right\n  lower is better'
    )
    record = run(tmp_path, given, f"{body}analyze leaderboard\n")
    (found,) = record.analyses
    assert found.metric == "seconds"
    assert [one["model"] for one in found.values["models"]] == list(rates)
    assert [one["low_rank"] for one in found.values["models"]] == [1, 1, 3]
    assert [one["high_rank"] for one in found.values["models"]] == [2, 2, 3]


def test_equal_models_share_a_rank_and_a_group(tmp_path):
    given = [[f"t{i % 2}", i, m, int(i % 3 > 0)] for i in range(40) for m in ("a", "b", "c")]
    (found,) = run(tmp_path, given, f"{AVERAGED}analyze leaderboard\n").analyses
    assert [(o["rank"], o["low_rank"], o["high_rank"]) for o in found.values["models"]] == [
        (1, 1, 3)
    ] * 3
    assert found.values["groups"] == (("a", "b", "c"),)


def test_each_data_set_has_a_leaderboard_without_an_average(tmp_path):
    record = run(tmp_path, rows(), f"{HEAD}measure accuracy\nanalyze leaderboard of c, d, f\n")
    assert [item.data for item in record.analyses] == ["suite/t0", "suite/t1", "suite/t2"]
    assert all(len(item.values["models"]) == 3 for item in record.analyses)


def test_the_figure_has_values_ranks_and_groups(tmp_path):
    record = run(tmp_path, rows(), f"{AVERAGED}analyze leaderboard\n")
    board = record.analyses[0].values
    (figure,) = (f for f in report_figures(record).values() if f.id.startswith("figure-leader"))
    first, second = figure.panels
    for one in board["models"]:
        assert f"{one['model']} {100 * one['value']:.1f}" in first.alt
        assert f"{one['model']} {one['low_rank']} to {one['high_rank']}" in second.alt
    assert second.alt.count("group ") == sum(len(some) > 1 for some in board["groups"])


BESIDE = f"{AVERAGED}compare all averaged over data\nanalyze leaderboard\nreport html\n"


def test_a_ranking_is_in_the_main_part_and_nothing_beside_it_repeats_it(tmp_path):
    rates = {f"m{i}": 0.9 - 0.05 * i for i in range(9)}
    record = run(tmp_path, rows(rates, tasks=4, n=30), BESIDE)
    document = build(Context(record))
    shown = {b.id: s for s in document.sections for b in s.blocks if isinstance(b, Figure | Table)}
    assert not shown["figure-leaderboard-1"].supplement
    assert not [name for name in shown if name.startswith(("table-estimates", "figure-est"))]
    assert not [name for name in shown if name.startswith("figure-comparison")]
    with (tmp_path / "out/tables/estimates-2.csv").open(encoding="utf-8") as file:
        cells = list(csv.DictReader(file))
    assert [row["Data set"] for row in cells] == [f"suite/t{i}" for i in range(4)]
    values = {(e.data, e.model): e.value for e in record.estimates}
    assert all(float(r[m]) == values[r["Data set"], m] for r in cells for m in rates)
    for one in (document, build(Context(record, draws=False))):
        findings = one.sections[1].blocks[0].items
        assert "highest" in plain(findings[0])
        assert "highest" not in "".join(map(plain, findings[1:]))


def test_few_models_keep_the_differences_and_the_table_of_data_sets(tmp_path):
    record = run(tmp_path, rows(tasks=4), BESIDE)
    shown = [b.id for s in build(Context(record)).sections for b in s.blocks if hasattr(b, "id")]
    assert "table-estimates-2-1" in shown
    assert "figure-comparison-1" in shown
    assert "table-estimates-1" not in shown
    hidden = replace(record, report=replace(record.report, hide=("leaderboard",)))
    shown = [b.id for s in build(Context(hidden)).sections for b in s.blocks if hasattr(b, "id")]
    assert "table-estimates-1" in shown


def test_the_rows_of_both_panels_are_in_line_and_ranks_begin_at_1(tmp_path):
    rates = {"m1": 0.9, "m2": 0.8, "m3": 0.4, "m4": 0.3, "m5": 0.2}
    record = run(tmp_path, rows(rates), f"{AVERAGED}analyze leaderboard\n")
    (figure,) = (f for f in report_figures(record).values() if f.id.startswith("figure-leader"))
    places = []
    for panel in figure.panels:
        marks = [mark for mark in panel.drawing.marks if mark.text in rates]
        places.append([round(mark.points[0][1], 6) for mark in marks])
    assert len(places[0]) == len(rates)
    assert places[0] == places[1]
    texts = [mark.text for mark in figure.panels[1].drawing.marks]
    assert texts[texts.index("1") :].count("1") == 2  # a tick, and the rank of the first


def test_more_groups_than_letters_are_not_drawn(tmp_path):
    record = run(tmp_path, rows(), f"{AVERAGED}analyze leaderboard\n")
    (board,) = record.analyses
    many = replace(board, values={**board.values, "groups": board.values["groups"] * 27})
    figures = report_figures(replace(record, analyses=(many,))).values()
    (figure,) = (f for f in figures if f.id.startswith("figure-leader"))
    drawing = figure.panels[1].drawing
    assert drawing.svg().startswith("<svg")
    assert "A" not in {mark.text for mark in drawing.marks}
    assert "group " not in figure.panels[1].alt
