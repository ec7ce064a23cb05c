"""Warnings and limits, and what failed: every one named on page 1 and explained here.

A rule gives one warning, however many fits, pairs or data sets it is about.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence, Set
from statistics import NormalDist, median
from typing import Any

from msgspec import Struct

from evallang import diagnostics
from evallang.diagnostics import codes
from evallang.reporting.context import Context, Setting
from evallang.reporting.decisions import bayesian, computed, decided, margin_of
from evallang.reporting.document import (
    Block,
    Caution,
    Code,
    Emphasis,
    Ref,
    Runs,
    Strong,
    listed,
    runs,
    spaced,
)
from evallang.reporting.numbers import (
    NBSP,
    Scale,
    count,
    fixed,
    in_ranges,
    level_of_alpha,
    percent,
    scale_of,
)
from evallang.reporting.searches import parameter_words, search_at_the_edge
from evallang.reporting.section import SECTIONS, SectionDeclaration, Topic
from evallang.reporting.tables import left, row, table, wide
from evallang.reporting.wording import message_runs, number_word, plural
from evallang.results.records import (
    DRAWN,
    Comparison,
    Failure,
    FitWarning,
    FoldValue,
    HypothesisTestResult,
    NeverPredicted,
)

MEASURE = "measure"  # the stage of a failure in the author's own metric
INNER = "inner"  # the stage of a failure of a candidate
MOST_LINES = 6  # of one rule that are printed; the rest are counted
SAID_BY = {
    "pooled_predictions_of_several_models": codes.training_sets_overlap.name,
    codes.class_never_predicted.name: codes.class_never_predicted.name,
}
"""Warnings of the check that the results say again with their numbers, by the rules' names."""
OF_REQUIREMENTS = frozenset({"few_examples_for_a_requirement"})
"""Warnings about what requirements ask for; readers want to know how these were decided."""


@SECTIONS.register(
    SectionDeclaration(order=60, hideable=False, topics=(Topic.LIMITS,)),
    title="Warnings and limits",
)
def limits(context: Context) -> Sequence[Block]:
    """Explain what a reader must know before quoting a number."""
    return cautions(context)


@SECTIONS.register(SectionDeclaration(order=70), title="Failures")
def failures(context: Context) -> Sequence[Block]:
    """List the fits that raised, with their parameters and message."""
    found = context.results.failures
    if not found:
        return []
    alike: dict[tuple[Any, ...], list[Failure]] = {}
    for item in found:
        what = (item.model, item.data, item.protocol, item.stage, item.error, item.message)
        alike.setdefault((*what, item.metric, parameter_words(item.params)), []).append(item)
    present = [
        (noun, note)
        for noun, note, is_here in (
            (
                "fits",
                "Outer: the fit that is tested; results that need it were not computed. Inner: a "
                "candidate in tuning, which was excluded from the choice.",
                any(item.stage != MEASURE for item in found),
            ),
            (
                "measures",
                "A measure is the author’s own metric; where it failed, results that need it were "
                "not computed.",
                any(item.stage == MEASURE for item in found),
            ),
        )
        if is_here
    ]
    return [
        table(
            "table-failures",
            f"{' and '.join(noun for noun, _ in present)} that failed",
            [
                left("Model"),
                left("Data, protocol", muted=True),
                left("Fit", muted=True),
                wide("Parameters"),
                wide("Message"),
            ],
            [
                row(
                    context.model(item.model),
                    f"{context.data_label(item.data)}, {context.protocol(item.protocol)}",
                    _places(members),
                    Code(parameter_words(item.params)) if item.params else "as written",
                    f"{item.error}: {item.message}",
                )
                for members in alike.values()
                for item in members[:1]
            ],
            " ".join(note for _, note in present),
        )
    ]


def _places(members: Sequence[Failure]) -> str:
    """State where the same error was raised: "outer, repeat 1, folds 1 to 4 and 7"."""
    item = members[0]
    if item.stage == MEASURE:
        return f"measure {item.metric}"
    if item.fold < 0:
        return f"{item.stage}, all rows"
    folds: dict[int, list[int]] = {}
    for one in members:
        folds.setdefault(one.repeat + 1, []).append(one.fold + 1)
    if len(folds) > 1:
        return f"{item.stage}, {count(len(members))} fits in {count(len(folds))} repeats"
    ((repeat, numbers),) = folds.items()
    noun = "fold" if len(set(numbers)) == 1 else "folds"
    return f"{item.stage}, repeat {repeat}, {noun} {in_ranges(numbers, ' to ')}"


def cautions(context: Context) -> list[Caution]:
    """Return every warning of the check, of the fits and of the numbers, in this order."""
    results = context.results
    rules = (
        _overlap(context),
        _disagreement(
            context, _outside, _outside_words, codes.plain_interval_excludes_zero_without_rejection
        ),
        _disagreement(
            context,
            _inside,
            _inside_words,
            codes.simultaneous_interval_holds_zero_despite_rejection,
        ),
        _small_differences(context),
        never_predicted_caution(context),
    )
    of_numbers = [caution for caution in rules if caution is not None]
    said = {caution.name for caution in of_numbers}
    found = _record_cautions(
        context, [r for r in results.diagnostics if not _said_by_numbers(r, said)]
    )
    if results.warnings:
        found.append(_fit_caution(context, results.warnings))
    of_fits = [f for f in results.failures if f.stage != MEASURE]
    if of_fits:
        names = dict.fromkeys(context.data_label(f.data) for f in of_fits)
        where = f" on {', '.join(names)}" if len(names) < len(results.data) else ""
        lost = f"Results that need {'it' if len(of_fits) == 1 else 'them'} were not computed."
        if all(f.stage == INNER for f in of_fits):
            lost = "Candidates that failed were excluded from the choice."
        body = runs(
            f"{plural(len(of_fits), 'fit').capitalize()} of ", _models(context, of_fits),
            f"{where} raised an error (", Ref("table-failures"), f"). {lost}",
        )  # fmt: skip
        found.append(Caution.from_code(codes.fits_that_failed, "Some fits failed", body))
    of_metrics = [f for f in results.failures if f.stage == MEASURE]
    if of_metrics:
        names = dict.fromkeys(f.metric or "" for f in of_metrics)
        whose = "its" if len(names) == 1 else "their"
        body = runs(
            listed(runs(Code(name)) for name in names), " could not measure ",
            _models(context, of_metrics), " (", Ref("table-failures"),
            f"). Results that need {whose} values were not computed.",
        )  # fmt: skip
        found.append(
            Caution.from_code(codes.own_metric_failed, "The author’s own metric failed", body)
        )
    edge = search_at_the_edge(context)
    found += of_numbers + ([edge] if edge is not None else [])
    estimators = [m for m in results.models if m.kind == "estimator" and not m.baseline]
    if len(estimators) > 1 and not any(m.tuned or m.configured for m in estimators):
        body = runs(
            "The comparison applies to these settings (", Ref("table-protocol"),
            "), not to the best settings of each kind of model.",
        )  # fmt: skip
        found.append(Caution.from_code(codes.no_model_was_tuned, "No model was tuned", body))
    return found


def _models(context: Context, failed: Sequence[Failure]) -> Runs:
    return listed(runs(name) for name in dict.fromkeys(context.model(f.model) for f in failed))


def _said_by_numbers(record: Mapping[str, Any], said: Set[str]) -> bool:
    """Return whether a warning of the check is repeated, with its numbers, by the results."""
    return record.get("allowed_because") is None and SAID_BY.get(str(record.get("name"))) in said


def _record_cautions(context: Context, records: Sequence[Mapping[str, Any]]) -> list[Caution]:
    """Format the warnings of the check; those of one rule and one reason stand together."""
    groups: dict[tuple[str, str, str | None], list[Mapping[str, Any]]] = {}
    for record in records:
        if record.get("severity") != "error":
            name = diagnostics.current_name(str(record.get("name", "")))
            key = (str(record.get("code", "")), name, record.get("allowed_because"))
            groups.setdefault(key, []).append(record)
    made = []
    for number, ((code, name, accepted), members) in enumerate(groups.items(), start=1):
        lead = LEADS.get(name, name.replace("_", " "))
        said = dict.fromkeys(
            str(text) for r in members for text in (r.get("message", ""), *(r.get("notes") or ()))
        )
        body = spaced(message_runs(context, text) for text in said if text)
        if name in OF_REQUIREMENTS and context.results.requirements:
            body += _decided(context)
        severity = str(members[0].get("severity", "warning"))
        times = f" ({count(len(members))} times)" if len(members) > 1 else ""
        lead = lead[:1].upper() + lead[1:] + times
        made.append(Caution(f"warning-{number}", lead, body, code, name, severity, accepted))
    return made


LEADS = {
    "threshold_beside_the_reported_scores": "the threshold may have been chosen on the test data"
}
"""What a warning of the check is called where its name does not describe it."""


def _decided(context: Context) -> Runs:
    """State how the requirements were decided, after a warning of what they ask for."""
    met = sum(item.met for item in context.results.requirements)
    size = len(context.results.requirements)
    if size == 1:
        return runs(f" The requirement was {'met' if met else 'not met'}.")
    if met in (0, size):
        some = f"{'Both' if size == 2 else 'All'} requirements were met"
        return runs(f" {some if met else 'No requirement was met'}.")
    verb = "was" if met == 1 else "were"
    words = f" {number_word(met, capital=True)} of the {number_word(size)} requirements {verb} met"
    if not context.shows("requirements"):
        return runs(f"{words}.")
    return runs(f"{words} (", Ref("table-requirements"), ").")


def _fit_caution(context: Context, warnings: Sequence[FitWarning]) -> Caution:
    lines = []
    for warning in warnings[:MOST_LINES]:
        words = f"{plural(warning.n, 'fit').capitalize()} of {context.model(warning.model)}"
        if len(context.settings) > 1:
            words += f" on {context.data_label(warning.data)}"
        said = _first_sentence(warning.message)
        lines.append(runs(words, " gave ", Code(warning.category), f": {said}."))
    if len(warnings) > MOST_LINES:
        lines.append(runs(f"{count(len(warnings) - MOST_LINES)} more are in results.json."))
    body = runs(spaced(lines), " The results of these fits are included.")
    return Caution.from_code(codes.fits_that_warned, "Some fits warned", body)


def _first_sentence(message: str) -> str:
    """Return a library's message up to its first full stop; advice and addresses follow it.

    What a solver in Fortran adds in capitals, `STOP: TOTAL NO. OF ITERATIONS`, is excluded.
    """
    line = re.split(r"\n|\. |: (?=[A-Z]{4,}\b)", message.strip())[0]
    return line.strip().rstrip(".:")


MOST_NAMED = 3  # pairs named in a warning; the rest are counted
MOST_PLACES = 4  # metrics and data sets named in a warning
P = Emphasis(runs("p"))
OF_TABLES = "normal approximation"
OF_SPLITS = "noncentral t distribution"
Choice = Callable[[Comparison], list[HypothesisTestResult]]
Wording = Callable[[Sequence[HypothesisTestResult]], tuple[str, Runs]]


# --- training sets ------------------------------------------------------------------------


def _overlap(context: Context) -> Caution | None:
    own = [p for p in context.results.protocols if p.implied_by is None]
    lines = []
    for protocol in own:
        shares: dict[str, list[str]] = {}
        splits: dict[str, list[str]] = {}
        for setting in context.settings:
            folds = _folds(context, setting) if setting.protocol == protocol.name else ()
            share = shared_training(protocol.shared_training, folds)
            if share is None or share <= 0:
                continue
            # whole percent, and never all of it where a part is not shared
            printed = f"{min(round(share * 100), 99)}%" if share < 1 else "100%"
            label = context.data_label(setting.data)
            splits.setdefault(count(len(folds)), []).append(label)
            shares.setdefault(printed, []).append(label)
        methods = [
            context.method("interval", e.interval.method)
            for e in context.results.estimates
            if e.protocol == protocol.name and e.interval is not None
        ]
        allowing = [method.allows_overlap for method in methods if method is not None]
        if not shares or any(allowing):  # the advised protocol, whose intervals allow for it
            continue
        lead = f"Under {context.protocol(protocol.name)} each" if len(own) > 1 else "Each"
        several = len(context.results.data) > 1 and len(splits) == 1
        words = (
            f"{lead} model was fitted on {_join_by_data(splits)} training sets"
            f"{' per data set' if several else ''}, which overlap by about {_join_by_data(shares)}."
        )
        if None not in allowing:  # else of a file that does not tell
            words += (
                " Intervals and tests over the predictions describe these fitted models: they do "
                "not include the variation that a new training set would bring."
            )
        lines.append(runs(words))
    if not lines:
        return None
    return Caution.from_code(codes.training_sets_overlap, "Training sets overlap", spaced(lines))


def _folds(context: Context, setting: Setting) -> Sequence[FoldValue]:
    """Return the folds of the first estimate of a setting that has several."""
    for metric in context.metrics(setting):
        for model in context.models_best_first(setting, metric):
            estimate = context.estimate(setting, model, metric)
            if estimate is not None and len(estimate.folds) > 1:
                return estimate.folds
    return ()


def _join_by_data(found: dict[str, list[str]]) -> str:
    """Return what all data sets have in common, else each with the data sets that have it."""
    if len(found) == 1:
        return next(iter(found))
    return ", ".join(f"{value} ({', '.join(names)})" for value, names in found.items())


# --- interval and decision ----------------------------------------------------------------


def _disagreement(
    context: Context, choose: Choice, word: Wording, code: diagnostics.Code
) -> Caution | None:
    """State the pairs whose interval and decision do not say the same, by metric and data set."""
    lines: list[Runs] = []
    every: list[HypothesisTestResult] = []
    for comparison in context.results.comparisons:
        if not comparison.performed or comparison.family.exploratory:
            continue
        if pairs := choose(comparison):
            every += pairs
            place = _place_of_tests(context, comparison)
            place = place if not lines else place[:1].lower() + place[1:]
            names = [
                runs(" − ".join(context.model(model) for model in pair.models))
                for pair in pairs[:MOST_NAMED]
            ]
            more = len(pairs) - len(names)
            names += [runs(f"{count(more)} more")] if more else []
            lines.append(runs(f"{place}, {plural(len(pairs), 'pair')} (", listed(names), ")"))
    if not lines:
        return None
    lead, claim = word(every)
    places = lines[:MOST_PLACES]
    if len(lines) > MOST_PLACES:
        places.append(runs(f"and in {number_word(len(lines) - MOST_PLACES)} more comparisons"))
    adjusted = "the adjusted " if any(pair.p_adjusted is not None for pair in every) else ""
    body = runs(
        listed(places, comma="; ", last="; "), ": ", claim, f". The decision follows {adjusted}",
        P, ".",
    )  # fmt: skip
    times = f" ({number_word(len(lines))} comparisons)" if len(lines) > 1 else ""
    return Caution.from_code(code, lead + times, body)


def _place_of_tests(context: Context, asked: "Comparison | _Asked") -> str:
    words = f"In {context.metric(asked.metric).noun}"
    if len(context.results.data) > 1 and asked.data is not None:
        words += f" on {context.data_label(asked.data)}"
    return words


def _outside(comparison: Comparison) -> list[HypothesisTestResult]:
    return _contradicted(comparison, "pair", ("method", "family"))


def _inside(comparison: Comparison) -> list[HypothesisTestResult]:
    pairs = _contradicted(comparison, "family", ("method", "conservative"))
    return [pair for pair in pairs if pair.reject]


def _contradicted(
    comparison: Comparison, interval: str, causes: Container[str]
) -> list[HypothesisTestResult]:
    return [
        pair
        for pair in comparison.pairwise
        if margin_of(pair) is None
        and any(d.interval == interval and d.cause in causes for d in pair.disagreements)
    ]


def _causes(pairs: Sequence[HypothesisTestResult], interval: str) -> set[str]:
    return {d.cause for pair in pairs for d in pair.disagreements if d.interval == interval}


def _outside_words(pairs: Sequence[HypothesisTestResult]) -> tuple[str, Runs]:
    """Recommend the simultaneous interval only if there is one: an FDR has none of kept pairs."""
    if _causes(pairs, "pair") == {"method"}:
        lead = "An interval and its test do not agree"
        return lead, runs("only one of the interval and ", P, " excludes a difference of zero, "
                          "because they come from different methods")  # fmt: skip
    lead = "A plain interval excludes zero without a significant difference"
    which = "plain interval covers its pair alone"
    if all(pair.simultaneous is not None for pair in pairs):
        which = "simultaneous interval covers all pairs jointly"
    return lead, runs(
        "the plain interval excludes zero although the adjusted ",
        P,
        f" does not reject; the {which}",
    )


def _inside_words(pairs: Sequence[HypothesisTestResult]) -> tuple[str, Runs]:
    """State the interval by what it covers: the whole family, or the pairs that were selected."""
    selected = any(pair.simultaneous is not None and pair.simultaneous.selected for pair in pairs)
    name = "FCR-adjusted" if selected else "simultaneous"
    conservative = _causes(pairs, "family") == {"conservative"}
    why = runs("which is not made from the test’s ", P)
    if conservative:
        why = runs("conservative compared with a step-wise correction")
    lead = f"{'An' if selected else 'A'} {name} interval includes zero despite a rejection"
    start = f" rejects although the {name} interval, "
    return lead, runs("the adjusted ", P, start, why, ", includes zero")


# --- power --------------------------------------------------------------------------------


def _small_differences(context: Context) -> Caution | None:
    """State what McNemar's tests and t tests over splits could see, where a pair stayed open."""
    lines: dict[str, _Seen] = {}
    for asked in _asked(context):
        place = _place_of_tests(context, asked)
        for found in (_seen_in_tables(context, asked), _seen_in_splits(context, asked)):
            if found is not None:
                lines.setdefault(f"{place}: {found.kind}", found)
    if not lines:
        return None
    body = spaced(found.words for found in list(lines.values())[:MOST_PLACES])
    if len(lines) > MOST_PLACES:
        body += runs(" Other measures and data sets differ.")
    smaller = "Smaller true" if any(found.any for found in lines.values()) else "True"
    sources = listed(runs(one) for one in dict.fromkeys(f.source for f in lines.values()))
    body += runs(f" {smaller} differences will often be missed (", sources, ").")
    return Caution.from_code(
        codes.small_differences_could_not_be_seen, "Small differences could not be seen", body
    )


class _Asked(Struct, frozen=True):
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
            alpha = study.alpha if r.alpha is None else r.alpha
            yield _Asked(r.metric, r.data, alpha, (r.test,))


class _Seen(Struct, frozen=True):
    """What one test of a comparison could see in words, whether it is any difference, by what.

    `kind` tells tests apart whose sentences are about one place.
    """

    words: Runs
    any: bool
    source: str
    kind: str


def _seen_in_tables(context: Context, asked: _Asked) -> _Seen | None:
    """Format what one of McNemar's tests of a comparison could see."""
    pairs = [
        pair
        for pair in asked.tests
        if "p_smallest" in pair.extra and computed(pair) and pair.table and pair.clusters is None
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
    lead = f"{_place_of_tests(context, asked)}, with {count(n)} {unit} and {typical}{printed} "
    lead += "discordant pairs, a single "
    lead += f"unadjusted comparison at {level_of_alpha(asked.alpha, context.style)} has "
    if size is None:
        few = "less than 80% power for any difference that so few discordant pairs allow."
        return _Seen(runs(lead, few), False, OF_TABLES, pairs[0].test) if share else None
    printed = _sized(context, asked, size)
    words = runs(lead, f"about 80% power for a difference of {printed}.")
    return _Seen(words, True, OF_TABLES, pairs[0].test)


def _seen_in_splits(context: Context, asked: _Asked) -> _Seen | None:
    """Format what one t test of a comparison over splits could see, as the engine computed it."""
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
    lead = f"{_place_of_tests(context, asked)}, with {count(splits)} splits and {typical}standard "
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
        lead += f"at {which}{level_of_alpha(float(f'{alpha:.3g}'), context.style)} has "
    printed = _sized(context, asked, size)
    words = runs(lead, f"about 80% power for a difference of {printed}{beyond}.")
    return _Seen(words, True, OF_SPLITS, pair.test)


def _sized(context: Context, asked: _Asked, size: float) -> str:
    """Print a difference in the unit of the metric, without its full value: it is approximate."""
    metric = context.metric(asked.metric)
    if metric.percent:
        return f"{fixed(size, Scale(1, 2))}{NBSP}points"
    return fixed(size, scale_of((), (size,), percent=False))


def shared_training(how: str | None, folds: Sequence[FoldValue]) -> float | None:
    """Return the mean share of a training set that is in another one too, over all pairs.

    Two parts of one partition leave out different rows: of n rows they share
    n_train(i) + n_train(j) - n. Rows drawn again, and those of another repeat, are shared by
    chance: n_train / n. None where sizes are not known, or there is one split only.
    """
    if how is None or len(folds) < 2:
        return None
    if any(fold.n_train is None or fold.n_test is None for fold in folds):
        return None
    if how == DRAWN:
        shares = [
            (fold.n_train or 0) / size
            for fold in folds
            if (size := (fold.n_train or 0) + (fold.n_test or 0))
        ]
        return sum(shares) / len(shares) if shares else None
    repeats: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for fold in folds:
        repeats[fold.repeat].append((fold.n_train or 0, fold.n_test or 0))
    total, counted = 0.0, 0
    means: list[tuple[float, int]] = []  # share of the rows that a repeat trains on, and splits
    for sizes in repeats.values():
        k = len(sizes)
        mean = sum(train for train, _ in sizes) / k
        n = sum(train + test for train, test in sizes) / k
        # The mean over all pairs of n_i + n_j - n, over the mean size.
        pairs = k * (k - 1)
        total += pairs * max(0.0, (2 * mean - n) / mean) if mean else 0.0
        counted += pairs
        means.append((mean / n if n else 0.0, k))
    for place, (share, k) in enumerate(means):
        others = sum(size for i, (_, size) in enumerate(means) if i != place)
        total += k * others * share
        counted += k * others
    return total / counted if counted else None


POWER = 0.8


def smallest_difference(n: int, discordant: float, alpha: float) -> float | None:
    """Return the difference of two proportions that one test sees with 80 % power.

    Connor (1987) gives the n for a difference d and a share s of discordant pairs,
    n = (z(1 - alpha/2) sqrt(s) + z(power) sqrt(s - d²))² / d², by the normal
    approximation; this solves it for d. `n` counts the examples, `discordant` is s. None
    where even d = s, all discordant pairs on one side, would be missed.
    """
    if n < 1 or not 0 < discordant <= 1 or alpha / 2 == 0:
        return None
    a, b = -NormalDist().inv_cdf(alpha / 2), NormalDist().inv_cdf(POWER)
    # (d sqrt(n) - a sqrt(s))² = b² (s - d²), of which the larger root is the positive one
    root = (a * a * n - (n + b * b) * (a * a - b * b)) * discordant
    found = (a * math.sqrt(n * discordant) + math.sqrt(max(0.0, root))) / (n + b * b)
    return found if root >= 0 and found <= discordant else None


# --- models that never predict a class ---------------------------------------------------


MOST_CLASSES = 5


def never_predicted_caution(context: Context) -> Caution | None:
    """Warn of models that never predict a class; of baselines only where one is the best."""
    lines = [
        runs(context.place(one.data, one.protocol), _claim(context, one), _rows(context, one), ".")
        for setting in context.settings
        for one in _unexpected(context, setting)
    ]
    if not lines:
        return None
    body = spaced(lines[:MOST_LINES])
    if len(lines) > MOST_LINES:
        body += runs(f" {count(len(lines) - MOST_LINES)} more are in results.json.")
    body += runs(
        " Accuracy rewards this where the class is rare; measures of that class are 0 or undefined."
    )
    return Caution.from_code(codes.class_never_predicted, "A model never predicts a class", body)


def never_predicted_findings(context: Context, setting: Setting) -> list[Runs]:
    """Format a key finding for each model of a setting that never predicts a class."""
    return [
        runs(
            Strong(runs(context.place(one.data, one.protocol), _claim(context, one))),
            _rows(context, one),
            ".",
        )
        for one in _unexpected(context, setting)
    ]


def never_predicted_notes(context: Context, setting: Setting) -> list[Runs]:
    """Format a note under a table for each such model, the baselines included."""
    return [
        runs(_claim(context, one), _rows(context, one), ".") for one in _found(context, setting)
    ]


def _found(context: Context, setting: Setting) -> Iterator[NeverPredicted]:
    for one in context.results.never_predicted:
        if Setting(one.data, one.protocol) == setting:
            yield one


def _unexpected(context: Context, setting: Setting) -> Sequence[NeverPredicted]:
    """Leave out baselines, unless one of them is the best by the first measure."""
    primary = context.metrics(setting)[0]
    models = context.models_best_first(setting, primary)
    found = {model: context.estimate(setting, model, primary) for model in models}
    values = {m: e.value for m, e in found.items() if e is not None and e.value is not None}
    best = {model for model, value in values.items() if value == next(iter(values.values()))}
    return [one for one in _found(context, setting) if not one.baseline or one.model in best]


def _claim(context: Context, one: NeverPredicted) -> Runs:
    names = [runs(label) for label in one.classes[:MOST_CLASSES]]
    if len(one.classes) > MOST_CLASSES:
        names.append(runs(f"{count(len(one.classes) - MOST_CLASSES)} more classes"))
    return runs(f"{context.model(one.model)} never predicted ", listed(names, last=" or "))


def _rows(context: Context, one: NeverPredicted) -> Runs:
    share = f"{count(one.n_of_classes)} of {count(one.n)} {context.cases(one.data)}"
    return runs(f", the class of {share}" if len(one.classes) == 1 else f", the classes of {share}")
