"""`compare` lines decided again: with other corrections, other forms of a test, other tests."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from evallang import hypotheses
from evallang.compatibility.hypothesis_tests import has_same_null, test_mismatch
from evallang.engine.comparisons import (
    ComparisonContext,
    OneSource,
    TestRun,
    decide_again,
    run_again,
)
from evallang.engine.providers import Providers
from evallang.engine.walk import computes
from evallang.hypotheses import Families, lines_decided
from evallang.planning import nodes
from evallang.registry import Entry
from evallang.results.codec import to_plain, with_tuples
from evallang.results.records import Analysis
from evallang.stats.analyses.analysis import ANALYSES
from evallang.stats.analyses.sensitivity import DecidedHypothesis, LineDecisions, Setting
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.inputs import Subject
from evallang.study import AnalysisSpec, ComparisonSpec, Method, Study


class _Line(Struct, frozen=True):
    """One line with the runs of its whole family, and which of them are its own."""

    study: Study
    spec: ComparisonSpec
    family: hypotheses.Family
    runs: tuple[TestRun, ...]

    @property
    def own(self) -> list[int]:
        """The places of the runs of the line among those of its family."""
        return [i for i, run in enumerate(self.runs) if run.spec.index == self.spec.index]


class DecisionInputs(Struct, frozen=True):
    """A line to decide again, by all its metrics or by one."""

    line: _Line
    metric: Method | None


DECISIONS: Providers[DecisionInputs] = Providers(Subject.DECISIONS)
"""What makes the inputs of an analysis of decisions."""


@computes(nodes.DECISION_ANALYSIS)
def decisions_again(
    study: Study, spec: AnalysisSpec, families: Families, test_runs: Sequence[TestRun]
) -> tuple[Analysis, ...]:
    """Decide every line that an item asks about again: a record for each line."""
    known = {run.planned: run for run in test_runs}
    made = []
    for line in lines_decided(study, spec):
        family = families.by_line[line.index]
        runs = tuple(known[one] for one in family.comparisons if one in known)
        if runs:
            again = DecisionInputs(_Line(study, line, family, runs), spec.metric)
            made.append(_analysis(spec, line, again))
    return tuple(made)


def _analysis(spec: AnalysisSpec, line: ComparisonSpec, again: DecisionInputs) -> Analysis:
    entry = ANALYSES[spec.method.name]
    values: dict[str, object] = {"problem": None, "line": line.index, "source": line.source}
    try:
        values |= to_plain(entry.function(*(DECISIONS.make(n, again) for n in entry.inputs)))
    except ValueError as error:
        values |= {"problem": str(error), "notes": []}
    return Analysis(
        kind=entry.name,
        data="",
        protocol=line.protocol,
        model=None,
        metric=None,
        values={name: with_tuples(value) for name, value in values.items()},
    )


@DECISIONS.provides("decided")
def decided(inputs: DecisionInputs) -> LineDecisions:
    """Return what each test and correction decides on the hypotheses of a line."""
    line, metric = inputs.line, inputs.metric
    places = [
        (run, pair)
        for run in line.own
        for pair in range(len(line.runs[run].tests))
        if metric is None or line.runs[run].planned.metric == metric
    ]
    contexts = [line.runs[run].context for run, _ in places]
    found = tuple(
        DecidedHypothesis(context.data, context.metric, line.runs[run].tests[pair].models)
        for context, (run, pair) in zip(contexts, places, strict=True)
    )
    settings = []
    corrections, unsure = _corrections(line)
    for test in _tests(line):
        runs = line.runs if test == _single(line.spec) else _with_test(line, test)
        for correction in corrections:
            if correction is not None and _is_of_form(correction, line) and runs is not line.runs:
                continue  # it takes right and wrong, whatever the form of the test
            if correction is not None and not _can_resample(correction.name, test):
                continue
            reported = test == _single(line.spec) and correction == line.family.correction
            settings.append(_setting(line, runs, test, correction, places, reported))
    return LineDecisions(
        line.spec.index,
        line.spec.source,
        line.study.alpha,
        found,
        tuple(settings),
        tuple(unsure),
    )


def _setting(
    line: _Line,
    runs: Sequence[TestRun],
    test: Method,
    correction: Method | None,
    places: Sequence[tuple[int, int]],
    reported: bool,
) -> Setting:
    """Decide the family with one test of the line and one correction."""
    words = None if correction is None else correction.written
    made = Setting(
        test.written,
        words,
        (None,) * len(places),
        reported,
        test_title=HYPOTHESIS_TESTS[test.name].title,
        correction_title=None if correction is None else CORRECTIONS[correction.name].title,
    )
    try:
        decided = decide_again(line.study, replace(line.family, correction=correction), runs)
    except ValueError as error:
        return replace(made, problem=str(error))
    found = tuple(decided[run][pair] for run, pair in places)
    problem = "undefined for all hypotheses" if found and set(found) == {None} else None
    return replace(made, decisions=found, problem=problem)


# --- which settings ---------------------------------------------------------------------------


def _single(spec: ComparisonSpec) -> Method:
    return spec.post_hoc or spec.test


def _corrections(line: _Line) -> tuple[list[Method | None], list[str]]:
    """Return the corrections that control the same error as the line's, its own first.

    Those that do so under an assumption about the p-values alone are named and not used; pairs
    that share a model have dependent p-values.
    """
    own = line.family.correction
    if own is None:
        return [None], []
    declared = CORRECTIONS[own.name].declaration
    found: list[Method | None] = [own]
    unsure = []
    for entry in CORRECTIONS:
        other = entry.declaration
        same = other.controls == declared.controls and other.adjusts and other.controls is not None
        if entry.name == own.name or not same or not _takes(entry.name, line):
            continue
        if other.assumes == "any":
            found.append(Method(entry.name))
        else:
            unsure.append(entry.title)
    return found, unsure


def _is_of_form(correction: Method, line: _Line) -> bool:
    own = line.family.correction
    declared = CORRECTIONS[correction.name].declaration
    return bool(declared.of_test) and (own is None or own.name != correction.name)


def _takes(correction: str, line: _Line) -> bool:
    """Return whether a correction is about the pairs of this family."""
    entry = CORRECTIONS[correction]
    if entry.declaration.of_test and entry.declaration.of_test != _single(line.spec).name:
        return False
    if "correct" in entry.inputs:  # it counts single rows, and both sides
        grouped = any(_is_grouped(line.runs[place].context) for place in line.own)
        side = _single(line.spec).keywords().get("alternative", "two_sided")
        if grouped or side != "two_sided":
            return False
    alone = len(line.runs) == 1 and not line.family.joint
    if "resampled" in entry.inputs:
        return alone
    if "pairs" not in entry.inputs:
        return True
    first = line.runs[0]
    m = len(first.planned.models)
    if m > (entry.declaration.most_models or m):
        return False
    return alone and len(first.tests) == m * (m - 1) // 2


def _can_resample(correction: str, test: Method) -> bool:
    """Return whether a test has the joint resamples that a correction may need."""
    needed = "resampled" in CORRECTIONS[correction].inputs
    return not needed or bool(HYPOTHESIS_TESTS[test.name].declaration.jointly)


def _tests(line: _Line) -> list[Method]:
    """Return the test of the line, its other forms, and the others of the same null hypothesis."""
    own = _single(line.spec)
    entry = HYPOTHESIS_TESTS[own.name]
    grouped = any(_is_grouped(line.runs[place].context) for place in line.own)
    fixed = grouped and entry.declaration.p_by in entry.declaration.not_clustered
    found = [own, *(() if fixed else _forms(entry, own))]
    side = {name: value for name, value in own.options if name == "alternative"}
    for other in HYPOTHESIS_TESTS:
        if has_same_null(other, entry) and _runs_here(other, line):
            kept = {name: v for name, v in side.items() if other.option(name) is not None}
            if len(kept) == len(side):
                found.append(Method(other.name, tuple(kept.items())))
    return found


def _is_grouped(context: ComparisonContext) -> bool:
    return isinstance(context, OneSource) and context.evaluation.grouped


def _forms(entry: Entry[HypothesisTestDeclaration], own: Method) -> Iterator[Method]:
    """Iterate over the other values of the option that says how p is computed."""
    form = entry.declaration.p_by
    option = entry.option(form) if form else None
    if option is None:
        return
    given = own.keywords()
    used = given.get(form, option.default)
    for word in option.words:
        if word not in (used, *entry.declaration.p_chosen):
            rest = tuple((name, value) for name, value in own.options if name != form)
            yield Method(own.name, (*rest, (form, word)))


def _runs_here(other: Entry[HypothesisTestDeclaration], line: _Line) -> bool:
    """Return whether a test takes what the line compares, with no fit besides."""
    for place in line.own:
        context = line.runs[place].context
        if not isinstance(context, OneSource):
            if not other.declaration.rests_on("data set"):
                return False
            continue
        evaluation = context.evaluation
        method, metric = Method(other.name), context.by
        if test_mismatch(method, metric, evaluation.yields, evaluation.grouped) is not None:
            return False
    return True


def _with_test(line: _Line, test: Method) -> tuple[TestRun, ...]:
    """Run the line with another test of its pairs; the other lines of the family stay."""
    gated = line.spec.post_hoc is not None
    spec = replace(line.spec, post_hoc=test) if gated else replace(line.spec, test=test)
    own: Mapping[int, TestRun] = {
        place: run_again(line.study, line.runs[place], spec) for place in line.own
    }
    return tuple(own.get(place, run) for place, run in enumerate(line.runs))
