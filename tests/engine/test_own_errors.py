"""Own code that raises anything, or returns what its method does not promise: failed fits."""

import signal
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


UNKNOWN = "its text is unknown, because `__str__` raised"
WAYS = {
    "Deep": ("raised=Deep", "Deep", "told"),
    "GeneratorExit": ("raised=GeneratorExit", "GeneratorExit", "told"),
    "KeyboardInterrupt": ("raised=KeyboardInterrupt", "KeyboardInterrupt", "told"),
    "SystemExit": ("raised=SystemExit", "SystemExit", "told"),
    "Mute": ("raised=Mute", "Mute", f"{UNKNOWN} RuntimeError"),
    "NoText": (
        "raised=NoText",
        "NoText",
        f"{UNKNOWN} TypeError",
    ),
    "sum": ("returned=sum", "ValueError", "`predict_proba` returned [7.5, 7.5] in row 0 of its"),
    "negative": ("returned=negative", "ValueError", "`predict_proba` returned [-0.5, 1.5] in row"),
    "nan": ("returned=nan", "ValueError", "`predict_proba` returned nan"),
    "column": ("returned=column", "ValueError", "`predict_proba` returned an array of the shape"),
}
"""By the model: what its fit does, and the failure that it is."""


@pytest.mark.parametrize("jobs", [1, 2])
def test_whatever_a_model_raises_or_returns_is_a_failed_fit_with_its_fold(tmp_path, jobs):
    (tmp_path / "own_errors.py").write_text(MODULE)
    models = "".join(f"model m_{n} = own_errors.Own({how})\n" for n, (how, *_) in WAYS.items())
    text = TEXT.format(model="own_errors.Own", metric="log_loss")
    text = text.replace("model own = own_errors.Own\n", models)
    # the command line answers Ctrl-C by a handler of its own; Python's tells nothing
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        with pytest.raises(RunFailed) as failed:
            run(study(text, tmp_path), trust=True, jobs=jobs)
    finally:
        signal.signal(signal.SIGINT, before)
    record = failed.value.results.record
    assert [e.model for e in record.estimates if e.value is not None] == ["bayes"]
    found = {(f.model, f.fold): f for f in record.failures}
    assert set(found) == {(f"m_{name}", fold) for name in WAYS for fold in (0, 1)}
    for name, (_, error, message) in WAYS.items():
        for fold in (0, 1):
            failure = found[f"m_{name}", fold]
            assert failure.error == error
            assert failure.message.removeprefix("it ended the process: ").startswith(message), name


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
