"""Further results to draw, most of them variants of the first study of `fixture`."""

import itertools
from functools import cache

from drawn_statistics import ALPHA, digest, mcnemar, provenance, wilson
from fixture import HOSTILE, cancer, diagnostic
from msgspec.structs import replace
from scipy import stats

from evallang.results.records import (
    Clusters,
    Comparison,
    Effect,
    Estimate,
    Failure,
    Family,
    FitCounts,
    HypothesisTestResult,
    ModelRecord,
    Ranks,
    ResultsRecord,
    Statistic,
)


@cache
def counts() -> ResultsRecord:
    """Give Raschka's (2018) figure 20: two tables of counts, no protocol, no estimates' folds."""
    tables = {"a": ((9959, 11), (1, 29)), "b": ((9945, 25), (15, 15))}
    whole = cancer()
    data, estimates, comparisons = [], [], []
    for name, ((a, b), (c, d)) in tables.items():
        n = a + b + c + d
        data.append(
            replace(whole.data[0], name=name, label=f"subpanel {name.upper()}", kind="counts", n=n,
                    n_features=None, target=None, classes=None, positive=None, class_counts=None,
                    unit="examples", cite=None, sha256=digest(name), source="the study file",
                    positive_label=None)
        )  # fmt: skip
        for model, right in (("model1", a + b), ("model2", a + c)):
            estimates.append(
                Estimate(name, None, model, "accuracy", right / n, "pooled", None, None, n,
                         "these fitted models", interval=wilson(right, n))
            )  # fmt: skip
        chi2 = (b - c) ** 2 / (b + c)
        p = float(stats.chi2.sf(chi2, 1))
        pair = replace(
            mcnemar(("model1", "model2"), a, b, c, d), variant="chi2",
            statistic=Statistic("chi2", chi2), df=(1.0,), p=p, reject=p <= ALPHA,
        )  # fmt: skip
        comparisons.append(
            Comparison(0, "compare with mcnemar(chi2) uncorrected", name, None, "accuracy", ALPHA,
                       Family(2, "uncorrected", False, ""), None, (pair,), True, None)
        )  # fmt: skip
    return replace(
        whole,
        study=replace(whole.study, title="The two tables of Raschka’s figure 20", authors=()),
        data=tuple(data),
        models=(ModelRecord("model1", "model1", None, {}, "counts"),
                ModelRecord("model2", "model2", None, {}, "counts")),
        protocols=(),
        estimates=tuple(estimates),
        comparisons=tuple(comparisons),
        diagnostics=(),
        warnings=(),
        provenance=provenance(fits=FitCounts(0, 0, 0, 0), git=None),
    )  # fmt: skip


@cache
def gate_shut() -> ResultsRecord:
    """Give the first study with an omnibus test that does not reject, on grouped rows."""
    whole = cancer()
    comparison = whole.comparisons[0]
    assert comparison.omnibus is not None
    pairs = tuple(
        replace(p, p=None, p_adjusted=None, reject=False, clusters=Clusters(41, 1.8),
                notes=("clustered form",))
        for p in comparison.pairwise
    )  # fmt: skip
    shut = replace(
        comparison,
        omnibus=replace(comparison.omnibus, p=0.0504, reject=False, statistic=Statistic("Q", 7.8)),
        pairwise=pairs,
        performed=False,
        reason="the omnibus test did not reject at .05",
    )
    return replace(whole, comparisons=(shut,))


@cache
def no_intervals() -> ResultsRecord:
    """Give the first study as 5x2cv leaves it: fold values, no interval, no comparison."""
    whole = cancer()
    estimates = tuple(replace(e, interval=None) for e in whole.estimates)
    return replace(whole, estimates=estimates, comparisons=(), diagnostics=(), warnings=())


@cache
def many_data_sets() -> ResultsRecord:
    """Give five models on eight data sets: ranks, Friedman then Nemenyi, and a Bayesian pair."""
    names = ("alpha", "beta", "gamma", "delta", "epsilon")
    ranks = dict(zip(names, (1.5, 2.0, 3.1, 3.9, 4.5), strict=True))
    whole = cancer()
    pairs = []
    for first, second in itertools.combinations(names, 2):
        gap = ranks[second] - ranks[first]
        pairs.append(
            HypothesisTestResult(
                "nemenyi", "", "the two models have the same average rank",
                Statistic("q", gap / 0.79), None, 0.03 if gap > 2.1 else 0.4, (first, second),
                0.03 if gap > 2.1 else 0.4, gap > 2.1,
                extra={"rank_first": ranks[first], "rank_second": ranks[second]},
            )
        )  # fmt: skip
    omnibus = HypothesisTestResult(
        "friedman", "Iman-Davenport F", "all models have the same average rank",
        Statistic("F", 6.2), (4.0, 28.0), 0.001, names, reject=True,
        effects=(Effect("Kendall's W", 0.47, 0.3, 0.7, "share", False),),
    )  # fmt: skip
    across = Comparison(
        0, "compare across data with friedman then nemenyi", None, "main", "accuracy", ALPHA,
        Family(10, None, False), omnibus, tuple(pairs), True, None,
        Ranks(ranks, 8, 2.16, (("alpha", "beta", 5, 1, 2),)),
    )  # fmt: skip
    bayes = Comparison(
        1, "compare alpha, beta across data with bayes_sign(rope=1%)", None, "main", "accuracy",
        ALPHA, Family(1, None, False), None,
        (HypothesisTestResult("bayes_sign", "", "", models=("alpha", "beta"),
                              extra={"p_first": 0.962, "p_rope": 0.031, "p_second": 0.007}),),
        True, None,
    )  # fmt: skip
    data = tuple(
        replace(
            whole.data[0], name=f"d{i}", label=f"Data set {i}", sha256=digest(str(i)), cite=None
        )
        for i in range(8)
    )
    estimates = tuple(
        Estimate(d.name, "main", name, "accuracy", right / 569, "pooled", None, None, 569,
                 "the average of the 10 models fitted here", interval=wilson(right, 569))
        for i, d in enumerate(data)
        for name, right in zip(names, (550 - i, 548, 540 + i, 530, 520), strict=True)
    )  # fmt: skip
    return replace(
        whole,
        study=replace(whole.study, title="Five models on eight data sets"),
        data=data,
        models=tuple(ModelRecord(n, n.capitalize(), n, {}, "estimator") for n in names),
        estimates=estimates,
        comparisons=(across, bayes),
        diagnostics=(),
        warnings=(),
    )


@cache
def hostile() -> ResultsRecord:
    """Give the first study with markup, control signs, long and foreign names everywhere."""
    whole = cancer()
    long = "A model with a name of sixty characters, which no column can hold"
    labels = (HOSTILE, long, "随机森林 🌲 {{ 7*7 }}", "ბ‮ idle <img src=x onerror=alert(1)>")
    models = tuple(
        replace(model, label=label) for model, label in zip(whole.models, labels, strict=True)
    )
    bad = diagnostic("W399", "bad_<b>name", "warning", HOSTILE, (HOSTILE,), "write `<script>`")
    return replace(
        whole,
        study=replace(whole.study, title=f"</style>{HOSTILE}", authors=(HOSTILE,)),
        models=models,
        data=(replace(whole.data[0], label=HOSTILE, unit="<i>", positive_label='"><svg onload=x>',
                      cite="javascript:alert(1)"),),
        diagnostics=(bad,),
        failures=(
            Failure("outer", "cancer", "main", "svm", 0, 0, {"<b>": HOSTILE}, "E<", HOSTILE),
        ),
        spec=replace(whole.spec, canonical=f'evallang 1\nstudy "{HOSTILE}"\n# /* fonts */ </pre>'),
    )  # fmt: skip
