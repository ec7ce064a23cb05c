"""Five models, all pairs, 5x2cv t and F and the k-fold t, beside mlxtend.

Ours is the whole run of a study, from the text to results.json, in this process: each model
is fitted once on each training set, and the tests read its scores. mlxtend fits both models
anew for every pair and test. One BLAS thread and one process for both.

And the same as whole programs, from the shell to results.json with two processes for the fits,
beside mlxtend, which has one, and beside the bare loop that nobody can do without: each of the
100 fits once, and its accuracy, on two processes of joblib.

    python -m benchmarks.shared_fits
"""

import sys
import tempfile
from itertools import combinations
from pathlib import Path

from benchmarks._processes import in_turn  # isort: skip
from benchmarks._rows import peer  # isort: skip
from benchmarks._timing import compare, seconds  # isort: skip  # before numpy starts its threads

from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import evallang

mlxtend = peer("mlxtend", "mlxtend.evaluate")
GOAL = 9  # on two cores; here 100 fits for 600, on one
HELD = 2.2
STUDY = """evallang 1
study "Five models"
  seed 20181113
data digits from sklearn digits
model a = GaussianNB
model b = KNeighborsClassifier
model c = DecisionTreeClassifier
model d = LinearDiscriminantAnalysis
model e = RandomForestClassifier(n_estimators=20)
protocol cv folds=10
measure accuracy
compare with 5x2cv_t uncorrected
compare with 5x2cv_f uncorrected
compare with kfold_t uncorrected
"""


def ours() -> None:
    with tempfile.TemporaryDirectory() as name:
        study = Path(name) / "five.eval"
        study.write_text(STUDY, encoding="utf-8")
        results = evallang.run(study, jobs=1, store="off")
        assert len(results.comparisons) == 3


def theirs() -> None:
    x, y = load_digits(return_X_y=True)
    models = [
        GaussianNB(),
        KNeighborsClassifier(),
        DecisionTreeClassifier(random_state=1),
        LinearDiscriminantAnalysis(),
        RandomForestClassifier(n_estimators=20, random_state=1),
    ]
    for first, second in combinations(models, 2):
        given = {"estimator1": first, "estimator2": second, "X": x, "y": y, "random_seed": 1}
        mlxtend.paired_ttest_5x2cv(**given)
        mlxtend.combined_ftest_5x2cv(**given)
        mlxtend.paired_ttest_kfold_cv(**given, cv=10, shuffle=True)


OURS = 'import evallang; evallang.run("five.eval", jobs=2, store="off").save("out", ())'
THEIRS = "from benchmarks.shared_fits import theirs; theirs()"
BARE = """
from joblib import Parallel, delayed
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

x, y = load_digits(return_X_y=True)
models = [
    GaussianNB(),
    KNeighborsClassifier(),
    DecisionTreeClassifier(random_state=1),
    LinearDiscriminantAnalysis(),
    RandomForestClassifier(n_estimators=20, random_state=1),
]
splits = list(StratifiedKFold(10, shuffle=True, random_state=1).split(x, y))
for repeat in range(5):
    splits += StratifiedKFold(2, shuffle=True, random_state=repeat).split(x, y)


def accuracy(model, train, test):
    return (model.fit(x[train], y[train]).predict(x[test]) == y[test]).mean()


print(Parallel(n_jobs=2)(delayed(accuracy)(m, *rows) for m in models for rows in splits))
"""
NO_SLOWER = 1 / 1.05  # times as fast as the bare loop


def whole_programs() -> None:
    """Compare programs that do the same from their start to their end."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "five.eval").write_text(STUDY, encoding="utf-8")
        programs = {"ours": OURS, "bare": BARE, "theirs": THEIRS}
        here = {"PYTHONPATH": str(Path(__file__).parents[1])}  # where `THEIRS` is
        commands = {key: [sys.executable, "-c", text] for key, text in programs.items()}
        found = in_turn(commands, Path(name), 3, **here)
    work = "the same as whole programs, two processes for fits"
    mine, bare = found["ours"].seconds, found["bare"].seconds
    least = found["theirs"].seconds / bare
    reach = f"the bare loop, without tests or intervals, is {least:.1f}x"
    compare(work, mine, "mlxtend", found["theirs"].seconds, goal=GOAL, held=HELD, note=reach)
    compare(work, mine, "a bare joblib loop", bare, goal=NO_SLOWER, held=NO_SLOWER)


def main() -> None:
    mine = seconds(ours, runs=2)
    work = "5 models, 10 pairs, 3 tests, digits"
    compare(work, mine, "mlxtend", seconds(theirs, runs=1), goal=GOAL, held=HELD)
    whole_programs()


if __name__ == "__main__":
    main()
