"""Changes of the studies of `fixture.py`: what is rare, and must be worded with care.

No number here is looked at but those that scipy gives or that are in the test itself.
"""

from functools import cache

import drawn_statistics
import fixture
from msgspec.structs import replace

from evallang.results.records import (
    Default,
    Difference,
    Effect,
    Estimate,
    HypothesisTestResult,
    Interval,
    ProtocolRecord,
    ResultsRecord,
    SimultaneousInterval,
    Statistic,
    Subgroup,
)
from evallang.results.statistics import Lacking, not_computed

LACKING = Lacking("fit", "a fit of forest failed", "forest")


@cache
def one_model_failed() -> ResultsRecord:
    """Give the cancer study as a failing fit of the forest leaves it."""
    whole = fixture.cancer()
    comparison = whole.comparisons[0]
    pairs = tuple(
        replace(not_computed("mcnemar", pair.null, LACKING, pair.models), reject=False)
        if "forest" in pair.models
        else replace(pair, reject=False)
        for pair in comparison.pairwise
    )
    pairwise = replace(
        comparison, index=0, source="compare with mcnemar holm", omnibus=None, pairwise=pairs
    )
    empty = not_computed(
        "cochran", "all {models} have the same {accuracy}", LACKING, tuple(fixture.LABELS)
    )
    gate = replace(
        comparison, index=1, omnibus=empty, performed=False, reason=empty.notes[0],
        pairwise=tuple(p for p in pairs if "forest" in p.models),
    )  # fmt: skip
    single = replace(
        pairwise, index=2, source="compare svm, forest with mcnemar",
        pairwise=tuple(p for p in pairs if p.models == ("svm", "forest")),
    )  # fmt: skip
    estimates = tuple(
        replace(
            e,
            value=None,
            interval=None,
            folds=(),
            notes=("not computed, because 1 of 10 fits failed",),
        )
        if e.model == "forest"
        else e
        for e in whole.estimates
    )
    return replace(
        whole, comparisons=(pairwise, gate, single), estimates=estimates, diagnostics=(),
        warnings=(),
    )  # fmt: skip


@cache
def no_bounds() -> ResultsRecord:
    """Give pairs of a test without intervals, as 5x2cv leaves them: rejected, bounds unknown."""
    whole = fixture.cancer()
    comparison = whole.comparisons[0]
    pairs = tuple(
        replace(
            pair, test="5x2cv_f", variant="F", table=None, effects=(), reject=True, p=0.001,
            p_adjusted=0.006, statistic=Statistic("F", 30.0), df=(10.0, 5.0),
            estimate=replace(pair.estimate, low=None, high=None, method="none"),
            simultaneous=SimultaneousInterval(None, None, 0.95, "none, conservative"),
            disagreements=(), notes=(),
        )
        for pair in comparison.pairwise
        if pair.estimate is not None
    )  # fmt: skip
    implied = ProtocolRecord(
        "5x2cv", "5x2cv", {}, "target", None, "compare with 5x2cv_f", 10, 40,
        "stratified 5×2-fold cross-validation", short="5×2 CV", shuffled=True,
    )  # fmt: skip
    compared = replace(
        comparison, protocol="5x2cv", omnibus=None, pairwise=pairs, source="compare with 5x2cv_f"
    )
    return replace(
        whole, comparisons=(compared,), protocols=(*whole.protocols, implied), diagnostics=(),
        warnings=(),
    )  # fmt: skip


@cache
def second_is_better() -> ResultsRecord:
    """Give one open pair whose second model is ahead: numbers with a direction are turned."""
    whole = fixture.cancer()
    comparison = whole.comparisons[0]
    pair = drawn_statistics.mcnemar(("svm", "logistic"), 544, 3, 12, 10)
    pair = replace(pair, reject=False, variant="midp", extra={})
    folds = HypothesisTestResult(
        "corrected_t", "t", "the two algorithms have the same expected score",
        Statistic("t", -1.25), (9.0,), 0.2429, ("svm", "logistic"), None, False,
        Difference("difference in recall", -0.01, -0.028, 0.008, 0.95, "corrected_t"),
        None, (Effect("Cohen's d_z", -0.63, signed=True),),
    )  # fmt: skip
    one = replace(
        comparison, omnibus=None, pairwise=(pair,), source="compare svm, logistic with mcnemar",
        family=replace(comparison.family, size=1, correction=None),
    )  # fmt: skip
    two = replace(one, index=1, metric="recall", pairwise=(folds,))
    return replace(whole, comparisons=(two, one), diagnostics=(), warnings=())


@cache
def same_scores() -> ResultsRecord:
    """Give two models with the same score in every fold."""
    whole = second_is_better()
    comparison = whole.comparisons[0]
    pair = comparison.pairwise[0]
    assert pair.estimate is not None
    flat = replace(
        pair, p=1.0, statistic=Statistic("t", None), effects=(),
        estimate=replace(pair.estimate, value=0.0, low=0.0, high=0.0),
    )  # fmt: skip
    return replace(whole, comparisons=(replace(comparison, pairwise=(flat,)),))


@cache
def levels() -> ResultsRecord:
    """Give the levels of a column, one of them too small for an interval."""
    whole = fixture.cancer()
    found = []
    for model, hits in (("logistic", (296, 20)), ("bayes", (280, 19))):
        for level, right, n in (("north", hits[0], 300), ("south", hits[1], 21)):
            small = n < 30
            rest = 0.97
            found.append(
                Estimate(
                    "cancer", "main", model, "accuracy", right / n, "pooled", None, None, n,
                    "the average of the 10 models fitted here", Subgroup("site", level),
                    None if small else drawn_statistics.wilson(right, n),
                    extra={"n_examples": n, "rest": rest, "difference_to_rest": right / n - rest},
                    notes=(f"no interval: {n} cases, fewer than 30",) if small else (),
                )
            )  # fmt: skip
    return replace(whole, estimates=(*whole.estimates, *found), diagnostics=(), warnings=())


@cache
def bootstrap() -> ResultsRecord:
    """Give .632+ estimates with their parts."""
    whole = fixture.cancer()
    estimates = tuple(
        Estimate(
            "cancer", "bootstrap", model, "accuracy", value, ".632+", value - 0.01, 0.02, 200,
            "the algorithm, trained on about 569 examples",
            interval=Interval("bootstrap_se(approximate)", 0.95, value - 0.0392, value + 0.0392),
            extra={"resubstitution": value + 0.02, "oob": value - 0.011, "gamma": 0.4821,
                   "R": 0.0625, "weight": 0.6469, "standard_error": 0.02},
        )
        for model, value in (("logistic", 0.968), ("bayes", 0.931))
    )  # fmt: skip
    protocol = ProtocolRecord(
        "bootstrap", "bootstrap", {"rounds": 200, "estimate": ".632+"}, "target", None, None, 201,
        402, ".632+ bootstrap with 200 rounds", short="200 bootstraps",
    )  # fmt: skip
    return replace(
        whole, estimates=estimates, protocols=(protocol,), comparisons=(), diagnostics=(),
        warnings=(), models=(whole.models[0], whole.models[3]),
    )  # fmt: skip


@cache
def posterior() -> ResultsRecord:
    """Give a Bayesian comparison of three models, one pair decided, one equivalent, one open."""
    whole = fixture.cancer()
    comparison = whole.comparisons[0]
    shares = {
        ("logistic", "svm"): (0.01, 0.975, 0.015),
        ("logistic", "bayes"): (0.981, 0.017, 0.002),
        ("svm", "bayes"): (0.9, 0.08, 0.02),
    }
    pairs = tuple(
        HypothesisTestResult(
            "bayes_t", "correlated t", "none", None, (9.0,), None, models,
            estimate=Difference("difference in accuracy", 0.01, -0.02, 0.04, 0.95, "bayes_t"),
            extra={"p_first": a, "p_rope": b, "p_second": c, "rope": 0.01},
        )
        for models, (a, b, c) in shares.items()
    )  # fmt: skip
    compared = replace(
        comparison, omnibus=None, pairwise=pairs, source="compare with bayes_t(rope=1%)",
        family=replace(comparison.family, size=3, correction=None),
    )  # fmt: skip
    aside = replace(compared, index=1, family=replace(compared.family, exploratory=True),
                    pairwise=tuple(replace(p, models=p.models[::-1]) for p in pairs))  # fmt: skip
    return replace(whole, comparisons=(compared, aside), diagnostics=(), warnings=())


@cache
def defaults() -> ResultsRecord:
    """Give every kind of default that the checker states, twice where two data sets say it."""
    whole = no_bounds()
    said = (
        Default("study seed", 0, "study", "seed"), Default("study alpha", 0.05, "study", "alpha"),
        Default("study confidence", 0.95, "study", "confidence"),
        Default("study families", "separate", "study", "families"),
        Default("stratify", "by target", "stratify", subject="target"),
        Default("protocol nested cv inner", 5, "protocol", "inner", "nested_cv"),
        Default("tune by", "accuracy", "tune", "by"),
        Default("compare line 1 by", "accuracy", "compare", "by", line=0),
        Default("compare line 1 correction", "holm", "compare", "correction", line=0),
        Default("interval of accuracy under main", "wilson", "measure", "interval", "accuracy",
                "main"),
        Default("interval of accuracy under main", "wilson", "measure", "interval", "accuracy",
                "main"),
        Default("recall average", "binary", "metric", "average", "recall"),
        Default("mcnemar method", "midp", "test", "method", "mcnemar"),
        Default("data cancer task", "classification", "data", "task", "cancer"),
        Default("report numbers", "apa", "report", "numbers"),
        Default("balanced_accuracy unheard_of", "some_value", "metric", "unheard_of",
                "balanced_accuracy"),
    )  # fmt: skip
    return replace(whole, study=replace(whole.study, defaults=said))
