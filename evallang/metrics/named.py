"""What the name of a metric says of numbers that were measured elsewhere."""

import re
from collections.abc import Mapping
from functools import cache

from msgspec import Struct

from evallang.metrics.metric import METRICS, Direction

NAMES_ELSEWHERE: Mapping[str, str] = {
    "acc": "accuracy",
    "ap": "average_precision",
    "area_under_the_curve": "roc_auc",
    "auc": "roc_auc",
    "auc_pr": "average_precision",
    "auc_roc": "roc_auc",
    "aucpr": "average_precision",
    "auprc": "average_precision",
    "auroc": "roc_auc",
    "avg_precision": "average_precision",
    "bacc": "balanced_accuracy",
    "balanced_acc": "balanced_accuracy",
    "bep": "break_even_point",
    "brier_loss": "brier",
    "brier_score_loss": "brier",
    "c_statistic": "roc_auc",
    "cohens_kappa": "cohen_kappa",
    "cross_entropy": "log_loss",
    "d2_absolute_error": "d2",
    "d2_pinball": "d2",
    "dice": "f1",
    "error": "error_rate",
    "exact_match": "accuracy",
    "expected_calibration_error": "ece",
    "f2": "fbeta(beta=2)",
    "f_score": "f1",
    "iou": "jaccard",
    "jaccard_index": "jaccard",
    "kappa": "cohen_kappa",
    "kendall_tau": "kendall",
    "kendalltau": "kendall",
    "matthews": "mcc",
    "matthews_corrcoef": "mcc",
    "mean_absolute_error": "mae",
    "mean_absolute_percentage_error": "mape",
    "mean_absolute_scaled_error": "mase",
    "mean_pinball_loss": "pinball",
    "mean_squared_error": "mse",
    "median_absolute_error": "medae",
    "misclassification_rate": "error_rate",
    "negative_predictive_value": "npv",
    "nll": "log_loss",
    "phi": "mcc",
    "pinball_loss": "pinball",
    "positive_predictive_value": "precision",
    "ppv": "precision",
    "pr_auc": "average_precision",
    "quantile_loss": "pinball",
    "r_squared": "r2",
    "rank_loss": "ranking_loss",
    "roc": "roc_auc",
    "root_mean_squared_error": "rmse",
    "sensitivity": "recall",
    "spearman_rho": "spearman",
    "spearmanr": "spearman",
    "symmetric_mean_absolute_percentage_error": "smape",
    "tau_b": "kendall",
    "tnr": "specificity",
    "top_k": "top_k_accuracy",
    "tpr": "recall",
    "true_negative_rate": "specificity",
    "true_positive_rate": "recall",
    "zero_one_loss": "error_rate",
}
"""Name of a metric elsewhere, in small letters with `_` -> what a study writes."""

_FURTHER_NAMES: Mapping[str, str] = {
    "area_under_roc": "roc_auc",
    "area_under_roc_curve": "roc_auc",
    "area_under_the_roc_curve": "roc_auc",
    "aupr": "average_precision",
    "c_index": "concordance",
    "classif_ce": "error_rate",
    "classification_error": "error_rate",
    "concordance_index": "concordance",
    "correct": "accuracy",
    "dice_coefficient": "f1",
    "dice_similarity_coefficient": "f1",
    "dsc": "f1",
    "em": "accuracy",
    "f_measure": "f1",
    "incorrect": "error_rate",
    "intersection_over_union": "jaccard",
    "map": "mean_average_precision",
    "misclassification_error": "error_rate",
    "miou": "jaccard",
    "mrr": "mean_reciprocal_rank",
    "negative_log_likelihood": "log_loss",
    "rmsd": "rmse",
    "root_mean_square_error": "rmse",
    "rsq": "r2",
    "true_positives_rate": "recall",
}
"""Names of numbers in files, which no line of a study would use."""

_SHARES: Mapping[Direction, str] = {
    "higher": "agreement gini gmean hit_rate hits pass pass_rate solve_rate success_rate win_rate",
    "lower": "eer equal_error_rate failure_rate false_alarm_rate false_discovery_rate "
    "false_negative_rate false_positive_rate fdr fnr fpr miss_rate",
}
"""Shares from 0 to 1 that the catalogue does not compute."""

_OTHERS: Mapping[Direction, str] = {
    "higher": "ari bert_score bleu chrf cider comet correlation elbo elo fps inception_score "
    "likelihood log_likelihood meteor mutual_information nmi pearson pearson_correlation profit "
    "psnr return reward rouge rouge_l silhouette ssim throughput utility youden",
    "lower": "ade aic assd bic bits_per_byte bits_per_character bpb bpc cer character_error_rate "
    "cost crps deviance divergence epe error errors fde fid hamming "
    "hausdorff hausdorff_distance hd hd95 hinge huber kid kl latency loss lpips mpjpe msle mre "
    "nrmse perplexity ppl regret rmsle runtime seconds surface_distance ter wasserstein "
    "wasserstein_distance wer word_error_rate",
}
"""Other numbers that the catalogue does not compute."""

_REVERSING = frozenset({"minus", "neg", "negated", "negative"})
_MINUS = re.compile(r"\s*(?:1\s*)?[-\u2013\u2212]\s*[^\W\d]")
_UNCLEAR = frozenset(
    {
        *("at", "attack", "delta", "difference", "drop", "for", "gain", "gap", "improvement"),
        *("inverse", "log", "of", "per", "rank", "reciprocal", "reduction", "to", "until", "vs"),
        "\u03b4",
    }
)
"""Words before a known name that leave open which direction is better."""
_COUNTS = frozenset({"count", "n", "no", "num", "number", "total"})
"""Words before the name of a share that make it a count: `number of errors`."""
_AFTER = frozenset(
    {
        *("at", "average", "avg", "coefficient", "cv", "in", "macro", "mean", "micro", "none"),
        *("norm", "ovo", "ovr", "pct", "percent", "percentage", "rate", "score", "statistic"),
        *("test", "val", "valid", "validation", "value", "weighted"),
    }
)
"""Words behind a known name that change nothing."""
_BRACKETS = re.compile(r"[(\[{][^()\[\]{}]{0,200}[)\]}]")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+|\d+")


class NamedMetric(Struct, frozen=True):
    """What a name says: the better direction, and the metric of the catalogue that it means.

    `name` is the canonical name of a metric of the catalogue, else None. `share` states that its
    values lie between 0 and 1; `low` and `high` bound them, None where they are unbounded or
    conventions differ.
    """

    better: Direction
    name: str | None = None
    share: bool = False
    low: float | None = None
    high: float | None = None


@cache
def named_metric(name: str) -> NamedMetric | None:
    """Return what the name of a metric says, None if it is unknown.

    Case and punctuation are ignored, and so are words around a known name: `CIFAR-10 test
    accuracy`, `Mean absolute error (mm)`, `NDCG@10`.
    """
    text = _BRACKETS.sub(" ", name.partition("@")[0]).replace("\u00b2", "2").replace("^", "")
    words = [word.casefold() for word in _WORDS.findall(text)]
    if not _REVERSING.isdisjoint(map(str.casefold, _WORDS.findall(name))) and _REVERSING.isdisjoint(
        words
    ):  # such as `log-likelihood (negative)`
        return None
    while words:
        for start in range(len(words)):
            found = _known().get("".join(words[start:]))
            before = set(words[:start])
            if found is None:
                continue
            if before & _UNCLEAR or "/" in name[:2]:  # 1/RMSE
                return None
            nearest = name.lstrip()[1:2] == "-" and start > 1  # 1-NN error
            if before & _REVERSING or (_MINUS.match(name) and not nearest):
                return _reversed(found)
            return NamedMetric(found.better) if before & _COUNTS else found
        if not (words[-1] in _AFTER or words[-1].isdigit()):
            return None
        words.pop()
    return None


@cache
def _known() -> Mapping[str, NamedMetric]:
    found: dict[str, NamedMetric] = {}
    for shares, listed in ((True, _SHARES), (False, _OTHERS)):
        for better, names in listed.items():
            bounds = (0.0, 1.0) if shares else (None, None)
            entry = NamedMetric(better, None, shares, *bounds)
            found |= {_squashed(name): entry for name in names.split()}
    for metric in METRICS:
        declared = metric.declaration
        if declared.better == "nearest":
            continue
        share = (declared.low, declared.high) == (0, 1)
        high = declared.high if declared.high == 1 else None  # others differ by a factor
        found[_squashed(metric.name)] = NamedMetric(
            declared.better, metric.name, share, declared.low, high
        )
    for other, own in (*NAMES_ELSEWHERE.items(), *_FURTHER_NAMES.items()):
        found.setdefault(_squashed(other), found[own.partition("(")[0].replace("_", "")])
    return found


def _squashed(name: str) -> str:
    return name.replace("_", "")


def _reversed(found: NamedMetric) -> NamedMetric:
    """Return what the negative of a metric says, or one minus the metric."""
    return NamedMetric("lower" if found.better == "higher" else "higher")
