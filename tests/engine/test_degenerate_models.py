"""Models that never predict a class, and intervals whose bounds coincide."""

import re

import numpy as np
import pytest
from short_form import facts
from statsmodels.stats.proportion import proportion_confint
from studies import study, write_rows

from evallang.api import run
from evallang.reporting.context import Context
from evallang.reporting.findings import findings
from evallang.reporting.limits import cautions
from evallang.results.records import NO_WIDTH

POSITIVES, ROWS = 17, 200
HEAD = """evallang 1
study "Relapse"
  seed 1
predictions p from "p.csv"
  truth y
  models never, some, all_right
  positive yes "readmitted"
  unit "patients"
"""


@pytest.fixture
def folder(tmp_path):
    """200 patients, 17 positive: one model says no to all, one makes errors, one makes none."""
    rng = np.random.default_rng(8)
    truth = ["yes" if i < POSITIVES else "no" for i in range(ROWS)]
    some = [("no" if word == "yes" else "yes") if rng.random() < 0.2 else word for word in truth]
    write_rows(
        tmp_path,
        "p.csv",
        "y,never,some,all_right",
        zip(truth, ["no"] * ROWS, some, truth, strict=True),
    )
    return tmp_path


def words(row):
    """Give the text of a row of runs."""
    inner = [words(run.runs) if hasattr(run, "runs") else run.text for run in row]
    return "".join(inner)


def measured(folder, measures, more=""):
    return run(study(f"{HEAD}measure {measures}\n{more}", folder))


def of(results, model, metric):
    (found,) = [e for e in results.record.estimates if (e.model, e.metric) == (model, metric)]
    return found


@pytest.mark.parametrize("metric", ["accuracy", "f1", "mcc", "recall", "balanced_accuracy"])
def test_a_model_that_never_predicts_a_class_is_named_whatever_is_measured(folder, metric):
    results = measured(folder, metric)
    (missed,) = results.record.never_predicted
    assert (missed.model, missed.classes) == ("never", ("yes",))
    assert (missed.n, missed.n_of_classes) == (ROWS, POSITIVES)
    (told,) = [d for d in results.diagnostics if d.code == "W511"]
    assert facts(told.message) == facts(f"`never`, `yes`, {POSITIVES} of {ROWS}")
    context = Context(results.record)
    claim = "never never predicted “readmitted”, the class of 17 of 200 patients."
    assert claim in [words(row) for block in findings(context)[:1] for row in block.items]
    assert [c.code for c in cautions(context)].count("W511") == 1


@pytest.mark.parametrize("metric", ["mcc", "cohen_kappa"])
def test_bounds_that_coincide_are_no_interval(folder, metric):
    results = measured(folder, metric)
    for model in ("never", "all_right"):
        found = of(results, model, metric)
        assert found.interval is None
        assert found.no_interval == NO_WIDTH
    assert of(results, "some", metric).interval is not None
    assert of(results, "some", metric).no_interval is None


def test_a_mean_of_recalls_at_an_end_has_bounds_from_its_classes(folder):
    # statsmodels' Wilson bounds of 17 of 17 and 183 of 183, added as Zou and Donner 2008 do
    results = measured(folder, "balanced_accuracy")
    counts = POSITIVES, ROWS - POSITIVES
    sides = [proportion_confint(n, n, method="wilson")[0] for n in counts]
    found = of(results, "all_right", "balanced_accuracy").interval
    assert found.high == 1.0
    assert found.low == pytest.approx(1 - np.hypot(*(1 - side for side in sides)) / 2, rel=1e-12)


def test_f1_of_no_hit_is_bounded_by_the_share_of_hits(folder):
    """Conditional on the union, hits are binomial: F1 = 2 s / (1 + s) for their share s."""
    results = measured(folder, "f1, jaccard, fbeta(beta=2)")
    upper = proportion_confint(0, POSITIVES, method="wilson")[1]
    assert of(results, "never", "jaccard").interval.high == pytest.approx(upper, rel=1e-9)
    assert of(results, "never", "f1").interval.high == pytest.approx(2 * upper / (1 + upper))
    # all other members of the union false positives, which count once and misses four times
    wide = of(results, "never", "fbeta(beta=2)").interval.high
    assert wide == pytest.approx(5 * upper / (5 * upper + (1 - upper)))
    lower = proportion_confint(POSITIVES, POSITIVES, method="wilson")[0]
    low = of(results, "all_right", "f1").interval.low
    assert low == pytest.approx(2 * lower / (1 + lower))
    assert of(results, "all_right", "f1").interval.high == 1


def test_identical_models_keep_a_gate_and_print_no_interval(folder):
    text = HEAD.replace("models never, some", "models never, twin as some, some")
    line = "require twin not worse than some by 2% in f1\n"
    (found,) = run(study(f"{text}measure f1\n{line}", folder)).record.requirements
    assert found.met
    assert found.interval is None


def test_a_baseline_is_named_in_the_table_and_warned_of_only_as_the_best(tmp_path):
    rng = np.random.default_rng(2)
    rows = [(round(rng.normal(), 3), "yes" if i % 10 == 0 else "no") for i in range(100)]
    write_rows(tmp_path, "r.csv", "x,y", rows)
    text = """evallang 1
study "Rare"
  seed 1
data r from "r.csv"
  target y
  positive yes "readmitted"
model tree = DecisionTreeClassifier
model majority = DummyClassifier
protocol cv folds=5
measure {}
"""
    best = run(study(text.format("accuracy"), tmp_path))
    assert [m.baseline for m in best.record.never_predicted] == [True]
    assert "W511" not in [d.code for d in best.diagnostics]
    assert "W511" in [c.code for c in cautions(Context(best.record))]
    other = run(study(text.format("recall"), tmp_path))
    assert "W511" not in [c.code for c in cautions(Context(other.record))]


def test_a_dash_with_a_footnote_stands_for_the_interval(folder, tmp_path):
    results = measured(folder, "mcc")
    results.save(tmp_path / "out", formats=("html",))
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "both bounds equal the estimate" in page
    assert not re.search(r"\[\s*0\.000,\s*0\.000\s*\]", page)
