"""What goes with what: computed from declarations, and from nothing else.

A protocol or source declares what it yields, a test or interval what it needs, a metric
its nature. The checker refuses by these functions, the engine takes its defaults from
them, and the documentation prints them as a table.
"""

from typing import Literal

from msgspec.structs import replace

from evallang.data.dataset import (
    BattlesSpec,
    CountsSpec,
    DataSpec,
    PredictionsSpec,
    ScoresSpec,
)
from evallang.evidence import (
    COUNTS,
    FOLD_SCORES,
    GAMES,
    LOSSES_PER_ROW,
    NETWORK_SCORES,
    ONE_PREDICTION_PER_ROW,
    READER_SCORES,
    SCORES_PER_ROW,
    SHARES,
    Evidence,
)
from evallang.metrics.metric import METRICS, MetricDeclaration, MetricEntry, Orders
from evallang.metrics.named import imported_metric, imported_ratio
from evallang.metrics.own_code import own_metric_entry
from evallang.protocols.protocol import PROTOCOLS, Yields
from evallang.registry import Design, Entry
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import ComparisonSpec, Method, Options, Protocol, SourceSpec, Study


def metric_entry(metric: Method) -> MetricEntry:
    """Return the metric's entry; numbers in a file are averaged, or their sums divided.

    An option that asks for another quantity (`recall(at_specificity=90%)`) has an entry of its own.
    """
    if metric.better is not None:
        made = imported_ratio if metric.ratio else imported_metric
        return made(metric.name, metric.better)
    if metric.code:
        return own_metric_entry(metric.name)
    found = METRICS[metric.name]
    written = dict(metric.options)
    instead = [name for option, name in found.declaration.under_option.items() if option in written]
    return METRICS[instead[0]] if instead else found


def most_distinct(metric: Method) -> int | None:
    """Return how many distinct scores a metric keeps before it rounds them, None for all."""
    option = metric_entry(metric).declaration.rounds_by
    found = dict(metric.options).get(option) if option else None
    return found if isinstance(found, int) else None


def own_metric(source: SourceSpec) -> Method | None:
    """Return the metric of a source of measured numbers, or None for other sources."""
    if isinstance(source, ScoresSpec):
        return Method(source.metric or "score", better=_direction(source.higher_is_better))
    if isinstance(source, PredictionsSpec) and source.judged == "value":
        better = _direction(source.higher_is_better)
        return Method(source.value_metric or "value", better=better, ratio=source.ratio is not None)
    return None


def is_known(source: SourceSpec, metric: Method) -> bool:
    """Return whether a metric can be computed from the known outcomes of a source.

    Right and wrong give shares of all examples; measured values give only their own metric, and
    orders of rows those that are about such an order.
    """
    own = own_metric(source)
    if own is not None:
        return metric == own
    orders = orders_of(source)
    if isinstance(source, PredictionsSpec) and source.judged == "judges":
        return _is_known_of_judges(source, metric)
    if not metric.code and metric_entry(metric).declaration.orders != orders:
        return False
    if orders is not None:
        return not metric.code
    if metric_entry(metric).declaration.needs == "repeats":
        return has_repeats(source)
    judged = isinstance(source, CountsSpec)
    if isinstance(source, PredictionsSpec):
        judged = source.judged == "correct"
    return not judged or metric_entry(metric).declaration.proportion == "all"


def orders_of(source: SourceSpec) -> Orders | None:
    """Return what makes a source an order of rows or of models, None where it has answers."""
    if isinstance(source, BattlesSpec):
        return "battles"
    return source.orders if isinstance(source, PredictionsSpec) else None


def _is_known_of_judges(source: PredictionsSpec, metric: Method) -> bool:
    """Return whether a metric is one of ratings, or of a judge against the truth.

    Of two judges without a truth either may stand for it, where the metric is the same.
    """
    declared = metric_entry(metric).declaration
    ratings = [model.scores for model in source.models]
    two = any(isinstance(columns, tuple) and len(columns) == 2 for columns in ratings)
    if declared.needs == "ratings" or metric.code:
        return not metric.code
    if declared.needs == "labels" and declared.symmetric and two:
        return True
    return source.truth is not None and declared.needs in ("labels", "verdicts")


def has_repeats(source: SourceSpec) -> bool:
    """Return whether a source may have several right or wrong answers to one example."""
    return (
        isinstance(source, PredictionsSpec)
        and (source.repeat is not None or source.epochs_open)
        and source.fold is None
        and source.judged != "value"
    )


def _direction(higher: bool) -> Literal["higher", "lower"]:
    return "higher" if higher else "lower"


def yields_of(source: SourceSpec, protocol: Protocol | None) -> Yields:
    """Return the inputs that a protocol, or a source without a protocol, provides to tests."""
    if protocol is not None:
        found = PROTOCOLS[protocol.kind].declaration.yields(protocol.options)
        return yields_over_seeds(replace(found, weighted=is_weighted(source)), protocol)
    if isinstance(source, BattlesSpec):
        grouped = source.group is not None
        return Yields(frozenset({GAMES}), single_fit=True, grouped=grouped)
    if isinstance(source, CountsSpec) and source.shares:
        return Yields(frozenset({SHARES}), single_fit=True)
    if isinstance(source, CountsSpec):
        return Yields(frozenset({COUNTS, ONE_PREDICTION_PER_ROW}), single_fit=True)
    if isinstance(source, PredictionsSpec):
        evidence = {ONE_PREDICTION_PER_ROW, LOSSES_PER_ROW}
        if source.judged in (None, "judges"):
            evidence.add(SCORES_PER_ROW)
        if source.judged == "value":
            evidence.discard(ONE_PREDICTION_PER_ROW)
        grouped, weighted = source.group is not None, is_weighted(source)
        if source.query is not None:
            losses = frozenset({LOSSES_PER_ROW})
            return Yields(losses, single_fit=True, grouped=grouped)
        if source.seed is not None or source.readers == "random":
            scores = frozenset({READER_SCORES if source.seed is None else NETWORK_SCORES})
            return Yields(
                scores, once=False, run_word=source.run_word, grouped=grouped, weighted=weighted
            )
        if source.runs is not None and source.fold is not None:
            folds = frozenset({FOLD_SCORES})
            return Yields(folds, Design.REPEATED, once=False, grouped=grouped, weighted=weighted)
        if source.runs is not None:
            means = frozenset({LOSSES_PER_ROW})
            return Yields(
                means,
                once=False,
                averaged=True,
                run_word=source.run_word,
                grouped=grouped,
                weighted=weighted,
            )
        if source.fold is not None and source.fold == source.group:
            return Yields(
                frozenset(evidence), grouped=True, weighted=weighted, one_group_a_fold=True
            )
        if source.fold is not None:
            evidence.add(FOLD_SCORES)
            return Yields(frozenset(evidence), Design.KFOLD, grouped=grouped, weighted=weighted)
        return Yields(
            frozenset(evidence),
            single_fit=True,
            grouped=grouped,
            weighted=weighted,
            neighbours=source.series,
            judges=source.judged == "judges",
        )
    if isinstance(source, ScoresSpec):
        if source.fold is None and source.repeat is None:
            return Yields(frozenset(), once=False)
        design, known = Design.RESAMPLED, source.shared_training is not None
        if source.fold is not None and source.shared_training != "drawn":
            repeated = source.repeat is not None or source.fold_option is not None
            known = known or repeated
            design = Design.REPEATED if repeated else Design.KFOLD if known else design
        return Yields(frozenset({FOLD_SCORES}), design, once=False, sizes_known=known)
    raise TypeError(f"{type(source).__name__} yields nothing without a protocol")


def yields_of_average(yields: Yields) -> Yields:
    """Return what data sets that are averaged provide: the value of each example."""
    single = yields.single_fit or yields.averaged
    evidence = frozenset({LOSSES_PER_ROW})
    return replace(yields, evidence=evidence, averaged=True, single_fit=single, of_data_sets=True)


def with_fixed_runs(yields: Yields) -> str:
    """Propose to take the readers or networks of a sample as the only ones meant."""
    if yields.run_word == "seed":
        return "write `repeat` in place of `seed`: the networks are then fixed"
    return "remove `random` after `reader`: the readers are then fixed"


def are_paired(yields: Yields) -> bool:
    """Return whether the outcomes of two models are known to be those of the same units."""
    return all(one.paired for one in yields.evidence)


def yields_over_seeds(yields: Yields, protocol: Protocol) -> Yields:
    """Return what a protocol yields with its seeds: with several, scores are means over them.

    Estimates, their intervals and tests of losses and folds take the mean over seeds. A test
    that takes one label or one score of each example takes those of the first seed. Several seeds
    are evidence of their own for the tests whose unit is a seed.
    """
    if protocol.seeds < 2:
        return yields
    needed = frozenset[Evidence]().union(*(test.declaration.evidence for test in HYPOTHESIS_TESTS))
    of_seeds = frozenset(one for one in needed if one.unit == "seed")
    return replace(yields, seeds=True, evidence=yields.evidence | of_seeds)


def yields_under(study: Study, comparison: ComparisonSpec) -> Yields | None:
    """Return the inputs of the tests of a line if its source and protocol are unambiguous."""
    if not study.sources:
        return None
    source = study.sources[0]
    if not isinstance(source, DataSpec):
        return yields_of(source, None)
    named = [p for p in study.protocols if comparison.protocol in (None, p.name)]
    return yields_of(source, named[0]) if len(named) == 1 else None


def is_grouped(source: SourceSpec, group: str | None) -> bool:
    """Return whether the rows of a source belong to groups."""
    if isinstance(source, DataSpec):
        return (group or source.group) is not None
    own = source.group if isinstance(source, PredictionsSpec | BattlesSpec) else None
    return own is not None or (isinstance(source, PredictionsSpec) and group is not None)


def is_auc(metric: Method) -> bool:
    """Return whether a metric is the area under the ROC curve and computed by evallang."""
    return metric_entry(metric).declaration.ranks == "area"


def has_influences(metric: Method) -> bool:
    """Return whether what each example changes in a metric is known in closed form."""
    return metric_entry(metric).declaration.influences is not None


def is_weighted(source: SourceSpec) -> bool:
    """Return whether the examples of a source have weights."""
    return isinstance(source, DataSpec | PredictionsSpec) and source.weight is not None


def is_mean_of_rows(metric: Entry[MetricDeclaration]) -> bool:
    """Return whether a metric is the mean of a loss, or of right and wrong, over the examples."""
    return is_mean_of_losses(metric) or metric.declaration.proportion == "all"


def is_mean_of_losses(metric: Entry[MetricDeclaration]) -> bool:
    """Return whether a metric is the mean of a loss over the examples."""
    return metric.declaration.form == "losses" and metric.declaration.transform is None


def is_smooth(metric: Method) -> bool:
    """Return whether the jackknife is known to give the variance of a metric.

    That is so of a function of counts or of sums, of an area, and of a metric with known
    influences; not of a quantile or the largest of some values, nor of the author's own code.
    """
    declared = metric_entry(metric).declaration
    sums = declared.form in ("counts", "losses") or declared.moments is not None
    return not metric.code and (sums or declared.ranks == "area" or has_influences(metric))


def is_mean_or_root(metric: Entry[MetricDeclaration]) -> bool:
    """Return whether a metric is a mean over examples, or the root of one."""
    return metric.declaration.form == "losses" or metric.declaration.proportion == "all"


def is_share_of_union(
    metric: Entry[MetricDeclaration], options: Options, classes: int | None
) -> bool:
    """Return whether the share of hits among all positive or predicted positive decides it."""
    average = dict(options).get("average")
    two = classes in (None, 2) and average in (None, "binary")
    return metric.declaration.of_union == "decides" and two


def sums_shares(metric: Entry[MetricDeclaration], options: Options, classes: int | None) -> bool:
    """Return whether a metric, with these options, is a weighted sum of shares of the examples."""
    declared = metric.declaration
    if declared.shares is None or not declared.shares_under:
        return declared.shares is not None
    usual = "binary" if classes in (None, 2) else "macro"
    return dict(options).get("average", usual) in declared.shares_under


def is_mean_of_recalls(metric: Method) -> bool:
    """Return whether a metric from counts is a mean of the recalls of the classes."""
    entry = metric_entry(metric)
    average = dict(metric.options).get("average")
    declared = entry.declaration
    always = not declared.shares_under or average in declared.shares_under
    return declared.shares is not None and declared.form == "counts" and always


def is_proportion(metric: Entry[MetricDeclaration], options: Options) -> bool:
    """Return whether a metric, with these options, is a number of successes out of trials."""
    average = dict(options).get("average")
    return metric.declaration.proportion is not None and average in (None, "binary")


def is_assigned(protocol: Protocol) -> bool:
    """Return whether the author assigns the rows, so that what is yielded is read from the data."""
    return PROTOCOLS[protocol.kind].declaration.of_assignment is not None


def spoken(protocol: Protocol) -> str:
    """Return the words of a protocol as an author writes them: `repeated cv`."""
    return " ".join(PROTOCOLS[protocol.kind].declaration.words)
