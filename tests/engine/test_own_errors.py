"""Own code that raises anything, or returns what its method does not promise: failed fits."""

import subprocess
import sys

import pytest
from studies import study

from evallang.api.running import RunFailed, run

MODULE = """\
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no text")

class NoText(Exception):
    def __str__(self):
        return 5

class Deep(BaseException):
    pass

RAISED = {
    e.__name__: e
    for e in (Mute, NoText, Deep, SystemExit, KeyboardInterrupt, GeneratorExit)
}
TABLES = {
    "sum": lambda n: np.full((n, 2), 7.5),
    "negative": lambda n: np.tile([-0.5, 1.5], (n, 1)),
    "nan": lambda n: np.full((n, 2), np.nan),
    "column": lambda n: np.ones((n, 1)),
}

class Own(ClassifierMixin, BaseEstimator):
    def __init__(self, raised="", returned=""):
        self.raised, self.returned = raised, returned
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if self.raised:
            name, _, silent = self.raised.partition(" ")
            raise RAISED[name](*([] if silent else ["told"]))
        return self
    def predict(self, X):
        return np.repeat(self.classes_[0], len(X))
    def predict_proba(self, X):
        return TABLES[self.returned](len(X)) if self.returned else np.full((len(X), 2), 0.5)

class Column(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        return self
    def predict(self, X):
        return np.zeros((len(X), 1))

class Shorter(BaseEstimator):
    def fit(self, X, y=None):
        return self
    def transform(self, X):
        return X[:-1] if len(X) < 250 else X

def mute(truth, prediction):
    raise Deep("told")
"""
HEAD = 'evallang 1\nuse own_errors\nstudy "Own"\n  seed 1\n'
TEXT = (
    HEAD + "data cancer from sklearn breast_cancer\nmodel own = {model}\nmodel bayes = GaussianNB\n"
    "protocol cv folds=2\nmeasure {metric}\nreport csv\n"
)


def failures(folder, model, metric="log_loss", jobs=1, text=TEXT):
    """Run a study of an own model; its failures, and whether the other model was measured."""
    (folder / "own_errors.py").write_text(MODULE)
    with pytest.raises(RunFailed) as failed:
        run(study(text.format(model=model, metric=metric), folder), trust=True, jobs=jobs)
    record = failed.value.results.record
    assert [e.value is not None for e in record.estimates][-1]
    return record.failures


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("raised", ["Deep", "GeneratorExit", "KeyboardInterrupt", "SystemExit"])
def test_what_is_not_an_exception_is_a_failed_fit_with_its_fold(tmp_path, raised, jobs):
    import signal

    # the command line answers Ctrl-C by a handler of its own; Python's tells nothing
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        found = failures(tmp_path, f"own_errors.Own(raised={raised})", jobs=jobs)
    finally:
        signal.signal(signal.SIGINT, before)
    assert [(f.model, f.fold, f.error) for f in found] == [("own", k, raised) for k in range(2)]
    assert all(f.message.endswith("told") for f in found)


@pytest.mark.parametrize(("raised", "inner"), [("Mute", "RuntimeError"), ("NoText", "TypeError")])
def test_an_exception_without_text_is_named_with_the_reason(tmp_path, raised, inner):
    found = failures(tmp_path, f"own_errors.Own(raised={raised})")
    assert {(f.error, f.message) for f in found} == {
        (raised, f"its text is unknown, because `__str__` raised {inner}")
    }


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        ("sum", "`predict_proba` returned [7.5, 7.5] in row 0 of its input"),
        ("negative", "`predict_proba` returned [-0.5, 1.5] in row 0 of its input"),
        ("nan", "`predict_proba` returned nan"),
        ("column", "`predict_proba` returned an array of the shape (285, 1)"),
    ],
)
@pytest.mark.parametrize("metric", ["log_loss", "roc_auc"])
def test_probabilities_that_are_none_are_a_failed_fit(tmp_path, returned, told, metric):
    found = failures(tmp_path, f"own_errors.Own(returned={returned})", metric)
    assert [(f.model, f.fold, f.error) for f in found] == [("own", k, "ValueError") for k in (0, 1)]
    assert found[0].message.startswith(told)


def test_a_metric_that_raises_no_exception_is_a_measurement_that_failed(tmp_path):
    text = TEXT.replace("measure {metric}", "measure own_errors.mute, accuracy")
    (tmp_path / "own_errors.py").write_text(MODULE)
    with pytest.raises(RunFailed) as failed:
        run(study(text.format(model="GaussianNB"), tmp_path), trust=True)
    found = failed.value.results.record.failures
    assert {(f.stage, f.error, f.message) for f in found} == {("measure", "Deep", "told")}


@pytest.mark.parametrize("jobs", [1, 2])
def test_threads_that_a_fit_has_started_do_not_delay_the_end(tmp_path, jobs):
    started = "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\n"
    (tmp_path / "own_errors.py").write_text(MODULE + started)
    text = TEXT.format(model="own_errors.Own", metric="accuracy")
    (tmp_path / "study.eval").write_text(text)
    shell = ["run", "study.eval", "--trust", "-j", str(jobs)]
    command = [sys.executable, "-m", "evallang", *shell]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_the_shell_answers_3_and_names_model_and_fold(tmp_path):
    (tmp_path / "own_errors.py").write_text(MODULE)
    text = TEXT.format(model="own_errors.Own(raised=KeyboardInterrupt)", metric="log_loss")
    (tmp_path / "study.eval").write_text(text)
    shell = [sys.executable, "-m", "evallang", "run", "study.eval", "--trust", "-j", "2"]
    done = subprocess.run(shell, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 3, done.stderr
    assert "a fit failed (own, fold 1): KeyboardInterrupt: told" in done.stderr
    assert "bug" not in done.stderr
