"""What other packages, papers and languages call the members of the catalogues.

Suggestions by spelling find typing errors. `auc`, `sensitivity` and `kfold` are not typing
errors: each is the word of another tool for something that has its own word here.
"""

import re
from collections.abc import Container, Mapping
from functools import lru_cache
from typing import Any

from evallang.metrics.metric import METRICS
from evallang.metrics.named import NAMES_ELSEWHERE
from evallang.registry import Registry
from evallang.stats.analyses.analysis import ANALYSES
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS

NOUNS = frozenset(
    {
        *("adjustment", "analysis", "confidence_interval", "ci", "correction", "curve", "error"),
        *("interval", "matrix", "method", "metric", "plot", "procedure", "score", "test"),
    }
)
"""What a name may be followed by elsewhere: `mcnemar_test`, `f1_score`."""

_FOLDS = re.compile(
    r"(?P<kind>repeated_|stratified_|group_|)(?P<number>[1-9][0-9]{0,5})_?folds?"
    r"(?:_(?:cv|cross_?val(?:idation)?))?"
)
_AVERAGED = re.compile(
    r"(?P<first>macro|micro|weighted)_(?P<metric>\w+)|(?P<base>\w+)_(?P<last>macro|micro|weighted)"
)

_SCORER = re.compile(r"neg_(?P<loss>\w+)|roc_auc_(?P<classes>ovr|ovo)")
"""Scorers of scikit-learn that are not called as the metric is."""

OTHER_NAMES: Mapping[str, Mapping[str, str]] = {
    "metric": NAMES_ELSEWHERE,
    "test": {
        "5x2cv": "5x2cv_f",
        "5x2cv_paired_t": "5x2cv_t",
        "cochran_q": "cochran",
        "cochrans_q": "cochran",
        "combined_ftest_5x2cv": "5x2cv_f",
        "correlated_t": "bayes_t",
        "corrected_resampled_t": "corrected_t",
        "equivalence": "tost",
        "exact_mcnemar": "mcnemar(exact)",
        "friedman_nemenyi": "friedman then nemenyi",
        "iman_davenport": "friedman",
        "mcnemar_exact": "mcnemar(exact)",
        "nadeau_bengio": "corrected_t",
        "nb_t": "corrected_t",
        "non_inferiority": "noninferiority",
        "paired_wilcoxon": "wilcoxon",
        "paired_t": "corrected_t",
        "paired_ttest_5x2cv": "5x2cv_t",
        "paired_ttest_kfold_cv": "corrected_t",
        "paired_ttest_resampled": "corrected_t",
        "signed_rank": "wilcoxon",
        "paired_t_test": "corrected_t",
        "student_t": "corrected_t",
        "student_t_test": "corrected_t",
        "t_test": "corrected_t",
        "ttest": "corrected_t",
        "ttest_rel": "corrected_t",
        "wilcoxon_signed_rank": "wilcoxon",
        "z_test": "proportions_z",
    },
    "interval": {
        "agresti": "agresti_coull",
        "bca": "bootstrap(method=bca)",
        "beta": "clopper_pearson",
        "exact": "clopper_pearson",
        "nadeau_bengio": "corrected_t",
        "normal": "wald",
        "percentile": "bootstrap(method=percentile)",
    },
    "correction": {
        "adjusted": "holm",
        "benjamini_hochberg": "fdr_bh",
        "benjamini_yekutieli": "fdr_by",
        "bh": "fdr_bh",
        "bonf": "bonferroni",
        "fdr": "fdr_bh",
        "bonferroni_holm": "holm",
        "corrected": "holm",
        "holm_bonferroni": "holm",
        "maxt": "max_t",
        "min_p": "max_t",
        "minp": "max_t",
        "none": "uncorrected",
        "romano_wolf": "max_t",
        "single_step": "max_t",
        "sup_t": "max_t",
        "westfall_young": "westfall",
    },
    "analysis": {
        "confusion_table": "confusion",
        "cost": "cost_curve",
        "dca": "decision_curve",
        "decision": "decision_curve",
        "detection_error_tradeoff": "det",
        "learning": "learning_curve",
        "learning_curves": "learning_curve",
        "precision_recall": "pr",
        "precision_recall_curve": "pr",
        "receiver_operating_characteristic": "roc",
        "reliability": "calibration",
        "reliability_diagram": "calibration",
        "tuning_curve": "tuning",
        "tuning_curves": "tuning",
        "validation_curve": "tuning",
    },
    "protocol": {
        "5x2": "5x2cv",
        "bootstrapping": "bootstrap",
        "cross_validation": "cv",
        "crossvalidation": "cv",
        "cross_val": "cv",
        "double_cv": "nested cv",
        "forward_chaining": "time_series",
        "group_kfold": "cv",
        "hold_out": "holdout",
        "jackknife": "leave_one_out",
        "k_fold": "cv",
        "k_fold_cv": "cv",
        "kfold": "cv",
        "leave_one_subject_out": "leave_one_group_out",
        "logo": "leave_one_group_out",
        "loo": "leave_one_out",
        "loocv": "leave_one_out",
        "loso": "leave_one_group_out",
        "mccv": "repeated holdout",
        "monte_carlo": "repeated holdout",
        "monte_carlo_cv": "repeated holdout",
        "nested": "nested cv",
        "nested_cross_validation": "nested cv",
        "repeated": "repeated cv",
        "repeated k_fold": "repeated cv",
        "repeated kfold": "repeated cv",
        "repeated_k_fold": "repeated cv",
        "repeated_kfold": "repeated cv",
        "rolling": "time_series",
        "repeatedkfold": "repeated cv",
        "repeatedstratifiedkfold": "repeated cv",
        "shuffle_split": "repeated holdout",
        "stratifiedkfold": "cv",
        "stratified cv": "cv",
        "stratified kfold": "cv",
        "stratified_k_fold": "cv",
        "stratified_kfold": "cv",
        "stratified_shuffle_split": "repeated holdout",
        "time_series_split": "time_series",
        "train_test_split": "holdout",
    },
}
"""Catalogue -> name elsewhere, in small letters with `_` -> what a study writes."""

OTHER_WORDS: Mapping[str, Mapping[str, str]] = {
    "class": {
        "adaboost": "AdaBoostClassifier",
        "boosting": "GradientBoostingClassifier",
        "catboost": "CatBoostClassifier",
        "decision_tree": "DecisionTreeClassifier",
        "dummy": "DummyClassifier",
        "gbm": "GradientBoostingClassifier",
        "gradient_boosting": "GradientBoostingClassifier",
        "k_nearest_neighbors": "KNeighborsClassifier",
        "kneighbors": "KNeighborsClassifier",
        "knn": "KNeighborsClassifier",
        "lda": "LinearDiscriminantAnalysis",
        "lightgbm": "LGBMClassifier",
        "linear_svm": "LinearSVC",
        "logistic": "LogisticRegression",
        "logit": "LogisticRegression",
        "logreg": "LogisticRegression",
        "mlp": "MLPClassifier",
        "naive_bayes": "GaussianNB",
        "neural_network": "MLPClassifier",
        "ols": "LinearRegression",
        "one_hot": "OneHotEncoder",
        "qda": "QuadraticDiscriminantAnalysis",
        "random_forest": "RandomForestClassifier",
        "scaler": "StandardScaler",
        "svm": "SVC",
        "tree": "DecisionTreeClassifier",
        "xgboost": "XGBClassifier",
    },
    "clause": {
        "ci": "interval",
        "cluster": "group",
        "confidence_interval": "interval",
        "description": "about",
        "filter": "where",
        "index": "id",
        "label": "target",
        "labels": "target",
        "level": "alpha",
        "na_values": "missing",
        "nominal": "categorical",
        "note": "about",
        "outcome": "target",
        "positive_class": "positive",
        "pos_label": "positive",
        "predictors": "features",
        "problem": "task",
        "random_seed": "seed",
        "random_state": "seed",
        "reference": "cite",
        "response": "target",
        "significance": "alpha",
        "subject": "group",
        "subset": "where",
        "type": "task",
        "unit_of_analysis": "unit",
        "y": "target",
        "y_true": "truth",
    },
    "option": {
        "cv": "folds",
        "inner_cv": "inner",
        "inner_folds": "inner",
        "k": "folds",
        "n": "times",
        "n_bins": "bins",
        "n_bootstrap": "rounds",
        "n_folds": "folds",
        "n_iter": "rounds",
        "n_permutations": "rounds",
        "n_repeats": "times",
        "n_resamples": "rounds",
        "n_splits": "folds",
        "outer_cv": "outer",
        "outer_folds": "outer",
        "repeats": "times",
        "repetitions": "times",
        "resamples": "rounds",
        "samples": "rounds",
        "splits": "folds",
        "test_size": "test",
        "val": "validation",
        "val_size": "validation",
    },
    "parameter": {
        "depth": "max_depth",
        "epochs": "max_iter",
        "eta": "learning_rate",
        "iterations": "max_iter",
        "k": "n_neighbors",
        "lr": "learning_rate",
        "n_trees": "n_estimators",
        "neighbors": "n_neighbors",
        "ntree": "n_estimators",
        "num_trees": "n_estimators",
        "regularization": "C",
        "trees": "n_estimators",
    },
}
"""What they call classes, clauses, options and parameters, likewise."""

CONSTANTS: Mapping[str, bool | None] = {
    **dict.fromkeys(("f", "false", "no", "off"), False),
    **dict.fromkeys(("on", "t", "true", "y", "yes"), True),
    **dict.fromkeys(("na", "nil", "none", "null", "undefined"), None),
}
"""How they spell the constants, in small letters."""


def other_word(what: str, word: str, known: Container[str]) -> str | None:
    """Return a word that a study writes for one from elsewhere, if it may stand here."""
    meant = OTHER_WORDS[what].get(word.casefold().replace("-", "_"))
    return meant if meant is not None and meant in known else None


def meant_by(what: str, word: str) -> str | None:
    """Return what a study writes for a name from elsewhere: `roc_auc` for `AUC`."""
    plain = word.casefold().replace("-", "_")
    return OTHER_NAMES.get(what, {}).get(plain) or _built(what, plain.replace(" ", "_"))


@lru_cache(maxsize=1024)
def _built(what: str, word: str) -> str | None:
    """Take a name apart: `10_fold_cv`, `recall_macro`, `mcnemar_test`."""
    known = OTHER_NAMES.get(what, {})
    if what == "protocol":
        folds = _FOLDS.fullmatch(word)
        if folds is None:
            return known.get(word)
        kind = "repeated " if folds["kind"] == "repeated_" else ""
        return f"{kind}cv folds={folds['number']}"
    if what not in _MEMBERS or is_member(what, word):
        return None
    scorer = _SCORER.fullmatch(word) if what == "metric" else None
    if scorer is not None:
        loss = scorer["loss"]
        if loss is None:
            return f"roc_auc(multi_class={scorer['classes']})"
        return loss if loss in METRICS else known.get(loss) or _built(what, loss)
    averaged = _AVERAGED.fullmatch(word) if what == "metric" else None
    if averaged is not None:
        metric = METRICS.get(averaged["metric"] or averaged["base"])
        if metric is not None and metric.option("average") is not None:
            return f"{metric.name}(average={averaged['first'] or averaged['last']})"
    for noun in NOUNS:
        stem = word.removesuffix(f"_{noun}")
        for name in (stem, stem.removesuffix("s")) if stem != word else ():
            if is_member(what, name) or name in known:
                return known.get(name, name)
    return None


def is_member(what: str, word: str) -> bool:
    """Return whether a catalogue has a word."""
    return word in _MEMBERS[what]


_MEMBERS: Mapping[str, Registry[Any]] = {
    "metric": METRICS,
    "test": HYPOTHESIS_TESTS,
    "interval": INTERVALS,
    "correction": CORRECTIONS,
    "analysis": ANALYSES,
}
