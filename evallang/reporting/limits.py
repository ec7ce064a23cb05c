"""Warnings and limits, and what failed: every one named on page 1 and explained here.

A rule gives one warning, however many fits, pairs or data sets it is about. Its words are in
`templates/sentences/limits.sentences.j2`, under the name of the rule.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from statistics import fmean
from typing import Any, Literal, cast, get_args

from msgspec import Struct

from evallang import diagnostics
from evallang.diagnostics import codes
from evallang.reporting.context import Context, Setting
from evallang.reporting.decisions import bayesian, computed, decided, margin_of
from evallang.reporting.document import Block, Caution, Code, Runs, spaced
from evallang.reporting.numbers import NBSP, Scale, count, fixed, number_word, scale_of
from evallang.reporting.searches import parameter_words, search_at_the_edge
from evallang.reporting.section import SECTIONS, SectionDeclaration, Topic
from evallang.reporting.sentences import caution, write
from evallang.reporting.tables import left, row, table, wide
from evallang.reporting.wording import message_runs
from evallang.results.records import (
    DRAWN,
    Failure,
    FoldValue,
    HypothesisTestResult,
    NeverPredicted,
)

TOPIC = "limits"
MEASURE = "measure"  # the stage of a failure in the author's own metric
INNER = "inner"  # the stage of a failure of a candidate
MOST_LINES = 6  # of one rule that are printed; the rest are counted
MOST_PLACES = 4  # metrics and data sets named in a warning
SAID_BY = {
    "pooled_predictions_of_several_models": codes.training_sets_overlap.name,
    codes.class_never_predicted.name: codes.class_never_predicted.name,
}
"""Warnings of the check that the results say again with their numbers, by the rules' names."""
LEADS = {
    "threshold_beside_the_reported_scores": "the threshold may have been chosen on the test data"
}
"""What a warning of the check is called where its name does not describe it."""


@SECTIONS.register(
    SectionDeclaration(order=60, hideable=False, topics=(Topic.LIMITS,)),
    title="Warnings and limits",
)
def limits(context: Context) -> Sequence[Block]:
    """Explain what a reader must know before quoting a number."""
    return cautions(context)


@SECTIONS.register(SectionDeclaration(order=70, supplement=True), title="Failures")
def failures(context: Context) -> Sequence[Block]:
    """List the fits that raised, with their parameters and message."""
    found = context.results.failures
    if not found:
        return []
    alike: dict[tuple[Any, ...], list[Failure]] = {}
    for item in found:
        what = (item.model, item.data, item.protocol, item.stage, item.error, item.message)
        alike.setdefault((*what, item.metric, parameter_words(item.params)), []).append(item)
    kinds = {
        "of_fits": any(item.stage != MEASURE for item in found),
        "of_metrics": any(item.stage == MEASURE for item in found),
    }
    return [
        table(
            "table-failures",
            write(context, TOPIC, "caption_of_failures", **kinds),
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
                    write(context, TOPIC, "where_it_failed", fits=members),
                    Code(parameter_words(item.params)) if item.params else "as written",
                    f"{item.error}: {item.message}",
                )
                for members in alike.values()
                for item in members[:1]
            ],
            write(context, TOPIC, "note_of_failures", **kinds),
        )
    ]


def cautions(context: Context) -> list[Caution]:
    """Return every warning of the check, of the fits and of the numbers, in this order."""
    results = context.results
    rules = (
        _overlap(context),
        _disagreement(context, codes.plain_interval_excludes_zero_without_rejection, "pair"),
        _disagreement(context, codes.simultaneous_interval_holds_zero_despite_rejection, "family"),
        _small_differences(context),
        _class_never_predicted(context),
    )
    of_numbers = [found for found in rules if found is not None]
    said = {found.name for found in of_numbers}
    made = _record_cautions(
        context, [r for r in results.diagnostics if not _said_by_numbers(r, said)]
    )

    def add(code: diagnostics.Code, **facts: Any) -> None:
        made.append(caution(context, TOPIC, code, **facts))

    if results.warnings:
        shown = results.warnings[:MOST_LINES]
        more = len(results.warnings) - len(shown)
        several = len(context.settings) > 1
        add(codes.fits_that_warned, warnings=shown, several_settings=several, more=more)
    if fits := [f for f in results.failures if f.stage != MEASURE]:
        data = list(dict.fromkeys(f.data for f in fits))
        add(
            codes.fits_that_failed,
            fits=fits,
            data=data if len(data) < len(results.data) else (),
            all_inner=all(f.stage == INNER for f in fits),
        )
    if of_metrics := [f for f in results.failures if f.stage == MEASURE]:
        names = list(dict.fromkeys(f.metric or "" for f in of_metrics))
        add(codes.own_metric_failed, metrics=names, failures=of_metrics)
    edge = search_at_the_edge(context)
    made += of_numbers + ([edge] if edge is not None else [])
    estimators = [m for m in results.models if m.kind == "estimator" and not m.baseline]
    if len(estimators) > 1 and not any(m.tuned or m.configured for m in estimators):
        add(codes.no_model_was_tuned)
    return made


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
        sentences = [message_runs(context, text) for text in said if text]
        severity = str(members[0].get("severity", "warning"))
        times = f" ({count(len(members))} times)" if len(members) > 1 else ""
        lead = lead[:1].upper() + lead[1:] + times
        body = spaced(sentences)
        made.append(Caution(f"warning-{number}", lead, body, code, name, severity, accepted))
    return made


# --- training sets ------------------------------------------------------------------------


class _Design(Struct, frozen=True):
    """A protocol whose training sets overlap: data sets by their number, and by shared parts.

    `each_data_set` is True where several have as many, `conditional` where intervals hold for the
    fitted models alone.
    """

    protocol: str
    splits: Mapping[str, list[str]]
    shares: Mapping[str, list[str]]
    each_data_set: bool
    conditional: bool


def _overlap(context: Context) -> Caution | None:
    own = [p for p in context.results.protocols if p.implied_by is None]
    designs = []
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
            splits.setdefault(number_word(len(folds)), []).append(setting.data or "")
            shares.setdefault(printed, []).append(setting.data or "")
        methods = [
            context.method("interval", e.interval.method)
            for e in context.results.estimates
            if e.protocol == protocol.name and e.interval is not None
        ]
        allowing = [method.allows_overlap for method in methods if method is not None]
        if not shares or any(allowing):  # the advised protocol, whose intervals allow for it
            continue
        each = len(context.results.data) > 1 and len(splits) == 1
        known = None not in allowing  # else of a file that does not tell
        designs.append(_Design(protocol.name, splits, shares, each, known))
    if not designs:
        return None
    several = len(own) > 1
    code = codes.training_sets_overlap
    return caution(context, TOPIC, code, designs=designs, several_protocols=several)


def _folds(context: Context, setting: Setting) -> Sequence[FoldValue]:
    """Return the folds of the first estimate of a setting that has several."""
    every = (e for name in context.metrics(setting) for e in context.estimates(setting, name))
    return next((e.folds for e in every if len(e.folds) > 1), ())


# --- interval and decision ----------------------------------------------------------------

Pairs = Sequence[HypothesisTestResult]


class _Asked(Struct, frozen=True):
    """Tests of pairs of one `compare` or `require` line, with the level of a single one."""

    metric: str
    data: str | None
    alpha: float
    pairs: Pairs


def _disagreement(context: Context, code: diagnostics.Code, interval: str) -> Caution | None:
    """State the pairs whose interval and decision do not say the same, by metric and data set.

    `interval` is that of the `pair` alone, or the simultaneous one of its `family`.
    """
    causes = ("method", "family" if interval == "pair" else "conservative")
    lines = [
        _Asked(comparison.metric, comparison.data, comparison.alpha, pairs)
        for comparison in context.results.comparisons
        if comparison.performed and not comparison.family.exploratory
        if (
            pairs := [
                pair
                for pair in comparison.pairwise
                if margin_of(pair) is None
                and any(d.interval == interval and d.cause in causes for d in pair.disagreements)
                and (interval == "pair" or pair.reject)
            ]
        )
    ]
    if not lines:
        return None
    every = [pair for line in lines for pair in line.pairs]
    found = {d.cause for pair in every for d in pair.disagreements if d.interval == interval}
    wide = [pair.simultaneous for pair in every]
    # an FDR has no simultaneous interval of the pairs that it keeps, and one of those it selects
    facts = (
        {"of_methods": found == {"method"}, "jointly": None not in wide}
        if interval == "pair"
        else {
            "conservative": found == {"conservative"},
            "selected": any(one is not None and one.selected for one in wide),
        }
    )
    return caution(
        context,
        TOPIC,
        code,
        lines=lines[:MOST_PLACES],
        more=max(0, len(lines) - MOST_PLACES),
        adjusted=any(pair.p_adjusted is not None for pair in every),
        **facts,
    )


# --- power --------------------------------------------------------------------------------

By = Literal["discordant", "sd", "se", "splits"]


class _Visible(Struct, frozen=True):
    """What one test of a line could see, by its `n` examples or splits.

    `typical` is what its power was computed `by`: the share of discordant pairs, the spread of the
    differences of examples, or the standard error of their mean or of that over splits; over
    `several` pairs their median. `size` is the difference it sees, empty where it sees none.
    `level` is that of the test, after a correction where `corrected`, or of a posterior.
    """

    metric: str
    data: str | None
    test: str
    by: By
    n: int
    several: bool
    typical: str
    level: float
    size: str
    posterior: bool = False
    corrected: bool = False
    side: str = ""


def _small_differences(context: Context) -> Caution | None:
    """State what McNemar's tests and t tests over splits could see, where a pair stayed open."""
    found: dict[tuple[str, str, str], _Visible] = {}
    for asked in _asked(context):
        place = (context.metric(asked.metric).noun, context.data_label(asked.data))
        for one in (_seen_in_examples(context, asked), _seen_in_splits(context, asked)):
            if one is not None:
                found.setdefault((*place, one.test), one)
    if not found:
        return None
    tests = list(found.values())
    return caution(
        context,
        TOPIC,
        codes.small_differences_could_not_be_seen,
        tests=tests[:MOST_PLACES],
        more=max(0, len(tests) - MOST_PLACES),
        any_seen=any(test.size for test in tests),
        by=[test.by for test in tests],
    )


def _asked(context: Context) -> Iterator[_Asked]:
    for c in context.results.comparisons:
        yield _Asked(c.metric, c.data, c.alpha, c.pairwise)
    study = context.results.study
    for r in context.results.requirements:
        if r.test is not None:
            alpha = study.alpha if r.alpha is None else r.alpha
            yield _Asked(r.metric, r.data, alpha, (r.test,))


def _seen_in_examples(context: Context, asked: _Asked) -> _Visible | None:
    """Return what one test of a line over examples could see, as the engine computed it."""
    pairs = [pair for pair in asked.pairs if computed(pair)]
    if not pairs or all(pair.reject for pair in pairs):
        return None
    return typical_difference(context, asked.metric, asked.data, pairs)


def typical_difference(
    context: Context, metric: str, data: str | None, pairs: Pairs
) -> _Visible | None:
    """Return the smallest difference that tests of examples detect, of a pair with median spread.

    None where no test states one; `size` is empty where that pair detects no difference.
    """
    both = [
        (cast(Mapping[str, Any], found.get("assumed") or {"se": found["detectable_error"]}), pair)
        for pair in pairs
        if computed(pair)
        and ((found := pair.extra).get("assumed") or found.get("detectable_error"))
    ]
    if not both:
        return None
    by = next(name for name in get_args(By) if name in both[0][0])
    both = [one for one in both if by in one[0]]
    assumed, pair = sorted(both, key=lambda one: float(one[0][by]))[len(both) // 2]
    asked, size = _Asked(metric, data, 0.0, pairs), pair.extra.get("detectable")
    of_tables = by == "discordant"
    return _Visible(
        metric,
        data,
        pair.test,
        by,
        int(str(pair.extra.get("detectable_n") or 0)),
        len(both) > 1,
        fixed(assumed[by], Scale(1, 2)) if of_tables else _sized(context, asked, assumed[by]),
        float(f"{float(str(pair.extra['detectable_alpha'])):.3g}"),
        "" if size is None else _sized(context, asked, float(str(size))),
    )


def _seen_in_splits(context: Context, asked: _Asked) -> _Visible | None:
    """Return what one t test of a line over splits could see, as the engine computed it."""
    numbers = ("detectable", "standard_error", "detectable_alpha")
    pairs = [
        pair
        for pair in asked.pairs
        if all(pair.extra.get(number) is not None for number in numbers)
        and pair.extra.get("detectable_error") is None
    ]
    confidence = context.results.study.confidence
    if not pairs or all(decided(pair, confidence) for pair in pairs):
        return None
    pair = sorted(pairs, key=lambda pair: float(str(pair.extra["detectable"])))[len(pairs) // 2]
    size, error = (
        _sized(context, asked, float(str(pair.extra[key])))
        for key in ("detectable", "standard_error")
    )
    alpha = float(pair.extra.get("detectable_alpha") or asked.alpha)
    posterior = bayesian(pair)
    return _Visible(
        asked.metric, asked.data, pair.test, "splits", round(pair.df[0]) + 1 if pair.df else 0,
        len(pairs) > 1, error, confidence if posterior else float(f"{alpha:.3g}"), size, posterior,
        alpha < asked.alpha, "one-sided" if pair.side is not None else "",
    )  # fmt: skip


def _sized(context: Context, asked: _Asked, size: float) -> str:
    """Print a difference in the unit of the metric, without its full value: it is approximate."""
    metric = context.metric(asked.metric)
    if metric.percent:
        return f"{fixed(size, Scale(1, 2))}{NBSP}points"
    return fixed(size, scale_of((), (size,), percent=False))


def shared_training(how: str | None, folds: Sequence[FoldValue]) -> float | None:
    """Return the mean share of a training set that is in another one too, over all pairs.

    Two parts of one partition leave out different rows: of n rows they share 2 n_train - n, with
    the mean n_train. Rows drawn again, and those of another repeat, are shared by chance:
    n_train / n. None where sizes are not known, or there is one split only.
    """
    if how is None or len(folds) < 2:
        return None
    if any(fold.n_train is None or fold.n_test is None for fold in folds):
        return None
    train = fmean(fold.n_train or 0 for fold in folds)
    n = train + fmean(fold.n_test or 0 for fold in folds)
    if not train:
        return None
    if how == DRAWN:
        return train / n
    of_a_repeat = len(folds) / len({fold.repeat for fold in folds})
    within = (of_a_repeat - 1) * max(0.0, 2 - n / train)
    return (within + (len(folds) - of_a_repeat) * train / n) / (len(folds) - 1)


# --- models that never predict a class ---------------------------------------------------


def _class_never_predicted(context: Context) -> Caution | None:
    """Warn of models that never predict a class; of baselines only where one is the best."""
    missed = [one for setting in context.settings for one in _unexpected(context, setting)]
    if not missed:
        return None
    more = max(0, len(missed) - MOST_LINES)
    code = codes.class_never_predicted
    return caution(context, TOPIC, code, missed=missed[:MOST_LINES], more=more)


def never_predicted_findings(context: Context, setting: Setting) -> list[Runs]:
    """Format a key finding for each model of a setting that never predicts a class."""
    name = "finding_of_a_class_never_predicted"
    return [write(context, TOPIC, name, one=one) for one in _unexpected(context, setting)]


def _found(context: Context, setting: Setting) -> Iterator[NeverPredicted]:
    for one in context.results.never_predicted:
        if Setting(one.data, one.protocol) == setting:
            yield one


def _unexpected(context: Context, setting: Setting) -> Sequence[NeverPredicted]:
    """Leave out baselines, unless one of them is the best by the first measure."""
    found = context.estimates(setting, context.metrics(setting)[0])
    known = [e for e in found if e.value is not None]
    best = {e.model for e in known if e.value == known[0].value}
    return [one for one in _found(context, setting) if not one.baseline or one.model in best]
