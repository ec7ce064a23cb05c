"""Advice on protocols, on bootstraps and on the intervals made of them."""

from collections.abc import Iterator
from math import ceil
from typing import Any

from evallang.analysis import ANALYSES
from evallang.checking.rules.rule import Objection, rule
from evallang.checking.rules.study_facts import (
    own_protocols,
    protocol_prefix,
    tables,
    tested_lines,
)
from evallang.compatibility import spoken, yields_of
from evallang.compatibility.hypothesis_tests import nearest_test, tests_of
from evallang.compatibility.intervals import default_interval
from evallang.data.dataset import DataSpec
from evallang.diagnostics import Changes
from evallang.protocols.protocol import PROTOCOLS, Yields
from evallang.registry import Entry
from evallang.source import Span
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
)
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration
from evallang.study import Measure, Method, Protocol, Study

LEAST_ROUNDS = 50  # for a standard error; Efron & Tibshirani 1994, 6.4
LEAST_REPEATS = 50  # the default of the package of Bates, Hastie & Tibshirani
LEAST_FOR_BOUNDS = 1000  # for percentiles in the tails; Efron & Tibshirani 1994, 13 and 14


@rule("W320", source="Kohavi 1995; Raschka 2018, 3.5")
def strata_without_effect(study: Study) -> Iterator[Objection]:
    """`stratify` has no effect under a protocol of the study.

    A fold of one example has one class, so leave-one-out cannot keep the class proportions: each
    training part even has slightly fewer rows of the tested class. The bootstrap and a given split
    do not draw rows by strata either.

    Objects to:

        data wine from sklearn wine
        stratify by target
        model a = GaussianNB
        protocol leave_one_out
        measure accuracy

    Accepts:

        data wine from sklearn wine
        stratify by target
        model a = GaussianNB
        protocol cv folds=10
        measure accuracy
    """
    written = study.places.get("stratify")
    protocols = own_protocols(study)
    if written is None or study.stratification is None or not study.stratification.columns:
        return
    if protocols and not any(PROTOCOLS[p.kind].declaration.keeps_strata for p in protocols):
        in_place = PROTOCOLS[protocols[0].kind].declaration.division == "in_place"
        given = in_place and not _tests_training_rows(protocols[0])
        other = "" if given else ", or write `protocol cv folds=10`"
        yield Objection(
            f"strata have no effect under `{spoken(protocols[0])}`",
            written,
            help=f"remove `stratify`{other}",
        )


@rule("W321", changes=Changes.PRECISION, source="Efron & Tibshirani 1994, 6.4, 13 and 15")
def few_bootstrap_rounds(study: Study) -> Iterator[Objection]:
    """A bootstrap has too few rounds for its result.

    The standard error under `protocol bootstrap` varies with the drawn rounds: in simulations by
    about 20 percent with 50 rounds, 12 percent with 200 and 7 percent with 500. The bounds of an
    interval are extreme percentiles, which need 1,000 rounds or more. The same holds for p-values
    from permutations or a bootstrap, which cannot be smaller than about one divided by the number
    of rounds. Shuffled targets, on which models are fitted in every round, need as many rounds as
    let p reach alpha.

    Objects to:

        data wine from sklearn wine
        model a = GaussianNB
        protocol holdout
        measure balanced_accuracy
          interval bootstrap(rounds=200)

    Accepts:

        data wine from sklearn wine
        model a = GaussianNB
        protocol holdout
        measure balanced_accuracy
          interval bootstrap(rounds=2_000)
    """
    for rounds, least, what, span, fix in _rounds_of(study):
        if isinstance(rounds, int) and rounds < least:
            are = "one round is" if rounds == 1 else f"{rounds} rounds are"
            result = what.format(p=1 / (1 + rounds))
            yield Objection(f"{are} too few for {result}", span, help=fix)


def _rounds_of(study: Study) -> Iterator[tuple[object, float, str, Span | None, str]]:
    """Iterate over rounds: their number, the least, what for, their place, what to write."""
    for protocol in study.protocols:
        if PROTOCOLS[protocol.kind].declaration.division == "resampled":
            rounds, fix = protocol.options.get("rounds"), "write `rounds=200`"
            yield rounds, LEAST_ROUNDS, "a standard error", protocol.span, fix
    tests = [(test, line.span) for line in tested_lines(study) for test in tests_of(line)]
    asked: list[tuple[Method, Entry[Any], Span | None]] = [
        (m.interval, INTERVALS[m.interval.name], m.interval_span or m.span)
        for m in study.measures
        if m.interval is not None
    ]
    asked += [(test, HYPOTHESIS_TESTS[test.name], span) for test, span in tests]
    usual = "remove `rounds` (it is 10,000), or write `rounds={}` or more"
    for method, entry, span in asked:  # of a test whose p is read off an interval too
        if entry.declaration.rounds_for is not None:
            options = {**entry.defaults(), **method.keywords()}
            if entry.declaration.rounds_for(options) == "standard_error":
                fix = usual.format(LEAST_ROUNDS)
                yield options["rounds"], LEAST_ROUNDS, "a standard error", span, fix
            else:
                what, fix = "the bounds of an interval", usual.format("1_000")
                yield options["rounds"], LEAST_FOR_BOUNDS, what, span, fix
    drawn = [(m, span) for m, span in tests if HYPOTHESIS_TESTS[m.name].declaration.drawn]
    for line in study.comparisons:
        by = CORRECTIONS[line.correction.name].declaration.drawn_by if line.correction else {}
        if line.correction is not None and by and by.items() <= line.correction.keywords().items():
            drawn.append((line.correction, line.span))
    for method, span in drawn:
        what = "a p-value, which is {p:.2g} at the least"
        rounds, fix = method.keywords().get("rounds"), usual.format("1_000")
        yield rounds, LEAST_FOR_BOUNDS, what, span, fix
    for spec in study.analyses:  # those that fit models on shuffled targets
        entry = ANALYSES[spec.method.name]
        fits, default = entry.declaration.fits, entry.defaults().get("rounds")
        if fits is not None and fits.exchanging and isinstance(default, int):
            least = ceil(1 / study.alpha - 1e-9) - 1
            what = f"a p-value of {study.alpha:g} or less: it is {{p:.2g}} at the least"
            rounds = spec.method.keywords().get("rounds", default)
            yield rounds, least, what, spec.span, f"write `rounds={max(least, default)}`"


@rule("W355", changes=Changes.PRECISION, source="Bates, Hastie & Tibshirani 2024")
def few_repeats_behind_an_interval(study: Study) -> Iterator[Objection]:
    """An interval that divides the rows repeatedly has too few repeats for a stable width.

    `nested_cv` estimates a mean squared error from the differences between the folds of many
    cross-validations. In simulations with 100 rows, 10 folds and unpruned trees, the width for one
    data set varied from run to run by about 20 percent with 20 repeats, 13 percent with 50, and 6
    percent with 200.

    Objects to:

        data wine from sklearn wine
        model a = GaussianNB
        protocol cv folds=5
        measure accuracy
          interval nested_cv(repeats=10)

    Accepts:

        data wine from sklearn wine
        model a = GaussianNB
        protocol cv folds=5
        measure accuracy
          interval nested_cv(repeats=100)
    """
    for measure in study.measures:
        interval = measure.interval
        if interval is None or not INTERVALS[interval.name].declaration.implied:
            continue
        entry = INTERVALS[interval.name]
        repeats = {**entry.defaults(), **interval.keywords()}.get("repeats")
        if isinstance(repeats, int) and repeats < LEAST_REPEATS:
            are = "one repeat is" if repeats == 1 else f"{repeats} repeats are"
            yield Objection(
                f"{are} too few for a stable width of the `{interval.name}` interval",
                measure.interval_span or measure.span,
                help=f"remove `repeats` (it is {entry.defaults()['repeats']}), or write "
                f"`repeats={LEAST_REPEATS}` or more",
            )


@rule("W322", changes=Changes.SCORES, source="Tashman 2000; Künsch 1989")
def independent_resampling_of_a_series(study: Study) -> Iterator[Objection]:
    """Rows that are ordered in time are resampled as if they were independent.

    A study that splits its rows in time assumes that neighbouring rows are alike. Random folds then
    test a row with models that were trained on its neighbours, and intervals over single rows count
    the same information several times; both look better than they are.

    Objects to:

        data load from "load.csv"
          target mw
          task regression
        model a = Ridge
        protocol forward = time_series folds=5
        protocol shuffled = cv folds=5
        measure mae

    Accepts:

        data load from "load.csv"
          target mw
          task regression
        model a = Ridge
        protocol forward = time_series folds=5
        measure mae
    """
    in_time = next((p for p in own_protocols(study) if _yields(p).neighbours), None)
    if in_time is not None:
        yield from _mixing_protocols(study, in_time)
    given = any(getattr(s, "series", False) for s in study.sources if not isinstance(s, DataSpec))
    if in_time is None and not given:
        return
    for measure in study.measures:
        interval = measure.interval
        if interval is None:
            continue
        declared = INTERVALS[interval.name].declaration
        if declared.rests_only_on("row") and declared.form != "series":
            yield Objection(
                f"the `{interval.name}` interval takes the rows of a series as independent",
                measure.interval_span or measure.span,
                help="remove the interval: mean losses and accuracy have that of a series by "
                "default, and other metrics none",
            )


def _mixing_protocols(study: Study, ordered: Protocol) -> Iterator[Objection]:
    """Report protocols that shuffle rows where another protocol keeps them in order."""
    kept = f"`{spoken(ordered)}`"
    for protocol in study.protocols:
        in_place = PROTOCOLS[protocol.kind].declaration.division == "in_place"
        if in_place or protocol.interval_of is not None:
            continue
        mixes = f"`{spoken(protocol)}` mixes rows that {kept} keeps in order"
        implied = [c for c in tested_lines(study) if c.protocol == protocol.name]
        if protocol.implied_by is None or not implied:
            yield Objection(mixes, protocol.span, help=f"remove this protocol, and keep {kept}")
            continue
        line = implied[0]
        yield Objection(
            f"`{line.test.name}` plans a protocol of its own, and {mixes}",
            line.span,
            help=nearest_test(line.metrics[0], _yields(ordered)),
        )


def _yields(protocol: Protocol) -> Yields:
    return PROTOCOLS[protocol.kind].declaration.yields(protocol.options)


@rule("W323", changes=Changes.SCORES, source="Raschka 2018, 1.3; Efron 1983")
def tested_on_training_rows(study: Study) -> Iterator[Objection]:
    """The models are tested on the examples on which they were trained.

    A model can memorise its examples, and then it is perfect on them. The estimate is optimistic by
    an unknown amount.

    Objects to:

        data wine from sklearn wine
        model a = GaussianNB
        protocol resubstitution
        measure accuracy

    Accepts:

        data wine from sklearn wine
        model a = GaussianNB
        protocol cv folds=10
        measure accuracy
    """
    honest = [p.name for p in own_protocols(study) if not _tests_training_rows(p)]
    for protocol in own_protocols(study):
        if not _tests_training_rows(protocol):
            continue
        words = spoken(protocol)
        instead = f"write `protocol {protocol_prefix(study, protocol)}cv folds=10`"
        if protocol.options.get("estimate") is not None:
            words += f" estimate={protocol.options['estimate']}"
            instead = "remove `estimate` (it is `.632+`)"
        elif honest:
            instead = f"remove this protocol; `{honest[0]}` tests on other examples"
        yield Objection(
            f"`{words}` tests models on the examples that they were fitted on",
            protocol.span,
            help=instead,
        )


def _tests_training_rows(protocol: Protocol) -> bool:
    return _yields(protocol).optimistic


@rule("W324", changes=Changes.PRECISION, source="Brown, Cai & DasGupta 2001; Nadeau & Bengio 2003")
def interval_that_covers_too_little(study: Study) -> Iterator[Objection]:
    """The interval that the study names covers the true value less often than its level says.

    Wald's interval has no width at 0 and 1 and covers too little near them; a plain t interval over
    folds treats overlapping training sets as independent. For each there is an interval that keeps
    its level.

    Objects to:

        data wine from sklearn wine
        model a = GaussianNB
        protocol holdout
        measure accuracy
          interval wald

    Accepts:

        data wine from sklearn wine
        model a = GaussianNB
        protocol holdout
        measure accuracy
          interval wilson
    """
    for measure in study.measures:
        if measure.interval is None:
            continue
        declared = INTERVALS[measure.interval.name].declaration
        if declared.advised_against:
            better = _better(study, measure)
            yield Objection(
                _advised_against(measure.interval.name, declared),
                measure.interval_span or measure.span,
                help=f"write `interval {better}`" if better else "remove the interval",
            )
    for line in tested_lines(study):
        for test in tests_of(line):
            word = test.keywords().get("interval")
            named = (e.declaration for e in INTERVALS if e.declaration.as_option == word)
            of_pairs = next(named, None) if word else None
            if of_pairs is not None and of_pairs.advised_against:
                usual = HYPOTHESIS_TESTS[test.name].defaults()["interval"]
                yield Objection(
                    _advised_against(str(word), of_pairs),
                    line.span,
                    help=f"remove `interval` (it is `{usual}`)",
                )


def _advised_against(name: str, declared: IntervalDeclaration) -> str:
    """Explain why an interval should not be used."""
    return f"the `{name}` interval is advised against: {declared.advised_against}"


def _better(study: Study, measure: Measure) -> str | None:
    for source in study.sources:
        protocols = own_protocols(study) if isinstance(source, DataSpec) else (None,)
        for protocol in protocols:
            name = default_interval(measure.metric, yields_of(source, protocol))
            if name is not None and measure.interval is not None and name != measure.interval.name:
                return name
    return None


@rule("W325", changes=Changes.SCORES, source="Forman & Scholz 2010")
def scores_of_several_models_ranked_together(study: Study) -> Iterator[Objection]:
    """Scores from the models of several folds are ranked together.

    The model of each fold has its own scale, and a joint ranking compares these scales: a model
    that gives every example the class proportion of its training part has an AUC of 0 under
    leave-one-out. The mean over the folds has no such bias.

    Objects to:

        data cancer from sklearn breast_cancer
        model a = GaussianNB
        protocol cv
        measure roc_auc(pool=true)

    Accepts:

        data cancer from sklearn breast_cancer
        model a = GaussianNB
        protocol cv
        measure roc_auc
    """
    several = any(
        not yields_of(table, protocol).single_fit
        for table in tables(study)
        for protocol in own_protocols(study)
    )
    for measure in study.measures:
        metric = measure.metric
        if several and metric.keywords().get("pool") is True:
            others = tuple(option for option in metric.options if option[0] != "pool")
            yield Objection(
                f"`{metric.written}` ranks scores of different models together",
                measure.span,
                help=f"write `{Method(metric.name, others).written}`, the mean of the folds' "
                "values",
            )
