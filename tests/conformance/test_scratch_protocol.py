"""A protocol is one module: a sliding window goes the whole way, and nothing else names it."""

import json
import re
from html import unescape

import numpy as np
import pytest
from click.testing import CliRunner
from scratch_members import files_that_name, registered
from studies import checked, codes, errors_of, study, write_rows

from docs.generator import catalogues, fitting
from evallang.api import run
from evallang.api.checked_file import StudyError
from evallang.api.preparing import read_and_plan
from evallang.api.results import Results
from evallang.cli.main import root
from evallang.protocols.protocol import PROTOCOLS

N, FOLDS, WINDOW = 160, 5, 60
STUDY = """\
evallang 1
study "Load of a grid"
  seed 7
data load from "load.csv"
  target mw
  features hour, temperature
  task regression
model ridge = Ridge(alpha in 0.1..10 log 3)
model mean = DummyRegressor
protocol sliding_window window=60
tune grid cv=3
measure mae
compare ridge vs mean with permutation(block=5)
report html
"""


@pytest.fixture(autouse=True)
def _sliding_window():
    with registered("sliding_window", PROTOCOLS):
        yield


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(3)
    hours = np.arange(N)
    warmth = 10 + 8 * np.sin(hours / 12) + rng.normal(size=N)
    load = 50 - 1.2 * warmth + rng.normal(size=N)
    rows = [(f"{a:.3f}", b % 24, f"{c:.3f}") for a, b, c in zip(load, hours, warmth, strict=True)]
    write_rows(tmp_path, "load.csv", "mw,hour,temperature", rows)
    return tmp_path


def words_of(page):
    text = re.sub(r"(?s)<(style|script|svg).*?</\1>", "", page)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", text)))


def test_the_study_has_no_findings(folder):
    assert codes(STUDY) == []
    assert [d.code for d in read_and_plan(study(STUDY, folder)).diagnostics] == []


def test_each_window_ends_where_its_period_begins(folder):
    splits = read_and_plan(study(STUDY, folder)).planned.layout.splits["load", "sliding_window"]
    assert len(splits) == FOLDS
    for fold, split in enumerate(splits):
        start = WINDOW + 20 * fold
        np.testing.assert_array_equal(split.train, np.arange(start - WINDOW, start))
        np.testing.assert_array_equal(split.test, np.arange(start, start + 20))


def test_inner_folds_never_train_on_the_future(folder):
    planned = read_and_plan(study(STUDY, folder)).planned
    searched = [task for task in planned.fits.values() if task.inner]
    assert len(searched) == FOLDS
    for task in searched:
        assert len(task.inner) == 3
        for train, test in task.inner:
            assert set(train) | set(test) <= set(task.refit)
            assert train.max() < test.min()
    (record,) = planned.plan.protocols
    assert record.tuned_on == "inner_periods"


@pytest.mark.parametrize("test", ["t", "corrected_t", "permutation"])
def test_tests_of_independent_rows_are_refused(test):
    found = checked(STUDY.replace("permutation(block=5)", test))
    (error,) = [d for d in found.diagnostics if d.severity == "error"]
    assert "time" in error.message or "`protocol sliding_window` does not give" in error.message
    assert "permutation(block=5)" in error.help


def test_strata_have_no_effect():
    text = STUDY.replace("protocol", "stratify by hour\nprotocol", 1)
    (warning,) = [d for d in checked(text).diagnostics if d.code == "W320"]
    assert warning.message == "strata have no effect under `sliding_window`"
    assert warning.help == "remove `stratify`"  # not: or shuffle a series


def test_a_protocol_that_mixes_the_rows_is_warned_of():
    text = STUDY.replace("protocol ", "protocol moving = ").replace(
        "tune", "protocol shuffled = cv folds=5\ntune"
    ).replace("block=5)", "block=5) on moving")  # fmt: skip
    (warning,) = [d for d in checked(text).diagnostics if d.code == "W322"]
    assert warning.message == "`cv` mixes rows that `sliding_window` keeps in order"
    assert "time_series" not in warning.help


@pytest.mark.parametrize(("option", "least"), [("window=0", 1), ("folds=1 window=60", 2)])
def test_options_have_the_declared_least_values(option, least):
    (error,) = checked(STUDY.replace("window=60", option)).diagnostics
    assert error.message.endswith(f"must be at least {least}")


def test_too_short_a_series_is_refused_when_planned(folder):
    with pytest.raises(StudyError) as raised:
        read_and_plan(study(STUDY.replace("window=60", "window=158"), folder))
    (error,) = errors_of(raised)
    assert error.help == "write a shorter `window`"


def test_a_window_of_one_class_is_refused_with_the_declared_fix(tmp_path):
    rows = [(("low", "high")[i % 2] if i > 70 else "low", i % 7) for i in range(N)]
    write_rows(tmp_path, "load.csv", "level,hour", rows)
    text = (
        STUDY.replace("mw", "level").replace("hour, temperature", "hour")
        .replace("regression", "classification").replace("mae", "accuracy")
        .replace("Ridge(alpha in 0.1..10 log 3)", "LogisticRegression(C in 0.1..10 log 3)")
        .replace("DummyRegressor", "DummyClassifier")
    )  # fmt: skip
    with pytest.raises(StudyError) as raised:
        read_and_plan(study(text, tmp_path))
    (error,) = errors_of(raised)
    assert error.message == "1 of 5 training parts has rows of one class alone, such as `low`"
    assert error.help == "write a longer `window`"


def test_the_model_of_all_rows_is_chosen_on_later_rows_too(folder):
    text = STUDY.replace("report html", "export ridge\nreport html")
    task = read_and_plan(study(text, folder)).planned.layout.exports["ridge"].task
    assert len(task.refit) == N
    assert len(task.inner) == 3
    for train, test in task.inner:
        assert train.max() < test.min()


def test_the_report_names_it_as_declared(folder):
    results = run(study(STUDY, folder))
    results.save(folder / "found")
    words = words_of((folder / "found" / "report.html").read_text(encoding="utf-8"))
    assert "Protocol 5 windows of 60 rows" in words
    assert "load, a window of 60 rows moved over 5 test periods" in words
    assert "by grid search with three later periods of that part as validation data" in words
    assert "shuffled rows" not in words
    assert "Training sets overlap" not in words
    assert "Splits ● sliding_window window=60 5 splits, 55 fits" in words
    assert "Test periods ○ 5 each row of a period is tested once" in words
    ridge, _ = results.record.estimates
    # periods follow one another in time: a series, with a lag of a third of its 100 rows
    assert ridge.interval.method == "newey_west(lag=33)"
    assert "Newey–West interval" in words
    assert len(ridge.folds) == FOLDS
    assert [fold.n_train for fold in ridge.folds] == [WINDOW] * FOLDS
    assert ridge.value == pytest.approx(np.mean([fold.value for fold in ridge.folds]))


def test_results_of_an_earlier_version_are_still_drawn(folder):
    run(study(STUDY, folder)).save(folder / "found")
    file = folder / "found" / "results.json"
    plain = json.loads(file.read_text(encoding="utf-8"))
    for record in plain["protocols"]:
        for name in ("short", "shuffled", "shared_training", "option_words"):
            del record[name]
    file.write_text(json.dumps(plain), encoding="utf-8")
    Results.load(file).render("html", folder=folder)
    words = words_of((folder / "report.html").read_text(encoding="utf-8"))
    assert "Protocol sliding window" in words
    assert "Folds ○ 5" in words


def test_it_is_listed_explained_and_documented():
    listed = CliRunner().invoke(root, ["list", "protocols"]).output
    assert "sliding_window" in listed
    explained = CliRunner().invoke(root, ["explain", "sliding_window"]).output
    assert "protocol sliding_window folds=5 window=50" in explained
    assert "tests: diebold_mariano" in explained
    made = dict((*catalogues.pages(), *fitting.pages()))
    assert "## sliding_window" in made["protocols"]
    named = [name for name, text in made.items() if "sliding_window" in text]
    assert {"protocols", "what-goes-with-what"} <= set(named)


def test_nothing_else_names_it():
    assert files_that_name("sliding_window", "sliding window") == []
