"""The `analyze` lines of a study, and `evallang power`.

Answers about the `compare` lines need no fitted model. What is needed of the data is how many
examples, folds and data sets there are; a study whose data are not at hand gets what does not
depend on them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.analysis import ANALYSES
from evallang.compatibility import is_grouped, metric_entry, own_metric
from evallang.compatibility.hypothesis_tests import form_asked, tests_without_lines
from evallang.data.dataset import DataSpec, GivenOutcomes, ScoreTable, Table
from evallang.data.read_sources import ReadSources
from evallang.engine.averages import averaged_evidence
from evallang.engine.comparisons import OneSource, largest_difference
from evallang.engine.evaluation import evaluation_of_outcomes
from evallang.engine.providers import Providers
from evallang.engine.walk import computes
from evallang.hypotheses import Families
from evallang.metrics.metric import rows_of_proportion
from evallang.planning import nodes
from evallang.planning.seeds import analysis_seed
from evallang.protocols.protocol import PROTOCOLS, Split
from evallang.results.codec import to_plain, with_tuples
from evallang.results.records import Analysis
from evallang.results.written import statement_of
from evallang.spelling import listed
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.inputs import Subject
from evallang.stats.power import GROUPS, Question, Sizes as GroupSizes, sizes_of
from evallang.study import (
    AnalysisSpec,
    Average,
    ComparisonSpec,
    Method,
    Protocol,
    SourceSpec,
    Study,
    models_of,
    pairs_of,
)

Unknown = Literal["not_read", "no_splits", "no_folds", "no_examples"]
UNKNOWN: Mapping[Unknown, str] = {
    "not_read": "the data could not be read, so their number is not known",
    "no_splits": "the protocol has no splits of these data, so their number is not known",
    "no_folds": "the scores name no folds, so their number is not known",
    "no_examples": "scores do not say how many examples each was measured on, so their number is "
    "not known",
}
"""Why the number that a test counts is not known."""
GROUPED = (
    "for independent examples: those of one group are alike, and a design effect d asks for d "
    "times as many"
)
OF_AVERAGE = (
    "of the average over {d} data sets: n counts {unit} of one data set whose mean is as precise, "
    "if values vary alike in all data sets"
)
SPREAD_OF_AVERAGE = (
    "the spread is that of one data set of so many with a mean as precise as the average"
)


Splits = Mapping[tuple[str, str], Sequence[Split]]


class Place(Struct, frozen=True):
    """One data set that a line is about, with what was read of it.

    `read` and `scores` are both None where it could not be read; `scores` is the whole table,
    of which the place is one data set.
    """

    name: str | None
    source: SourceSpec
    read: Table | GivenOutcomes | None
    models: tuple[str, ...]
    scores: ScoreTable | None = None


class Sizes(Struct, frozen=True):
    """The number that a test counts, or why it is unknown, and what else is known of its rows.

    `ratio` is that of test to training rows, `positives` the share of the positive class,
    `folds` how many parts the rows have, `groups` the sizes of their groups, and `classes` how
    many classes there are, None where that is not known; `read` is True where rows were read.
    """

    n: int | None
    unit: str
    ratio: float | None = None
    unknown: Unknown | None = None
    positives: float | None = None
    folds: int = 1
    groups: GroupSizes = ()
    classes: int | None = None
    read: bool = False


class Observed(Struct, frozen=True):
    """What given outcomes tell of the power of a line: the medians over its pairs.

    `n` is the number of examples of a pair, None where it is not known, and `samples` that of the
    samples of an example.
    """

    values: Mapping[str, float] = field(default_factory=dict)
    pairs: int = 0
    samples: int = 1
    n: int | None = None


NOTHING = Observed()


class Stage(Struct, frozen=True):
    """One test of one line: at which level, in how large a family, for which metric."""

    line: ComparisonSpec | None
    source: str
    test: Method
    omnibus: bool
    metric: Method
    across: bool
    protocol: str | None
    alpha: float
    size: int
    correction: str | None


@computes(nodes.LINE_ANALYSIS)
def analyses_of_lines(
    study: Study,
    spec: AnalysisSpec,
    read: ReadSources,
    splits: Splits,
    families: Families,
) -> tuple[Analysis, ...]:
    """Answer an item about `compare` lines: records by line, test and data set."""
    places = _places(study, read)
    return tuple(
        answer
        for stage in _stages(study, spec, families)
        for answer in _answer_stage(study, places, splits, spec, stage)
    )


def smallest_differences(
    study: Study, read: ReadSources, splits: Splits, families: Families
) -> tuple[Analysis, ...]:
    """Return what the tests of pairs of a study can detect, where that takes no simulation.

    The assumptions are those of the first `analyze power`, else of the data or several values.
    """
    of_lines = [e.name for e in ANALYSES if e.declaration.command]
    written = [spec for spec in study.analyses if spec.method.name in of_lines]
    spec = next(iter(written), AnalysisSpec(0, Method(of_lines[0])))
    quick = [
        s for s in _stages(study, spec, families) if s.line is not None and _is_formula(study, s)
    ]
    places = _places(study, read)
    return tuple(
        answer for stage in quick for answer in _answer_stage(study, places, splits, spec, stage)
    )


def _is_formula(study: Study, stage: Stage) -> bool:
    """Return whether the power of a test of pairs is computed without drawing samples."""
    declared = HYPOTHESIS_TESTS[stage.test.name].declaration
    if stage.omnibus or stage.across or declared.power is None or declared.claim != "different":
        return False
    if declared.t_over_splits:
        return True
    protocol = next((p for p in study.protocols if p.name == stage.protocol), None)
    sources = [s for s in study.sources if isinstance(s, DataSpec) == (protocol is not None)]
    forms = {form_asked(stage.metric, source, protocol) for source in sources}
    apart = stage.line is None or stage.line.averaged is None
    grouped = apart and any(is_grouped(source, study.group) for source in sources)
    return forms <= ({"losses"} if grouped else {"losses", "proportion", "auc"})


# --- which tests, at which level ------------------------------------------------------------


def _stages(study: Study, spec: AnalysisSpec, families: Families) -> Iterator[Stage]:
    lines = [c for c in study.comparisons if spec.protocol in (None, c.protocol)]
    about = [
        (line, metric) for line in lines for metric in line.metrics if spec.metric in (None, metric)
    ]
    for line, metric in about:
        family = families.by_line[line.index]
        word = None if family.correction is None else family.correction.name
        of_pairs = Stage(
            line,
            line.source,
            line.post_hoc or line.test,
            False,
            metric,
            line.across,
            line.protocol,
            family.level(study.alpha),
            family.size,
            word,
        )
        if line.omnibus:
            of_all = replace(of_pairs, test=line.test, omnibus=True)
            alone = replace(of_all, alpha=study.alpha, size=1, correction=None)
            yield of_all if family.joint else alone
        if not line.omnibus or line.post_hoc is not None:
            yield of_pairs
    if not about:  # one comparison of two models, by the test whose interval `require` would read
        for metric, test, protocol in tests_without_lines(study, spec):
            source = "one comparison of two models"
            yield Stage(None, source, test, False, metric, False, protocol, study.alpha, 1, None)


# --- how many ---------------------------------------------------------------------------------


def _places(study: Study, sources: ReadSources) -> list[Place]:
    """Iterate over the data sets of a study, as read or as written."""
    made: list[Place] = []
    for source in study.sources:
        every = sources.with_examples
        read = [item for item in every if statement_of(item.spec.name) == source.name]
        for item in read:
            names = study.models if isinstance(item, Table) else item.models
            made.append(Place(item.spec.name, item.spec, item, tuple(m.name for m in names)))
        rows = [table for table in sources.score_tables if table.spec.name == source.name]
        for table in rows:
            columns = tuple(model.name for model in table.models)
            made += [Place(name, source, None, columns, table) for name in table.names]
        if not read and not rows:
            names = study.models if isinstance(source, DataSpec) else source.models
            made.append(Place(source.name, source, None, tuple(m.name for m in names)))
    return made


def _answer_stage(
    study: Study, every: Sequence[Place], splits: Splits, spec: AnalysisSpec, stage: Stage
) -> Iterator[Analysis]:
    places = [
        place
        for place in every
        if (stage.line is None or set(models_of(stage.line, place.models)) <= set(place.models))
        and stage.metric == (own_metric(place.source) or stage.metric)
    ]
    if stage.across:
        whole = [place for place in places if place.read is not None or place.scores is not None]
        n = len(whole) if len(whole) == len(places) else None
        models = places[0].models if places else ()
        sizes = Sizes(n, "data sets", unknown="not_read" if n is None else None)
        yield _answered(study, spec, stage, None, models, sizes, ())
        return
    protocol = next((p for p in study.protocols if p.name == stage.protocol), None)

    def sizes_at(place: Place) -> Sizes:
        drawn = () if protocol is None else splits.get((place.name or "", protocol.name), ())
        return _sizes(drawn, place, protocol, stage)

    if stage.line is not None and stage.line.averaged is not None and places:
        each = [sizes_at(place) for place in places]
        unit = each[0].unit if len({one.unit for one in each}) == 1 else "examples"
        about = _sizes_of_average(each, unit, stage.line.averaged)
        told = [OF_AVERAGE.format(d=len(each), unit=about.unit)]
        if any(is_grouped(place.source, study.group) for place in places):
            told.append(GROUPED)
        form = form_asked(stage.metric, places[0].source, protocol, each[0].classes)
        found = _observed(study, stage, places)
        stated = {"sd", "sd_between", "discordant"} & dict(spec.method.options).keys()
        if found.values and not stated:
            about, form = Sizes(found.n, unit, read=True), "losses"
            told = [SPREAD_OF_AVERAGE]
        else:
            found = NOTHING
        models = places[0].models
        yield _answered(study, spec, stage, None, models, about, tuple(told), form, found)
        return
    for place in places:
        sizes = sizes_at(place)
        by_folds = sizes.unit in ("folds", "splits")
        declared = HYPOTHESIS_TESTS[stage.test.name].declaration.power
        form = form_asked(stage.metric, place.source, protocol, sizes.classes)
        asks = declared is not None and GROUPS.keys() <= declared.options(form)
        # The sizes of groups are those of the data, or stated
        known = place.read is not None or "group_size" in dict(spec.method.options)
        grouped = is_grouped(place.source, study.group)
        if place.read is not None:
            grouped = place.read.group_codes is not None
        notes = (GROUPED,) if grouped and not by_folds and not (asks and known) else ()
        found = _observed(study, stage, [place])
        if found.n is not None and not by_folds:
            sizes = replace(sizes, n=found.n)
        yield _answered(study, spec, stage, place.name, place.models, sizes, notes, form, found)


def _observed(study: Study, stage: Stage, places: Sequence[Place]) -> Observed:
    """Return what given outcomes tell of what power rests on; several places are averaged."""
    read = [place.read for place in places if isinstance(place.read, GivenOutcomes)]
    if stage.omnibus or len(read) < len(places):
        return NOTHING
    line, models = stage.line, places[0].models
    pairs = [models[:2]] if line is None else pairs_of(line, models)
    evaluation, *others = map(evaluation_of_outcomes, read)
    if line is not None and line.averaged is not None:
        among = models_of(line, models)
        joined = (evaluation, *others)
        evaluation = averaged_evidence(joined, stage.metric, line.averaged, among)
    context = OneSource(evaluation, stage.metric)
    asked = [context.question(study, stage.test, pair, stage.alpha) for pair in pairs]
    sizes = [question.n for question in asked if question is not None and question.n is not None]
    known = [question for question in asked if question is not None and question.observed]
    common = [name for name in (known[0].observed if known else ())
              if all(name in question.observed for question in known)]  # fmt: skip
    medians = {name: float(np.median([q.observed[name] for q in known])) for name in common}
    n = round(float(np.median(sizes))) if sizes else None
    return Observed(medians, len(known), known[0].samples if known else 1, n)


def _sizes_of_average(each: Sequence[Sizes], unit: str, over: Average) -> Sizes:
    """Return how many examples of one data set have a mean as precise as the average.

    With shares a and n examples of each data set the variance of the average is that of an example
    times the sum of a²/n, where that of an example is the same in all data sets.
    """
    unknown = next((one.unknown or "not_read" for one in each if not one.n), None)
    if unknown is not None:
        return Sizes(None, unit, unknown=unknown)
    found = [one.n or 0 for one in each]
    n = len(found) ** 2 / sum(1 / size for size in found) if over == "data" else sum(found)
    return Sizes(round(n), unit if n == sum(found) else f"effective {unit}", read=True)


def _sizes(drawn: Sequence[Split], place: Place, protocol: Protocol | None, stage: Stage) -> Sizes:
    """Return the number that a test counts, its unit, and the ratio of test to training rows."""
    declared = HYPOTHESIS_TESTS[stage.test.name].declaration
    unit = getattr(place.source, "unit", "examples")
    by_folds = declared.rests_only_on("fold")
    splits = [split for split in drawn if split.fold >= 0]  # not the fit on all rows
    if by_folds:
        if splits:
            train = sum(
                len(s.train) + (0 if s.validation is None else len(s.validation)) for s in splits
            )
            return Sizes(len(splits), "splits", sum(len(s.test) for s in splits) / train)
        of_folds = place.read if isinstance(place.read, GivenOutcomes) else place.scores
        if of_folds is not None and of_folds.folds is not None:
            folds = len(np.unique(of_folds.folds))
            repeats = 1 if of_folds.repeats is None else len(np.unique(of_folds.repeats))
            return Sizes(folds * repeats, "folds", 1 / (folds - 1) if folds > 1 else None)
        if place.scores is not None and place.scores.repeats is not None:
            return Sizes(len(place.scores.repeats), "splits")
        if of_folds is not None:
            return Sizes(None, "splits", unknown="no_folds")
        return _sizes_of_options(protocol, "not_read" if place.read is None else "no_splits")
    if isinstance(place.read, Table):
        rows = [s.test for s in splits if s.repeat == 0]
        if not rows:
            return Sizes(None, unit, unknown="no_splits")
        tested = np.concatenate(rows)
        return _sizes_of_rows(place.read, place.read.y[tested], tested, stage.metric, len(rows))
    if isinstance(place.read, GivenOutcomes):
        folds = 1 if place.read.folds is None else len(np.unique(place.read.folds))
        if place.read.truth is None:
            every = np.arange(place.read.n_examples)
            groups = _group_sizes(place.read, every)
            return Sizes(place.read.n_examples, unit, groups=groups, read=True)
        return _sizes_of_rows(place.read, place.read.truth, slice(None), stage.metric, folds)
    return Sizes(None, unit, unknown="not_read" if place.scores is None else "no_examples")


def _sizes_of_rows(
    read: Table | GivenOutcomes, truth: Any, rows: Any, metric: Method, folds: int
) -> Sizes:
    """Count the examples that a test of counts is about: all, the positives, the negatives."""
    about = rows_of_proportion(metric_entry(metric).declaration, truth, read.positive)
    times = read.times if isinstance(read, GivenOutcomes) else None
    return Sizes(
        int(np.sum(about) if times is None else np.sum(times[about])),
        read.spec.unit if hasattr(read.spec, "unit") else "examples",
        positives=_positives(truth, read),
        folds=folds,
        groups=_group_sizes(read, rows, about),
        classes=len(read.classes) if read.classes else None,
        read=True,
    )


def _group_sizes(read: Table | GivenOutcomes, rows: Any, about: Any = slice(None)) -> GroupSizes:
    """Return the sizes of the groups of some rows, each with the number of such groups."""
    if read.group_codes is None:
        return ()
    return sizes_of(read.group_codes[rows][about])


def _positives(truth: Any, read: Table | GivenOutcomes) -> float | None:
    """Return the share of the positive class; None without both it and another class."""
    if read.positive is None:
        return None
    times = read.times if isinstance(read, GivenOutcomes) else None
    share = float(np.average(np.asarray(truth == read.positive), weights=times))
    return share if 0 < share < 1 else None


def _sizes_of_options(protocol: Protocol | None, unknown: Unknown) -> Sizes:
    """Read splits and their ratio from a protocol as written, where data are not at hand."""
    if protocol is None:
        return Sizes(None, "splits", unknown=unknown)
    declared = PROTOCOLS[protocol.kind].declaration
    splits, share = declared.n_splits(protocol.options), declared.test_share(protocol.options)
    if splits is None or splits < 2 or share is None or not 0 < share < 1:
        return Sizes(None, "splits", unknown=unknown)
    return Sizes(splits, "splits", share / (1 - share))


# --- the answer -------------------------------------------------------------------------------


ANALYSIS: Providers[Question] = Providers(Subject.ANALYSIS)
"""What makes the inputs of an analysis of lines."""

ANALYSIS.provide(question=lambda question: question)


def _question(
    study: Study, analysis: str, stage: Stage, sizes: Sizes, models: Sequence[str], form: str | None
) -> Question:
    """Return what an analysis asks about a test of a line."""
    compared = models_of(stage.line, models) if stage.line is not None else models[:2]
    asked = f"{analysis} {stage.test.written}"
    return Question(
        stage.test.name,
        stage.alpha,
        sizes.n,
        {**HYPOTHESIS_TESTS[stage.test.name].defaults(), **stage.test.keywords()},
        sizes.ratio,
        len(compared),
        analysis_seed(study.seed, None, sizes.unit, sizes.n, asked),
        sizes.positives,
        sizes.folds,
        form,
        _measure_of_counts(stage.metric, sizes.classes),
        sizes.groups,
        sizes.read,
        largest=largest_difference(stage.test, stage.metric, sizes.n, stage.alpha),
    )


def _measure_of_counts(
    metric: Method, classes: int | None
) -> Callable[["NDArray[np.float64]"], Any] | None:
    """Return the metric of counts of two classes, the positive one last; None for others."""
    entry = metric_entry(metric)
    if entry.declaration.form != "counts" or classes not in (None, 2):
        return None
    options = metric.keywords()
    return lambda matrices: entry.function(matrices, 1, **options)


def _answered(
    study: Study,
    spec: AnalysisSpec,
    stage: Stage,
    data: str | None,
    models: Sequence[str],
    sizes: Sizes,
    notes: tuple[str, ...],
    form: str | None = None,
    found: Observed = NOTHING,
) -> Analysis:
    entry = ANALYSES[spec.method.name]
    asked = _question(study, entry.name, stage, sizes, models, form)
    observed = found.values
    asked = replace(asked, observed=observed, samples=found.samples)
    power = HYPOTHESIS_TESTS[asked.test].declaration.power
    options: dict[str, Any] = {
        name: float(value) if isinstance(value, Fraction) else value
        for name, value in spec.method.options
    }
    stated_n = options.get("n")
    unknown = sizes.unknown if stated_n is None else None
    if unknown is not None:
        notes = (UNKNOWN[unknown], *notes)
    answers: tuple[Any, ...] = ()
    try:
        answers = entry.function(*(ANALYSIS.make(n, asked) for n in entry.inputs), **options)
    except ValueError as error:
        notes = (*notes, str(error))
    from_data = tuple(
        name for name in observed if name in entry.defaults() and options.get(name) is None
    )
    if answers and from_data:
        which = f", medians of its {found.pairs} pairs" if found.pairs > 1 else ""
        notes = (
            f"taken from the data{which}: {listed([n.replace('_', ' ') for n in from_data])}",
            *notes,
        )
    return Analysis(
        kind=entry.name,
        data=data or "",
        protocol=stage.protocol,
        model=None,
        metric=stage.metric.written,
        values={
            "line": None if stage.line is None else stage.line.index,
            "source": stage.source,
            "test": stage.test.name,
            "variant": str(asked.options[power.form]) if power is not None and power.form else "",
            "omnibus": stage.omnibus,
            "n": stated_n if stated_n is not None else asked.n,
            "unknown": unknown,
            "unit": sizes.unit,
            "alpha": study.alpha,
            "level": stage.alpha,
            "family_size": stage.size,
            "correction": stage.correction,
            **{
                name: options.get(name, entry.defaults()[name])
                for name in entry.declaration.recorded
            },
            "observed": (*from_data, *(("sd_between",) if "sd_within" in from_data else ())),
            "samples": found.samples,
            "answers": tuple(
                {name: with_tuples(value) for name, value in to_plain(answer).items()}
                for answer in answers
            ),
            "notes": notes,
        },
    )
