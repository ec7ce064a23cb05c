"""Five models, all pairs, 5x2cv t and F and the k-fold t, with the report, beside mlxtend.

Each model is fitted once on each training set here, and the tests read its scores; mlxtend fits
both models anew for every pair and test. Two processes for our fits, one for mlxtend, which has no
other.

    python -m benchmarks.resampling_tests
"""

import tempfile
from pathlib import Path

from benchmarks._rows import Kind, Row, peers, report
from benchmarks._whole_commands import beside

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
PEER = """
from itertools import combinations

from mlxtend.evaluate import combined_ftest_5x2cv, paired_ttest_5x2cv, paired_ttest_kfold_cv
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
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
for first, second in combinations(models, 2):
    given = {"estimator1": first, "estimator2": second, "X": x, "y": y, "random_seed": 1}
    paired_ttest_5x2cv(**given)
    combined_ftest_5x2cv(**given)
    paired_ttest_kfold_cv(**given, cv=10, shuffle=True)
"""

if __name__ == "__main__":
    peers("mlxtend")
    with tempfile.TemporaryDirectory() as name:
        mine, peer = beside(Path(name), "five", STUDY, PEER, 2, "-j", "2")
    work = "5 models, 10 pairs, three resampling tests, report included"
    report(Row(work, mine.seconds, "s", "mlxtend", peer.seconds, Kind.RATIO, 3.0))
