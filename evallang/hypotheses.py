"""The families of hypotheses of a study: which tests one correction covers.

A family is the pairs of one `compare` line, by every metric and on every data set that the line
is tested on. With `families together` all lines that are not exploratory and have p-values form
one family under Holm's correction, and their omnibus tests are members too. `require` lines are
members of no family. Checker, planner, engine and power read families from here, so that a
warning, a level and a result speak of the same number of hypotheses.

Before data are read, some sources leave open which data sets or models they hold; `as_read`
gives the study with the sources that were found, whose families are those of the run.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from evallang.analysis import ANALYSES
from evallang.compatibility import is_grouped, own_metric, yields_of, yields_of_average
from evallang.compatibility.hypothesis_tests import joint_test
from evallang.data.dataset import DataSpec, PredictionsSpec, ScoresSpec
from evallang.results.written import statement_of
from evallang.spelling import Words
from evallang.stats.corrections.correction import CORRECTIONS, joint_default
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.power import corrected_alpha
from evallang.study import (
    AnalysisSpec,
    ComparisonSpec,
    Method,
    SourceSpec,
    Study,
    averaged_measures,
    joint_correction,
    models_of,
    names_of,
    pairs_of,
)


class Hypothesis(Struct, frozen=True):
    """One hypothesis: a pair of a line by a metric on a data set.

    `models` is one model where the test is about one, and all models of an omnibus. Of a sample
    of data sets, `source` is the `scores` statement that holds them, else empty.
    """

    line: int
    source: str
    metric: Method
    models: tuple[str, ...]
    omnibus: bool = False


class PlannedComparison(Struct, frozen=True):
    """A line on one data set, on one sample of data sets or on their average, by one metric.

    `sources` are the data sets; `table` is the `scores` statement whose data sets are a sample of
    their own. `omnibus` tells whether all `models` are tested at once, before the pairs or alone.
    """

    line: ComparisonSpec
    sources: tuple[str, ...]
    table: str | None
    metric: Method
    models: tuple[str, ...]
    omnibus: bool
    pairs: tuple[tuple[str, ...], ...]

    @property
    def source(self) -> str:
        """The data set; of a sample the `scores` statement that holds it, else empty.

        Of an average it is how that is written.
        """
        if self.line.averaged is not None:
            return f"averaged over {self.line.averaged}"
        return (self.table or "") if self.line.across else self.sources[0]

    def hypotheses(self, *, with_omnibus: bool) -> Iterator[Hypothesis]:
        """Iterate over the hypotheses in the order of their tests."""
        line, source = self.line.index, self.source
        if with_omnibus and self.omnibus:
            yield Hypothesis(line, source, self.metric, self.models, omnibus=True)
        for pair in self.pairs:
            yield Hypothesis(line, source, self.metric, pair)


class Family(Struct, frozen=True):
    """The hypotheses that are decided together.

    `members` are in the order of their tests; an omnibus is a member of a joint family alone.
    `correction` is None where p-values are not adjusted by one: for a single hypothesis, for
    posteriors and for tests that control their family themselves. `joint` marks the one family
    of a study with `families together`.
    """

    comparisons: tuple[PlannedComparison, ...]
    members: tuple[Hypothesis, ...]
    correction: Method | None
    joint: bool = False

    @property
    def size(self) -> int:
        """The number of hypotheses."""
        return len(self.members)

    @property
    def self_corrected(self) -> bool:
        """Whether the tests control the family themselves: their p-values are adjusted ones."""
        lines = (planned.line for planned in self.comparisons[:1])
        return not self.joint and any(pair_declaration(line).self_correcting for line in lines)

    def level(self, alpha: float) -> float:
        """Return the level at which the strictest step of the correction decides a member."""
        if self.correction is None:
            return alpha
        return corrected_alpha(alpha, self.size, self.correction.name)


class Families(Struct, frozen=True):
    """All families of a study, in the order of their first lines.

    `left_open` tells that the data decide how many hypotheses there are: what is known without
    them is a lower bound. `of_analyses` are the families of all pairs of models that an `analyze`
    item reads, by its place in the study: those of a line where one has them.
    """

    families: tuple[Family, ...]
    by_line: Mapping[int, Family]
    planned: Mapping[int, tuple[PlannedComparison, ...]]
    left_open: bool
    of_analyses: Mapping[int, tuple[Family, ...]]

    def family(self, study: Study, line: ComparisonSpec) -> Family:
        """Return the family of a line; a `require` line is one of its own."""
        found = self.by_line.get(line.index)
        return found or family_of_line(line, study.sources, study.model_names)


def families_of(study: Study) -> Families:
    """Build the families of a study."""
    planned = {line.index: planned_of(study, line) for line in study.comparisons}
    joined = [line for line in study.comparisons if is_joined(study.families, line)]
    together = tuple(one for line in joined for one in planned[line.index])
    joint = _family(together, joint_correction(), joint=True)
    by_line = {
        line.index: _family(planned[line.index], line.correction) for line in study.comparisons
    }
    by_line |= {line.index: joint for line in joined}
    families = tuple({id(family): family for family in by_line.values()}.values())
    of_analyses = {
        place: tuple(_of_all_pairs(study, spec, -1 - place, families))
        for place, spec in enumerate(study.analyses)
        if ANALYSES[spec.method.name].declaration.about == "pairs"
    }
    return Families(families, by_line, planned, is_open(study), of_analyses)


def _of_all_pairs(
    study: Study, spec: AnalysisSpec, index: int, known: Sequence[Family]
) -> Iterator[Family]:
    """Iterate over the families of all pairs of models that an analysis reads.

    The pairs of a line are taken where its correction resamples them together, else they are
    planned under `index`.
    """
    for planned in pairs_of_analysis(study, spec, index):
        resampled = (family for family in known if _is_resampled(family))
        yield next(
            (family for family in resampled if _has_same_pairs(family.comparisons[0], planned)),
            _family((planned,), planned.line.correction),
        )


def _is_resampled(family: Family) -> bool:
    """Return whether a family is the two-sided tests of one place, resampled together."""
    correction, planned = family.correction, family.comparisons
    return (
        correction is not None
        and CORRECTIONS[correction.name].declaration.simultaneous == "resampled"
        and len(planned) == 1
        and not (planned[0].line.exploratory or planned[0].line.omnibus)
        and "alternative" not in planned[0].line.test.keywords()
    )


def _has_same_pairs(one: PlannedComparison, other: PlannedComparison) -> bool:
    def facts(planned: PlannedComparison) -> tuple[object, ...]:
        line = planned.line
        pairs = frozenset(map(frozenset, planned.pairs))
        return planned.sources, planned.metric, line.averaged, line.across, line.protocol, pairs

    return facts(one) == facts(other)


def pairs_of_analysis(
    study: Study, spec: AnalysisSpec, index: int = -1
) -> Iterator[PlannedComparison]:
    """Iterate over the comparisons of all pairs that an analysis reads, where a test runs.

    They are by the metric of the item, else by the first measure, and on the average over the
    data sets where that is measured.
    """
    metric = spec.metric or next((measure.metric for measure in study.measures), None)
    averaged = next((m.averaged for m in averaged_measures(study) if m.metric == metric), None)
    own = [p for p in study.protocols if spec.protocol in (None, p.name) and not p.implied_by]
    fitted = [source for source in study.sources if isinstance(source, DataSpec)]
    given = [source for source in study.sources if not isinstance(source, DataSpec)]
    places = [(protocol, fitted) for protocol in own if fitted] + [(None, given)] * bool(given)
    for protocol, sources in places:
        line = ComparisonSpec(
            index,
            spec.method.written,
            spec.models,
            (),
            None,
            False,
            Method(""),
            None,
            Method(joint_default()),
            () if metric is None else (metric,),
            None if protocol is None else protocol.name,
            False,
            averaged,
        )
        for planned in _planned(line, sources, study.model_names):
            source = next(one for one in sources if one.name == planned.sources[0])
            if isinstance(source, ScoresSpec):
                continue
            yields = yields_of(source, protocol)
            yields = yields if averaged is None else yields_of_average(yields)
            test = joint_test(planned.metric, yields, is_grouped(source, study.group))
            if test is not None:
                yield replace(planned, line=replace(line, test=test))


def hypotheses_of(study: Study, line: ComparisonSpec) -> tuple[Hypothesis, ...]:
    """Return the hypotheses about single models or pairs that a line contributes to its family."""
    return tuple(
        hypothesis
        for planned in planned_of(study, line)
        for hypothesis in planned.hypotheses(with_omnibus=False)
    )


def planned_of(study: Study, line: ComparisonSpec) -> tuple[PlannedComparison, ...]:
    """Return what a line is tested on: every data set or sample of them, by every metric."""
    return tuple(_planned(line, study.sources, study.model_names))


def family_of_line(line: ComparisonSpec, sources: Sequence[SourceSpec], fitted: Words) -> Family:
    """Build the family that a line has if it is not joined with others."""
    return _family(tuple(_planned(line, sources, fitted)), line.correction)


def is_joined(families: str, line: ComparisonSpec) -> bool:
    """Return whether a line belongs to the one family of a study; posteriors have no p."""
    return families == "together" and not line.exploratory and not pair_declaration(line).bayesian


def pair_declaration(line: ComparisonSpec) -> HypothesisTestDeclaration:
    """Return the declaration of the test of pairs; of the omnibus where nothing follows it."""
    return HYPOTHESIS_TESTS[(line.post_hoc or line.test).name].declaration


def decides_pairs(line: ComparisonSpec) -> bool:
    """Return whether a line decides pairs, or single models, by p-values."""
    alone = line.omnibus and line.post_hoc is None
    return not (alone or line.exploratory or pair_declaration(line).bayesian)


def lines_decided(study: Study, spec: AnalysisSpec) -> Iterator[ComparisonSpec]:
    """Iterate over the lines whose pairs an analysis of decisions decides again."""
    for line in study.comparisons:
        asked = spec.protocol in (None, line.protocol)
        asked = asked and (spec.metric is None or spec.metric in line.metrics)
        if asked and decides_pairs(line):
            yield line


def _family(
    comparisons: tuple[PlannedComparison, ...], correction: Method | None, *, joint: bool = False
) -> Family:
    members = tuple(
        hypothesis
        for planned in comparisons
        for hypothesis in planned.hypotheses(with_omnibus=joint)
    )
    return Family(comparisons, members, correction if len(members) > 1 else None, joint)


# --- what a line is tested on ---------------------------------------------------------------


def names_in(fitted: Words, source: SourceSpec, line: ComparisonSpec) -> Words:
    """Return the models of a source; those of the line where a file names them."""
    models = fitted if isinstance(source, DataSpec) else names_of(source.models)
    if models:
        return models
    against = (line.against,) if line.against is not None else ()
    return Words((*line.models, *against))


def _planned(
    line: ComparisonSpec, sources: Sequence[SourceSpec], fitted: Words
) -> Iterator[PlannedComparison]:
    """Iterate over the data sets, or what is made of several, that have all models of a line."""
    if not line.over_data:
        for source in sources:
            names = names_in(fitted, source, line)
            for metric in _metrics(source, line):
                yield from _comparison(line, (source.name,), None, metric, names)
        return
    tables: dict[str, list[SourceSpec]] = {}
    measured: dict[Method, list[SourceSpec]] = {}
    for source in sources:
        for metric in _metrics(source, line):
            if isinstance(source, ScoresSpec):
                tables.setdefault(statement_of(source.name), []).append(source)
            else:
                measured.setdefault(metric, []).append(source)
    samples = [(None, metric, some) for metric, some in measured.items()]
    of_tables = [
        (table, metric, some)
        for table, some in tables.items()
        for metric in _metrics(some[0], line)
    ]
    for table, metric, some in (*samples, *of_tables):
        names = Words(dict.fromkeys(name for one in some for name in names_in(fitted, one, line)))
        yield from _comparison(line, tuple(one.name for one in some), table, metric, names)


def _metrics(source: SourceSpec, line: ComparisonSpec) -> tuple[Method, ...]:
    """Return the metrics of a line on a source: its own where it was measured elsewhere.

    A line that names the metric of another such source is not about this one.
    """
    own = own_metric(source)
    if own is None:
        return tuple(m for m in line.metrics if m.better is None)
    others = own not in line.metrics and any(m.better is not None for m in line.metrics)
    return () if others else (own,)


def _comparison(
    line: ComparisonSpec, sources: tuple[str, ...], table: str | None, metric: Method, names: Words
) -> Iterator[PlannedComparison]:
    models = models_of(line, names)
    if not names.known.issuperset(models):
        return
    gated = line.post_hoc is not None
    omnibus = gated or (line.omnibus and (not models or len(models) > 2))
    pairs = pairs_of(line, names) if gated or not omnibus else ()
    yield PlannedComparison(line, sources, table, metric, models, omnibus, pairs)


# --- what is known once data are read -------------------------------------------------------


def holds_unknown(source: SourceSpec) -> bool:
    """Return whether the data decide which data sets or models a source has."""
    if statement_of(source.name) != source.name:
        return False  # one of the data sets that were found
    if isinstance(source, DataSpec):
        return source.kind == "glob"
    if isinstance(source, PredictionsSpec | ScoresSpec) and source.dataset is not None:
        return True
    return not source.models


def is_open(study: Study) -> bool:
    """Return whether the data decide how many hypotheses the lines of a study have."""
    return any(map(holds_unknown, study.sources))


def as_read(study: Study, found: Sequence[SourceSpec]) -> Study:
    """Return a study whose sources are the data sets that were found.

    A source of which nothing was read stays as it is written.
    """
    names = {statement_of(source.name) for source in found}
    unread = [source for source in study.sources if source.name not in names]
    return replace(study, sources=(*found, *unread))
