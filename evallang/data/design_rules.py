"""What to look for in a table in view of what its study asks: shares of classes, sizes of parts.

The companion of `rules`, which looks at a table alone.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.data.dataset import GivenOutcomes, PredictionsSpec, Table
from evallang.data.findings import Findings, counted, label_written, quoted
from evallang.data.time_columns import time_column
from evallang.diagnostics import Diagnostic, codes
from evallang.results.written import statement_of
from evallang.source import Span
from evallang.stats.intervals.proportions import score_bounds

HEAVY = 12.0  # kurtosis; 3 is normal, 9 exponential
LEAST_FOR_TAILS = 20  # values; below, the kurtosis cannot reach far beyond


def heavy_kurtosis(values: "NDArray[Any]") -> float | None:
    """Return the kurtosis of values with heavy tails, None for other values or few of them."""
    finite = np.asarray(values, dtype=np.float64)
    finite = finite[np.isfinite(finite)]
    if len(finite) < LEAST_FOR_TAILS:
        return None
    scaled = finite / (float(np.abs(finite).max()) or 1.0)  # fourth powers stay finite
    squares = (scaled - scaled.mean()) ** 2
    variance = float(squares.mean())
    # numpy computes a square as a product, but a fourth power ten times as slowly
    kurtosis = float((squares**2).mean()) / variance**2 if variance > 0 else 0.0
    return kurtosis if kurtosis >= HEAVY else None


COMMON = 0.8  # share of the largest class from which on accuracy alone shows little
LEAST_TESTED = 100  # rows; at one half Wilson's 95% interval reaches ±10 points there
LEAST_IN_FOLD = 5  # members of a class; below, one row moves a recall by more than 20 points
MOST_UNEQUAL = 2.0  # largest test set over smallest; folds of k-fold differ by one row
Z = 1.959964  # of a 95% interval, for a message that only illustrates


class BySize(Struct, frozen=True):
    """A metric that weighs each class by its size.

    Attributes
    ----------
    written : the metric as the author wrote it
    value : gives it for counts (k, k) of true by predicted classes and the positive class
    named : True where its name is its noun, as that of accuracy
    """

    written: str
    value: Callable[[Any, int | None], float]
    named: bool = True


class Questions(Struct, frozen=True):
    """What a study asks of its tables, as far as these rules must know.

    Attributes
    ----------
    by_size : the metrics that weigh classes by their size, where no other metric is reported
        or tested but means of losses
    by_positive : those, as written, that depend on which of two classes is the positive one
    per_fold : those, as written, that are taken in each fold, not over all examples
    folds : the largest number of folds, None where there are none
    test_share : the share of rows that a single holdout tests, None without one
    test_span : the place of that holdout
    test_name : its name with ` = `, where there are several protocols
    fold_span : the place of the protocol with the most folds
    squared : those, as written, in which errors enter squared, with the places of their lines
    instead : the repeated cross-validation that the study could have, as it is written
    baseline : whether a model that looks at no feature is among the models
    """

    by_size: tuple[BySize, ...] = ()
    by_positive: tuple[str, ...] = ()
    per_fold: tuple[str, ...] = ()
    folds: int | None = None
    test_share: float | None = None
    test_span: Span | None = None
    test_name: str = ""
    fold_span: Span | None = None
    instead: str = "repeated cv folds=10 times=10"
    baseline: bool = False
    squared: tuple[tuple[str, Span | None], ...] = ()


def check_design(table: Table, asked: Questions) -> tuple[Diagnostic, ...]:
    """Check a table against what its study asks of it."""
    findings = Findings(table.spec.places)
    accuracy_on_unbalanced_classes(table, asked, findings)
    positive_class_not_stated(table, asked, findings)
    small_test_part(table, asked, findings)
    few_of_a_class_in_a_fold(table, asked, findings)
    heavy_tails(table, asked, findings)
    return findings.diagnostics


def check_given_split(
    table: Table, tested: int, protocol: str, span: Span | None, named: str
) -> tuple[Diagnostic, ...]:
    """Check how many rows a split of the author's into training and test tests.

    `named` is the name of the protocol with ` = `, where there are several.
    """
    if not 0 < tested < LEAST_TESTED:
        return ()
    findings = Findings({})
    findings.add(
        codes.small_test_part,
        f"{counted(tested, 'row')} of `{table.spec.name}` {'is' if tested == 1 else 'are'} kept "
        f"for testing by `{protocol}`",
        span=span,
        help=_tested_by_more(table, named, "repeated cv folds=10 times=10"),
    )
    return findings.diagnostics


def check_test_sizes(
    sizes: Sequence[int],
    protocol: str,
    span: Span | None,
    method: str,
    *,
    given: bool = False,
) -> tuple[Diagnostic, ...]:
    """Check the numbers of test rows of all splits of one protocol that a method reads.

    `protocol` is worded as the author wrote it; `span` is its place, and `given` is whether
    the author made its folds.
    """
    if not sizes or min(sizes) <= 0 or max(sizes) <= MOST_UNEQUAL * min(sizes):
        return ()
    findings = Findings({})
    findings.add(
        codes.unequal_test_sets,
        f"the test sets of `{protocol}` have {min(sizes):,} to {max(sizes):,} rows, and "
        f"`{method}` treats their scores as equally precise",
        span=span,
        help="use folds of more even size"
        if given
        else "write fewer folds, or name groups of more even size",
    )
    return findings.diagnostics


def check_one_class_folds(
    metric: str, alone: int, folds: int, protocol: str, span: Span | None
) -> tuple[Diagnostic, ...]:
    """Report how many folds have no ranking, because their test rows are of one class."""
    findings = Findings({})
    findings.add(
        codes.few_of_a_class_in_a_fold,
        f"`{metric}` is undefined in {alone:,} of the {folds:,} test parts of `{protocol}`, "
        f"{'whose rows are' if alone > 1 else 'the rows of which are'} of one class, so they do "
        "not count",
        span=span,
        help="write fewer folds, or use folds with rows of every class",
    )
    return findings.diagnostics


def check_given_design(given: GivenOutcomes, asked: Questions) -> tuple[Diagnostic, ...]:
    """Check predictions against what their study asks of them."""
    findings = Findings(given.spec.places)
    if given.truth is not None and given.task == "classification":
        constant = any(labels.min() == labels.max() for labels in given.predictions.values())
        if not constant:  # a model with one label is a baseline
            _unbalanced(given.truth, given.classes, given.positive, asked, findings)
        if isinstance(given.spec, PredictionsSpec) and given.spec.positive is None:
            _positive(given.spec.name, given.classes, given.positive, asked, findings)
    few_of_a_class_in_given_folds(given, asked, findings)
    return findings.diagnostics


def accuracy_on_unbalanced_classes(table: Table, asked: Questions, findings: Findings) -> None:
    """Report tables with one common class, measured only by what weighs classes by size."""
    if table.task == "classification":
        _unbalanced(
            table.y,
            table.classes,
            table.positive,
            asked,
            findings,
            "add `model baseline = DummyClassifier`",
        )


def _unbalanced(
    coded: "NDArray[Any]",
    classes: Sequence[str],
    positive: int | None,
    asked: Questions,
    findings: Findings,
    baseline: str = "",
) -> None:
    if not asked.by_size or asked.baseline:
        return
    share, label = _largest(coded, classes)
    if share >= COMMON:
        counts = np.zeros((len(classes), len(classes)))
        counts[:, classes.index(label)] = np.bincount(coded[coded >= 0], minlength=len(classes))
        metric = asked.by_size[0]
        noun = metric.written.replace("_", " ") if metric.named else f"`{metric.written}`"
        article = "an" if noun[0] in "aeiou" else "a"
        beside = ", ".join(one.written for one in asked.by_size)
        reached = f"{article} {noun} of {_share(metric.value(counts, positive))}"
        findings.add(
            codes.accuracy_on_unbalanced_classes,
            f"{_share(share)} of the rows are `{label}`, so a model that always predicts it has "
            f"{reached}",
            "target",
            "truth",
            help=f"write `measure {beside}, balanced_accuracy`"
            + (f", or {baseline}" if baseline else ""),
        )


def positive_class_not_stated(table: Table, asked: Questions, findings: Findings) -> None:
    """Report tables of two classes whose positive one is taken by default, where it matters."""
    bundled = table.spec.kind == "sklearn"  # its classes are known, so the check has reported it
    if table.spec.positive is None and not bundled:
        _positive(table.spec.name, table.classes, table.positive, asked, findings)


def _positive(
    name: str, classes: Sequence[str], positive: int | None, asked: Questions, findings: Findings
) -> None:
    if positive is None or not asked.by_positive:
        return
    statement = statement_of(name)  # reported once for all files of a folder
    findings.add(
        codes.positive_class_not_stated,
        f"{quoted(asked.by_positive)} of `{statement}`: `{classes[positive]}` is taken as the "
        "positive class, because it is the last in order",
        "target",
        "truth",
        help=f"write `positive {label_written(classes[positive])}`",
    )


def small_test_part(table: Table, asked: Questions, findings: Findings) -> None:
    """Report tables of which a single holdout tests few rows."""
    if asked.test_share is None:
        return
    tested = math.ceil(asked.test_share * table.n)
    if tested >= LEAST_TESTED or tested < 1:
        return
    low, high = score_bounds(0.9, tested, Z)
    example = f"; an accuracy of 90% has an interval of {low:.0%} to {high:.0%} there"
    findings.add(
        codes.small_test_part,
        f"{counted(tested, 'row')} of `{table.spec.name}` {'is' if tested == 1 else 'are'} kept "
        f"for testing{example if table.task == 'classification' else ''}",
        "from",
        span=asked.test_span,
        help=_tested_by_more(table, asked.test_name, asked.instead),
    )


def _tested_by_more(table: Table, named: str, instead: str) -> str:
    """Return what to write to test more rows: of rows in the order of time, later ones."""
    column = time_column(table)
    if column is not None and column.earliest_first:
        words = f"`protocol {named}time_series folds=5 gap=1`"
        return f"write {words}, which tests later rows by earlier ones"
    if column is not None and column.in_order:
        return "test on more of the latest rows"
    return f"write `protocol {named}{instead}` to test every row"


def few_of_a_class_in_a_fold(table: Table, asked: Questions, findings: Findings) -> None:
    """Report classes with few members in each fold, where a measure is taken in each."""
    if table.task != "classification" or not asked.per_fold or asked.folds is None:
        return
    counts = np.bincount(table.y, minlength=len(table.classes))
    smallest = int(counts.argmin())
    members = int(counts[smallest])
    if asked.folds <= members < LEAST_IN_FOLD * asked.folds:
        findings.add(
            codes.few_of_a_class_in_a_fold,
            f"`{table.classes[smallest]}` has {counted(members, 'row')}, "
            f"{members // asked.folds} in a fold, and {quoted(asked.per_fold)} "
            f"{'is' if len(asked.per_fold) == 1 else 'are'} taken in each fold",
            "target",
            span=asked.fold_span,
            help=f"write {most} folds"
            if (most := members // LEAST_IN_FOLD) > 1
            else f"gather more rows of `{table.classes[smallest]}`: no number of folds has "
            f"{LEAST_IN_FOLD} in each",
        )


def few_of_a_class_in_given_folds(
    given: GivenOutcomes, asked: Questions, findings: Findings
) -> None:
    """Report given folds with few rows of a class, where a measure is taken in each."""
    truth, folds = given.truth, given.folds
    if truth is None or folds is None or given.task != "classification" or not asked.per_fold:
        return
    counts = np.zeros((int(folds.max()) + 1, len(given.classes)), dtype=np.int64)
    np.add.at(counts, (folds, truth), 1)
    fold, code = np.unravel_index(int(counts.argmin()), counts.shape)
    if counts[fold, code] >= LEAST_IN_FOLD:
        return
    label = given.fold_labels[fold] if given.fold_labels is not None else fold
    findings.add(
        codes.few_of_a_class_in_a_fold,
        f"`{given.classes[code]}` has {counted(int(counts[fold, code]), 'row')} in the fold "
        f"`{label}`, and {quoted(asked.per_fold)} {'is' if len(asked.per_fold) == 1 else 'are'} "
        "computed in each fold",
        "fold",
        help="give predictions of fewer folds, or of folds with the same share of each class",
    )


def heavy_tails(table: Table, asked: Questions, findings: Findings) -> None:
    """Report targets of which a few values decide every mean of squares.

    Estimates state what heavy tails do to their intervals, whatever the sample shows: one without
    its extremes states nothing. All rows of a target tell more than the tested ones.
    """
    kurtosis = heavy_kurtosis(table.y) if table.task == "regression" and asked.squared else None
    if kurtosis is None:
        return
    named = tuple(metric for metric, _ in asked.squared)
    findings.add(
        codes.heavy_tails,
        f"a few values dominate the spread of the target of `{table.spec.name}` (kurtosis "
        f"{kurtosis:.0f}, normal 3); if the errors are similar the intervals of {quoted(named)} "
        "can be too narrow",
        span=asked.squared[0][1],
        help="measure `mae` or `medae` too, which a few values do not decide, and take the "
        f"intervals of {quoted(named)} as a rough guide",
    )


def _largest(coded: "NDArray[Any]", classes: Sequence[str]) -> tuple[float, str]:
    counts = np.bincount(coded[coded >= 0], minlength=len(classes))
    code = int(counts.argmax())
    return float(counts[code]) / len(coded), classes[code]


def _share(share: float) -> str:
    """Return a share in percent, with enough decimals to differ from 100%."""
    shown = f"{share:.0%}"
    for digits in range(1, 5):
        if shown.startswith("100") and share < 1:
            shown = f"{share:.{digits}%}"
    return shown
