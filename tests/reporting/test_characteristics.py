"""The tables of excluded rows and of characteristics, against numbers that pandas computes."""

from pathlib import Path

import pandas as pd
import pytest
from msgspec.structs import replace
from studies import study

from evallang.api.running import run
from evallang.reporting.comparisons import comparisons
from evallang.reporting.context import Context
from evallang.reporting.run_writer import plain
from evallang.reporting.section import SECTIONS, Topic, build

EXAMPLES = Path("examples")
TEXT = """\
evallang 1
study "Characteristics"
  seed 1
data visits "Visits" from "data/visits.csv"
  target readmitted
  positive yes
  features all except visit_id
  categorical ward, insurance
  missing "?"
  where age >= 18
  where albumin is not missing
  unit "visits"
group by patient_id
model prior = DummyClassifier(strategy=prior)
protocol cv folds=5
measure accuracy
"""


@pytest.fixture(scope="module")
def results():
    return run(study(TEXT, EXAMPLES)).record


@pytest.fixture(scope="module")
def rows():
    read = pd.read_csv(EXAMPLES / "data/visits.csv", na_values=["?", ""], keep_default_na=False)
    return read[(read["age"] >= 18) & read["albumin"].notna()]


def described(results):
    return {c.name: c for c in results.data[0].columns if c.by_class}


def test_quartiles_by_class_are_those_of_pandas(results, rows):
    columns = described(results)
    for name in ("age", "length_of_stay", "previous_visits", "albumin"):
        for one in columns[name].by_class:
            some = rows if one.name is None else rows[rows["readmitted"] == one.name]
            known = some[name].astype(float).dropna()
            assert (one.n, one.missing) == (len(known), some[name].isna().sum())
            expected = known.quantile([0.25, 0.5, 0.75]).tolist()
            assert one.quartiles == pytest.approx(expected, rel=1e-12)
            assert not one.levels


def test_levels_by_class_are_those_of_pandas(results, rows):
    columns = described(results)
    for name in ("ward", "insurance"):
        order = list(columns[name].by_class[0].levels)
        assert order == sorted(order, key=lambda one: (-(rows[name] == one).sum(), one))
        for one in columns[name].by_class:
            some = rows if one.name is None else rows[rows["readmitted"] == one.name]
            assert dict(one.levels) == some[name].value_counts().to_dict()
            assert one.missing == some[name].isna().sum()


def test_the_printed_tables_have_exclusions_and_counts_by_class(results, rows):
    sections = {s.name: s for s in build(Context(results, draws=False)).sections}
    section = sections["characteristics"]
    assert section.supplement
    flow, table = section.blocks
    read = pd.read_csv(EXAMPLES / "data/visits.csv", na_values=["?", ""], keep_default_na=False)
    adults = (read["age"] >= 18).sum()
    cells = [[plain(cell.runs) for cell in row.cells] for row in flow.rows]
    assert cells == [
        ["Read", str(len(read)), "–"],
        ["Kept: age ≥ 18", str(adults), str(len(read) - adults)],
        ["Kept: albumin is not missing", str(len(rows)), str(adults - len(rows))],
        ["Tested", str(len(rows)), "–"],
    ]
    by_class = rows["readmitted"].value_counts()
    assert [plain(c.head) for c in table.columns] == [
        "Characteristic",
        f"All (n\u00a0=\u00a0{len(rows)})",
        f"no (n\u00a0=\u00a0{by_class['no']})",
        f"yes (n\u00a0=\u00a0{by_class['yes']})",
        "Missing",
    ]
    printed = {plain(r.cells[0].runs).strip(): [plain(c.runs) for c in r.cells] for r in table.rows}
    surgery = rows[rows["ward"] == "surgery"]
    known = rows["ward"].notna().sum()
    assert printed["surgery"][1] == f"{len(surgery)} ({100 * len(surgery) / known:.1f}%)"
    assert printed["ward"][-1] == str(rows["ward"].isna().sum())


def test_a_number_of_two_values_has_levels_and_a_numeric_target_has_quartiles(tmp_path):
    frame = pd.DataFrame(
        {"x": [0, 1, 1, 1, 0, 1], "z": [2.5, 1.5, 9.0, 4.0, 3.0, 8.0], "y": [5, 1, 4, 2, 3, 60]}
    )
    frame.to_csv(tmp_path / "rows.csv", index=False)
    text = TEXT.split("data visits")[0] + (
        'data rows from "rows.csv"\n  target y\n  task regression\n'
        "model mean = DummyRegressor\nprotocol cv folds=2\nmeasure mae\n"
    )
    columns = described(run(study(text, tmp_path)).record)
    (x,), (y,) = columns["x"].by_class, columns["y"].by_class
    assert dict(x.levels) == {"1": 4, "0": 2}
    assert y.quartiles == pytest.approx(frame["y"].quantile([0.25, 0.5, 0.75]).tolist(), rel=1e-12)


def test_average_ranks_and_wins_over_data_sets_are_those_of_pandas():
    record = run(EXAMPLES / "four_trees.eval").record
    scores = pd.read_csv(EXAMPLES / "data/demsar_auc.csv").set_index("data set")
    ranks = scores.rank(axis=1, ascending=False).mean()
    wins = {
        name: [
            sum(
                (sign * (scores[name] - scores[other]) > 0).sum()
                for other in scores
                if other != name
            )
            for sign in (1, -1)
        ]
        for name in scores
    }
    context = Context(record, draws=False)
    (table,) = [b for b in comparisons(context) if getattr(b, "id", "") == "table-ranks-1"]
    assert len(table.rows) == len(scores.columns)
    for row in table.rows:
        cells = [plain(cell.runs) for cell in row.cells]
        name = cells[0]
        assert cells[1] == f"{ranks[name]:.2f}"
        won, tied, lost = map(int, cells[-3:])
        assert [won, lost] == wins[name]
        assert won + tied + lost == len(scores) * (len(scores.columns) - 1)


def test_the_unit_keeps_its_capitals_and_topics_are_those_of_the_tables_that_are_shown(results):
    (data,) = results.data
    columns = tuple(
        replace(c, levels=len(c.by_class[0].levels) + 1) if c.name == "ward" else c
        for c in data.columns
    )
    scans = replace(data, unit="MRI scans", columns=columns)
    section = SECTIONS["characteristics"]
    context = Context(replace(results, data=(scans,)), draws=False)
    flow, table = section.function(context)
    assert plain(flow.columns[1].head) == "MRI scans"
    assert "1 further level" in [plain(row.cells[0].runs).strip() for row in table.rows]
    assert Topic.FLOW in section.declaration.topics(context)
    scores = replace(scans, kind="scores", columns=())
    assert not section.function(other := Context(replace(results, data=(scores,)), draws=False))
    assert not section.declaration.topics(other)
