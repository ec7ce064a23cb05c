"""Warnings that are seen in the results alone: what intervals, folds and counts allow."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from evallang.diagnostics import Code
from evallang.reporting.codes import CONSERVATIVE, DISAGREEMENT, OVERLAP, SMALL_DIFFERENCES
from evallang.reporting.context import Context, Setting
from evallang.reporting.decisions import bayesian, computed, decided, margin_of
from evallang.reporting.detectable import smallest_difference
from evallang.reporting.document import Caution, Emphasis, Runs, listed, runs
from evallang.reporting.numbers import (
    NBSP,
    Scale,
    count,
    fixed,
    level_of_alpha,
    percent,
    scale_of,
)
from evallang.reporting.overlap import shared_training
from evallang.reporting.wording import number_word, plural
from evallang.results.records import (
    Comparison,
    Difference,
    Estimate,
    HypothesisTestResult,
    ProtocolRecord,
    SimultaneousInterval,
)

MOST_NAMED = 3  # pairs named in a warning; the rest are counted
MOST_PLACES = 4  # metrics and data sets named in a warning
P = Emphasis(runs("p"))
OF_TABLES = "normal approximation of Connor 1987"
OF_SPLITS = "noncentral t distribution"
Choice = Callable[[Comparison], list[HypothesisTestResult]]
Wording = Callable[[Sequence[HypothesisTestResult]], tuple[str, Runs]]


def limits_of_numbers(context: Context) -> list[Caution]:
    """Give one warning for each rule that has something to say."""
    found = [
        _overlap(context),
        _disagreement(context, _outside, _outside_words, DISAGREEMENT),
        _disagreement(context, _inside, _inside_words, CONSERVATIVE),
        _small_differences(context),
    ]  # fmt: skip
    return [caution for caution in found if caution is not None]


def computed_caution(code: Code, lead: str, body: Runs) -> Caution:
    """Give the warning of a rule of this room."""
    return Caution(f"warning-{code.name.replace('_', '-')}", lead, body, code.code, code.name,
                   "warning")  # fmt: skip


# --- training sets ------------------------------------------------------------------------


def _overlap(context: Context) -> Caution | None:
    lines = []
    for protocol in context.results.protocols:
        if protocol.implied_by is not None:
            continue
        settings = [s for s in context.settings if s.protocol == protocol.name]
        shares: dict[str, list[str]] = {}
        splits: dict[str, list[str]] = {}
        for setting in settings:
            estimate = _with_folds(context, setting)
            share = shared_training(protocol.shared_training, estimate.folds) if estimate else None
            if estimate is None or share is None or share <= 0:
                continue
            label = context.data_label(setting.data)
            splits.setdefault(count(len(estimate.folds)), []).append(label)
            shares.setdefault(_share(share), []).append(label)
        if shares:
            lines.append(_overlap_words(context, protocol, shares, splits))
    if not lines:
        return None
    body: Runs = ()
    for line in lines:
        body += runs(" " if body else "", line)
    return computed_caution(OVERLAP, "Training sets overlap", body)


def _share(share: float) -> str:
    """Print a share in whole percent; never all of it where a part is not shared."""
    return f"{min(round(share * 100), 99)}%" if share < 1 else "100%"


def _with_folds(context: Context, setting: Setting) -> Estimate | None:
    for metric in context.metrics(setting):
        for model in context.models_best_first(setting, metric):
            estimate = context.estimate(setting, model, metric)
            if estimate is not None and len(estimate.folds) > 1:
                return estimate
    return None


def _overlap_words(
    context: Context,
    protocol: ProtocolRecord,
    shares: dict[str, list[str]],
    splits: dict[str, list[str]],
) -> Runs:
    words, times = _by_data(shares), _by_data(splits)
    several = len([p for p in context.results.protocols if p.implied_by is None]) > 1
    lead = f"Under {context.protocol(protocol.name)} each" if several else "Each"
    made = runs(
        f"{lead} model was fitted {times} times per data set on data that overlap by about "
        if len(context.results.data) > 1 and len(splits) == 1
        else f"{lead} model was fitted {times} times on data that overlap by about ",
        f"{words}.",
    )
    methods = [
        context.method("interval", e.interval.method)
        for e in context.results.estimates
        if e.protocol == protocol.name and e.interval is not None
    ]
    allowing = [method.allows_overlap for method in methods if method is not None]
    if any(allowing):
        return made + runs(
            " The corrected intervals and tests allow for it by an approximation; the scores of "
            "the splits are no independent sample."
        )
    if None in allowing:
        return made  # of a file that does not tell
    return made + runs(
        " Tests and intervals over the predictions treat them as independent: they describe these "
        "fitted models on this sample, and leave out the variation that a new training set would "
        "bring."
    )


def _by_data(found: dict[str, list[str]]) -> str:
    """Give what all data sets have in common, else each with the data sets that have it."""
    if len(found) == 1:
        return next(iter(found))
    return ", ".join(f"{value} ({', '.join(names)})" for value, names in found.items())


# --- interval and decision ----------------------------------------------------------------


def _disagreement(context: Context, choose: Choice, word: Wording, code: Code) -> Caution | None:
    """Name the pairs whose interval and decision do not say the same, by metric and data set."""
    lines: list[Runs] = []
    every: list[HypothesisTestResult] = []
    for comparison in context.results.comparisons:
        if not comparison.performed or comparison.family.size < 2:
            continue
        if comparison.family.exploratory:
            continue
        if pairs := choose(comparison):
            every += pairs
            place = _place(context, comparison)
            place = place if not lines else place[:1].lower() + place[1:]
            lines.append(runs(f"{place}, ", _pairs(context, pairs)))
    if not lines:
        return None
    lead, claim = word(every)
    places = lines[:MOST_PLACES]
    if len(lines) > MOST_PLACES:
        places.append(runs(f"and in {number_word(len(lines) - MOST_PLACES)} more comparisons"))
    body = runs(listed(places, comma="; ", last="; "), ": ", claim)
    body += runs(". The decision follows the adjusted ", P, ".")
    times = f" ({number_word(len(lines))} comparisons)" if len(lines) > 1 else ""
    return computed_caution(code, lead + times, body)


def _place(context: Context, asked: "Comparison | _Asked") -> str:
    words = f"In {context.metric(asked.metric).noun}"
    if len(context.results.data) > 1 and asked.data is not None:
        words += f" on {context.data_label(asked.data)}"
    return words


def _outside(comparison: Comparison) -> list[HypothesisTestResult]:
    return [
        pair
        for pair in comparison.pairwise
        if pair.reject is False
        and pair.p is not None
        and margin_of(pair) is None
        and _excludes_zero(pair.estimate) is True
    ]


def _inside(comparison: Comparison) -> list[HypothesisTestResult]:
    return [
        pair
        for pair in comparison.pairwise
        if pair.reject and margin_of(pair) is None and _excludes_zero(pair.simultaneous) is False
    ]


def _outside_words(pairs: Sequence[HypothesisTestResult]) -> tuple[str, Runs]:
    """Advise the simultaneous interval only where there is one: an FDR has none of kept pairs."""
    together = all(pair.simultaneous is not None for pair in pairs)
    lead = (
        "Quote the simultaneous interval for close pairs"
        if together
        else "An unadjusted interval covers its pair alone"
    )
    claim = runs("the plain interval excludes zero but the adjusted ", P, " does not reject")
    return lead, claim


def _inside_words(pairs: Sequence[HypothesisTestResult]) -> tuple[str, Runs]:
    """Name the interval by what it covers: the whole family, or the pairs that were selected."""
    selected = any(pair.simultaneous is not None and pair.simultaneous.selected for pair in pairs)
    name = "FCR-adjusted" if selected else "simultaneous"
    why = (
        runs("which is not made from the test’s ", P)
        if selected
        else runs("conservative beside a step-wise correction")
    )
    lead = f"{'An' if selected else 'A'} {name} interval is wider than the decision"
    start = runs("the adjusted ", P, f" rejects although the {name} interval, ")
    return lead, start + why + runs(", holds zero")


def _excludes_zero(found: Difference | SimultaneousInterval | None) -> bool | None:
    """Tell on which side of zero an interval is; None where a bound is not known."""
    if found is None or found.low is None or found.high is None:
        return None
    return bool(found.low > 0 or found.high < 0)


def _pairs(context: Context, pairs: Sequence[HypothesisTestResult]) -> Runs:
    names = [
        runs(" − ".join(context.model(model) for model in pair.models))
        for pair in pairs[:MOST_NAMED]
    ]
    more = len(pairs) - len(names)
    if more:
        names.append(runs(f"{count(more)} more"))
    return runs(f"{plural(len(pairs), 'pair')} (", listed(names), ")")


# --- power --------------------------------------------------------------------------------


def _small_differences(context: Context) -> Caution | None:
    """State what McNemar's tests and t tests over splits could see, where a pair stayed open."""
    lines: dict[str, _Seen] = {}
    for asked in _asked(context):
        place = _place(context, asked)
        for found in (_of_tables(context, asked), _of_splits(context, asked)):
            if found is not None:
                lines.setdefault(f"{place}: {found.kind}", found)
    if not lines:
        return None
    body: Runs = ()
    for found in list(lines.values())[:MOST_PLACES]:
        body += runs(" " if body else "", found.words)
    if len(lines) > MOST_PLACES:
        body += runs(" Other measures and data sets differ.")
    smaller = "Smaller true" if any(found.any for found in lines.values()) else "True"
    sources = listed([runs(one) for one in dict.fromkeys(f.source for f in lines.values())])
    body += runs(f" {smaller} differences will often be missed (", sources, ").")
    return computed_caution(SMALL_DIFFERENCES, "Small differences could not be seen", body)


@dataclass(frozen=True)
class _Asked:
    """The tests of pairs of one `compare` or `require` line, with the level of a single one."""

    metric: str
    data: str | None
    alpha: float
    tests: Sequence[HypothesisTestResult]


def _asked(context: Context) -> Iterator[_Asked]:
    for c in context.results.comparisons:
        yield _Asked(c.metric, c.data, c.alpha, c.pairwise)
    study = context.results.study
    for r in context.results.requirements:
        if r.test is not None:
            own = r.level != study.confidence
            alpha = round(1 - r.level, 12) if own else study.alpha
            yield _Asked(r.metric, r.data, alpha, (r.test,))


@dataclass(frozen=True)
class _Seen:
    """What one test of a comparison could see in words, whether it is any difference, by what.

    `kind` tells tests apart whose sentences are about one place.
    """

    words: Runs
    any: bool
    source: str
    kind: str


def _of_tables(context: Context, asked: _Asked) -> _Seen | None:
    """Word what one of McNemar's tests of a comparison could see."""
    pairs = [
        pair
        for pair in asked.tests
        if pair.test == "mcnemar" and computed(pair) and pair.table and pair.clusters is None
    ]
    if not pairs or all(pair.reject for pair in pairs):
        return None
    tables = [pair.table for pair in pairs if pair.table is not None]
    n = sum(sum(row) for row in tables[0])
    shares = [(table[0][1] + table[1][0]) / n for table in tables if n]
    share = median(shares) if shares else 0.0
    size = smallest_difference(n, share, asked.alpha)
    printed = f"{fixed(share, Scale(1, 2))}%"
    unit = context.cases(asked.data)
    typical = "a median of " if len(shares) > 1 else ""
    lead = f"{_place(context, asked)}, with {count(n)} {unit} and {typical}{printed} "
    lead += "discordant pairs, a single "
    lead += f"unadjusted comparison at {level_of_alpha(asked.alpha)} has "
    if size is None:
        few = "less than 80% power for any difference that so few discordant pairs allow."
        return _Seen(runs(lead, few), False, OF_TABLES, pairs[0].test) if share else None
    printed = _sized(context, asked, size)
    words = runs(lead, f"about 80% power for a difference of {printed}.")
    return _Seen(words, True, OF_TABLES, pairs[0].test)


def _of_splits(context: Context, asked: _Asked) -> _Seen | None:
    """Word what one t test of a comparison over splits could see, as the engine computed it."""
    numbers = ("detectable", "standard_error", "detectable_alpha")
    pairs = [
        pair
        for pair in asked.tests
        if all(pair.extra.get(number) is not None for number in numbers)
    ]
    confidence = context.results.study.confidence
    if not pairs or all(decided(pair, confidence) for pair in pairs):
        return None
    pair = sorted(pairs, key=lambda pair: float(str(pair.extra["detectable"])))[len(pairs) // 2]
    size, error = (float(str(pair.extra[key])) for key in ("detectable", "standard_error"))
    splits = round(pair.df[0]) + 1 if pair.df else 0
    typical = "a median " if len(pairs) > 1 else "a "
    lead = f"{_place(context, asked)}, with {count(splits)} splits and {typical}standard "
    lead += f"error of {_sized(context, asked, error)}, a single comparison "
    beyond = ""
    if bayesian(pair):
        lead += f"at a posterior probability of {percent(confidence)} has "
        beyond = " beyond the region of practical equivalence"
    else:
        alpha = float(pair.extra.get("detectable_alpha") or asked.alpha)
        side = "one-sided " if pair.side is not None else ""
        which = f"the corrected {side}level of " if alpha < asked.alpha else ""
        which = which or (f"a {side}level of " if side else "")
        lead += f"at {which}{level_of_alpha(float(f'{alpha:.3g}'))} has "
    printed = _sized(context, asked, size)
    words = runs(lead, f"about 80% power for a difference of {printed}{beyond}.")
    return _Seen(words, True, OF_SPLITS, pair.test)


def _sized(context: Context, asked: _Asked, size: float) -> str:
    """Print a difference in the unit of the metric, without its full value: it is approximate."""
    metric = context.metric(asked.metric)
    if metric.percent:
        return f"{fixed(size, Scale(1, 2))}{NBSP}points"
    return fixed(size, scale_of((), (size,), percent=False))
