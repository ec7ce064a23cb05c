"""Words that the language states and this version cannot run yet: refused by E901, never ignored.

A word leaves this list on the day its method is registered; a test compares the two.
"""

METRICS = frozenset(
    {
        "macro_f1_pr", "break_even_point", "ranking_loss", "ece", "calibration_intercept",
        "calibration_slope", "net_benefit", "top_k_accuracy", "cost_curve_area", "pinball",
        "d2", "ppv",
    }
)  # fmt: skip
TESTS = frozenset(
    {
        "binomial", "delong", "permutation", "bootstrap", "t", "wilcoxon", "diebold_mariano",
        "single_t", "bayes_t", "friedman", "friedman_aligned", "quade", "sign", "nemenyi",
        "bonferroni_dunn", "bayes_sign", "bayes_signed_rank", "tost", "noninferiority",
    }
)  # fmt: skip
INTERVALS = frozenset({"takahashi"})
CORRECTIONS = frozenset({"shaffer", "bergmann_hommel", "westfall"})
DESIGNS = frozenset(
    {"bootstrap", "resubstitution", "leave_p_out", "leave_one_group_out", "time_series"}
)
"""Protocols that split, and whose estimates and intervals are not measured yet."""
ANALYSES = frozenset(
    {
        "learning_curve", "bias_variance", "roc", "pr", "det", "cost_curve", "decision_curve",
        "calibration", "confusion", "tuning", "stability", "agreement", "power",
    }
)  # fmt: skip
FORMATS = frozenset({"latex", "markdown", "csv"})
