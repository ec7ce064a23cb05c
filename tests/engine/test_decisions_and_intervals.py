"""In a row, decision and intervals at one level say the same, or the row states that they do not.

Every registered test of every source, protocol and metric that it runs on, with corrections, on one
side, and as a requirement.
"""

import numpy as np
import pytest

from evallang.api import StudyError, open_study, run
from evallang.results.statistics import NOTE, Difference
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.hypothesis_tests.losses import diebold_mariano

RANDOM = np.random.default_rng(8)
N = 48
MODELS = {"a": 0.9, "b": 0.72, "c": 0.6}
TRUTH = np.tile([0, 1, 1], N // 3)
VALUES = np.round(RANDOM.normal(0, 2, N), 4)
COLUMNS = {
    "t": np.arange(N),
    "g": np.arange(N) // 4,
    "k": np.arange(N) % 4,
    "w": 1 + np.arange(N) % 3,
    "y": TRUTH,
    "v": VALUES,
    "x1": np.round(TRUTH + RANDOM.normal(0, 1, N), 3),
    "x2": np.round(VALUES + RANDOM.normal(0, 2, N), 3),
}
SEVERAL = {"item": np.repeat(np.arange(24), 3), "run": np.tile(np.arange(3), 24)}
for name, skill in MODELS.items():
    COLUMNS[f"l_{name}"] = np.where(RANDOM.random(N) < skill, TRUTH, 1 - TRUTH)
    COLUMNS[f"s_{name}"] = np.round(
        1 / (1 + np.exp(-TRUTH * 3 * skill - RANDOM.normal(0, 1, N))), 4
    )
    COLUMNS[f"n_{name}"] = np.round(VALUES + RANDOM.normal(0, 2 - skill, N), 4)
    SEVERAL[f"r_{name}"] = (RANDOM.random(72) < skill).astype(int)
SCORES = {"model": list(MODELS) * 10, "set": np.repeat(np.arange(10), 3)}
SCORES["auc"] = np.round(
    [
        0.02 * np.sin(d) + s / 3 + RANDOM.normal(0.5, 0.04)
        for d in range(10)
        for s in MODELS.values()
    ],
    4,
)
FILES = {"p.csv": COLUMNS, "several.csv": SEVERAL, "scores.csv": SCORES}

LABELS = (
    'predictions p from "p.csv"\n  id t\n  truth y\n  positive 1\n'
    + "  models a as l_a, b as l_b, c as l_c\n"
    + "".join(f"  score {m} = s_{m}\n" for m in MODELS)
)
NUMBERS = (
    'predictions p from "p.csv"\n  id t\n  truth v\n  task regression\n'
    + "  models a as n_a, b as n_b, c as n_c\n"
)
JUDGED = (
    'predictions p from "several.csv"\n  id item\n  repeat run\n'
    "  correct a as r_a, b as r_b, c as r_c\n"
)
DATA = (
    'data p from "p.csv"\n  target y\n  positive 1\n  features x1, x2\n{clause}'
    "model a = GaussianNB\nmodel b = DecisionTreeClassifier(max_depth=2)\n"
    "model c = KNeighborsClassifier(n_neighbors=3)\nprotocol {protocol}\n"
)
SERIES = (
    'data p from "p.csv"\n  target v\n  features x1, x2\n  time t\nmodel a = LinearRegression\n'
    "model b = DecisionTreeRegressor(max_depth=2)\nmodel c = DummyRegressor\n"
    "protocol time_series folds=4\n"
)
TABLE = 'scores p from "scores.csv"\n  model model\n  score auc\n  metric "AUC"\n'
ACROSS = "across data"
CLASSES = ("accuracy", "f1", "roc_auc", "brier", "balanced_accuracy")
ERRORS = ("mae", "rmse", "r2")
SOURCES = {
    "labels": (LABELS, CLASSES[:3]),
    "labels in groups": (LABELS + "  group g\n", CLASSES[:2]),
    "labels in folds": (LABELS + "  fold k\n", CLASSES[2:4]),
    "labels in time": (LABELS + "  time t\n", CLASSES[:2]),
    "weighted labels": (LABELS + "  weight w\n", ("accuracy", "balanced_accuracy")),
    "numbers": (NUMBERS, ERRORS),
    "numbers in groups": (NUMBERS + "  group g\n", ERRORS[:2]),
    "numbers in time": (NUMBERS + "  time t\n", ERRORS),
    "weighted numbers": (NUMBERS + "  weight w\n", ERRORS[1:]),
    "several runs": (JUDGED, ("accuracy",)),
    "folds of scores": (TABLE + "  fold set\n  folds of cv\n", ("",)),
    "data sets": (TABLE + "  dataset set\n", (ACROSS,)),
    "series": (SERIES, ERRORS),
} | {
    kind: (DATA.format(protocol=kind, clause=clause), metrics)
    for kind, (clause, metrics) in {
        "cv folds=4": ("", CLASSES[:2]),
        "cv folds=3": ("  group g\n", ("accuracy", "brier")),
        "cv folds=2": ("  weight w\n", ("brier", "f1")),
        "repeated cv folds=4 times=3": ("", ("accuracy", "roc_auc")),
        "holdout test=1/3": ("", ("accuracy", "brier")),
        "repeated holdout times=6 test=1/3": ("", ("accuracy",)),
        "nested cv outer=4 inner=2": ("", ("accuracy", "roc_auc")),
        "leave_one_out": ("", ("accuracy", "brier")),
        "leave_one_group_out": ("  group g\n", ("accuracy",)),
        "5x2cv": ("", ("f1",)),
        "bootstrap rounds=20": ("", ("accuracy",)),
    }.items()
}
OPTIONS = {
    "permutation": ("rounds=199", "rounds=199, block=4"),
    "bootstrap": ("rounds=199",),
    "diebold_mariano": ("", "newey_west"),
    "mcnemar": ("", "exact", "chi2"),
    "binomial": ("threshold=0.3", "threshold=0.4, alternative=two_sided"),
    "single_t": ("threshold=0.7",),
    "tost": ("margin=0.2",),
    "noninferiority": ("margin=0.1",),
}  # fmt: skip
FAMILIES = (
    "a, b, c {} max_t",
    "a, b, c {}",
    "against c {}",
    "a, b, c {} sidak",
    "a, b, c {} fdr_bh",
)
BY_MARGIN = ("tost", "noninferiority")


def lines_of(metric, in_time, first):
    """Write every test by a metric in families, on one side and as a requirement.

    All families by the first metric, two by others; one for tests by a margin, whose p of a
    bootstrap is found by some twenty more.
    A test for series makes a series of the predictions, so that no other is taken beside it.
    """
    across = metric == ACROSS
    start, end = (
        ("across data with ", "") if across else ("with ", f" by {metric}" if metric else "")
    )
    for entry in HYPOTHESIS_TESTS:
        for options in OPTIONS.get(entry.name, ("",)):
            if not in_time and (entry.declaration.series == () or "block" in options):
                continue
            test = f"{entry.name}({options})" if options else entry.name
            families = FAMILIES if first else FAMILIES[:2]
            families = FAMILIES[1:2] if entry.name in BY_MARGIN else families
            yield from ("compare " + form.format(start + test) + end for form in families)
            if not across:
                name = end.replace(" by ", " in ")
                yield f"require a better than b with {test}{name}"
            if entry.option("alternative") and "alternative" not in options:
                options = f"{options}, " if options else ""
                test = f"{entry.name}({options}alternative=greater)"
            yield f"compare a vs b {start}{test}{end}"


def run_what_runs(folder, source, metric, alpha, first):
    """Run a study with every line that is not refused, and return its record."""
    head = f"evallang 1\nstudy\n  alpha {alpha}\n{source}"
    head += f"measure {metric}\n" if metric not in ("", ACROSS) else ""
    lines = list(lines_of(metric, "time t" in source, first))
    while True:
        text = head + "\n".join(lines) + "\n"
        (folder / "study.eval").write_text(text)
        try:
            return run(open_study(folder / "study.eval"), jobs=1).record
        except StudyError as refused:
            errors = [d for d in refused.diagnostics if d.is_error]
            wrong = {text.count("\n", 0, d.span.start) - head.count("\n") for d in errors}
            assert min(wrong) >= 0, [d.message for d in errors]
            lines = [line for i, line in enumerate(lines) if i not in wrong]


def excludes(row, interval, better):
    """Return whether an interval excludes what the null hypothesis of a row says."""
    margin = row.extra.get("margin")
    if margin is None:
        return not interval.low <= 0 <= interval.high
    if row.test == "tost":
        return -margin < interval.low and interval.high < margin
    return interval.low > -margin if better == "higher" else interval.high < margin


def judge(row, alpha, better, shown=None):
    """Check that a row states every interval at its level that contradicts its decision."""
    shown = shown or row.estimate
    stated = {d.interval: d for d in row.disagreements}
    assert len(stated) == len(row.disagreements)
    known = shown is not None and shown.low is not None and shown.high is not None
    if row.p is None or not known:
        return 0
    level = 1 - alpha * (2 if "margin" in row.extra else 1)
    assert shown.level == pytest.approx(level, abs=1e-9)
    pair = excludes(row, shown, better)
    assert (pair != row.reject or pair != (row.p <= alpha)) == ("pair" in stated), row
    wide = row.simultaneous
    if wide is not None and wide.low is not None:
        assert (excludes(row, wide, better) != row.reject) == ("family" in stated), row
    for found in row.disagreements:
        words = "excludes" if found.excludes else "includes"
        assert any(words in note or note == NOTE for note in row.notes), row
        assert found.cause != "side" or row.side is not None
    # p and interval come from the same swaps, unless p is exact and those of the interval are drawn
    if row.test == "permutation" and row.side is None and not row.variant.endswith("exact"):
        assert "pair" not in stated or stated["pair"].cause == "family", row
    return 1


@pytest.mark.parametrize("name", SOURCES)
def test_rows_agree_or_say_why_not(name, tmp_path):
    source, metrics = SOURCES[name]
    for file, columns in FILES.items():
        rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
        (tmp_path / file).write_text("\n".join([",".join(columns), *rows]) + "\n")
    seen = 0
    for metric, alpha in zip(metrics, (0.05, 0.2, 0.4, 0.1, 0.3), strict=False):
        better = "lower" if metric in ("brier", "mae", "rmse") else "higher"
        record = run_what_runs(tmp_path, source, metric, alpha, metric == metrics[0])
        for found in record.comparisons:
            seen += sum(judge(row, found.alpha, better) for row in found.pairwise)
        for found in record.requirements:
            if found.interval is not None and found.test is not None:
                low, high = found.interval
                shown = Difference("", found.value, low, high, found.level, found.method)
                seen += judge(found.test, found.alpha, better, shown)
    assert seen >= 10


def test_a_margin_for_a_series_is_decided_by_newey_and_west(tmp_path):
    """The variance is compared with statsmodels in tests/stats/test_loss_tests.py."""
    rows = [",".join(map(str, row)) for row in zip(*COLUMNS.values(), strict=True)]
    (tmp_path / "p.csv").write_text("\n".join([",".join(COLUMNS), *rows]) + "\n")
    (tmp_path / "study.eval").write_text(
        f"evallang 1\nstudy\n  seed 1\n{NUMBERS}  time t\nmeasure mae\n"
        "require a not worse than c by 0.5\nrequire c not worse than a by 0.5\n"
    )
    found = run(open_study(tmp_path / "study.eval"), jobs=1).record.requirements
    a, c = (np.abs(COLUMNS[f"n_{name}"] - VALUES) for name in "ac")
    expected = diebold_mariano(a, c, variance="newey_west").estimate
    assert found[0].interval == pytest.approx((expected.low, expected.high))
    assert [line.met for line in found] == [expected.high < 0.5, -expected.low < 0.5]
    assert [line.met for line in found] == [True, False]
