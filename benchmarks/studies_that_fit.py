"""Studies that fit models, as whole commands from the shell to the report, beside scikit-learn.

Each command starts from nothing, reads its data, fits, and ends: ours with estimates,
intervals, tests and the report as HTML and PDF; the peer's is a script with `GridSearchCV` or
`cross_val_predict`, two processes, and no report. Both have one BLAS thread for each process and
two processes; they run in turn, and the least of the rounds counts.

    python -m benchmarks.studies_that_fit
"""

import sys
import tempfile
from pathlib import Path

from benchmarks._processes import Measured, in_turn, ours
from benchmarks._rows import Bound, Kind, peers
from benchmarks._timing import compare, within
from benchmarks._whole import OFF, report_memory

JOBS = "2"


def beside(folder: Path, name: str, study: str, script: str, rounds: int) -> list[Measured]:
    """Measure a study and the script of its peer, in turn."""
    (folder / f"{name}.eval").write_text(study, encoding="utf-8")
    (folder / f"{name}.py").write_text(script, encoding="utf-8")
    commands = {
        "ours": ours("run", f"{name}.eval", "--quiet", "-j", JOBS),
        "peer": [sys.executable, f"{name}.py"],
    }
    found = in_turn(commands, folder, rounds, **OFF)
    return [found["ours"], found["peer"]]


# --- nested cross-validation -----------------------------------------------------------------

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
from sklearn.manifold import Isomap
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


def nested(
    folder: Path, ours_prefix: str, prefix: str, folds: tuple[int, int], rounds: int
) -> list[Measured]:
    """Measure a nested cross-validation of 5 models with 30 candidates in all, and the peer."""
    outer, inner = folds
    study = NESTED.format(prefix=ours_prefix, shrinkage=SHRINKAGE, outer=outer, inner=inner)
    peer = NESTED_PEER.format(prefix=prefix, shrinkage=SHRINKAGE, outer=outer, inner=inner)
    return beside(folder, "nested", study, peer, rounds)


# --- a long table ----------------------------------------------------------------------------

ROWS, COLUMNS = 300_000, 20
LONG = """evallang 1
study "A long table"
  seed 1
data long from "long.csv"
  target y
model bayes = GaussianNB
model lda = LinearDiscriminantAnalysis
model logistic = LogisticRegression
protocol cv folds=5
measure accuracy
compare all with cochran then mcnemar holm
"""
LONG_PEER = """
import pandas as pd
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB

table = pd.read_csv("long.csv")
y = table.pop("y")
folds = StratifiedKFold(5, shuffle=True, random_state=1)
for model in (GaussianNB(), LinearDiscriminantAnalysis(), LogisticRegression()):
    print((cross_val_predict(model, table, y, cv=folds, n_jobs=2) == y).mean())
"""
LONG_MAKER = f"""
import numpy as np
import polars as pl
chance = np.random.default_rng(1)
X = chance.normal(size=({ROWS}, {COLUMNS})).round(5)
y = (X[:, 0] + X[:, 1] * X[:, 2] + chance.normal(size={ROWS}) > 0).astype(int)
columns = {{f"x{{i}}": X[:, i] for i in range({COLUMNS})}}
pl.DataFrame(columns | {{"y": y}}).write_csv("long.csv")
"""


def long_table(folder: Path) -> list[Measured]:
    """Measure three models and five folds on a CSV file, and pandas with cross_val_predict."""
    in_turn({"file": [sys.executable, "-c", LONG_MAKER]}, folder, 1)
    return beside(folder, "long", LONG, LONG_PEER, 2)


# --- one search -----------------------------------------------------------------------------


GRID = """evallang 1
study "One grid of nearest neighbours"
  seed 1
data long from "grid.csv"
  target y
model near = StandardScaler
  | KNeighborsClassifier(n_neighbors in [5, 15], weights in [uniform, distance])
model base = DummyClassifier
protocol holdout test=1/3
tune grid cv=4
measure accuracy
"""
GRID_PEER = """
import pandas as pd
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

table = pd.read_csv("grid.csv")
y = table.pop("y")
train, test, y_train, y_test = train_test_split(table, y, test_size=1 / 3, stratify=y)
grid = {"n_neighbors": [5, 15], "weights": ["uniform", "distance"]}
search = GridSearchCV(
    make_pipeline(StandardScaler(), KNeighborsClassifier()),
    {f"kneighborsclassifier__{key}": values for key, values in grid.items()},
    cv=StratifiedKFold(4, shuffle=True, random_state=1),
    n_jobs=2,
)
print(search.fit(train, y_train).score(test, y_test))
"""
GRID_ROWS = 30_000


def one_grid(folder: Path) -> list[Measured]:
    """Measure one search, which both processors share, and GridSearchCV with two jobs."""
    maker = LONG_MAKER.replace(str(ROWS), str(GRID_ROWS)).replace("long.csv", "grid.csv")
    in_turn({"file": [sys.executable, "-c", maker]}, folder, 1)
    return beside(folder, "grid", GRID, GRID_PEER, 1)


# --- one study again and again ---------------------------------------------------------------


SAVE = "import evallang, sys; evallang.run(sys.argv[1], jobs=int(sys.argv[2])).save('out', ())"
"""A run that ends where results.json is written, without a report."""


def two_workers(folder: Path) -> dict[str, tuple[float, float]]:
    """Measure a study of a few seconds of fits with one process and with two.

    Up to results.json, and with the report, whose last second has one process in either.
    """
    study = NESTED.format(prefix="StandardScaler", shrinkage=SHRINKAGE, outer=5, inner=2)
    (folder / "two.eval").write_text(study, encoding="utf-8")
    both = ("1", JOBS)
    ends = {
        "to results.json": {jobs: [sys.executable, "-c", SAVE, "two.eval", jobs] for jobs in both},
        "report included": {jobs: ours("run", "two.eval", "--quiet", "-j", jobs) for jobs in both},
    }
    found = {}
    for end, commands in ends.items():
        measured = in_turn(commands, folder, 3, **OFF)
        found[end] = measured["1"].seconds, measured[JOBS].seconds
    return found


def changed(folder: Path) -> tuple[dict[str, float], float]:
    """Measure a study again, with another title, and with another `compare` line, from the store.

    Until everything but the report is written; and the command of the last with its report.
    """
    kept = {"EVALLANG_STORE": str(folder / "store")}
    text = NESTED.format(
        prefix="StandardScaler | PCA(n_components=40)", shrinkage=SHRINKAGE, outer=5, inner=2
    )
    texts = {
        "again": text,
        "with another title": text.replace("Nested cross-validation on", "The"),
        "with another compare line": text.replace("mcnemar holm", "mcnemar bonferroni"),
    }
    for name, changed_text in texts.items():
        (folder / f"{name.split()[-1]}.eval").write_text(changed_text, encoding="utf-8")
    commands = {
        name: [sys.executable, "-c", SAVE, f"{name.split()[-1]}.eval", JOBS] for name in texts
    }
    in_turn({"first": commands["again"]}, folder, 1, **kept)
    found = {name: m.seconds for name, m in in_turn(commands, folder, 3, **kept).items()}
    whole = {"whole": ours("run", "line.eval", "--quiet", "-j", JOBS)}
    return found, in_turn(whole, folder, 3, **kept)["whole"].seconds


def main() -> None:
    peers("pandas")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        mine, peer = nested(
            folder, "StandardScaler | PCA(n_components=40)", "PCA(40, random_state=1)", (5, 2), 3
        )
        work = "nested cv 5x2, digits, 5 models (4 behind PCA), 30 candidates, report included"
        compare(work, mine.seconds, "GridSearchCV", peer.seconds, goal=1.5, held=1)
        mine, peer = nested(
            folder,
            "StandardScaler | KernelPCA(n_components=40, kernel=rbf, gamma=0.01)",
            'KernelPCA(40, kernel="rbf", gamma=0.01)',
            (3, 2),
            2,
        )
        work = "nested cv 3x2 of the same models behind kernel PCA (0.05 s), report included"
        compare(work, mine.seconds, "GridSearchCV", peer.seconds, goal=2, held=1)
        mine, peer = nested(
            folder,
            "StandardScaler | Isomap(n_components=10, n_neighbors=20)",
            "Isomap(n_components=10, n_neighbors=20)",
            (5, 5),
            1,
        )
        work = "nested cv 5x5 of the same models behind Isomap (0.2 s), report included"
        compare(work, mine.seconds, "GridSearchCV", peer.seconds, goal=5, held=1)
        cold = in_turn({"demo": ours("demo", "-o", "demo")}, folder, 3, **OFF)["demo"]
        within("`evallang demo`, cold", cold.seconds, goal=4.5)
        for end, (one, two) in two_workers(folder).items():
            compare(f"-j 2, a study of a few seconds of fits, {end}", two, "-j 1", one, goal=1.5)
        again, whole = changed(folder)
        for what, seconds in again.items():
            within(f"the same study {what}, to results.json", seconds, goal=1.5)
        within("the last of them as a command, with HTML and PDF", whole, goal=5)
        mine, peer = long_table(folder)
        work = f"a CSV file of {ROWS:,} x {COLUMNS}, three models, five folds, report included"
        peer_name = "pandas + cross_val_predict"
        compare(work, mine.seconds, peer_name, peer.seconds, goal=1, held=1)
        report_memory(work, mine.memory, peer_name, peer.memory, Bound(Kind.RATIO, 1))
        mine, peer = one_grid(folder)
        work = f"a holdout of {GRID_ROWS:,} x {COLUMNS} with one grid of nearest neighbours"
        compare(work, mine.seconds, "GridSearchCV", peer.seconds, goal=1, held=1)


if __name__ == "__main__":
    main()
