"""Nested cross-validation of five models with 30 candidates, as a whole command with its report.

The peer is a script with `GridSearchCV`, two processes, and no report. Both have one BLAS thread
for each process; they run in turn, and the least of the rounds counts.

    python -m benchmarks.nested_cv
"""

import tempfile
from pathlib import Path

from benchmarks._rows import Kind, Row, report
from benchmarks._whole_commands import beside

NESTED = """evallang 1
study "Nested cross-validation on digits"
  seed 20181113
data digits from sklearn digits
model logistic = {prefix} | LogisticRegression(C in 1e-3..1e1 log 6, max_iter=300)
model svm = {prefix} | SVC(C in [1, 10], gamma in [0.005, 0.01, 0.02])
model near = {prefix} | KNeighborsClassifier(n_neighbors in [1, 3, 5, 7, 9, 11])
model lda = {prefix} | LinearDiscriminantAnalysis(solver=lsqr, shrinkage in [{shrinkage}])
model tree = DecisionTreeClassifier(max_depth in [5, 8, 10, 12, 15, 20])
protocol nested cv outer={outer} inner={inner}
measure accuracy
compare all with cochran then mcnemar holm
"""
SHRINKAGE = "0.01, 0.05, 0.1, 0.2, 0.5, 0.9"
NESTED_PEER = """
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA, KernelPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

X, y = load_digits(return_X_y=True)
models = [
    (LogisticRegression(max_iter=300), {{"C": np.logspace(-3, 1, 6)}}),
    (SVC(), {{"C": [1, 10], "gamma": [0.005, 0.01, 0.02]}}),
    (KNeighborsClassifier(), {{"n_neighbors": [1, 3, 5, 7, 9, 11]}}),
    (LinearDiscriminantAnalysis(solver="lsqr"), {{"shrinkage": [{shrinkage}]}}),
]
work = []
for model, grid in models:
    whole = make_pipeline(StandardScaler(), {prefix}, model)
    name = type(model).__name__.lower()
    work.append((whole, {{f"{{name}}__{{key}}": value for key, value in grid.items()}}))
work.append((DecisionTreeClassifier(random_state=1), {{"max_depth": [5, 8, 10, 12, 15, 20]}}))
outer = StratifiedKFold({outer}, shuffle=True, random_state=1)
inner = StratifiedKFold({inner}, shuffle=True, random_state=2)
for whole, grid in work:
    print(cross_val_score(GridSearchCV(whole, grid, cv=inner), X, y, cv=outer, n_jobs=2).mean())
"""
CASES = (
    (
        "nested cv 5x2, digits, 5 models (4 behind PCA), 30 candidates, report included",
        "StandardScaler | PCA(n_components=40)",
        "PCA(40, random_state=1)",
        (5, 2),
        1.3,
    ),
    (
        "nested cv 3x2 of the same models behind kernel PCA, report included",
        "StandardScaler | KernelPCA(n_components=40, kernel=rbf, gamma=0.01)",
        'KernelPCA(40, kernel="rbf", gamma=0.01)',
        (3, 2),
        2.0,
    ),
)


def nested_study(prefix: str, outer: int = 5, inner: int = 2) -> str:
    """Return the study with this beginning of four of its models."""
    return NESTED.format(prefix=prefix, shrinkage=SHRINKAGE, outer=outer, inner=inner)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        for work, prefix, of_peer, (outer, inner), ratio in CASES:
            study = nested_study(prefix, outer, inner)
            script = NESTED_PEER.format(
                prefix=of_peer, shrinkage=SHRINKAGE, outer=outer, inner=inner
            )
            mine, peer = beside(Path(name), "nested", study, script, 3, "-j", "2")
            report(Row(work, mine.seconds, "s", "GridSearchCV", peer.seconds, Kind.RATIO, ratio))
