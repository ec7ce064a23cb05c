"""The rules whose evidence is in the rows, on made tables, bundled data and the page's examples."""

import importlib.util
import random
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from benchmarks.made_tables import FLAWED, HELD_OUT, HELD_OUT_FLAWED, SOUND
from benchmarks.row_rules import BUNDLED, bundled, objections, table_of
from evallang.api import run
from evallang.api.preparing import check_data
from evallang.api.study_file import open_study
from evallang.data.row_rules.dated_rows import neighbour_correlation
from evallang.data.row_rules.repeated_units import agreement, units_of
from evallang.data.row_rules.row_rule import ROW_RULES, load_row_rules
from evallang.data.row_rules.strengths import area, ranks

load_row_rules()
OBJECTIONS = Path(__file__).parents[2] / "docs" / "objections"
EVERY = {**ROW_RULES.of_tables, **ROW_RULES.of_splits}
ALARMS = {"calibration"}  # a peak that gives a concentration by itself is what the rule asks about


@pytest.mark.parametrize("kind", [*SOUND, *HELD_OUT])
def test_sound_tables_are_not_objected_to(kind):
    make = {**SOUND, **HELD_OUT}[kind]
    made = make(np.random.default_rng([14, 0]))
    assert bool(objections(table_of(made), made)) == (kind in ALARMS)


@pytest.mark.parametrize("kind", [*FLAWED, *HELD_OUT_FLAWED])
def test_flawed_tables_are_objected_to(kind):
    rule, make = {**FLAWED, **HELD_OUT_FLAWED}[kind]
    drawn = [make(np.random.default_rng([14, i])) for i in range(3)]
    assert sum(rule in objections(table_of(made), made) for made in drawn) >= 2


def test_every_rule_has_its_flawed_tables():
    assert {rule for rule, _ in FLAWED.values()} == set(EVERY)
    assert {rule for rule, _ in HELD_OUT_FLAWED.values()} == set(EVERY)


def test_the_page_of_rates_has_every_kind():
    page = (OBJECTIONS.parent / "false-alarms.md").read_text(encoding="utf-8")
    rows = {line.split(" | ")[0].strip("| ") for line in page.splitlines() if line[:2] == "| "}
    every = [*SOUND, *HELD_OUT, *FLAWED, *HELD_OUT_FLAWED]
    assert {name.replace("_", " ") for name in every} | set(BUNDLED) <= rows


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_data_are_sound_except_for_scaled_diabetes(name):
    expected = ["already_standardised_features"] if name == "diabetes" else []
    assert objections(bundled(name)) == expected


@pytest.mark.parametrize("rule", sorted(EVERY))
def test_the_page_has_a_flawed_study_and_a_sound_one(rule):
    code = EVERY[rule][0].code
    found = {
        name: [d.code for d in check_data(open_study(OBJECTIONS / rule / f"{name}.eval"))]
        for name in ("wrong", "right")
    }
    assert code in found["wrong"]
    assert code not in found["right"]


def _make():
    spec = importlib.util.spec_from_file_location("make_objections", OBJECTIONS / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("rule", sorted(EVERY))
def test_the_data_of_the_page_are_what_its_script_makes(rule):
    made = _make().KINDS[rule](random.Random(rule))
    for file, rows in made.items():
        text = "".join(",".join(map(str, row)) + "\n" for row in rows)
        path = OBJECTIONS / rule / file
        assert path.read_text(encoding="utf-8") == text
        assert len(text) < 100_000


def test_intra_class_correlation_of_a_textbook_example():
    # Shrout & Fleiss 1979, table 2: six targets, four judges; ICC(1, 1) is .17
    ratings = np.array(
        [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float
    )
    found = agreement(ratings.reshape(-1, 1), np.repeat(np.arange(6), 4))
    assert found.correlation == pytest.approx(0.17, abs=0.005)
    assert found.size == 4
    assert found.design_effect == pytest.approx(1 + 3 * found.correlation)


def test_of_very_many_rows_whole_units_are_looked_at():
    names = pl.Series([f"p{i // 4}" for i in range(140_000)])
    found = units_of(names)
    assert len(found.rows) == len(found.codes)
    assert 95_000 < len(found.rows) < 105_000
    assert set(np.bincount(found.codes)) == {4}
    every = units_of(pl.Series(np.arange(140_000) % 12))  # too few units to take a part of them
    assert len(every.rows) == 140_000


def test_a_smooth_trend_over_ordered_values_is_not_agreement():
    codes = np.repeat(np.arange(40), 10)
    y = codes / 10 + np.random.default_rng(1).normal(size=400)
    assert agreement(y[:, None], codes).correlation > 0.3
    assert agreement(y[:, None], codes, ordered=True).correlation < 0.1


def test_rows_of_one_moment_are_not_neighbours_in_the_order_of_the_file():
    draw = np.random.default_rng(2)
    moments = np.repeat(np.arange(20), 30)
    y = np.concatenate([np.sort(draw.normal(size=30)) for _ in range(20)])  # sorted within a day
    assert abs(neighbour_correlation(y[:, None], moments)) < 0.15


def test_the_area_of_one_column_counts_ties_as_half():
    values = np.array([1.0, 2, 2, 3])
    assert ranks(values).tolist() == [1, 2.5, 2.5, 4]
    # pairs (positive, negative): (2, 1) right, (2, 2) tied, (3, 1) right, (3, 2) right
    assert area(values, np.array([False, False, True, True])) == 3.5 / 4
    assert area(-values, np.array([False, False, True, True])) == 3.5 / 4


def test_a_waiver_accepts_a_rule_about_rows_and_the_report_prints_it(tmp_path):
    folder = OBJECTIONS / "dated_rows_at_random"
    (tmp_path / "data.csv").write_bytes((folder / "data.csv").read_bytes())
    text = (folder / "wrong.eval").read_text(encoding="utf-8")
    because = "# evallang: allow dated_rows_at_random because gaps are to be filled"
    text = text.replace("folds=5", f"folds=5 {because}").replace("RandomForestRegressor", "Ridge")
    (tmp_path / "study.eval").write_text(text, encoding="utf-8")
    study = open_study(tmp_path / "study.eval")
    (found,) = [d for d in check_data(study) if d.code == "W444"]
    assert found.allowed_because == "gaps are to be filled"
    run(study).save(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "gaps are to be filled" in page
    assert "autocorrelation" in page


@pytest.mark.parametrize(
    ("trend", "kept", "clause", "found"),
    [
        (True, 0.0, "", "true values"),
        (False, 0.8, "", "errors of `m`"),
        (False, 0.8, "time day", None),
        (False, 0.8, "time none", None),
        (False, 0.0, "", None),
    ],
)
def test_predictions_are_asked_for_their_order_in_time(tmp_path, trend, kept, clause, found):
    # errors e[i] = kept * e[i-1] + noise have the lag-1 autocorrelation `kept`
    draws = np.random.default_rng(11)
    truth = np.cumsum(draws.normal(size=200)) if trend else draws.normal(size=200)
    errors = np.zeros(200)
    for i in range(1, 200):
        errors[i] = kept * errors[i - 1] + draws.normal()
    day = np.datetime64("2024-03-01") + np.arange(200)
    table = pl.DataFrame({"day": day, "y": truth, "m": truth + errors})
    table.sample(fraction=1.0, shuffle=True, seed=5).write_csv(tmp_path / "p.csv")
    text = (
        f'predictions p from "p.csv"\n  truth y\n  models m\n{f"  {clause}" if clause else ""}\n'
        "measure mae\n"
    )
    (tmp_path / "s.eval").write_text(text)
    said = [one for one in check_data(open_study(tmp_path / "s.eval")) if one.code == "W444"]
    assert [one.message.partition(" of neighbours")[0] for one in said] == [found][: len(said)]
    assert bool(said) == (found is not None)
