"""Estimators that an installed package registers under `evallang.models` need no `use`."""

import subprocess
import sys
import textwrap

MODULE = """
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

class Constant(ClassifierMixin, BaseEstimator):
    def __init__(self, place=0):
        self.place = place
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self
    def predict(self, X):
        return np.full(len(X), self.classes_[self.place])
"""
STUDY = """\
evallang 1
study "Registered"
  seed 1
data iris from sklearn iris
model constant = StandardScaler | ConstantGuess(place in [0, 1])
protocol cv folds=5
tune grid cv=2
measure accuracy
report html
"""


def installed(folder):
    """Lay a package out as an installer would: its module and what it says of itself."""
    (folder / "guessing.py").write_text(MODULE)
    about = folder / "guessing-1.2.3.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: guessing\nVersion: 1.2.3\n")
    (about / "entry_points.txt").write_text(
        "[evallang.models]\nConstantGuess = guessing:Constant\n"
    )
    (folder / "study.eval").write_text(STUDY)


def in_a_process_with(folder, code):
    whole = f"import sys; sys.path.insert(0, {str(folder)!r})\n" + textwrap.dedent(code)
    return subprocess.run(
        [sys.executable, "-c", whole], cwd=folder, capture_output=True, text=True, check=True
    ).stdout


def test_a_registered_class_is_checked_without_its_package_and_run_with_it(tmp_path):
    installed(tmp_path)
    said = in_a_process_with(
        tmp_path,
        """
        import evallang as ev
        study = ev.load("study.eval")
        assert "guessing" not in sys.modules
        assert study.plan().n_fits == 5 * 5
        assert "guessing" not in sys.modules
        record = ev.run(study).record
        assert not record.failures, record.failures
        print(round(record.estimates[0].value, 6))
        print(record.provenance.packages["guessing"])
        """,
    )
    # one class of three is guessed, on folds that have ten rows of each
    assert said.split() == ["0.333333", "1.2.3"]
