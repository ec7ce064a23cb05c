"""Sensitivity of decisions: what other valid tests and corrections would have decided."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from evallang.analysis import ANALYSES, AnalysisDeclaration, Problem
from evallang.bibliography import cite
from evallang.compatibility.hypothesis_tests import has_same_null, unmet_evidence
from evallang.diagnostics import codes
from evallang.engine.comparisons import (
    ComparisonContext,
    OneSource,
    TestRun,
    decide_again,
    run_again,
)
from evallang.engine.decisions import Line
from evallang.hypotheses import decides_pairs
from evallang.registry import Entry
from evallang.reporting.analyses import Part, further_notes, not_drawn, shows, states
from evallang.reporting.context import Context
from evallang.reporting.document import Figure, Panel, Runs, Table, runs
from evallang.reporting.figures.stacks import LABEL_OF_PAIR, stacked_bars
from evallang.reporting.letter_case import printed, written_options
from evallang.reporting.numbers import Scale, count, level_of_alpha, number_word
from evallang.reporting.sentences import write
from evallang.reporting.tables import counted, left, right, row, table, wide
from evallang.reporting.wording import VARIANTS, and_, plural, variant_words
from evallang.results.records import Analysis, Comparison
from evallang.results.written import method_of
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.study import AnalysisSpec, ComparisonSpec, Method, Study

Decision = bool | None
"""Whether a hypothesis was rejected; None where the test is undefined."""


class SettingDecisions(Struct, frozen=True):
    """One test with one correction: how many hypotheses it rejects, keeps and leaves undecided.

    The titles are those of the test and of the correction; older files do not contain them.
    """

    test: str
    correction: str | None
    reported: bool
    rejected: int
    kept: int
    undecided: int
    problem: str | None
    test_title: str | None = None
    correction_title: str | None = None


class HypothesisDecisions(Struct, frozen=True):
    """One hypothesis: the reported decision, and how many other settings are for and against it.

    `against_by` names the settings that decide otherwise.
    """

    data: str | None
    metric: str
    models: tuple[str, ...]
    reported: bool | None
    same: int
    against: int
    undecided: int
    against_by: tuple[str, ...]


class Sensitivity(Struct, frozen=True):
    """The decisions of one `compare` line under every setting that was computed."""

    unit: str
    about: str
    n: int
    line: int
    source: str
    alpha: float
    settings: tuple[SettingDecisions, ...]
    hypotheses: tuple[HypothesisDecisions, ...]
    notes: tuple[str, ...]


ABOUT = "the decisions of this comparison, on the same data"


# --- what is decided again -----------------------------------------------------------------------


def _with(
    line: Line,
    runs: Sequence[TestRun],
    test: Method,
    correction: Method | None,
    places: Sequence[tuple[int, int]],
) -> tuple[SettingDecisions, tuple[Decision, ...]]:
    """Decide the family with one test of the line and one correction."""
    found: tuple[Decision, ...] = (None,) * len(places)
    problem = None
    try:
        decided = decide_again(line.study, replace(line.family, correction=correction), runs)
        found = tuple(decided[run][pair] for run, pair in places)
        problem = "undefined for all hypotheses" if found and set(found) == {None} else None
    except ValueError as error:
        problem = str(error)
    made = SettingDecisions(
        test.written,
        None if correction is None else correction.written,
        test == _single(line.spec) and correction == line.family.correction,
        found.count(True),
        found.count(False),
        found.count(None),
        problem,
        HYPOTHESIS_TESTS[test.name].title,
        None if correction is None else CORRECTIONS[correction.name].title,
    )
    return made, found


# --- which settings ---------------------------------------------------------------------------


def _single(spec: ComparisonSpec) -> Method:
    return spec.post_hoc or spec.test


def _corrections_tried(line: Line) -> tuple[list[Method | None], list[str]]:
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


def _takes(correction: str, line: Line) -> bool:
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


def _tests_tried(line: Line) -> list[Method]:
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


def _runs_here(other: Entry[HypothesisTestDeclaration], line: Line) -> bool:
    """Return whether a test takes what the line compares, with no fit besides."""
    for place in line.own:
        context = line.runs[place].context
        if not isinstance(context, OneSource):
            if not other.declaration.rests_on("data set"):
                return False
            continue
        evaluation = context.evaluation
        if evaluation.average is not None and not other.declaration.averaged:
            return False
        method, metric = Method(other.name), context.by
        if unmet_evidence(method, metric, evaluation.yields, evaluation.grouped) is not None:
            return False
    return True


def _with_test(line: Line, test: Method) -> tuple[TestRun, ...]:
    """Run the line with another test of its pairs; the other lines of the family stay."""
    gated = line.spec.post_hoc is not None
    spec = replace(line.spec, post_hoc=test) if gated else replace(line.spec, test=test)
    own: Mapping[int, TestRun] = {
        place: run_again(line.study, line.runs[place], spec) for place in line.own
    }
    return tuple(own.get(place, run) for place, run in enumerate(line.runs))


# --- the numbers ---------------------------------------------------------------------------------


def _judge(study: Study, spec: AnalysisSpec) -> Iterator[Problem]:
    """Find a study whose lines decide no pair."""
    about = [c for c in study.comparisons if spec.protocol in (None, c.protocol)]
    if not any(map(decides_pairs, about)):
        yield (
            codes.analysis_needs_other_data,
            "`sensitivity` is about decisions on pairs of models, and no `compare` line makes one",
            "write `compare A, B with TEST`, without `exploratory`",
        )


@ANALYSES.register(
    AnalysisDeclaration(
        about="decisions",
        judge=_judge,
        shown=Sensitivity,
        when="a reader may ask whether a decision depends on the choice of a test or correction",
        when_not=(
            "a test is still to be chosen: choose it before the results are seen; the assumptions "
            "of the data are in doubt: another protocol"
        ),
        formula=(
            "the line is decided again with each correction that controls the same error whatever "
            "the dependence of the p-values, with each form of its test, and with each test of the "
            "same null hypothesis that is not advised against and needs no further fit; every "
            "one that was computed is listed, and for each hypothesis those for and against the "
            "reported decision. P-values are not shown, since they would invite a choice among them"
        ),
        example="data cancer from sklearn breast_cancer\n"
        "model tree = DecisionTreeClassifier(max_depth=3)\n"
        "model bayes = GaussianNB\n"
        "model near = StandardScaler | KNeighborsClassifier\n"
        "model linear = StandardScaler | LogisticRegression\n"
        "model baseline = DummyClassifier\n"
        "protocol holdout test=1/2\n"
        "measure accuracy\n"
        "compare tree, bayes, near, linear with mcnemar holm\n"
        "analyze sensitivity\n",
    ),
    title="Sensitivity of the decisions",
    references=(cite("steegen2016"),),
)
def sensitivity(decisions: Line) -> Sensitivity:
    """The reported decisions, and those of other valid tests and corrections.

    Raises `ValueError` where no setting but the reported one could be computed.
    """
    line = decisions
    places = [
        (run, pair)
        for run in line.own
        for pair in range(len(line.runs[run].tests))
        if line.metric is None or line.runs[run].planned.metric == line.metric
    ]
    corrections, unsure = _corrections_tried(line)
    tried = []
    for test in _tests_tried(line):
        runs = line.runs if test == _single(line.spec) else _with_test(line, test)
        for correction in corrections:
            if correction is not None:
                entry, of_line = CORRECTIONS[correction.name], line.family.correction
                other = of_line is None or of_line.name != correction.name
                if other and entry.declaration.of_test and runs is not line.runs:
                    continue  # it takes right and wrong, whatever the form of the test
                jointly = HYPOTHESIS_TESTS[test.name].declaration.jointly
                if "resampled" in entry.inputs and not jointly:
                    continue
            tried.append(_with(line, runs, test, correction, places))
    others = [(s, found) for s, found in tried if not s.reported and s.problem is None]
    if not others:
        raise ValueError("no other test or correction could be computed here")
    reported = next(found for setting, found in tried if setting.reported)
    hypotheses = []
    for place, (run, pair) in enumerate(places):
        context, own = line.runs[run].context, reported[place]
        every = [(setting, found[place]) for setting, found in others]
        against = [s for s, d in every if None not in (d, own) and d != own]
        hypotheses.append(
            HypothesisDecisions(
                context.data,
                context.metric,
                line.runs[run].tests[pair].models,
                own,
                sum(d is not None and d == own for _, d in every),
                len(against),
                sum(None in (d, own) for _, d in every),
                tuple(" ".join(filter(None, (s.test, s.correction))) for s in against),
            )
        )
    notes: tuple[str, ...] = ()
    if unsure:
        names = ", ".join(unsure).replace("'", "’")
        notes = (f"not computed, because they assume something about the dependence: {names}",)
    return Sensitivity(
        unit="hypotheses",
        about=ABOUT,
        n=len(hypotheses),
        line=line.spec.index,
        source=line.spec.source,
        alpha=line.study.alpha,
        settings=tuple(setting for setting, _ in tried),
        hypotheses=tuple(hypotheses),
        notes=notes,
    )


# --- the section ---------------------------------------------------------------------------------

DECIDED = {True: "rejected", False: "not rejected", None: "undecided"}
MOST_DRAWN = 20  # hypotheses; the table has more
MOST_ROWS = 40  # hypotheses of a table, those with the most decisions against first


@states("sensitivity", key=id)
def _key_findings(context: Context, items: Sequence[Analysis]) -> list[Runs]:
    """State how many decisions were the same under how many settings."""
    (item,) = items
    decided = [h for h in item.values["hypotheses"] if h["reported"] is not None]
    if not decided:
        return []
    others = [s for s in item.values["settings"] if not s["reported"] and s["problem"] is None]
    words = write(
        context,
        "analyses",
        "sensitivity",
        decisions=len(decided),
        same=sum(not h["against"] for h in decided),
        settings=len(others),
        changed=max(decided, key=lambda h: h["against"]),
        undecided=any(h["undecided"] for h in decided),
    )
    return [words]


@shows("sensitivity", order=98, title="Sensitivity of the decisions", key=id, supplement=True)
def sensitivity_of_decisions(context: Context, part: Part) -> list[Table | Figure]:
    """Return two tables for each line, the settings and the hypotheses, and a figure."""
    (item,) = part.items
    values = item.values
    reported = next(one for one in values["settings"] if one["reported"])
    lines = [c for c in context.results.comparisons if c.index == values["line"]]
    forms = {variant_words(context, pair) for line in lines for pair in line.pairwise}
    own = forms.pop() if len(forms) == 1 else ""  # how p was computed, alike for all pairs
    titles = {s["test"]: _test(s) for s in values["settings"]}
    if own and own not in titles[reported["test"]]:
        titles[reported["test"]] += f" ({own})"
    made = _settings(context, item, titles, lines, f"table-settings-{part.number}")
    return [made, *_hypotheses(context, item, titles, part.number)]


def _settings(
    context: Context,
    item: Analysis,
    titles: Mapping[str, str],
    lines: Sequence[Comparison],
    identifier: str,
) -> Table:
    values = item.values
    n, undecided = values["n"], any(s["undecided"] for s in values["settings"])
    rows = [
        row(
            titles[setting["test"]],
            _correction(setting) or "–",
            counted(setting["rejected"]),
            counted(setting["kept"]),
            counted(setting["undecided"]) if undecided else None,
            strong=setting["reported"],
        )
        for setting in values["settings"]
    ]
    how = (
        f"bold: as reported. Level {level_of_alpha(values['alpha'], context.style)}; all "
        "corrections control the same error rate under any dependence, and all tests have the "
        "same null hypothesis"
    )
    sizes = {line.family.size for line in lines}
    if context.results.study.families == "together" and any(size > n for size in sizes):
        how += (
            f". The reported decisions are those of one family of {number_word(max(sizes))} "
            "hypotheses; the other settings are computed within this line"
        )
    return table(
        identifier,
        f"Decisions on {_subject(context, item)} by each combination of test and correction",
        [
            wide("Test"),
            left("Correction"),
            right("Rejected"),
            right("Not rejected"),
            right("Undecided") if undecided else None,
        ],
        rows,
        how,
        *further_notes(context, [item]),
        *dict.fromkeys(
            f"{_title_of_setting(titles, s)}: {s['problem']}"
            for s in values["settings"]
            if s["problem"]
        ),
    )


def _subject(context: Context, item: Analysis) -> str:
    """Return what was decided: "three pairs in accuracy"."""
    names = dict.fromkeys(h["metric"] for h in item.values["hypotheses"])
    nouns = and_([context.metric(name).noun for name in names])
    return f"{plural(item.values['n'], 'pair')} in {nouns}"


def _hypotheses(
    context: Context, item: Analysis, titles: Mapping[str, str], number: int
) -> list[Table | Figure]:
    """Return how many settings are for and against each reported decision, as table and figure."""
    every = sorted(item.values["hypotheses"], key=lambda h: -h["against"])
    several = len({(h["data"], h["metric"]) for h in every}) > 1
    names = [_named(context, hypothesis, several=several) for hypothesis in every]
    settings = {
        " ".join(filter(None, (s["test"], s["correction"]))): _title_of_setting(titles, s)
        for s in item.values["settings"]
    }
    decided = [h for h in every if h["reported"] is not None]
    left_ = plural(len(every) - len(decided), "pair")
    caption = runs(
        "Combinations of test and correction for and against each decision on ",
        f"{_subject(context, item)}.",
    )
    made = table(
        f"table-sensitivity-{number}",
        caption,
        [
            wide("Pair"),
            left("Reported"),
            right("For"),
            right("Against"),
            wide("Decided otherwise by"),
        ],
        [
            row(
                name,
                DECIDED[h["reported"]],
                counted(h["same"]),
                counted(h["against"]),
                "; ".join(settings.get(s, s) for s in h["against_by"]) or "–",
            )
            for name, h in zip(names[:MOST_ROWS], every, strict=False)
        ],
        f"the comparison did not decide {left_}" if len(decided) < len(every) else None,
        f"the {count(MOST_ROWS)} with the most against are listed"
        if len(every) > MOST_ROWS
        else None,
    )
    rows = [(name, [h["same"], h["against"]]) for name, h in zip(names, every, strict=True)]
    rows = rows[:MOST_DRAWN]
    most = max((sum(numbers) for _, numbers in rows), default=1.0)
    drawing = stacked_bars(
        rows, ("for the reported decision", "against it"), "Combinations", Scale(0), "Decisions",
        LABEL_OF_PAIR, (0.0, most),
    )  # fmt: skip
    caption += not_drawn(len(every), MOST_DRAWN, made.id, "pairs")
    return [made, Figure(f"figure-sensitivity-{number}", caption, (Panel(*drawing, ()),))]


def _title_of_setting(titles: Mapping[str, str], setting: Any) -> str:
    return ", ".join(filter(None, (titles[setting["test"]], _correction(setting))))


def _test(setting: Any) -> str:
    """Return the title of a test with its form, as a file before titles has it: by its name."""
    written, title = setting["test"], setting.get("test_title")
    if title is None:
        return str(written)
    options = written_options(written.removeprefix(method_of(written)))
    words = ", ".join(VARIANTS.get(word) or word for word in options.split(", "))
    return printed(title) + (f" ({words})" if words else "")


def _correction(setting: Any) -> str:
    title = setting.get("correction_title") or setting["correction"] or ""
    return printed(title.removesuffix(" correction"))


def _named(context: Context, hypothesis: Mapping[str, Any], *, several: bool) -> str:
    models = and_([context.model(name) for name in hypothesis["models"]])
    if not several:
        return models
    data = "" if hypothesis["data"] is None else f", {context.data_label(hypothesis['data'])}"
    return f"{models}, {context.metric(hypothesis['metric']).noun}{data}"
