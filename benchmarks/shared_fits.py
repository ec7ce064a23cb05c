"""Five models, all pairs, 5x2cv t and F and the k-fold t, beside mlxtend.

Ours is the whole run of a study, from the text to results.json, in this process: each model
is fitted once on each training set, and the tests read its scores. mlxtend fits both models
anew for every pair and test. One BLAS thread and one process for both.

    python -m benchmarks.shared_fits
"""

import tempfile
from itertools import combinations
from pathlib import Path

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


def main() -> None:
    mine = seconds(ours, runs=2)
    work = "5 models, 10 pairs, 3 tests, digits"
    compare(work, mine, "mlxtend", seconds(theirs, runs=1), goal=GOAL, held=HELD)


if __name__ == "__main__":
    main()
