"""What goes with what: computed from declarations, and from nothing else.

A protocol or source declares what it yields, a test or interval what it needs, a metric
its nature. The checker refuses by these functions, the engine takes its defaults from
them, and the documentation prints them as a table.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from evallang.data.dataset import CountsSpec, DataSpec, PredictionsSpec, ScoresSpec
from evallang.frozen import frozen
from evallang.metrics.given import given_metric
from evallang.metrics.metric import METRICS, MetricDeclaration, MetricEntry
from evallang.metrics.own_code import own_metric_entry
from evallang.protocols.protocol import PROTOCOLS, Yields
from evallang.registry import Design, Entry, Evidence
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration
from evallang.study import ComparisonSpec, Method, Options, Protocol, SourceSpec, Study

INTERVAL_INPUTS = frozenset(
    {
        "successes", "n", "level", "losses", "folds", "values", "n_train", "n_test", "truth",
        "scores", "sample", "seed", "matrix", "average", "positive",
    }
)  # fmt: skip
"""What the engine can hand to the interval of one estimate."""
PER_ROW = frozenset(
    {Evidence.ONE_PREDICTION_PER_ROW, Evidence.LOSSES_PER_ROW, Evidence.SCORES_PER_ROW}
)
NOUNS: Mapping[Evidence, str] = {
    Evidence.ONE_PREDICTION_PER_ROW: "one prediction for each example",
    Evidence.LOSSES_PER_ROW: "one loss for each example",
    Evidence.SCORES_PER_ROW: "one score for each example",
    Evidence.FOLD_SCORES: "scores of folds",
    Evidence.DATASET_SCORES: "scores of several data sets",
    Evidence.COUNTS: "counts of right and wrong",
}
DESIGN_NOUNS: Mapping[Design, str] = {
    Design.KFOLD: "the folds of one cross-validation",
    Design.REPEATED: "repeated cross-validation",
    Design.RESAMPLED: "repeated holdouts",
    Design.FIVE_BY_TWO: "five repeats of two folds",
}
CANONICAL_DESIGN: Mapping[Design, str] = {
    Design.KFOLD: "cv folds=10",
    Design.REPEATED: "repeated cv folds=10 times=10",
    Design.RESAMPLED: "repeated holdout times=50",
    Design.FIVE_BY_TWO: "5x2cv",
}


@frozen
class Mismatch:
    """Why two things do not go together, and the nearest thing that does."""

    reason: str
    instead: str | None = None


def metric_entry(metric: Method) -> MetricEntry:
    """Find what computes a metric; one whose numbers stand in a file is their mean."""
    if metric.better is not None:
        return given_metric(metric.name, metric.better)
    if metric.code:
        return own_metric_entry(metric.name)
    return METRICS[metric.name]


def own_metric(source: SourceSpec) -> Method | None:
    """Give the metric of a source whose numbers are measured already, None of any other."""
    if isinstance(source, ScoresSpec):
        return Method(source.metric or "score", better=_direction(source.higher_is_better))
    if isinstance(source, PredictionsSpec) and source.judged == "value":
        return Method(source.value_metric or "value", better=_direction(source.higher_is_better))
    return None


def _direction(higher: bool) -> Literal["higher", "lower"]:
    return "higher" if higher else "lower"


def yields_of(source: SourceSpec, protocol: Protocol | None) -> Yields:
    """Tell what a protocol (or, without one, a source of outcomes) gives to tests."""
    if protocol is not None:
        found = PROTOCOLS[protocol.kind].declaration.yields(protocol.options)
        return over_seeds(replace(found, weighted=is_weighted(source)), protocol)
    if isinstance(source, CountsSpec):
        return Yields(
            frozenset({Evidence.COUNTS, Evidence.ONE_PREDICTION_PER_ROW}), single_fit=True
        )
    if isinstance(source, PredictionsSpec):
        evidence = {Evidence.ONE_PREDICTION_PER_ROW, Evidence.LOSSES_PER_ROW}
        if source.judged is None:
            evidence.add(Evidence.SCORES_PER_ROW)
        if source.judged == "value":
            evidence.discard(Evidence.ONE_PREDICTION_PER_ROW)
        grouped, weighted = source.group is not None, is_weighted(source)
        if source.repeat is not None and source.fold is not None:
            folds = frozenset({Evidence.FOLD_SCORES})
            return Yields(folds, Design.REPEATED, once=False, grouped=grouped, weighted=weighted)
        if source.repeat is not None:
            means = frozenset({Evidence.LOSSES_PER_ROW})
            return Yields(means, once=False, averaged=True, grouped=grouped, weighted=weighted)
        if source.fold is not None:
            evidence.add(Evidence.FOLD_SCORES)
            return Yields(frozenset(evidence), Design.KFOLD, grouped=grouped, weighted=weighted)
        return Yields(frozenset(evidence), single_fit=True, grouped=grouped, weighted=weighted)
    if isinstance(source, ScoresSpec):
        if source.fold is None and source.repeat is None:
            return Yields(frozenset(), once=False)
        design = Design.RESAMPLED
        if source.fold is not None:
            design = Design.KFOLD if source.repeat is None else Design.REPEATED
        return Yields(frozenset({Evidence.FOLD_SCORES}), design, once=False)
    raise TypeError(f"{type(source).__name__} yields nothing without a protocol")


OVER_SEEDS = frozenset({Evidence.LOSSES_PER_ROW, Evidence.FOLD_SCORES})
"""What an interval of means over seeds can be made from: no label, no score of one model."""


def over_seeds(yields: Yields, protocol: Protocol) -> Yields:
    """Tell whether the fits of a protocol are repeated with `seeds`: means, never samples.

    Estimates, their intervals and tests of losses and folds take the mean over seeds. A test
    that takes one label or one score of each example takes those of the first seed.
    """
    return replace(yields, seeds=protocol.seeds > 1)


def yields_under(study: Study, comparison: ComparisonSpec) -> Yields | None:
    """Tell what a line's tests are given, where source and protocol are beyond doubt."""
    if not study.sources:
        return None
    source = study.sources[0]
    if not isinstance(source, DataSpec):
        return yields_of(source, None)
    named = [p for p in study.protocols if comparison.protocol in (None, p.name)]
    return yields_of(source, named[0]) if len(named) == 1 else None


def is_grouped(source: SourceSpec, group: str | None) -> bool:
    """Tell whether the rows of a source belong to groups."""
    if isinstance(source, DataSpec):
        return (group or source.group) is not None
    return isinstance(source, PredictionsSpec) and (group or source.group) is not None


def _is_auc(metric: Method) -> bool:
    return metric.name == "roc_auc" and metric.better is None


def is_weighted(source: SourceSpec) -> bool:
    """Tell whether the examples of a source carry weights."""
    return isinstance(source, DataSpec | PredictionsSpec) and source.weight is not None


def is_proportion(metric: Entry[MetricDeclaration], options: Options) -> bool:
    """Tell whether a metric, with these options, counts successes out of trials."""
    average = dict(options).get("average")
    return metric.declaration.proportion is not None and average in (None, "binary")


# --- intervals ---------------------------------------------------------------------------


def default_interval(
    metric: Method, yields: Yields, classes: int | None = None, grouped: bool = False
) -> str | None:
    """Name the default interval of a metric under what a protocol yields (statistics.md, 1).

    `classes` is the number of classes once data are read: a recall over three classes is
    an average and no proportion. With `grouped` rows the interval is over groups. None
    where no interval is sound.
    """
    entry = metric_entry(metric)
    declaration = entry.declaration
    if metric.better is not None and yields.evidence == {Evidence.FOLD_SCORES}:
        known = yields.design in (Design.KFOLD, Design.REPEATED)
        return "corrected_t" if known else None
    if yields.design in (Design.REPEATED, Design.RESAMPLED):
        return "corrected_t"
    if yields.averaged:
        return "bootstrap"
    unusable = not yields.once or yields.ordered or not yields.evidence
    if unusable or yields.design is Design.FIVE_BY_TWO:
        return None
    if dict(metric.options).get("pool") and not yields.single_fit:
        return None
    two_classes = _is_auc(metric) and (classes is None or classes == 2)
    if yields.seeds:
        pools = declaration.form != "scores" or yields.single_fit
        return "bootstrap" if pools or (two_classes and not grouped) else None
    if Evidence.COUNTS in yields.evidence or is_proportion(entry, metric.options):
        averaged = declaration.proportion != "all" and classes is not None and classes > 2
        of_all = declaration.proportion == "all" or not grouped
        has_form = of_all and not (grouped and yields.weighted)
        return "wilson" if has_form and not averaged else "bootstrap"
    if grouped or yields.weighted:
        pools = declaration.form != "scores" or yields.single_fit
        return "bootstrap" if pools or (two_classes and not grouped) else None
    if yields.single_fit:
        return "delong" if two_classes else "bootstrap"
    if declaration.form == "losses":
        return "cv_clt"
    if two_classes:
        return "cv_auc"
    return "bootstrap" if declaration.form == "counts" else None


def interval_mismatch(
    interval: Method, metric: Method, yields: Yields, grouped: bool = False
) -> Mismatch | None:
    """Tell why an interval cannot be given for a metric under what a protocol yields.

    The one proposed instead is for `grouped` rows where these are.
    """
    declared: IntervalDeclaration = INTERVALS[interval.name].declaration
    entry = metric_entry(metric)
    default = default_interval(metric, yields, None, grouped)
    instead = f"write `interval {default}`" if default else "leave the interval out"
    given = yields.evidence & OVER_SEEDS if yields.seeds else yields.evidence
    if not declared.evidence & given:
        needed = " or ".join(NOUNS[e] for e in sorted(declared.evidence))
        return Mismatch(f"`{interval.name}` needs {needed}", instead)
    whole = yields.once or (yields.averaged and interval.name == "bootstrap")
    if declared.evidence <= PER_ROW | {Evidence.COUNTS} and not whole:
        return Mismatch(
            f"`{interval.name}` counts each example once, and here it is predicted several times",
            instead,
        )
    only_folds = declared.evidence == {Evidence.FOLD_SCORES}
    if yields.weighted and not declared.weights and not only_folds:
        return Mismatch(
            f"`{interval.name}` counts every example as one, and here they have weights",
            instead,
        )
    if only_folds and declared.designs and yields.design not in declared.designs:
        return Mismatch(
            f"`{interval.name}` is not sound over "
            + (DESIGN_NOUNS[yields.design] if yields.design else "these folds"),
            instead,
        )
    fits = {
        "proportion": is_proportion(entry, metric.options),
        "losses": entry.declaration.form == "losses",
        "auc": entry.name == "roc_auc" and metric.better is None,
        "paired": False,
        "f1": entry.name == "f1" and metric.better is None,
    }
    if not fits.get(declared.form, True):
        what = {
            "proportion": "is for proportions",
            "losses": "is for losses that each example has of its own",
            "auc": "is for `roc_auc`",
            "paired": "is for the difference of two proportions",
            "f1": "is for `f1`",
        }[declared.form]
        return Mismatch(f"`{interval.name}` {what}, and `{metric.written}` is none", instead)
    if interval.name == "delong" and not yields.single_fit:
        return Mismatch("`delong` compares scores of one fitted model", instead)
    if interval.name in ("cv_auc", "cv_clt") and yields.single_fit:
        return Mismatch(
            f"`{interval.name}` averages over the folds of one cross-validation", instead
        )
    return None


# --- tests -------------------------------------------------------------------------------

TEST_INPUTS = frozenset(
    {
        "table", "correct", "first", "second", "n_train", "n_test", "level", "groups", "seed",
        "truth", "row_scores", "folds", "better", "bounded", "swapper", "sample", "difference",
        "scores", "pair",
    }
)  # fmt: skip
"""What the engine can hand to a test; one that asks for more is for a later version."""
FOR_SERIES: Mapping[str, str | None] = {"diebold_mariano": None, "permutation": "block"}
"""Tests that allow for dependence in time, and the option without which they do not."""
TESTABLE_COUNTS = frozenset({"accuracy", "error_rate", "recall", "specificity"})


def fits_design(test: Entry[HypothesisTestDeclaration], yields: Yields) -> bool:
    """Tell whether a protocol yields evidence that a test can take."""
    declared = test.declaration
    shared = declared.evidence & yields.evidence
    if shared == {Evidence.FOLD_SCORES} and declared.designs:
        return yields.design in declared.designs
    return bool(shared)


def test_mismatch(test: Method, metric: Method, yields: Yields, grouped: bool) -> Mismatch | None:
    """Tell why a test cannot be run by a metric under what a protocol yields.

    The one proposed instead has a form for groups where rows are `grouped`.
    """
    entry = HYPOTHESIS_TESTS[test.name]
    declared = entry.declaration
    if yields.ordered and test.name in FOR_SERIES:
        blocks = FOR_SERIES[test.name]
        if blocks is None or dict(test.options).get(blocks) is not None:
            return None
        return Mismatch(
            f"`{test.name}` swaps single examples, and neighbours in time are alike",
            f"write `with {test.name}({blocks}=5)`, whose blocks are as long as the dependence",
        )
    if not fits_design(entry, yields):
        if declared.evidence > PER_ROW | {Evidence.FOLD_SCORES}:  # by any interval
            return Mismatch(
                f"`{test.name}` needs a sound interval of the difference",
                "write `protocol repeated cv folds=10 times=10`",
            )
        fold_test = declared.evidence == {Evidence.FOLD_SCORES}
        if fold_test and declared.designs:
            needed = " or ".join(DESIGN_NOUNS[d] for d in sorted(declared.designs))
        else:
            needed = " or ".join(NOUNS[e] for e in sorted(declared.evidence))
        way_out = nearest_test(metric, yields, test, clustered=grouped)
        return Mismatch(f"`{test.name}` needs {needed}", way_out)
    if yields.ordered:
        return Mismatch(
            f"`{test.name}` takes examples for independent, and rows in time are not",
            nearest_test(metric, yields, test),
        )
    return None


def groups_mismatch(test: Method, metric: Method, yields: Yields) -> Mismatch | None:
    """Tell why a test cannot be run where rows belong to groups."""
    if not _takes_rows_for_independent(test):
        return None
    nearest = nearest_test(metric, yields, test, clustered=True)
    return Mismatch(
        f"`{test.name}` takes rows for independent, and those of a group are not", nearest
    )


def _takes_rows_for_independent(test: Method) -> bool:
    declared = HYPOTHESIS_TESTS[test.name].declaration
    on_one_set = declared.evidence - {Evidence.DATASET_SCORES}
    return not declared.clustered and on_one_set <= PER_ROW | {Evidence.COUNTS}


def weights_mismatch(test: Method, metric: Method, yields: Yields) -> Mismatch | None:
    """Tell why a test cannot be run where examples have weights."""
    if not _ignores_weights(test, yields):
        return None
    return Mismatch(
        f"`{test.name}` counts every example as one, and here they have weights",
        nearest_test(metric, yields, test),
    )


def _ignores_weights(test: Method, yields: Yields) -> bool:
    declared = HYPOTHESIS_TESTS[test.name].declaration
    over_folds = not declared.evidence & (PER_ROW | {Evidence.COUNTS}) & yields.evidence
    return yields.weighted and not declared.weights and not over_folds


def metric_mismatch(
    test: Method, metric: Method, yields: Yields | None = None, grouped: bool = False
) -> Mismatch | None:
    """Tell why a test is not about a metric; `yields` is what the proposed one must run on."""
    found = _of_another_metric(test, metric)
    if found is None or yields is None:
        return found
    return Mismatch(found.reason, nearest_test(metric, yields, test, clustered=grouped))


def _of_another_metric(test: Method, metric: Method) -> Mismatch | None:
    declared = HYPOTHESIS_TESTS[test.name].declaration
    entry = metric_entry(metric)
    average = dict(metric.options).get("average", "binary")
    counted = metric.better is None and metric.name in TESTABLE_COUNTS and average == "binary"
    if declared.tests == "accuracy" and not counted:
        return Mismatch(
            f"`{test.name}` tests accuracy, not `{metric.written}`", "write `with permutation`"
        )
    if declared.tests == "losses" and entry.declaration.form != "losses":
        return Mismatch(
            f"`{test.name}` needs a loss of each example, and `{metric.written}` has none",
            "write `with permutation`",
        )
    if declared.tests == "scores" and metric.name != "roc_auc":
        return Mismatch(
            f"`{test.name}` compares areas under the ROC curve, not `{metric.written}`",
            "write `by roc_auc`, or `with permutation`",
        )
    return None


def region_mismatch(test: Method, metric: Method) -> Mismatch | None:
    """Tell why a region of practical equivalence must be written: it has no default here."""
    entry, declared = HYPOTHESIS_TESTS[test.name], metric_entry(metric).declaration
    if not entry.declaration.bayesian or entry.option("rope") is None:
        return None
    if metric.better is not None:
        return None  # the range of values measured elsewhere is seen once they are read
    if dict(test.options).get("rope") is not None or (declared.low, declared.high) == (0, 1):
        return None
    return Mismatch(
        f"`{test.name}` has no region of practical equivalence for `{metric.written}`, which is "
        "not between 0 and 1",
        f"write `{test.name}(rope=...)` in the unit of `{metric.name}`",
    )


def difference_test(metric: Method, yields: Yields, classes: int | None = None) -> str:
    """Name the test whose interval of the difference fits a metric and what a protocol yields.

    The interval that decides a `require` line, and that `tost` and `noninferiority` read.
    """
    if yields.averaged:
        return "bootstrap"
    if yields.design in (Design.REPEATED, Design.RESAMPLED) or not yields.once:
        return "corrected_t"
    if yields.weighted or yields.seeds:
        return "bootstrap"
    entry = metric_entry(metric)
    binary = classes in (None, 2)
    if entry.declaration.proportion == "all" or (
        metric.name in TESTABLE_COUNTS and binary and is_proportion(entry, metric.options)
    ):
        return "mcnemar"
    if _is_auc(metric) and binary:
        return "delong"
    if entry.declaration.form == "losses" and entry.declaration.transform is None:
        return "t"
    return "bootstrap"


def nearest_test(
    metric: Method, yields: Yields, written: Method | None = None, *, clustered: bool = False
) -> str:
    """Say what to write instead of a test that cannot be run by a metric.

    One on the same evidence as the `written` test comes first, and an omnibus where one was
    written; `clustered` asks for a test with a form for groups.
    """
    if yields.ordered:
        losses = metric_entry(metric).declaration.form == "losses"
        by_loss = "write `with diebold_mariano` or `with permutation(block=5)`"
        both = losses and not _ignores_weights(Method("diebold_mariano"), yields)
        return by_loss if both else "write `with permutation(block=5)`"
    asked = HYPOTHESIS_TESTS[written.name].declaration if written else None
    of_many = asked is not None and asked.omnibus and asked.models[0] > 2
    many = ("cochran",) if of_many else ()
    by_folds = ("corrected_t", "5x2cv_f")
    by_rows = ("mcnemar", "permutation")
    over_rows = asked is not None and bool(asked.evidence & (PER_ROW | {Evidence.COUNTS}))
    ordered = (*by_rows, *by_folds) if over_rows else ("mcnemar", *by_folds, "permutation")
    for name in (*many, *ordered):
        entry, proposed = HYPOTHESIS_TESTS[name], Method(name)
        if not fits_design(entry, yields) or _ignores_weights(proposed, yields):
            continue
        if clustered and _takes_rows_for_independent(proposed):
            continue
        if _of_another_metric(proposed, metric) is None:
            return f"write `with {name} then mcnemar`" if name in many else f"write `with {name}`"
    return "write `protocol repeated cv folds=10 times=10` and `with corrected_t`"
