"""Results to draw: built here from scikit-learn and scipy, never by the engine under test.

Where a test looks at a number, it is computed by a library (scikit-learn's fits and
metrics, scipy's distributions, statsmodels' Wilson interval and Cochran's Q); intervals
of ranking metrics are plainly made up from the spread of the folds.
"""

import hashlib
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from scipy import stats

from evallang.results.records import (
    SCHEMA,
    Clusters,
    Comparison,
    DataRecord,
    Default,
    Difference,
    Effect,
    Estimate,
    Excluded,
    Failure,
    Family,
    FileRecord,
    FitCounts,
    FitWarning,
    FoldValue,
    GitState,
    HypothesisTestResult,
    Interval,
    MethodRecord,
    ModelRecord,
    ProtocolRecord,
    Provenance,
    Ranks,
    ReferenceRecord,
    Requirement,
    Results,
    Selection,
    SimultaneousInterval,
    SpecRecord,
    Statistic,
    StudyRecord,
    Subgroup,
)

ALPHA = 0.05
LABELS = {
    "logistic": "Logistic regression",
    "svm": "SVM (RBF)",
    "forest": "Random forest",
    "bayes": "Gaussian naive Bayes",
}
HOSTILE = 'R"><b>&_%</title><script>alert(1)</script>\x1b[31m\u202e=1+1'

CANCER_STUDY = """\
evallang 1

study "Four classifiers for breast cancer diagnosis"
  seed 2026

data cancer "Breast Cancer Wisconsin (Diagnostic)" from sklearn("breast_cancer")
  positive 0 "malignant"
  unit "cases"
  cite "10.1117/12.148698"

model logistic "Logistic regression" = StandardScaler | LogisticRegression(max_iter=2000)
model svm "SVM (RBF)" = StandardScaler | SVC
model forest "Random forest" = RandomForestClassifier(n_estimators=50)
model bayes "Gaussian naive Bayes" = GaussianNB

protocol cv folds=10

measure accuracy, recall, roc_auc

compare with cochran then mcnemar holm

report html, pdf
"""


def _reference(
    key: str, authors: Sequence[str], year: int, title: str, venue: str, **more: str
) -> ReferenceRecord:
    return ReferenceRecord(
        key,
        tuple(authors),
        year,
        title,
        venue,
        more.get("volume", ""),
        more.get("pages", ""),
        more.get("doi", ""),
        more.get("kind", "article"),
    )


REFERENCES = (
    _reference(
        "wilson1927",
        ["Wilson EB"],
        1927,
        "Probable inference, the law of succession, and statistical inference",
        "Journal of the American Statistical Association",
        volume="22(158)",
        pages="209-212",
        doi="10.1080/01621459.1927.10502953",
    ),
    _reference(
        "ledell2015",
        ["LeDell E", "Petersen M", "van der Laan M"],
        2015,
        "Computationally efficient confidence intervals for cross-validated area under the "
        "ROC curve estimates",
        "Electronic Journal of Statistics",
    ),
    _reference(
        "cochran1950",
        ["Cochran WG"],
        1950,
        "The comparison of percentages in matched samples",
        "Biometrika",
        volume="37(3/4)",
        pages="256-266",
        doi="10.1093/biomet/37.3-4.256",
    ),
    _reference(
        "mcnemar1947",
        ["McNemar Q"],
        1947,
        "Note on the sampling error of the difference between correlated proportions or "
        "percentages",
        "Psychometrika",
        volume="12(2)",
        pages="153-157",
        doi="10.1007/BF02295996",
    ),
    _reference(
        "holm1979",
        ["Holm S"],
        1979,
        "A simple sequentially rejective multiple test procedure",
        "Scandinavian Journal of Statistics",
        volume="6(2)",
        pages="65-70",
    ),
    _reference(
        "nadeau2003",
        ["Nadeau C", "Bengio Y"],
        2003,
        "Inference for the generalization error",
        "Machine Learning",
        volume="52(3)",
        pages="239-281",
        doi="10.1023/A:1024068626366",
    ),
    _reference(
        "pedregosa2011",
        ["Pedregosa F", "Varoquaux G", "Gramfort A", "Michel V", "Thirion B"],
        2011,
        "Scikit-learn: machine learning in Python",
        "Journal of Machine Learning Research",
        volume="12",
        pages="2825-2830",
    ),
    _reference("unused1999", ["Nobody N"], 1999, "A work that no method cites", "Nowhere"),
)

METHODS = (
    MethodRecord(
        "metric",
        "accuracy",
        "Accuracy",
        "Share of examples that are right.",
        (),
        "higher",
        "percent",
    ),
    MethodRecord(
        "metric", "recall", "Recall", "Share of the positives found.", (), "higher", "percent"
    ),
    MethodRecord(
        "metric", "roc_auc", "ROC AUC", "Area under the ROC curve.", (), "higher", "number"
    ),
    MethodRecord(
        "metric", "mae", "Mean absolute error", "Mean absolute error.", (), "lower", "target"
    ),
    MethodRecord("metric", "r2", "R²", "Share of the variance explained.", (), "higher", "number"),
    MethodRecord(
        "interval", "wilson", "Wilson score interval", "Inverts the score test.", ("wilson1927",)
    ),
    MethodRecord(
        "interval",
        "cv_auc",
        "Cross-validated AUC interval",
        "DeLong's components per fold.",
        ("ledell2015",),
    ),
    MethodRecord(
        "interval",
        "corrected_t",
        "Corrected t interval",
        "Nadeau and Bengio's variance.",
        ("nadeau2003",),
    ),
    MethodRecord(
        "interval",
        "bonett_price",
        "Bonett–Price interval",
        "Adjusted Wald for paired proportions.",
        (),
    ),
    MethodRecord(
        "test",
        "cochran",
        "Cochran's Q test",
        "Whether all models have the same accuracy.",
        ("cochran1950",),
    ),
    MethodRecord(
        "test",
        "mcnemar",
        "McNemar's test",
        "Whether two models have the same accuracy.",
        ("mcnemar1947",),
    ),
    MethodRecord(
        "test",
        "corrected_t",
        "Corrected resampled t test",
        "t with the corrected variance.",
        ("nadeau2003",),
    ),
    MethodRecord("correction", "holm", "Holm's procedure", "Step-down Bonferroni.", ("holm1979",)),
    MethodRecord(
        "effect",
        "odds ratio",
        "Odds ratio of discordant pairs",
        "b / c with its exact interval.",
        (),
    ),
    MethodRecord("software", "scikit-learn", "scikit-learn", "Estimators.", ("pedregosa2011",)),
)


def wilson(successes: int, n: int, level: float = 0.95) -> Interval:
    """Give statsmodels' Wilson interval."""
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(successes, n, alpha=1 - level, method="wilson")
    return Interval("wilson", level, float(low), float(high))


def bonett_price(b: int, c: int, n: int, level: float) -> tuple[float, float]:
    """Give Bonett and Price's (2012) adjusted Wald interval of (b - c) / n."""
    p12, p21 = (b + 1) / (n + 2), (c + 1) / (n + 2)
    half = stats.norm.ppf((1 + level) / 2) * math.sqrt((p12 + p21 - (p12 - p21) ** 2) / (n + 2))
    return p12 - p21 - half, p12 - p21 + half


def odds_ratio(b: int, c: int, level: float) -> Effect:
    """Give b / c with the interval that Clopper and Pearson's for b / (b + c) implies."""
    if b + c == 0:
        return Effect("odds ratio", None, 0.0, math.inf)
    low = stats.beta.ppf((1 - level) / 2, b, c + 1) if b else 0.0
    high = stats.beta.ppf((1 + level) / 2, b + 1, c) if c else 1.0
    bound = [float(x / (1 - x)) if x < 1 else math.inf for x in (low, high)]
    return Effect("odds ratio", b / c if c else math.inf, *bound)


def mcnemar(models: tuple[str, str], a: int, b: int, c: int, d: int) -> HypothesisTestResult:
    """Give McNemar's mid-p test (Fagerland, Lydersen, Laake 2013, eq. 6) by scipy's binomial."""
    n, m = a + b + c + d, b + c
    exact = min(1.0, 2 * float(stats.binom.sf(max(b, c) - 1, m, 0.5)))
    half = float(stats.binom.pmf(b, m, 0.5))
    p = exact - half if b != c else 1 - half / 2
    low, high = bonett_price(b, c, n, 0.95)
    return HypothesisTestResult(
        "mcnemar",
        "mid-p",
        "the k fitted models of the two have the same average error",
        p=min(p, 1.0),
        models=models,
        estimate=Difference("difference in accuracy", (b - c) / n, low, high, 0.95, "bonett_price"),
        effects=(odds_ratio(b, c, 0.95),),
        table=((a, b), (c, d)),
        extra={"p_exact": exact},
    )


def holm(
    pairs: Sequence[HypothesisTestResult], alpha: float = ALPHA
) -> tuple[HypothesisTestResult, ...]:
    """Adjust by statsmodels' Holm, and add the Bonferroni intervals at 1 - alpha / m."""
    from statsmodels.stats.multitest import multipletests

    reject, adjusted, _, _ = multipletests([pair.p for pair in pairs], alpha, "holm")
    level = 1 - alpha / len(pairs)
    made = []
    for pair, p, rejected in zip(pairs, adjusted, reject, strict=True):
        assert pair.table is not None
        (a, b), (c, d) = pair.table
        low, high = bonett_price(b, c, a + b + c + d, level)
        simultaneous = SimultaneousInterval(low, high, 1 - alpha, "Bonferroni, conservative")
        made.append(
            replace(pair, p_adjusted=float(p), reject=bool(rejected), simultaneous=simultaneous)
        )
    return tuple(made)


def provenance(**changes: Any) -> Provenance:
    """Give a provenance; `changes` replace its fields."""
    made = Provenance(
        "0.1.0",
        "3.11.2",
        {"numpy": "2.4.6", "scikit-learn": "1.9.1", "scipy": "1.17.1"},
        "Linux-6.1-x86_64",
        "x86_64, AVX2",
        GitState("0123456789abcdef0123456789abcdef01234567", False),
        "evallang run study.eval",
        "2026-01-20T09:30:00Z",
        12.3,
        FitCounts(40, 40, 0, 0),
    )
    return replace(made, **changes)


def digest(text: str) -> str:
    """Give a SHA-256 that belongs to a text."""
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def _cancer_predictions() -> tuple[Any, Mapping[str, Any], Mapping[str, Any], Any]:
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    x, y = load_breast_cancer(return_X_y=True)
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
        "svm": make_pipeline(StandardScaler(), SVC()),
        "forest": RandomForestClassifier(n_estimators=50, random_state=1),
        "bayes": GaussianNB(),
    }
    fold = np.zeros(len(y), dtype=int)
    predictions = {name: np.zeros(len(y), dtype=int) for name in models}
    scores = {name: np.zeros(len(y)) for name in models}
    splits = StratifiedKFold(10, shuffle=True, random_state=2026).split(x, y)
    for number, (train, test) in enumerate(splits):
        fold[test] = number
        for name, model in models.items():
            model.fit(x[train], y[train])
            predictions[name][test] = model.predict(x[test])
            if hasattr(model, "predict_proba"):
                scores[name][test] = model.predict_proba(x[test])[:, 1]
            else:
                scores[name][test] = model.decision_function(x[test])
    return y, predictions, scores, fold


@cache
def cancer() -> Results:
    """Give the study of `look/page-1.png`: four classifiers, ten folds, Cochran then McNemar."""
    from sklearn.metrics import roc_auc_score
    from statsmodels.stats.contingency_tables import cochrans_q

    y, predictions, scores, fold = _cancer_predictions()
    n = len(y)
    about = "the average of the 10 models fitted here, not a new training set"
    correct = {name: predicted == y for name, predicted in predictions.items()}
    estimates = []
    for name in LABELS:
        right = int(correct[name].sum())
        found, malignant = int(correct[name][y == 0].sum()), int((y == 0).sum())
        estimates += [
            _pooled(name, "accuracy", right, n, about, correct[name], fold),
            _pooled(name, "recall", found, malignant, about, correct[name], fold),
        ]
        values = [float(roc_auc_score(y[fold == k], scores[name][fold == k])) for k in range(10)]
        mean, sd = float(np.mean(values)), float(np.std(values, ddof=1))
        half = 1.96 * sd / math.sqrt(10)  # made up: no test looks at it
        estimates.append(
            Estimate(
                "cancer", "main", name, "roc_auc", mean, "mean_of_folds", mean, sd, 10, about,
                interval=Interval("cv_auc", 0.95, mean - half, min(1.0, mean + half)),
                folds=tuple(
                    FoldValue(0, k, None, value, int((fold != k).sum()), int((fold == k).sum()))
                    for k, value in enumerate(values)
                ),
            )
        )  # fmt: skip
    matrix = np.column_stack([correct[name] for name in LABELS])
    q = cochrans_q(matrix)
    omnibus = HypothesisTestResult(
        "cochran",
        "chi2",
        "all models have the same accuracy",
        Statistic("Q", float(q.statistic)),
        (float(q.df),),
        float(q.pvalue),
        models=tuple(LABELS),
        reject=bool(q.pvalue <= ALPHA),
        effects=(Effect("eta^2_Q", float(q.statistic) / (n * 3)),),
    )
    pairs = []
    for first, second in itertools.combinations(LABELS, 2):
        both = correct[first] & correct[second]
        only_first, only_second = (
            correct[first] & ~correct[second],
            correct[second] & ~correct[first],
        )
        a, b, c = int(both.sum()), int(only_first.sum()), int(only_second.sum())
        pairs.append(mcnemar((first, second), a, b, c, n - a - b - c))
    comparison = Comparison(
        0, "compare with cochran then mcnemar holm", "cancer", "main", "accuracy", ALPHA,
        Family(6, "holm", False), omnibus, holm(pairs), True, None,
    )  # fmt: skip
    return Results(
        SCHEMA,
        StudyRecord(
            "Four classifiers for breast cancer diagnosis", ("A. Researcher",), None, None, 2026,
            ALPHA, 0.95, "separate",
            (
                Default("study alpha", 0.05), Default("study confidence", 0.95),
                Default("study families", "separate"), Default("stratify by", "target"),
                Default("data missing", "refuse"), Default("measure recall average", "binary"),
                Default("compare mcnemar variant", "midp"), Default("model svm C", 1.0),
            ),
        ),
        SpecRecord("study.eval", digest(CANCER_STUDY),
                   (FileRecord("study.eval", digest(CANCER_STUDY)),), CANCER_STUDY),
        (
            DataRecord(
                "cancer", "Breast Cancer Wisconsin (Diagnostic)", 'sklearn("breast_cancer")',
                "table", "classification", n, 30, "target", ("0", "1"), "0",
                {"0": int((y == 0).sum()), "1": int((y == 1).sum())}, None, "cases", (),
                digest("cancer"), "scikit-learn load_breast_cancer", "10.1117/12.148698",
                positive_label="malignant",
            ),
        ),
        tuple(
            ModelRecord(name, label, pipeline, {}, "estimator")
            for (name, label), pipeline in zip(
                LABELS.items(),
                ("StandardScaler | LogisticRegression(max_iter=2000)", "StandardScaler | SVC",
                 "RandomForestClassifier(n_estimators=50)", "GaussianNB"),
                strict=True,
            )
        ),
        (
            ProtocolRecord("main", "cv", {"folds": 10, "shuffle": True}, "target", None, None, 10,
                           40, "stratified 10-fold cross-validation with shuffling"),
        ),
        tuple(estimates),
        (comparison,),
        (), (), (), (),
        (
            diagnostic(
                "W312", "pooled_predictions_describe_these_models", "hint",
                "tests and intervals treat the 569 out-of-fold predictions as independent, but "
                "the 10 training sets overlap",
                ("they describe the models fitted here and leave out the variation that a new "
                 "training set would bring",),
                "write `repeated cv` with `corrected_t` to compare the algorithms",
            ),
            diagnostic(
                "W341", "small_difference_needs_more_cases", "warning",
                "with 569 cases a difference below 2.4 points will often be missed", (), None,
                "the data set is what it is",
            ),
        ),
        (),
        provenance(),
        (
            FitWarning("cancer", "main", "logistic", "ConvergenceWarning",
                       "lbfgs failed to converge after 2000 iterations", 2),
        ),
        METHODS,
        REFERENCES,
    )  # fmt: skip


def diagnostic(
    code: str,
    name: str,
    severity: str,
    message: str,
    notes: tuple[str, ...] = (),
    help: str | None = None,  # noqa: A002 - the word of the contract
    allowed_because: str | None = None,
) -> Mapping[str, Any]:
    """Give a diagnostic as it stands in `results.json`."""
    return {
        "code": code, "name": name, "severity": severity, "message": message,
        "path": "study.eval", "range": None, "related": (), "notes": notes, "help": help,
        "url": None, "fixes": (), "allowed_because": allowed_because,
    }  # fmt: skip


def _pooled(
    model: str, metric: str, successes: int, n: int, about: str, correct: Any, fold: Any
) -> Estimate:
    values = [float(correct[fold == k].mean()) for k in range(10)]
    return Estimate(
        "cancer", "main", model, metric, successes / n, "pooled", float(np.mean(values)),
        float(np.std(values, ddof=1)), n, about, interval=wilson(successes, n),
        folds=tuple(
            FoldValue(0, k, None, value, int((fold != k).sum()), int((fold == k).sum()))
            for k, value in enumerate(values)
        ),
    )  # fmt: skip


# --- other designs, each a change of the one above ---------------------------------------


@cache
def holdout() -> Results:
    """Give two models on one holdout, one pair, gate and requirements with a subgroup."""
    whole = cancer()
    comparison = whole.comparisons[0]
    pair = replace(comparison.pairwise[0], p_adjusted=None, simultaneous=None, reject=False)
    single = replace(
        comparison,
        source="compare with mcnemar",
        family=Family(1, None, False),
        omnibus=None,
        pairwise=(pair,),
    )
    estimates = tuple(e for e in whole.estimates if e.model in ("logistic", "svm"))
    within = tuple(
        replace(e, subgroup=Subgroup("site", level), n=n, interval=wilson(round(n * 0.97), n),
                value=round(n * 0.97) / n, folds=())
        for level, n in (("north", 300), ("south", 269))
        for e in estimates
        if e.metric == "accuracy"
    )  # fmt: skip
    requirements = (
        Requirement(0, "require svm not worse than logistic by 2%", "noninferior", "cancer", "main",
                    "accuracy", ("svm", "logistic"), 0.02, None, None, True, -0.00703,
                    (-0.0186, 0.0046), 0.95, "bonett_price"),
        Requirement(1, "require recall of svm >= 95% within site", "level", "cancer", "main",
                    "recall", ("svm",), None, 0.95, Subgroup("site", "north"), False, 0.958,
                    (0.921, 0.978), 0.95, "wilson", notes=("80 positives only",)),
    )  # fmt: skip
    return replace(
        whole,
        study=replace(whole.study, title="Is the support vector machine as good?", authors=()),
        protocols=(
            ProtocolRecord("main", "holdout", {"test": 1 / 3}, "target", None, None, 1, 2,
                           "one stratified holdout of a third"),
        ),
        models=whole.models[:2],
        estimates=(*estimates, *within),
        comparisons=(single,),
        requirements=requirements,
        diagnostics=(),
        warnings=(),
    )  # fmt: skip


@cache
def regression() -> Results:
    """Give three tuned regressors under repeated cross-validation, compared by corrected t."""
    rng = np.random.default_rng(7)
    labels = {"ridge": "Ridge", "forest": "Random forest", "naive": "Mean only"}
    base = rng.normal(0, 0.4, 50)
    values = {
        "ridge": 44.0 + base + rng.normal(0, 0.5, 50),
        "forest": 43.6 + base + rng.normal(0, 0.9, 50),
        "naive": 66.0 + base + rng.normal(0, 0.6, 50),
    }
    estimates, about = [], "the algorithm, trained on 398 examples"
    for name, scores in values.items():
        low, high = _corrected_t(scores, 0.95)
        mean, sd = float(scores.mean()), float(scores.std(ddof=1))
        estimates.append(
            Estimate("diabetes", "main", name, "mae", mean, "mean_of_repeats", mean, sd, 50, about,
                     interval=Interval("corrected_t", 0.95, low, high))
        )  # fmt: skip
        r2 = 1 - (mean / 67) ** 2
        note = ("undefined in 2 folds, which are left out",) if name == "naive" else ()
        estimates.append(
            Estimate("diabetes", "main", name, "r2", None if name == "naive" else r2,
                     "mean_of_folds", r2, 0.05, 50, about, notes=note)
        )  # fmt: skip
    pairs = []
    for first, second in itertools.combinations(labels, 2):
        d = values[first] - values[second]
        low, high = _corrected_t(d, 0.95)
        wide = _corrected_t(d, 1 - 0.05 / 3)
        se = math.sqrt(d.var(ddof=1) * (1 / 50 + 44 / 398))
        t = float(d.mean() / se)
        p = float(2 * stats.t.sf(abs(t), 49))
        pairs.append(
            HypothesisTestResult(
                "corrected_t", "", "the two algorithms have the same mean absolute error",
                Statistic("t", t), (49.0,), p, (first, second), min(1.0, 3 * p), 3 * p <= 0.05,
                Difference("difference in mae", float(d.mean()), low, high, 0.95, "corrected_t"),
                SimultaneousInterval(*wide, 0.95, "Bonferroni"),
                (Effect("Cohen's d_z", float(d.mean() / d.std(ddof=1))),),
            )
        )  # fmt: skip
    comparison = Comparison(
        0, "compare with corrected_t bonferroni", "diabetes", "main", "mae", ALPHA,
        Family(3, "bonferroni", False), None, tuple(pairs), True, None,
    )  # fmt: skip
    against = replace(
        comparison, index=1, source="compare against naive with corrected_t holm exploratory",
        family=Family(2, "holm", True), against="naive",
        pairwise=tuple(replace(p, reject=None) for p in pairs if "naive" in p.models),
    )  # fmt: skip
    selections = tuple(
        Selection("diabetes", "main", "ridge", r, f, {"ridge__alpha": (0.1, 1.0)[(r + f) % 3 == 0]},
                  44.1, "best")
        for r in range(5)
        for f in range(10)
    )  # fmt: skip
    whole = cancer()
    return replace(
        whole,
        study=replace(whole.study, title="Predicting the progression of diabetes",
                      question="Does a forest predict progression better than ridge regression?"),
        spec=replace(whole.spec, canonical='evallang 1\nstudy "Diabetes"\n'),
        data=(
            replace(whole.data[0], name="diabetes", label="Diabetes", task="regression", n=442,
                    n_features=10, target="progression", classes=None, positive=None,
                    class_counts=None, unit="patients", cite=None, positive_label=None,
                    excluded=(Excluded("where age >= 18", 3),)),
        ),
        models=tuple(
            ModelRecord(name, label, name, {"ridge__alpha": (0.1, 1.0)} if name == "ridge" else {},
                        "estimator")
            for name, label in labels.items()
        ),
        protocols=(
            ProtocolRecord("main", "repeated_cv", {"folds": 10, "times": 5}, None, None, None, 50,
                           450, "5 times repeated 10-fold cross-validation"),
        ),
        estimates=tuple(estimates),
        comparisons=(comparison, against),
        selections=selections,
        failures=(
            Failure("inner", "diabetes", "main", "ridge", 0, 3, {"ridge__alpha": 0.0},
                    "LinAlgError", "singular matrix"),
        ),
        diagnostics=(),
        warnings=(),
    )  # fmt: skip


def _corrected_t(values: Any, level: float) -> tuple[float, float]:
    """Give Nadeau and Bengio's interval (2003, eq. 9) by scipy's t."""
    j = len(values)
    se = math.sqrt(float(np.var(values, ddof=1)) * (1 / j + 44 / 398))
    t = float(stats.t.ppf((1 + level) / 2, j - 1))
    return float(np.mean(values)) - t * se, float(np.mean(values)) + t * se


@cache
def counts() -> Results:
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
                       Family(2, "uncorrected", False), None, (pair,), True, None)
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
def gate_shut() -> Results:
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
def no_intervals() -> Results:
    """Give the first study as 5x2cv leaves it: fold values, no interval, no comparison."""
    whole = cancer()
    estimates = tuple(replace(e, interval=None) for e in whole.estimates)
    return replace(whole, estimates=estimates, comparisons=(), diagnostics=(), warnings=())


@cache
def many_data_sets() -> Results:
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
            )
        )  # fmt: skip
    omnibus = HypothesisTestResult(
        "friedman", "Iman-Davenport F", "all models have the same average rank",
        Statistic("F", 6.2), (4.0, 28.0), 0.001, names, reject=True,
        effects=(Effect("Kendall's W", 0.47, 0.3, 0.7),),
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
def hostile() -> Results:
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
