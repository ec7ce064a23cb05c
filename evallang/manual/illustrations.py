"""The studies in which `explain` and the reference show a word: whole, small, and run by tests.

Most are made from the declaration of the member, so that a new one is shown on the day it is
registered; a member whose declaration has an `example` is shown by that.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from evallang.compatibility.hypothesis_tests import share_tests
from evallang.compatibility.intervals import interval_mismatch
from evallang.manual.compatibility_table import test_with
from evallang.metrics.metric import METRICS, default_metric
from evallang.protocols.protocol import PER_ROW, PROTOCOLS, Yields, written
from evallang.registry import Design, Entry, Evidence
from evallang.stats.inputs import INPUTS, Subject
from evallang.study import Method

CANCER = """\
data cancer from sklearn breast_cancer
  positive malignant

model linear = StandardScaler | LogisticRegression
model bayes = GaussianNB
model baseline = DummyClassifier
"""
DIABETES = """\
data diabetes from sklearn diabetes

model ridge = Ridge(alpha=0.1)
model tree = DecisionTreeRegressor(max_depth=3)
model baseline = DummyRegressor
"""
SEARCHED = """\
data cancer from sklearn breast_cancer
  positive malignant

model linear = StandardScaler | LogisticRegression(C in 1e-2..1e2 log 3)
model tree = DecisionTreeClassifier(max_depth in [1, 2, 3])
model baseline = DummyClassifier
"""
TWO_COUNTED = """\
counts published
  models small, large
  table [[9945, 25], [15, 15]]
"""
TWO_SHARES = """\
counts published
  right small = 870 of 1000
  right large = 455 of 500
"""
FOUR_COUNTED = """\
counts published
  models small, medium, large, huge
  pattern [1, 1, 1, 1]: 80
  pattern [0, 1, 1, 1]: 9
  pattern [0, 0, 1, 1]: 7
  pattern [1, 0, 1, 0]: 4
  pattern [0, 0, 0, 1]: 6
  pattern [1, 1, 0, 1]: 8
  pattern [0, 0, 0, 0]: 11
"""
SUITE = """\
data breast from sklearn breast_cancer
  positive malignant
data digits from sklearn digits
data iris from sklearn iris
data wine from sklearn wine

model linear = LinearDiscriminantAnalysis
model bayes = GaussianNB
model nearest = KNeighborsClassifier
model baseline = DummyClassifier

protocol holdout test=1/3
"""
SPLITS: Mapping[Design, str] = {
    Design.REPEATED: "repeated cv folds=5 times=4",
    Design.KFOLD: "cv folds=10",
    Design.RESAMPLED: "repeated holdout times=30",
}
"""The protocol that shows a test of fold scores; small, and the first that a test can take."""


def illustration(entry: Entry[Any]) -> str | None:
    """Return a whole study that uses a member; None where no study can, only Python."""
    guided = getattr(entry.declaration, "example", "")
    maker = MAKERS.get(entry.kind)
    lines = guided.strip("\n") + "\n" if guided else maker(entry) if maker else None
    if lines is None:
        return None
    title = entry.title[:1].upper() + entry.title[1:]
    return f'evallang 1\n\nstudy "{title}"\n  seed 1\n\n{lines}'


def _metric(entry: Entry[Any]) -> str:
    frame = DIABETES if entry.declaration.task == "regression" else CANCER
    return f"{frame}\nprotocol cv folds=5\nmeasure {entry.name}\n"


def _test(entry: Entry[Any]) -> str | None:
    declared = entry.declaration
    if not INPUTS.subjects_of(entry.kind, entry.inputs):
        return None
    many = declared.models[0] > 2
    if Evidence.DATASET_SCORES in declared.evidence:
        models, test = "linear, bayes, nearest" if many else "linear vs bayes", entry.name
        if declared.by_mean_ranks:
            reference = declared.against_reference
            models = "linear, nearest against bayes" if reference else "linear, bayes, nearest"
            test = f"friedman then {entry.name}"
        return f"{SUITE}\nmeasure accuracy\ncompare {models} across data with {test}\n"
    if Evidence.COUNTS in declared.evidence:
        frame = FOUR_COUNTED if many else TWO_COUNTED
        return f"{frame}\nmeasure accuracy\ncompare with {entry.name}\n"
    if Evidence.SCORES_PER_ROW in declared.evidence:
        return (
            f"{CANCER}\nprotocol holdout test=1/3\nmeasure roc_auc\n"
            f"compare linear vs bayes with {entry.name}\n"
        )
    if Evidence.LOSSES_PER_ROW in declared.evidence:
        return (
            f"{DIABETES}\nprotocol holdout test=1/3\nmeasure mse\n"
            f"compare ridge vs tree with {entry.name}\n"
        )
    return (
        f"{CANCER}\nprotocol {_protocol_of(declared.designs)}\nmeasure accuracy\n"
        f"compare linear vs bayes with {entry.name}\n"
    )


def _protocol_of(designs: frozenset[Design]) -> str:
    """Write a protocol that yields scores of folds of one of these designs; of any where none."""
    small = [SPLITS[design] for design in SPLITS if not designs or design in designs]
    made = (
        written(entry.name, entry.defaults())
        for entry in PROTOCOLS
        if entry.declaration.yields(entry.defaults()).design in designs
    )
    return small[0] if small else next(made)


def _interval(entry: Entry[Any]) -> str | None:
    declared = entry.declaration
    if declared.form == "paired" and (test := test_with(entry)) is not None:
        line = f"compare small vs large with {test}(interval={entry.name})"
        return f"{TWO_COUNTED}\nmeasure accuracy\n{line}\n"
    if declared.form == "independent":
        return f"{TWO_SHARES}\nmeasure accuracy\ncompare small vs large with {share_tests()[0]}\n"
    if Subject.ESTIMATE not in INPUTS.subjects_of(entry.kind, entry.inputs):
        return None
    if declared.form == "proportion":
        return f"{TWO_COUNTED}\nmeasure accuracy\n  interval {entry.name}\n"
    folds_only = bool(declared.designs) and declared.form in ("auc", "losses")
    protocol = "cv folds=5" if folds_only else "holdout test=1/3"
    if declared.form == "fold_values":
        protocol = "repeated cv folds=5 times=4"
    design = Yields(PER_ROW | {Evidence.FOLD_SCORES}, Design.KFOLD, single_fit=not folds_only)
    metric = _metric_of(entry, design)
    return f"{CANCER}\nprotocol {protocol}\nmeasure {metric}\n  interval {entry.name}\n"


def _metric_of(interval: Entry[Any], yields: Yields) -> str:
    """Return a metric for an interval: the usual one, else the first that the interval fits."""
    usual = default_metric("classification")
    others = (metric.name for metric in METRICS if metric.declaration.task == "classification")
    fits = (
        name
        for name in (usual, *others)
        if interval_mismatch(Method(interval.name), Method(name), yields) is None
    )
    return next(fits, usual)


def _correction(entry: Entry[Any]) -> str:
    return f"{FOUR_COUNTED}\nmeasure accuracy\ncompare with mcnemar {entry.name}\n"


def _analysis(entry: Entry[Any]) -> str:
    declared = entry.declaration
    searched = SEARCHED, "nested cv outer=5 inner=5"
    frame, protocol = searched if declared.needs == "searches" else (CANCER, "cv folds=5")
    metric = {"scores": "roc_auc", "probabilities": "brier"}.get(declared.needs, "accuracy")
    return f"{frame}\nprotocol {protocol}\nmeasure {metric}\nanalyze {entry.name}\n"


def _protocol(entry: Entry[Any]) -> str:
    form = " ".join(entry.declaration.words)
    return f"{CANCER}\nprotocol {form}\nmeasure accuracy\n"


MAKERS: Mapping[str, Callable[[Entry[Any]], str | None]] = {
    "metric": _metric,
    "hypothesis test": _test,
    "interval": _interval,
    "correction": _correction,
    "protocol": _protocol,
    "analysis": _analysis,
}
"""How a member of a kind is shown where it has no example of its own."""


class PythonCall(Struct, frozen=True):
    """A call of `evallang.stats` as lines, what it gives, and where that is printed."""

    lines: tuple[str, ...]
    source: str


def python_call(entry: Entry[Any]) -> PythonCall | None:
    """Return the first worked example of a registration whose arguments fit on a line.

    None where a member is called by the engine only, or with more than a reader takes in.
    """
    if entry.kind not in ("hypothesis test", "interval", "correction"):
        return None
    room = "stats.intervals" if entry.kind == "interval" else "stats"
    name = (
        f"{room}.{entry.name}" if entry.name.isidentifier() else f'getattr(stats, "{entry.name}")'
    )
    for example in entry.examples:
        given = [repr(argument) for argument in example.arguments]
        given += [f"{option}={value!r}" for option, value in example.options.items()]
        call = f"found = {name}({', '.join(given)})"
        if len(call) <= LINE and not any(text.startswith("<") for text in given):
            shown = [
                f"{_path(path)}  # {_short(value)}" for path, value in example.expected.items()
            ]
            return PythonCall(("from evallang import stats", call, *shown), example.source)
    return None


LINE = 140  # characters of a call that a reader still takes in


def _path(path: str) -> str:
    """Write a path of attributes and positions as Python: `extra.chi2` is a key, `0` a place."""
    written = "found"
    keys = False
    for part in path.split("."):
        if part.isdigit():
            written += f"[{part}]"
        else:
            written += f'["{part}"]' if keys else f".{part}"
        keys = part == "extra"
    return written


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
