"""Results to draw: built here from scikit-learn and scipy, never by the engine under test.

Where a test looks at a number, it is computed by a library (scikit-learn's fits and
metrics, scipy's distributions, statsmodels' Wilson interval and Cochran's Q); intervals
of ranking metrics are plainly made up from the spread of the folds.
"""

import itertools
import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from drawn_statistics import ALPHA, digest, holm, mcnemar, provenance, wilson
from drawn_works import METHODS, REFERENCES
from msgspec.structs import replace

from evallang.checking.resolve_study import stated_settings
from evallang.results.records import (
    SCHEMA,
    Comparison,
    DataRecord,
    Default,
    Effect,
    Estimate,
    Family,
    FileRecord,
    FitWarning,
    FoldValue,
    HypothesisTestResult,
    Interval,
    ModelRecord,
    ProtocolRecord,
    Requirement,
    ResultsRecord,
    SpecRecord,
    Stated,
    Statistic,
    StudyRecord,
    Subgroup,
)
from evallang.source import SourceFile
from evallang.stats.decisions import state_disagreements
from evallang.syntax.parser import parse_lines

LABELS = {
    "logistic": "Logistic regression",
    "svm": "SVM (RBF)",
    "forest": "Random forest",
    "bayes": "Gaussian naive Bayes",
}
HOSTILE = 'R"><b>&_%</title><script>alert(1)</script>\x1b[31m\u202e=1+1'


def stated(text: str) -> tuple[Stated, ...]:
    """Return the statements and clauses of a study text."""
    return stated_settings(parse_lines(SourceFile("study.eval", text)).study.statements, ())


CANCER_STUDY = """\
evallang 1

study "Four classifiers for breast cancer diagnosis"
  seed 2026

data cancer "Breast Cancer Wisconsin (Diagnostic)" from sklearn breast_cancer
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
def cancer() -> ResultsRecord:
    """Give the study of `look/page-1.png`: four classifiers, ten folds, Cochran then McNemar."""
    from sklearn.metrics import roc_auc_score
    from statsmodels.stats.contingency_tables import cochrans_q

    y, predictions, scores, fold = _cancer_predictions()
    n = len(y)
    about = "the average of the 10 models fitted here, not to a new training set"
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
        "all {models} have the same {accuracy}",
        Statistic("Q", float(q.statistic)),
        (float(q.df),),
        float(q.pvalue),
        models=tuple(LABELS),
        reject=bool(q.pvalue <= ALPHA),
        effects=(
            Effect("eta^2_Q", float(q.statistic) / (n * 3), None, None, "share", False, "η²"),
        ),
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
    decided = tuple(state_disagreements(p, ALPHA, conservative=True) for p in holm(pairs))
    comparison = Comparison(
        0, "compare with cochran then mcnemar holm", "cancer", "main", "accuracy", ALPHA,
        Family(6, "holm", False, "Holm"), omnibus, decided, True, None,
    )  # fmt: skip
    return ResultsRecord(
        SCHEMA,
        StudyRecord(
            "Four classifiers for breast cancer diagnosis", ("A. Researcher",), None, None, 2026,
            ALPHA, 0.95, "separate",
            (
                Default("study alpha", 0.05, "study", "alpha"),
                Default("study confidence", 0.95, "study", "confidence"),
                Default("study families", "separate", "study", "families"),
                Default("stratify", "by target", "stratify", subject="target"),
                Default("recall average", "binary", "metric", "average", "recall"),
                Default("mcnemar method", "midp", "test", "method", "mcnemar"),
            ),
        ),
        SpecRecord("study.eval", digest(CANCER_STUDY),
                   (FileRecord("study.eval", digest(CANCER_STUDY)),), CANCER_STUDY,
                   stated=stated(CANCER_STUDY)),
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
                           40, "stratified 10-fold cross-validation with shuffling",
                           short="10-fold CV", shuffled=True, shared_training="partition"),
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
    """Give a diagnostic as it is in `results.json`."""
    return {
        "code": code, "name": name, "severity": severity, "message": message,
        "path": "study.eval", "range": None, "related": (), "notes": notes, "help": help,
        "url": f"reference/codes/{code}.html", "fixes": (), "allowed_because": allowed_because,
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
def holdout() -> ResultsRecord:
    """Give two models on one holdout, one pair, gate and requirements with a subgroup."""
    whole = cancer()
    comparison = whole.comparisons[0]
    pair = replace(
        comparison.pairwise[0],
        p_adjusted=None,
        simultaneous=None,
        reject=False,
        disagreements=(),
        notes=(),
    )
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
                    (0.921, 0.978), 0.95, "wilson", notes=("80 positives only",),
                    operator=">="),
    )  # fmt: skip
    return replace(
        whole,
        study=replace(whole.study, title="Is the support vector machine as good?", authors=()),
        protocols=(
            ProtocolRecord("main", "holdout", {"test": 1 / 3}, "target", None, None, 1, 2,
                           "one stratified holdout of a third", short="holdout",
                           shuffled=True),
        ),
        models=whole.models[:2],
        estimates=(*estimates, *within),
        comparisons=(single,),
        requirements=requirements,
        diagnostics=(),
        warnings=(),
    )  # fmt: skip
