"""Metrics of the author's own: the function's own numbers, its word on itself, its failures."""

import sys

import numpy as np
import pytest
from calling import call
from msgspec.structs import replace
from studies import checked, study

from evallang.api.checked_file import StudyError
from evallang.api.preparing import read_and_plan
from evallang.api.running import RunFailed, run
from evallang.api.trust import NotTrusted
from evallang.results import codec

MODULE = '''\
import numpy as np

def utility(truth, prediction, gain=1.0, *, loss=2):
    """What right answers are worth, less what wrong ones cost. More words.

    And a paragraph.
    """
    right = truth == prediction
    return gain * right.mean() - loss * (~right).mean()

def wrong(truth, prediction):
    share = float(np.mean(truth != prediction))
    truth[:] = truth[0]  # what it is given is its own
    return share
wrong.better = "lower"

def auc(truth, score):
    from sklearn.metrics import roc_auc_score
    return roc_auc_score(truth, score)
auc.needs = "scores"

def squares(truth, probabilities):
    return np.mean(np.sum((probabilities - (truth[:, None] == np.unique(truth))) ** 2, axis=1))
squares.needs, squares.better = "probabilities", "lower"

def gap(truth, prediction):
    return np.abs(truth - prediction).max()
gap.better = "lower"

def kinds(truth, prediction):
    assert {truth.dtype.kind, prediction.dtype.kind} == {"U"}, (truth.dtype, prediction.dtype)
    assert set(truth) <= {"no", "yes"} and set(prediction) == {"no", "yes", ""}
    return float(np.mean(prediction == ""))

def raises(truth, prediction):
    return 1 / 0

def leaves(truth, prediction):
    raise SystemExit(4)

def nothing(truth, prediction):
    return float("nan")

def words(truth, prediction):
    return "0.5"

def few(truth, prediction):
    if len(truth) < 38:
        raise ValueError("too few rows")
    return 1.0

def askew(truth, prediction): return 0
askew.better = "smaller"
def one(truth): return 0
three = 3
def demanding(truth, prediction, *, price): return price
def open_to_all(truth, prediction, **options): return options["a"] + len(options["b"])
'''
IRIS = """\
use {package}.metrics
study "Own"
  seed 2
data iris from sklearn iris
model tree = DecisionTreeClassifier(max_depth=2)
model bayes = GaussianNB
"""

FEW = "\n  interval bootstrap(rounds=200)\n"
"""Fewer rounds than by default, each of which calls the function: for what is not the interval."""


def written(folder, package, text=IRIS, module=MODULE):
    """Write a package of this name, of which no other test has imported one, and a study."""
    (folder / package).mkdir()
    (folder / package / "__init__.py").write_text("")
    (folder / package / "metrics.py").write_text(module)
    text = text.replace("{package}", package).replace("own.", f"{package}.metrics.")
    (folder / "study.eval").write_text("evallang 1\n" + text)
    return study(text, folder)


def values(record, metric):
    """Give the fold values of each model by a metric whose name ends so."""
    return {
        e.model: [fold.value for fold in e.folds]
        for e in record.estimates
        if e.metric.endswith(metric)
    }


def test_the_value_is_that_of_the_function_on_the_labels_of_a_loop_in_scikit_learn(tmp_path):
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB

    made = written(
        tmp_path,
        "one_metric",
        IRIS + "protocol cv folds=3\nmeasure own.utility(gain=3), own.squares\n",
    )
    record = run(made, trust=True).record
    splits = read_and_plan(made).planned.layout.splits["iris", "cv"]
    data = load_iris()
    names = data.target_names[data.target]
    utility, squares = [], []
    for split in splits:
        model = GaussianNB().fit(data.data[split.train], names[split.train])
        right = model.predict(data.data[split.test]) == names[split.test]
        utility.append(3 * right.mean() - 2 * (~right).mean())
        given = model.predict_proba(data.data[split.test])
        truth = names[split.test][:, None] == model.classes_
        squares.append(((given - truth) ** 2).sum(axis=1).mean())
    assert values(record, "utility(gain=3)")["bayes"] == pytest.approx(utility, abs=1e-12)
    assert values(record, "squares")["bayes"] == pytest.approx(squares, abs=1e-12)
    found = record.estimates[1]
    assert found.metric == "one_metric.metrics.utility(gain=3)"
    assert (found.model, found.aggregation, found.interval) == ("bayes", "mean_of_folds", None)
    assert found.value == pytest.approx(np.mean(utility), abs=1e-12)  # the mean over folds


def test_what_the_author_did_not_say_is_a_stated_default_and_the_record_says_whose_it_is(tmp_path):
    made = written(
        tmp_path, "two_metric", IRIS + "protocol holdout\nmeasure own.utility, own.wrong" + FEW
    )
    ours = "two_metric.metrics."
    planned = {d.clause: d.value for d in read_and_plan(made).planned.plan.defaults}
    assert planned[f"{ours}utility better"] == "higher, if the function does not say"
    assert not [name for name in sys.modules if name.startswith("two_metric")]
    record = run(made, trust=True).record
    stated = {d.clause: d.value for d in record.study.defaults}
    assert stated[f"{ours}utility better"] == "higher"
    assert stated[f"{ours}utility needs"] == "labels"
    assert stated[f"{ours}utility gain"] == 1.0
    assert stated[f"{ours}utility loss"] == 2
    assert f"{ours}wrong better" not in stated
    methods = {m.name: m for m in record.methods if m.kind == "metric"}
    assert methods[f"{ours}utility"].summary.startswith("The author's own code: What right answers")
    assert [methods[ours + name].better for name in ("utility", "wrong")] == ["higher", "lower"]


def test_one_fitted_model_has_the_bootstrap_interval_and_tests_are_those_of_the_same_metric(
    tmp_path,
):
    made = written(
        tmp_path,
        "three_metric",
        IRIS + "protocol holdout test=1/2\nmeasure own.wrong, error_rate\n"
        "  interval bootstrap(percentile)\n"
        "compare tree vs bayes with permutation by own.wrong\n"
        "compare tree vs bayes with permutation by error_rate\n",
    )
    record = run(made, trust=True).record
    mine, theirs = record.estimates[0], record.estimates[2]
    assert mine.value == theirs.value
    assert mine.interval.method == theirs.interval.method
    # both draw 10,000 samples, by other means: their quantiles differ by a row in 75 at most
    assert mine.interval.low == pytest.approx(theirs.interval.low, abs=1 / 75 + 1e-12)
    assert mine.interval.high == pytest.approx(theirs.interval.high, abs=1 / 75 + 1e-12)
    own, built_in = (comparison.pairwise[0] for comparison in record.comparisons)
    # few examples differ, so both enumerate every arrangement
    assert own.p == pytest.approx(built_in.p, abs=1e-12)
    assert own.estimate.value == pytest.approx(built_in.estimate.value, abs=1e-12)


def test_candidates_are_chosen_by_it_in_its_direction_the_same_in_every_process(tmp_path):
    text = (
        "use {package}.metrics\nstudy\n  seed 2\ndata wine from sklearn wine\n"
        "model near = KNeighborsClassifier(n_neighbors in [1, 80])\nprotocol holdout\n"
        "tune grid by {metric} cv=2\nmeasure own.wrong, own.utility(gain=1/2)" + FEW
    )
    made = written(tmp_path, "five_metric", text.replace("{metric}", "own.wrong"))
    first, second = (run(made, jobs=jobs, trust=True).record for jobs in (1, 2))
    kept = [codec.dumps(replace(r, provenance=first.provenance)) for r in (first, second)]
    assert kept[0] == kept[1]
    built_in = text.replace("{metric}", "error_rate").replace("{package}", "five_metric")
    same = study(built_in.replace("own.", "five_metric.metrics."), tmp_path)
    other = run(same, trust=True).record
    chosen = [(s.params, s.inner_score) for s in first.selections]
    assert chosen == [(s.params, s.inner_score) for s in other.selections]
    keys = set(read_and_plan(made).planned.fits)
    (tmp_path / "five_metric" / "metrics.py").write_text(MODULE + "# changed\n")
    assert not keys & set(read_and_plan(made).planned.fits)


def test_scores_are_those_of_the_positive_class_and_targets_of_a_regression_are_numbers(tmp_path):
    made = written(
        tmp_path,
        "seven_metric",
        "use {package}.metrics\nstudy\n  seed 2\ndata c from sklearn breast_cancer\n"
        "  positive malignant\nmodel line = LinearDiscriminantAnalysis\nprotocol holdout\n"
        "measure roc_auc, own.auc\n  interval bootstrap(rounds=200)\n",
    )
    built_in, own = run(made, trust=True).record.estimates
    # malignant comes after benign, and scikit-learn takes the last label for positive
    assert own.value == pytest.approx(built_in.value, abs=1e-12)
    text = (
        "use seven_metric.metrics\nstudy\n  seed 2\ndata d from sklearn diabetes\n"
        "model line = Ridge\nprotocol holdout\nmeasure seven_metric.metrics.gap"
        + FEW + "measure max_error\n"
    )  # fmt: skip
    gap, most = run(study(text, tmp_path), trust=True).record.estimates
    assert gap.value == pytest.approx(most.value, abs=1e-12)


FAILING = {
    "raises": "ZeroDivisionError: division by zero",
    "leaves": "it ended the process: 4",
    "nothing": "it gave nan, which is not a finite number",
    "words": "it gave a str, which is not a finite number",
    "few": "ValueError: too few rows",  # in one of four folds
}


def test_a_metric_that_fails_leaves_its_estimate_empty_and_the_rest_is_kept(tmp_path):
    measures = ", ".join(f"own.{name}" for name in FAILING)
    text = f"{IRIS}protocol cv folds=4\nmeasure {measures}, accuracy\n" + "".join(
        f"compare tree vs bayes with kfold_t by own.{name}\n"
        f"require tree better than bayes in own.{name}\n"
        for name in FAILING
    )
    with pytest.raises(RunFailed, match="10 measurements failed") as failed:
        run(written(tmp_path, "a_metric", text), trust=True)
    record = failed.value.results.record
    for name, error in FAILING.items():
        full = f"a_metric.metrics.{name}"
        empty = [e for e in record.estimates if e.metric == full]
        assert [(e.value, error in e.notes[0]) for e in empty] == [(None, True)] * 2
        (compared,) = (c.pairwise[0] for c in record.comparisons if c.metric == full)
        assert compared.p is None and error in compared.notes[0]
        (required,) = (r for r in record.requirements if r.metric == full)
        assert not required.met and error in required.reason
    assert all(e.value is not None for e in record.estimates if e.metric == "accuracy")
    assert {(f.stage, f.metric, f.fold) for f in record.failures} == {
        ("measure", f"a_metric.metrics.{name}", -1) for name in FAILING
    }


HOSTILE = """\
import os, signal, time
import numpy as np

class Stubborn(float):
    def __float__(self):
        raise SystemExit("no")

def huge(truth, prediction):
    return 10**400

def stubborn(truth, prediction):
    return Stubborn(0.5)

def masked(truth, prediction):
    return np.ma.masked

def whole(truth, prediction):
    return np.ma.array(0.5)

def settings(truth, prediction):
    os.umask(0o777)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    return 0.5

def late(truth, prediction):
    time.sleep(0.2)
    return 0.5
"""


def test_numbers_that_are_no_floats_are_failures_and_settings_are_restored(tmp_path):
    (tmp_path / "hostile_metric.py").write_text(HOSTILE)
    names = ("huge", "stubborn", "masked", "whole", "settings", "late")
    measures = ", ".join(f"hostile_metric.{name}" for name in names)
    made = study(
        "use hostile_metric\ndata iris from sklearn iris\nmodel bayes = GaussianNB\n"
        f"protocol holdout\nmeasure {measures}{FEW}",
        tmp_path,
    )
    with pytest.raises(RunFailed) as failed:
        run(made, trust=True, out=tmp_path / "out")
    assert (tmp_path / "out" / "results.json").stat().st_mode & 0o600 == 0o600
    record = failed.value.results.record
    assert [e.value for e in record.estimates] == [None, None, None, 0.5, 0.5, 0.5]
    for estimate, said in zip(
        record.estimates,
        ("OverflowError: int too large", "ended the process: no", "it gave a MaskedConstant"),
        strict=False,
    ):
        assert said in estimate.notes[0]


def test_the_shell_answers_3_for_it_and_2_without_consent(tmp_path):
    written(tmp_path, "shell_metric", IRIS + "protocol holdout\nmeasure own.raises\nreport html\n")
    words = ["run", "study.eval", "-j", "1", "--quiet"]
    refused = call(*words, folder=tmp_path)
    assert refused.returncode == 2
    assert not (tmp_path / "study-results").exists()
    failed = call(*words, "--trust", folder=tmp_path)
    assert failed.returncode == 3
    said = "`shell_metric.metrics.raises` failed (tree): ZeroDivisionError: division by zero"
    assert said in failed.stderr
    assert "Traceback" not in failed.stderr
    html = (tmp_path / "study-results" / "report.html").read_text(encoding="utf-8")
    assert "Measures that failed" in html


@pytest.mark.parametrize(
    ("package", "written_so", "reason"),
    [
        ("f_metric", "missing", "`f_metric.metrics` has no `missing`"),
        ("g_metric", "three", "it is of the type int, not a function"),
        ("h_metric", "one", "not a function of truth and prediction"),
        ("i_metric", "askew", 'its `better` is \'smaller\', and can be "higher" or "lower"'),
        ("j_metric", "utility(gian=3)", "no option `gian`; those of the function are `gain`"),
        ("k_metric", "wrong(gain=3)", "it takes no option `gain`"),
        ("l_metric", "demanding", "it needs the option `price`"),
        ("m_metric", "squares", "needs probabilities, and `ridge` gives none"),
    ],
)
def test_what_cannot_be_a_metric_is_said_before_anything_is_fitted(
    tmp_path, package, written_so, reason
):
    text = IRIS + f"model ridge = RidgeClassifier\nprotocol holdout\nmeasure own.{written_so}\n"
    made = written(tmp_path, package, text)
    with pytest.raises(NotTrusted):
        run(made)
    assert not [name for name in sys.modules if name.startswith(package)]
    with pytest.raises(StudyError) as refused:
        run(made, trust=True)
    assert reason in str(refused.value)


def errors(text):
    return [d.code for d in checked(text).diagnostics if d.severity == "error"]


def test_a_check_takes_its_name_and_options_and_asks_for_its_use_line():
    text = IRIS.replace("{package}.metrics", "m.n") + "protocol cv\n"
    assert errors(text + 'measure m.n.f(a=1, b=word, c="text", d=[1, 2], e=true)\n') == []
    assert errors(text + "measure o.p.f\n") == ["E175"]
    assert errors(text + "measure m.n.f(3)\n") == ["E130"]
    assert errors(text + "measure m.n.f(a in [1, 2])\n") == ["E131"]
    assert errors(text + "measure m.n.f(a={b: 1})\n") == ["E131"]
    assert errors(text + "measure m.n.f(a=1, a=2)\n") == ["E116"]
    assert errors(text + "measure m.n.f, m.n.f\n") == ["E116"]


def test_it_is_not_measured_where_examples_have_weights_or_are_judged_already():
    weighted = (
        'use m.n\ndata d from "d.csv"\n  target y\n  weight w\nmodel a = GaussianNB\n'
        "protocol cv\nmeasure m.n.f\n"
    )
    assert errors(weighted) == ["E222"]
    counted = "use m.n\ncounts c\n  models a, b\n  table [[9, 1], [2, 3]]\nmeasure m.n.f\n"
    assert errors(counted) == ["E203"]
