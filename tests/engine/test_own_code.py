"""The author's own code: run with consent alone, found by its source, wrong without a traceback."""

import importlib
import json
import os
import random
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import sklearn
from calling import call
from click.testing import CliRunner
from studies import study

from evallang.api.checked_file import StudyError
from evallang.api.preparing import read_and_plan
from evallang.api.running import RunFailed, run
from evallang.api.trust import NotTrusted
from evallang.cli.run import command
from evallang.engine.fits import SCORES_NEEDED

MODULE = """\
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

class Nearest(ClassifierMixin, BaseEstimator):
    def __init__(self, power=2, n_jobs=None, random_state=None):
        self.power, self.n_jobs, self.random_state = power, n_jobs, random_state
    def fit(self, X, y):
        assert self.n_jobs == 1 and isinstance(self.random_state, int)
        self.classes_ = np.unique(y)
        self.means_ = np.stack([X[y == c].mean(axis=0) for c in self.classes_])
        return self
    def predict(self, X):
        distances = (np.abs(X[:, None, :] - self.means_) ** self.power).sum(axis=2)
        return self.classes_[distances.argmin(axis=1)]

class Broken(Nearest):
    def fit(self, X, y):
        raise RuntimeError("no luck")

class Leaving(Nearest):
    def fit(self, X, y):
        raise SystemExit(7)
"""
TEXT = """\
evallang 1
use {package}.models
study "Own"
  seed 1
data iris from sklearn iris
model own = StandardScaler | {package}.models.{name}
model bayes = GaussianNB
protocol cv folds=3
measure accuracy
report csv
"""


def written(folder, package, name="Nearest", module=MODULE):
    """Write a package of this name, of which no other test has imported one."""
    (folder / package).mkdir()
    (folder / package / "__init__.py").write_text("")
    (folder / package / "models.py").write_text(module)
    (folder / "study.eval").write_text(TEXT.format(package=package, name=name))
    return study(TEXT.format(package=package, name=name), folder)


def test_own_code_runs_with_consent_as_the_same_class_in_scikit_learn(tmp_path):
    from sklearn.neighbors import NearestCentroid

    made = written(tmp_path, "first_own")
    record = run(made, trust=True).record
    values = {e.model: e.value for e in record.estimates}
    same = study(
        TEXT.format(package="x", name="y").replace("use x.models\n", "").replace(
            "x.models.y", "NearestCentroid"
        )
    )  # fmt: skip
    assert values["own"] == {e.model: e.value for e in run(same).record.estimates}["own"]
    assert NearestCentroid.__name__ in same.meant.models[0].pipeline.steps[-1].name


def test_without_consent_nothing_is_imported_and_the_modules_are_named(tmp_path):
    made = written(tmp_path, "third_own", module="raise RuntimeError('imported')\n")
    with pytest.raises(NotTrusted, match=r"`third_own\.models`"):
        run(made)
    done = CliRunner().invoke(command, [str(tmp_path / "study.eval")])
    assert done.exit_code != 0
    assert not [name for name in sys.modules if name.startswith("third_own")]
    assert not (tmp_path / "study-results").exists()


def test_the_shell_answers_2_without_consent_and_runs_with_the_variable(tmp_path, monkeypatch):
    written(tmp_path, "fourth_own")
    words = ["run", "study.eval", "-j", "1", "--quiet"]
    refused = call(*words, folder=tmp_path)
    assert refused.returncode == 2
    assert "`fourth_own.models`" in refused.stderr
    assert "--trust" in refused.stderr
    monkeypatch.setenv("EVALLANG_TRUST", "1")
    trusted = call(*words, folder=tmp_path)
    assert trusted.returncode == 0, trusted.stderr


def test_check_and_plan_never_import_it(tmp_path):
    made = written(tmp_path, "fifth_own", module="raise RuntimeError('imported')\n")
    assert made.plan().n_fits == 6
    assert not [name for name in sys.modules if name.startswith("fifth_own")]


def test_what_own_code_raises_is_a_fit_that_fails_and_the_others_finish(tmp_path):
    wrong = {
        "models.Broken": "RuntimeError",
        "models.Leaving": "SystemExit",
        "models.Missing": "AttributeError",
        "licence.Nearest": "OSError",
        "bye.Nearest": "ImportError",
        "syntax.Nearest": "SyntaxError",
    }
    written(tmp_path, "sixth_own")
    package = tmp_path / "sixth_own"
    (package / "licence.py").write_text("raise OSError('no licence')\n")
    (package / "bye.py").write_text("import sys\nsys.exit('bye')\n")
    (package / "syntax.py").write_text("def wrong(:\n")
    uses = "".join(f"use sixth_own.{name}\n" for name in ("licence", "bye", "syntax"))
    models = "".join(f"model m{n} = sixth_own.{name}\n" for n, name in enumerate(wrong))
    text = TEXT.format(package="sixth_own", name="Nearest")
    made = study(
        text.replace("use ", f"{uses}use ").replace("protocol", f"{models}protocol"), tmp_path
    )
    with pytest.raises(RunFailed) as failed:
        run(made, trust=True)
    record = failed.value.results.record
    assert {f.model: f.error for f in record.failures} == {
        f"m{n}": error for n, error in enumerate(wrong.values())
    }
    assert [e.model for e in record.estimates if e.value is not None] == ["own", "bayes"]


def test_a_module_that_is_nowhere_is_said_before_anything_is_fitted(tmp_path):
    made = study(TEXT.format(package="nowhere_own", name="Nearest"), tmp_path)
    with pytest.raises(StudyError, match=r"no module `nowhere_own\.models`"):
        run(made, trust=True)
    assert made.plan().n_fits == 6
    (tmp_path / "nowhere_own").mkdir()
    (tmp_path / "nowhere_own" / "__init__.py").write_text("")
    with pytest.raises(StudyError, match=r"nowhere_own\.models"):
        run(made, trust=True)


def test_a_changed_source_is_another_fit_and_is_imported_anew(tmp_path):
    made = written(tmp_path, "twelfth_own")
    keys = set(read_and_plan(made).planned.fits)
    assert set(read_and_plan(made).planned.fits) == keys
    before = run(made, trust=True).record
    wrong = MODULE.replace("distances.argmin", "distances.argmax")
    (tmp_path / "twelfth_own" / "models.py").write_text(wrong)
    changed = set(read_and_plan(made).planned.fits)
    assert len(keys & changed) == 3  # those of the other model
    after = run(made, trust=True).record
    assert before.spec.own_code[0].sha256 != after.spec.own_code[0].sha256
    assert after.estimates[0].value < before.estimates[0].value
    assert after.estimates[1] == before.estimates[1]
    assert not list(tmp_path.rglob("__pycache__"))


def test_its_parameters_are_searched_like_others_and_it_is_exported(tmp_path, monkeypatch):
    import skops.io

    (tmp_path / "thirteenth_own.py").write_text(MODULE)
    made = study(
        "use thirteenth_own\ndata iris from sklearn iris\n"
        "model own = thirteenth_own.Nearest(power in [1, 2], random_state=3)\n"
        "protocol cv folds=3\ntune grid cv=2\nexport own\nreport html\n",
        tmp_path,
    )
    record = run(made, trust=True, out=tmp_path / "out").record
    assert record.models[0].tuned == {"power": (1, 2)}
    export = record.exports[0]
    assert export.trusted_types == ("thirteenth_own.Nearest",)
    with pytest.raises(Exception, match=r"[Uu]ntrusted"):
        skops.io.load(tmp_path / "own.skops")
    monkeypatch.syspath_prepend(tmp_path)
    model = skops.io.load(tmp_path / "own.skops", trusted=["thirteenth_own.Nearest"])
    assert (model.power, model.random_state) == (export.params["power"], 3)
    assert list(model.predict(np.array([[5, 3, 1, 0.2]]))) == ["setosa"]


@pytest.mark.parametrize("at", ["import", "fit"])
def test_settings_that_own_code_changes_reach_no_other_model(tmp_path, at):
    changes = (
        "import sys, sklearn",
        "sys.setrecursionlimit(sys.getrecursionlimit() // 4)",
        "np.seterr(all='raise')",
        "sklearn.set_config(transform_output='polars')",
        "sys.stdin = sys.stdout = sys.stderr = None",
        "import signal; signal.signal(signal.SIGTERM, print)",
    )
    lines = "\n".join(changes) + "\n"
    package = f"setting_{at}"
    module = MODULE
    if at == "import":
        module += lines
    else:
        module = module.replace(
            "        self.classes_ =", textwrap.indent(lines, " " * 8) + "        self.classes_ ="
        )

    def settings():
        streams = sys.stdin, sys.stdout, sys.stderr
        handler = signal.getsignal(signal.SIGTERM)
        return sys.getrecursionlimit(), np.geterr(), sklearn.get_config(), streams, handler

    before = settings()
    made = written(tmp_path, package, module=module)
    record = run(made, trust=True, jobs=1).record
    assert settings() == before
    assert not record.failures


DRAWING = """
import random
from sklearn.tree import DecisionTreeClassifier

class Drawing(DecisionTreeClassifier):  # its `random_state` is None
    def __init__(self, noise=0.1):
        super().__init__(max_features=1)
        self.noise = noise
    def fit(self, X, y):
        return super().fit(X + self.noise * np.random.normal(size=X.shape), y)
    def predict(self, X):
        found = super().predict(X)
        found[np.random.rand(len(X)) < 0.2] = random.choice(list(self.classes_))
        return found

def noisy(truth, prediction):
    return float((truth == prediction).mean() + 1e-6 * random.random() + 1e-6 * np.random.rand())
"""


def test_draws_of_own_code_without_a_seed_are_the_same_in_every_run(tmp_path):
    package = "drawing_own"
    written(tmp_path, package, "Drawing", MODULE + DRAWING)
    text = (tmp_path / "study.eval").read_text()
    text = text.replace(
        "Drawing\n", f"Drawing(noise in [0.1, 0.2])\nmodel two = {package}.models.Drawing\n"
    )
    text = text.replace("cv folds=3", "nested cv outer=3 inner=2")
    text = text.replace("measure accuracy", f"measure {package}.models.noisy")
    made = study(text, tmp_path)
    importlib.import_module("rich.style")  # it draws from `random` while it is imported
    np.random.seed(9)
    random.seed(9)
    drawn = []
    for jobs in (1, 2):
        before = random.getstate(), np.random.get_bit_generator()
        found = run(made, trust=True, jobs=jobs, store="off")
        assert before == (random.getstate(), np.random.get_bit_generator())
        drawn.append([estimate.value for estimate in found.record.estimates])
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0])) == 3
    assert np.random.rand() == np.random.RandomState(9).rand()


def test_a_threshold_of_a_class_without_scores_is_a_failed_fit(tmp_path):
    text = TEXT.format(package="without_scores", name="Nearest").replace(
        "iris\n", "breast_cancer\n  threshold own = 0.4\n"
    )
    written(tmp_path, "without_scores")
    with pytest.raises(RunFailed) as failed:
        run(study(text, tmp_path), trust=True, jobs=1)
    record = failed.value.results.record
    assert {(f.model, f.fold) for f in record.failures} == {("own", k) for k in range(3)}
    assert {failure.message for failure in record.failures} == {SCORES_NEEDED}


def test_own_code_that_would_end_this_process_is_a_failed_fit_and_may_end_its_own(tmp_path):
    written(tmp_path, "ending_own", "Ending", MODULE + ENDING)
    for at in ("import", "fit"):
        (tmp_path / f"ended_in_{at}.py").write_text(
            f"from ending_own.models import Ending as Ending\nimport os\n{ENDED[at]}"
        )
        text = TEXT.format(package="ending_own", name="Ending").replace(
            "measure", f"model ends = ended_in_{at}.Ending\nmeasure"
        )
        made = study(text.replace("use ", f"use ended_in_{at}\nuse "), tmp_path)
        with pytest.raises(RunFailed) as failed:
            run(made, trust=True, jobs=1)
        record = failed.value.results.record
        assert {(f.model, f.fold) for f in record.failures} == {("ends", k) for k in range(3)}
        assert all(ENDS[at] in failure.message for failure in record.failures)
        assert {e.model for e in record.estimates if e.value is not None} == {"own", "bayes"}
    assert os._exit.__module__ == "posix"


ENDING = """
import json
import os

class Ending(Nearest):
    def fit(self, X, y):
        child = os.fork()
        if child == 0:
            os._exit(4)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 4
        return super().fit(X, y)
"""
ENDS = {
    "import": "ended the process when it was imported",
    "fit": "the process that fitted it ended with exit code 0",
}
ENDED = {
    "import": "os._exit(0)\n",
    "fit": "class Ending(Ending):\n    def fit(self, X, y):\n        os._exit(0)\n",
}


BREAKING = """
import atexit, builtins, json, os, signal, time

def defer(function, *arguments):
    class Broken(Nearest):
        def fit(self, X, y):
            function(*arguments)
            return super().fit(X, y)
    return Broken

def overflow():
    sorted([1], key=lambda _: overflow())

def deep():
    import sys
    sys.setrecursionlimit(10**9)
    overflow()

Lengthless = defer(setattr, builtins, "len", None)
Speechless = defer(setattr, json, "dumps", None)
Closing = defer(os.closerange, 0, 300)
Deep = defer(deep)
Alarmed = defer(signal.setitimer, signal.ITIMER_REAL, 0.01, 0.01)
Masking = defer(os.umask, 0o777)
Homeless = defer(os.environ.clear)
Hanging = defer(atexit.register, time.sleep, 300)
"""


BROKEN = ("Lengthless", "Speechless", "Closing", "Deep", "Alarmed")
HARMLESS = ("Masking", "Homeless", "Hanging")


@pytest.mark.parametrize(("jobs", "names"), [("1", BROKEN + HARMLESS), ("2", BROKEN[2:4])])
def test_what_own_code_breaks_in_its_process_is_its_own_failed_fit(tmp_path, capfd, jobs, names):
    package = "breaking_own"
    written(tmp_path, package, "Nearest", MODULE + BREAKING)
    models = "".join(f"model {name} = {package}.models.{name}\n" for name in names)
    text = TEXT.format(package=package, name="Nearest").replace("protocol", f"{models}protocol")
    (tmp_path / "study.eval").write_text(text)
    done = call("run", "study.eval", "--trust", "-j", jobs, folder=tmp_path)
    said = done.stderr + capfd.readouterr().err
    found = tmp_path / "study-results" / "results.json"
    record = json.loads(found.read_text())
    assert found.stat().st_mode & 0o600 == 0o600
    failed = {f["model"] for f in record["failures"]}
    assert {*names} - {*HARMLESS, "Alarmed", "Speechless"} <= failed <= {*names} & {*BROKEN}
    assert done.returncode == 3, said
    assert "Traceback" not in said and "bug" not in said, said
    assert {e["model"] for e in record["estimates"] if (e["value"] or 0) > 0.8} >= {"own", "bayes"}


STARTING = """
import multiprocessing, os, sys, time

fork = multiprocessing.get_context("fork")

class Pool(Nearest):
    def fit(self, X, y):
        with fork.Pool(2) as pool:  # whose workers are ended by SIGTERM
            assert pool.map(abs, [-1, 2]) == [1, 2]
        return super().fit(X, y)

class Left(Nearest):
    def fit(self, X, y):
        fork.Process(target=time.sleep, args=(300,)).start()
        return super().fit(X, y)

def ended(as_it_ends):
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    as_it_ends()

def fall():
    raise LookupError("in the child")

class Raising(Nearest):
    def fit(self, X, y):
        assert ended(fall) == 1
        return super().fit(X, y)

class Returning(Nearest):
    def predict(self, X):
        assert ended(int) in (0, None)  # None is what the child itself goes on with
        return super().predict(X)

class Exiting(Nearest):
    def fit(self, X, y):
        assert ended(lambda: sys.exit(5)) == 5
        return super().fit(X, y)

def share(truth, prediction):
    assert ended(int) in (0, None)
    return float((truth == prediction).mean())
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_processes_that_own_code_forks_do_not_continue_the_run_and_are_not_waited_for(
    tmp_path, jobs
):
    package = "forking_own"
    names = ("Pool", "Left", "Raising", "Returning", "Exiting")
    written(tmp_path, package, "Nearest", MODULE + STARTING)
    text = (tmp_path / "study.eval").read_text()
    models = "".join(f"model m{name} = {package}.models.{name}\n" for name in names)
    text = text.replace("measure accuracy", f"{models}measure accuracy, {package}.models.share")
    text = text.replace("StandardScaler | ", "")
    (tmp_path / "study.eval").write_text(text)
    words = [sys.executable, "-m", "evallang", "run", "study.eval", "--trust", "-j", jobs]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("LookupError: in the child") == 3  # once in each fold
    record = json.loads((tmp_path / "study-results" / "results.json").read_text())
    found = {e["model"]: e["value"] for e in record["estimates"] if e["metric"] == "accuracy"}
    assert {found[f"m{name}"] for name in names} == {found["own"]}
    assert len(record["estimates"]) == 2 * (len(names) + 2)
