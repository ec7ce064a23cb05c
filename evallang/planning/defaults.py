"""Every value that the author did not write and that a run uses, as clauses with their values."""

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from typing import Any

from msgspec.structs import replace

from evallang.compatibility import metric_entry, own_metric, yields_of, yields_over_seeds
from evallang.compatibility.intervals import default_interval
from evallang.data.dataset import (
    BattlesSpec,
    CountsSpec,
    PredictionsSpec,
    ScoresSpec,
    ScoreTable,
    Table,
)
from evallang.data.read_sources import ReadSources
from evallang.hypotheses import Families
from evallang.metrics.own_code import DECLARED, own_metric_loaded
from evallang.models.model import search_space
from evallang.protocols.protocol import PROTOCOLS, Yields
from evallang.registry import Design, Entry
from evallang.results.records import FEWEST
from evallang.results.settings import Default, DefaultPlace, Value
from evallang.results.written import statement_of
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS
from evallang.study import Measure, Method, Protocol, Study, own_metrics_of, written_option


def stated_defaults(
    study: Study,
    families: Families,
    read: ReadSources,
) -> tuple[Default, ...]:
    """List the defaults of a study: those the check filled in, and those the data settle."""
    found = {default.place: default for default in study.defaults}
    if not any(PROTOCOLS[p.kind].declaration.keeps_strata for p in study.protocols):
        found = {place: default for place, default in found.items() if place.kind != "stratify"}
    for line in study.comparisons:
        if families.by_line[line.index].correction is None:
            # a single hypothesis, as the data show
            found.pop(DefaultPlace("compare", "correction", line=line.index), None)
    intervals = list(_intervals(study, read))
    sources = list(read.with_examples)
    grouped = bool(sources) and all(source.group_codes is not None for source in sources)
    for default in (
        *_orders(read),
        *_tuning(study),
        *_levels(study),
        *_averages(study, read),
        *_missing_words(read),
        *(default for default, _ in intervals),
        *_options(study, [method for _, method in intervals], grouped=grouped),
        *_recognised(read),
    ):
        found.setdefault(default.place, default)
    return tuple(found.values())


FILE_ORDER = "none: the rows are in the order of the file"


def _orders(read: ReadSources) -> Iterator[Default]:
    """State by which column rows are sorted that are read in the order of time."""
    for source in read.with_examples:
        spec = source.spec
        if isinstance(spec, CountsSpec | BattlesSpec) or not spec.series or spec.time is not None:
            continue
        column = FILE_ORDER if source.moments is None else source.moments.column
        yield Default(f"time of {spec.name}", column, "data", "time", spec.name)


def _recognised(read: ReadSources) -> Iterator[Default]:
    """State what folds were taken for, and the scale of numbers that were measured elsewhere."""
    for table in read.score_tables:
        spec = table.spec
        if "folds" not in spec.places and table.test_train_ratio is not None:
            yield Default(f"scores {spec.name} folds of", "cv", "data", "folds", spec.name)
    for source in read.imported:
        written = isinstance(source.spec, PredictionsSpec) and source.spec.fold is not None
        if written and source.fold_labels is not None:
            name = statement_of(source.spec.name)
            yield Default(f"predictions {name} folds of", "cv", "data", "folds", name)
    for one in (*(t.spec for t in read.score_tables), *(g.spec for g in read.imported)):
        if isinstance(one, PredictionsSpec | ScoresSpec) and one.percents:
            name = statement_of(one.name)
            yield Default(f"{name} scale", "percent: 1% is one point", "data", "scale", name)


def _levels(study: Study) -> Iterator[Default]:
    """State from how many examples on a level of `within` is estimated."""
    lines = (*(m.within for m in study.measures), *(r.within for r in study.requirements))
    if any(lines):
        yield Default("smallest level estimated", FEWEST, "measure", "within")


def _missing_words(read: ReadSources) -> Iterator[Default]:
    """Iterate over the words that were read as missing without a clause that names them."""
    for source in (*read.with_examples, *read.score_tables):
        words: Counter[str] = Counter()
        for some in source.taken.values():
            words.update(some)
        if words and getattr(source.spec, "missing", None) is None:
            name = source.spec.name
            value = ", ".join(f"{word} ({n:,})" for word, n in sorted(words.items()))
            yield Default(f"missing of {name}", value, "data", "missing", name)


def _settings(
    study: Study,
    read: ReadSources,
) -> Iterator[tuple[str, Yields, int, bool, Method | None, int | None]]:
    """Iterate over what is measured.

    Gives its name, what it yields, classes, groups, its own metric, and the examples of one test
    set, None where they are not known.
    """
    for protocol in study.protocols:
        if protocol.implied_by is not None:
            continue
        for table in read.tables.values():
            grouped = table.group_codes is not None
            yield protocol.name, yields_on(table, protocol), len(table.classes), grouped, None, None
    for source in read.imported:
        grouped = source.group_codes is not None
        own = own_metric(source.spec)
        yield (
            source.spec.name,
            yields_of(source.spec, None),
            len(source.classes),
            grouped,
            own,
            source.n_examples,
        )
    for scores in read.score_tables:
        own = own_metric(scores.spec)
        yield scores.spec.name, yields_of_scores(scores), 0, False, own, None


def yields_on(table: Table, protocol: Protocol) -> Yields:
    """State what a protocol gives on a table; the author's own split tells once it is read."""
    declared = PROTOCOLS[protocol.kind].declaration
    if declared.of_assignment is not None and table.split is not None:
        found = declared.of_assignment(table.split, 1 + len(table.further_splits))
        weighted = table.weights is not None
        found = replace(found, weighted=weighted, neighbours=declared.neighbours)
        return yields_over_seeds(found, protocol)
    return yields_of(table.spec, protocol)


def yields_of_scores(table: ScoreTable) -> Yields:
    """State what a table gives to tests; five repeats of two folds are known once it is read."""
    yields = yields_of(table.spec, None)
    if table.test_train_ratio is None and yields.design is not None:
        yields = replace(yields, design=Design.RESAMPLED, sizes_known=False)
    sizes = (len(table.repeat_labels or ()), len(table.fold_labels or ()))
    return replace(yields, design=Design.FIVE_BY_TWO) if sizes == (5, 2) else yields


def _intervals(
    study: Study,
    read: ReadSources,
) -> Iterator[tuple[Default, Method]]:
    for where, measure, method, _ in resolved_intervals(study, read):
        if measure.interval is None:
            metric = measure.metric.written
            clause = f"interval of {metric} under {where}"
            yield Default(clause, method.name, "measure", "interval", metric, where), method


def resolved_intervals(
    study: Study, read: ReadSources
) -> Iterator[tuple[str, Measure, Method, bool]]:
    """Iterate over protocol or source, measure, its interval, and whether it is about groups.

    The interval is the written one, or the default.
    """
    for where, yields, classes, grouped, own, n in _settings(study, read):
        for measure in study.measures:
            here = measure.metric == own if own is not None else measure.metric.better is None
            if here and measure.interval is not None:
                yield where, measure, measure.interval, grouped
            elif here:
                name = default_interval(measure.metric, yields, classes or None, grouped, n)
                if name is not None:
                    yield where, measure, Method(name), grouped


def metrics_without_interval(
    study: Study,
    read: ReadSources,
) -> dict[str, tuple[str, ...]]:
    """List by protocol or source the measures, as written, that have no interval by default.

    A protocol that fits the full sample too has its own standard error, which the run finds.
    """
    found: dict[str, dict[str, None]] = {}
    own_error = {p.name for p in study.protocols if PROTOCOLS[p.kind].declaration.full_sample}
    for where, yields, classes, grouped, own, n in _settings(study, read):
        for measure in study.measures if where not in own_error else ():
            here = measure.metric == own if own is not None else measure.metric.better is None
            if measure.interval is None and here and not measure.metric.code:
                name = default_interval(measure.metric, yields, classes or None, grouped, n)
                if name is None:
                    found.setdefault(where, {})[measure.metric.written] = None
    return {where: tuple(metrics) for where, metrics in found.items()}


def _tuning(study: Study) -> Iterator[Default]:
    """State how candidates are searched where anything is."""
    tuning = study.tuning
    if tuning is None or not any(search_space(model.pipeline) for model in study.models):
        return
    if tuning.span is None:
        yield Default("tune", "grid", "tune", "strategy")
        yield Default("tune select", "best", "tune", "select")
    if not tuning.by_written:
        yield Default("tune by", tuning.metric.written, "tune", "by")
    if tuning.span is not None and not tuning.select_written:
        yield Default("tune select", tuning.select, "tune", "select")
    for protocol in study.protocols:
        if protocol.implied_by is not None:
            clause, folds = f"tune cv under {protocol.name}", inner_folds(study, protocol)
            yield Default(clause, folds, "tune", "cv", under=protocol.name)


DEFAULT_INNER = 5  # folds for tuning inside an implied protocol; as `nested cv inner=5`


def inner_folds(study: Study, protocol: Protocol) -> int:
    """Return the number of folds that tune inside each training part of a protocol."""
    option = PROTOCOLS[protocol.kind].declaration.inner_option
    if option is not None:
        return int(str(protocol.options[option]))
    if study.tuning is not None and study.tuning.cv is not None:
        return study.tuning.cv
    for other in study.protocols:
        option = PROTOCOLS[other.kind].declaration.inner_option
        if option is not None:
            return int(str(other.options[option]))
    return DEFAULT_INNER


def _averages(study: Study, read: ReadSources) -> Iterator[Default]:
    """State over what a metric of several classes is averaged."""
    classes = max((len(source.classes) for source in read.with_examples), default=0)
    if not classes:
        return
    metrics = [measure.metric for measure in study.measures]
    metrics += [metric for comparison in study.comparisons for metric in comparison.metrics]
    for metric in metrics:
        if metric.code:
            continue
        options = {option.name: option for option in metric_entry(metric).options}
        if "average" in options and "average" not in dict(metric.options):
            chosen = "macro" if classes > 2 else "binary"
            yield _option("metric", metric.written, "average", chosen)
        if "multi_class" in options and classes > 2:
            chosen = str(metric.keywords().get("multi_class", options["multi_class"].default))
            yield _option("metric", metric.written, "multi_class", chosen)


def _options(study: Study, intervals: Sequence[Method], *, grouped: bool) -> Iterator[Default]:
    """State every option that a method uses and the author did not write."""
    metrics = [measure.metric for measure in study.measures]
    chosen = [measure.interval for measure in study.measures if measure.interval is not None]
    for comparison in study.comparisons:
        metrics += comparison.metrics
        tests = (comparison.test, comparison.post_hoc)
        for test in tests:
            if test is not None:
                entry = HYPOTHESIS_TESTS[test.name]
                unused = entry.declaration.not_clustered if grouped else frozenset()
                yield from _unwritten("test", entry, test, unused)
        if comparison.correction is not None:
            entry_of = CORRECTIONS[comparison.correction.name]
            yield from _unwritten("correction", entry_of, comparison.correction)
    for interval in (*intervals, *chosen):
        yield from _unwritten("interval", INTERVALS[interval.name], interval)
    for metric in (*metrics, *(own for own, _ in own_metrics_of(study))):
        yield from _unwritten("metric", metric_entry(metric), metric)
        yield from _undeclared(metric) if metric.code else ()


def _undeclared(metric: Method) -> Iterator[Default]:
    """State what a function of the author's own does not say of itself."""
    found = own_metric_loaded(metric.name)
    for word, (default, *_) in DECLARED.items():
        if found is None:  # nothing of the author's is imported to look
            assumed = f"{default}, if the function does not say"
            yield _option("metric", metric.written, word, assumed)
        elif word not in found.declared:
            yield _option("metric", metric.written, word, default)


def _unwritten(
    kind: str, entry: Entry[Any], method: Method, unused: Set[str] = frozenset()
) -> Iterator[Default]:
    passed_over = {name for name, _ in method.options} | {"average", "multi_class"} | unused
    for name, value in entry.defaults().items():
        if name not in passed_over and value is not None:
            said = value if isinstance(value, bool | int | float | str) else written_option(value)
            owner = method.written if method.code else entry.name
            yield _option(kind, owner, name, said)


def _option(kind: str, method: str, option: str, value: Value) -> Default:
    return Default(f"{method} {option}", value, kind, option, method)
