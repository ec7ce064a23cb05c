"""Power: what the tests of a study could find, for stated differences at their corrected level."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from evallang.analysis import ANALYSES, AnalysisDeclaration, Problem
from evallang.bibliography import cite
from evallang.compatibility import is_grouped
from evallang.compatibility.hypothesis_tests import form_asked, tests_asked
from evallang.diagnostics import codes
from evallang.registry import Bounds
from evallang.reporting.analyses import Part, not_drawn, shows, states
from evallang.reporting.context import Context, MetricWords
from evallang.reporting.document import (
    Block,
    Cell,
    Figure,
    Panel,
    Paragraph,
    Ref,
    Row,
    Runs,
    runs,
)
from evallang.reporting.figures.stacks import stacked_bars
from evallang.reporting.letter_case import mid_sentence
from evallang.reporting.numbers import NBSP, count, level_of_alpha, number_word, percent, scale_of
from evallang.reporting.panels import in_parts
from evallang.reporting.section import Topic
from evallang.reporting.sentences import write
from evallang.reporting.tables import Words, counted, dash, printed, row, sortable, table, wide
from evallang.reporting.wording import amount, message_runs, p_letter
from evallang.results.provenance import AssumptionWords
from evallang.results.ranges import Share
from evallang.results.records import Analysis
from evallang.results.shown import Amount, Count, Number
from evallang.spelling import listed
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.power import Answer, Question, Stated, stated
from evallang.stats.power_of_metrics import check_areas
from evallang.study import AnalysisSpec, Study


class ShownAnswer(Struct, frozen=True):
    """The power of a test under one set of assumptions."""

    method: str
    assumptions: Mapping[str, Amount]
    detectable: Number
    power: Number
    required_n: Count
    in_sd: bool
    notes: tuple[str, ...]
    n_for_width: Count = None


class ShownPower(Struct, frozen=True):
    """The values of an analysis of power."""

    source: str
    test: str
    n: Count
    unit: str
    level: Share
    family_size: int
    correction: str | None
    target: Share
    difference: Number
    answers: tuple[ShownAnswer, ...]
    notes: tuple[str, ...]
    width: Number = None
    observed: tuple[str, ...] = ()
    samples: int = 1


def _objection(options: Mapping[str, Any]) -> Problem | None:
    """Return which stated numbers cannot be true together."""
    if options.get("difference") == "observed":
        return (
            codes.power_at_the_observed_difference,
            "power at the observed difference adds nothing to the p-value",
            "state the smallest difference that would matter: `power(difference=2%)`",
        )
    area, gap, positives, correlation, discordant = (
        None if (value := options.get(name)) is None else float(value)
        for name in ("area", "difference", "positives", "correlation", "discordant")
    )
    samples = options.get("samples") or ()
    if min((samples,) if isinstance(samples, int) else samples, default=1) < 1:
        return codes.option_value, "an example has one sample or more", "write `samples=[1, 5]`"
    if gap is not None and discordant is not None and gap > discordant:
        message = "two accuracies differ by no more than the share of examples on which one model "
        return codes.option_value, f"{message}alone is right", "write a larger `discordant`"
    try:
        check_areas(area, positives, correlation, gap)
    except ValueError as error:
        help_ = "for example, `power(difference=2%, area=80%, positives=30%)`"
        return codes.option_value, f"`power`: {error}", help_
    return None


def _judge(study: Study, spec: AnalysisSpec) -> Iterator[Problem]:
    """Find an option of the power of other tests than the lines name."""
    if not study.sources:
        return
    known: set[str] = set()
    used: set[str] = set()
    for metric, test, name in tests_asked(study, spec):
        power = HYPOTHESIS_TESTS[test.name].declaration.power
        if power is not None:
            known.add(test.name)
            # A line that names no protocol is not assigned one yet
            own = [p for p in study.protocols if name in (None, p.name)]
            for protocol in own or (None,):
                used |= power.options(form_asked(metric, study.sources[0], protocol))
    every = {o for e in HYPOTHESIS_TESTS if (p := e.declaration.power) for o in p.options(None)}
    stated = dict(spec.method.options)
    written = [name for name in stated if name in every and name not in used]
    if known and written:
        options = [o.name for o in ANALYSES[spec.method.name].options]
        further = [name for name in options if name in used and name not in stated]
        yield (
            codes.assumption_of_another_test,
            f"the power of {listed(sorted(known), 'or')} does not depend on "
            f"{listed(written, 'and')}",
            "remove it" + (f"; it depends on {listed(further, 'and')}" if further else ""),
        )
    elif known and "icc" in used and stated.get("icc") is not None:
        grouped = any(is_grouped(source, study.group) for source in study.sources)
        if stated.get("group_size") is None and not grouped:
            yield (
                codes.analysis_needs_other_data,
                "`icc` is about examples in groups, and no source of the study has groups",
                "write the size of a group with it: `power(icc=10%, group_size=8)`",
            )


@ANALYSES.register(
    AnalysisDeclaration(
        about="lines",
        command=True,
        shown=ShownPower,
        recorded=("target", "difference", "width"),
        objection=_objection,
        judge=_judge,
        when=(
            "before the data are collected, to see how large a difference the tests can detect, or "
            "how many examples an interval of a wanted width takes"
        ),
        when_not="afterwards, at the observed difference: read its interval instead",
        formula="the probability of p at or below the level of one comparison: for McNemar's test "
        "summed over all tables of n examples, of which a stated share is discordant; for t tests "
        "by the noncentral t; for DeLong's test by the normal distribution, with the variance of "
        "the areas of normal scores; for metrics of counts by simulating tables of truth and both "
        "labels; for the sign test summed over the signs of normal differences, and for tests on "
        "ranks by running them on simulated ones. With groups McNemar's test is run on simulated "
        "outcomes that are correlated within a group, and others have the design effect 1 + "
        "(Σ s² / Σ s - 1) icc for groups of s examples. The "
        "number for a width is the least with which the interval of the expected table, of the "
        "stated sd, or of the areas is at most so wide",
        example="counts pair\n  models a, b\n  table [[90, 6], [2, 2]]\n"
        "compare a, b with mcnemar\nanalyze power(difference=5%)\n",
    ),
    title="Power",
    references=(
        cite("connor1987", "mcnemar"),
        cite("delong1988", "delong"),
        cite("miller2024", "samples"),
        cite("hoenig2001"),
    ),
)
def power(
    question: Question,
    *,
    difference: Annotated[float | Literal["observed"] | None, Bounds(above=0)] = None,
    discordant: Annotated[float | None, Bounds(above=0, most=1)] = None,
    sd: Annotated[float | None, Bounds(above=0)] = None,
    n: Annotated[int | None, Bounds(least=2)] = None,
    target: Annotated[float, Bounds(above=0, below=1)] = 0.8,
    width: Annotated[float | None, Bounds(above=0)] = None,
    area: Annotated[float | None, Bounds(least=0, most=1)] = None,
    positives: Annotated[float | None, Bounds(least=0, most=1)] = None,
    correlation: Annotated[float | None, Bounds(least=0, most=1)] = None,
    weaker: float | None = None,
    icc: Annotated[float | None, Bounds(least=0, most=1)] = None,
    group_size: Annotated[int | None, Bounds(least=2)] = None,
    sd_between: Annotated[float | None, Bounds(least=0)] = None,
    sd_within: Annotated[float | None, Bounds(least=0)] = None,
    samples: int | tuple[int, ...] | None = None,
) -> tuple[Answer, ...]:
    """Power for a stated difference, the smallest difference that is found, and the n it takes.

    `difference` is in the metric's unit. `discordant` is the share of examples on which just
    one of the two models is right (McNemar's test; several are looked at where none is
    stated); `sd` the standard deviation of the differences over examples, folds or data sets
    (t tests and tests on ranks; without it differences are in its unit); `n` stands for the
    number that the data would give; `target` is the power aimed at. `width` is that wanted of the
    interval of the difference at the level of one comparison: the answer is the number of
    examples with which it is expected. DeLong's test compares areas under the ROC curve of normal
    scores: `area` is that of the weaker model (several are looked at where none is stated),
    `positives` the share of positive examples (that of the data where none is stated, one half
    without data) and `correlation` that of the scores of two models within a class (0.5 where
    none is stated). Bootstrap and permutation tests of a metric of the confusion matrix, as F1,
    compare models that predict as many positives as there are: `weaker` is the metric of the
    weaker one (several are looked at where none is stated). Where examples come in groups `icc` is
    the intra-class correlation of what two examples of a group add to the difference (several are
    looked at where none is stated), and `group_size` the number of examples of a group, in place
    of the groups of the data. Where an example has several samples, as answers of a language model,
    `sd_between` is the standard deviation over examples of the difference of the two models' means
    of all samples, `sd_within` that of one sample around the mean of its example, and `samples`
    the numbers of samples of each model that are looked at. What is not stated of `discordant`,
    `sd`, its two parts and `icc` is that of the data, where outcomes are given: the median over the
    pairs of the line. A one-sided test has the power for a difference on its side.
    Tests within a margin take the models as equally good, or the first as worse by `difference`,
    and what is found is the smallest margin that is shown.
    Raises `ValueError` for the observed difference, assumptions that contradict each other, and
    for tests whose power is not computed.
    """
    gap = None if difference is None else stated(difference)
    declared = HYPOTHESIS_TESTS[question.test].declaration.power
    if declared is None:
        test = HYPOTHESIS_TESTS[question.test].declaration
        why = f": {test.without_power}" if test.without_power else ""
        other = f"; `{test.power_as}` is the nearest test with power" if test.power_as else ""
        raise ValueError(f"the power of `{question.test}` is not computed{why}{other}")
    asked = question if n is None else replace(question, n=n)
    assumed = Stated(
        target, gap, discordant, sd, width, area, positives, correlation, weaker, icc, group_size,
        sd_between, sd_within, (samples,) if isinstance(samples, int) else samples or (),
    ).with_observed(question)  # fmt: skip
    found = declared.answers(asked, assumed)
    if width is None or "width" in declared.options(question.form):
        return found
    note = "the number for a wanted width is not computed for this test"
    return tuple(replace(answer, notes=(*answer.notes, note)) for answer in found)


# --- the section ---------------------------------------------------------------------------------

STATED = (
    " lists what is assumed. Stated differences are those of the study file; the power at the "
    "observed difference adds nothing to "
)
MOST_ASSUMED = 2  # sets of assumptions that a key finding repeats
MOST_TESTS, MOST_DRAWN = 12, 12  # tests, and assumptions of each; the table has all
DECIMALS = 3  # significant digits of an assumed share or standard deviation


def _methods(context: Context, found: Sequence[Analysis]) -> Runs:
    """State what power was computed for, and that it was not the observed difference."""
    values = [item.values for item in found]
    if not any(one["answers"] for one in values):
        return ()
    stated = any(one["difference"] is not None for one in values)
    facts = {"stated": stated, "corrected": any(one["correction"] for one in values)}
    target = values[0]["target"]
    return write(context, "analyses", "methods_of_power", target=target, **facts)


def _ends(values: Sequence[float], printed: Callable[[float], Runs]) -> list[Runs]:
    """Print the smallest and the largest of some numbers, once where they look the same."""
    return list(dict.fromkeys(map(printed, (min(values), max(values))))) if values else []


@states("power", key=id)
def _key_findings(context: Context, items: Sequence[Analysis]) -> list[Runs]:
    """State the smallest difference that a test detects, and its power for the stated one."""
    (item,) = items
    values, metric, answers = item.values, _metric(context, item), item.values["answers"]
    declared = _words_of_assumptions(context, item)
    powers = [answer["power"] for answer in answers if answer["power"] is not None]
    gap = values["difference"]

    def size(value: float) -> Runs:
        return amount(metric, value, scale_of([], [value], percent=metric.percent))

    def detectable(value: float) -> Runs:
        return runs(f"{_short(value)}{NBSP}sd") if answers[0]["in_sd"] else size(value)

    detected = _ends([answer["detectable"] for answer in _drawn(item)], detectable)
    reached = _ends(powers, lambda p: runs(percent(round(p, 3)))) if gap is not None else []
    required = [answer["required_n"] for answer in answers]
    if None in required or gap is None or max(powers, default=1.0) >= values["target"]:
        required = []
    if not (detected or reached):
        return []
    assumed = dict.fromkeys(
        _assumed(answer, declared) for answer in answers if answer["assumptions"]
    )
    said = write(
        context,
        "analyses",
        "power",
        test=context.method_title("test", values["test"]),
        noun=metric.noun,
        data=item.data or None,
        size="" if values["n"] is None else f"{count(values['n'])}{NBSP}{values['unit']}",
        target=values["target"],
        alpha=float(_short(values["level"])),
        assumed=" or ".join(assumed) if len(assumed) <= MOST_ASSUMED else "see the table",
        detected=detected,
        difference=() if gap is None else size(gap),
        reached=reached,
        required=required,
        unit=values["unit"],
        many=len(_drawn(item)) > 1,
        within_a_margin=gap is None and _has_power(item),
    )
    return [said]


@shows(
    "power",
    order=45,
    title="Power",
    methods=_methods,
    key=lambda item: None,
    topics=(Topic.SAMPLE_SIZE,),
    name="power",
)
def section_of_power(context: Context, part: Part) -> Sequence[Block]:
    """Return what each test can find at its corrected level, under the stated assumptions."""
    found = part.items
    target = percent(found[0].values["target"])
    asked = any(map(_has_power, found))
    wanted = any(item.values.get("width") is not None for item in found)
    rows = [r for item in found for r in _rows(context, item, asked=asked, wanted=wanted)]
    if not rows:
        return []
    of_p = (p_letter(context), context.cite("analysis", "power"), ".")
    words = Paragraph(runs(Ref("table-power"), STATED, *of_p))
    made = table(
        "table-power",
        write(context, "analyses", "caption_of_power", target=target, asked=asked, wanted=wanted),
        [
            wide("Test"),
            sortable("Size"),
            sortable("Level"),
            wide("Assumed", muted=True),
            sortable("Detected"),
            *(map(sortable, ("Difference", "Power", f"Size for {target}")) if asked else ()),
            *(map(sortable, ("Width", "Size for it")) if wanted else ()),
        ],
        rows,
        *_notes(context, found),
    )
    return [words, made, *_figures(context, found, target)]


def _figures(context: Context, found: Sequence[Analysis], target: str) -> list[Figure]:
    """Draw the smallest difference that each test detects, under each of its assumptions."""
    known = [item for item in found if any(_drawn(item))]
    drawn: dict[tuple[str, str, bool], list[tuple[Analysis, Mapping[str, Any]]]] = {}
    for item in known[:MOST_TESTS]:
        for answer in _drawn(item)[:MOST_DRAWN]:
            key = _titled(context, item), _metric(context, item).name, answer["in_sd"]
            drawn.setdefault(key, []).append((item, answer))
    panels = []
    for (name, of_metric, in_sd), answers in drawn.items():
        metric = context.metric(of_metric)
        sizes = [answer["detectable"] for _, answer in answers]
        scale = scale_of([], sizes, percent=metric.percent and not in_sd)
        title = f"Difference in {mid_sentence(metric.noun)}"
        title += " (sd)" if in_sd else metric.points
        several = len({item.values["n"] for item, _ in answers}) > 1
        rows = []
        for item, answer in answers:
            row_name = _assumed(answer, _words_of_assumptions(context, item))
            row_name += f", {count(item.values['n'])} {item.values['unit']}" if several else ""
            rows.append((row_name, [answer["detectable"]]))
        among = [
            [answer["detectable"]]
            for (_, *alike), every in drawn.items()
            if alike == [of_metric, in_sd]
            for _, answer in every
        ]
        parts = (f"{name}: detected with power {target}",)
        drawing = stacked_bars(rows, parts, title, scale, name, among=among)
        panels.append(Panel(*drawing, runs(name)))
    if not panels:
        return []
    words = f"Smallest differences that a test detects with power {target}, by what is assumed."
    caption = runs(words) + not_drawn(len(known), MOST_TESTS, "table-power", "tests")
    return in_parts("figure-power", caption, panels, "Smallest detected differences")


def _drawn(item: Analysis) -> list[Mapping[str, Any]]:
    return [answer for answer in item.values["answers"] if answer["detectable"] is not None]


def _metric(context: Context, item: Analysis) -> MetricWords:
    return context.metric(item.metric or "accuracy")


def _titled(context: Context, item: Analysis) -> str:
    """Return the title of a test with its metric, and its data set where there are several."""
    values = item.values
    metric = _metric(context, item)
    several = len(context.results.data) > 1 and item.data
    place = f" on {context.data_label(item.data)}" if several else ""
    return f"{context.method_title('test', values['test'])} of {metric.noun}{place}"


def _words_of_assumptions(context: Context, item: Analysis) -> Mapping[str, AssumptionWords]:
    method = context.method("test", item.values["test"])
    return {} if method is None else method.assumptions


def _rows(context: Context, item: Analysis, *, asked: bool, wanted: bool) -> Iterator[Row]:
    values, metric = item.values, _metric(context, item)
    name = _titled(context, item)
    size = "unknown" if values["n"] is None else f"{count(values['n'])}{NBSP}{values['unit']}"
    words = _words_of_assumptions(context, item)
    level = level_of_alpha(float(_short(values["level"])), context.style)
    gap, width, has_power = values["difference"], values.get("width"), _has_power(item)
    for k, answer in enumerate(values["answers"]):
        p, found = answer["power"], answer["detectable"]
        detected = _size(metric, found)
        if answer["in_sd"] and found is not None:
            detected = printed(f"{_short(found)}{NBSP}sd", found)
        of_power = (
            _size(metric, gap),
            "–" if p is None else printed(percent(round(p, 3)), p),
            counted(answer["required_n"]),
        )
        of_width = (_size(metric, width), counted(answer.get("n_for_width")))
        yield row(
            "" if k else name,
            Cell(runs(size), values["n"]),
            Cell(runs(level), values["level"]),
            _assumed(answer, words),
            detected,
            *((of_power if has_power else ("–",) * 3) if asked else ()),
            *((("–",) * 2 if width is None else of_width) if wanted else ()),
        )


def _size(metric: MetricWords, size: float | None) -> Cell:
    """Return the cell of the size of a difference."""
    if size is None:
        return dash()
    return Cell(amount(metric, size, scale_of([], [size], percent=metric.percent)), size)


def _has_power(item: Analysis) -> bool:
    """Return whether a power was asked for: at a stated difference, or at the margin of a test."""
    answers = item.values["answers"]
    of_margin = any(answer["required_n"] is not None for answer in answers)
    return item.values["difference"] is not None or of_margin


def _assumed(answer: Mapping[str, Any], words: Mapping[str, AssumptionWords]) -> str:
    """Format the assumptions of an answer by the words that the test declares for them."""
    made = []
    for name, value in answer["assumptions"].items():
        declared = words.get(name, AssumptionWords(f"{name.replace('_', ' ')} {{}}"))
        printed = value if isinstance(value, str) else _short(value)
        if declared.percent and not isinstance(value, str):
            printed = percent(value)
        made.append(declared.words.replace("{}", printed))
    return ", ".join(made) or "nothing else"


def _short(value: float) -> str:
    return f"{value:.{DECIMALS}g}"


def _notes(context: Context, found: Sequence[Analysis]) -> Iterator[Words]:
    sizes = dict.fromkeys(
        (v["correction"], v["family_size"]) for item in found if (v := item.values)["correction"]
    )
    for correction, size in sizes:
        title = mid_sentence(context.method_title("correction", correction))
        yield runs(f"Level: {title} over {number_word(size)} tests, at its strictest step.")
    answers = [answer for item in found for answer in item.values["answers"]]
    yield from dict.fromkeys(f"computed by {answer['method']}" for answer in answers)
    said = (
        note
        for item in found
        for note in (
            *item.values["notes"],
            *(n for a in item.values["answers"] for n in a["notes"]),
        )
    )
    yield from (message_runs(context, note) for note in dict.fromkeys(said))
