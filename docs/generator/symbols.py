"""What the symbols of the equations mean, by what a metric needs of a model."""

import re
from collections.abc import Iterator

Meanings = tuple[tuple[str, str], ...]

OF_ALL: Meanings = (
    ("n", "the number of test rows, or the sum of their weights"),
    ("[", "1 where the condition in the brackets is true, else 0"),
)
BY_NEEDS: dict[str, Meanings] = {
    "labels": (
        ("C_{ij}", "the number of rows of class i that are predicted as class j"),
        ("C_{ii}", "the number of rows of class i that are predicted as it"),
        ("C_{ji}", "the number of rows of class j that are predicted as class i"),
        ("M_{ij}", "the cost of predicting class j for a row of class i"),
        ("k", "the number of classes"),
        ("TP", "the rows of the class that are predicted as it"),
        ("FP", "the other rows that are predicted as the class"),
        ("FN", "the rows of the class that are predicted as another"),
        ("TN", "the other rows that are not predicted as the class"),
        ("TP_c", "the rows of class c that are predicted as it"),
        ("FP_c", "the other rows that are predicted as class c"),
        ("FN_c", "the rows of class c that are predicted as another"),
    ),
    "probabilities": (
        ("y_i", "the true class of row i; 1 for the positive of two classes, 0 for the negative"),
        ("p_i", "the predicted probability of the positive class"),
        ("p_{ic}", "the predicted probability of class c"),
        ("p_{i, y_i}", "the predicted probability of the true class"),
        ("TP_t", "the positive rows with a probability of at least t"),
        ("FP_t", "the negative rows with a probability of at least t"),
        ("n_b", "the number of rows whose probability is in bin b"),
        (r"\bar{p}_b", "their mean probability"),
        (r"\bar{y}_b", "the share of them that are positive"),
        (r"\bar{y}", "the share of all rows that are positive"),
        (r"\hat{\beta}", "the slope of greatest likelihood"),
        (r"\hat{\alpha}", "the intercept of greatest likelihood"),
    ),
    "scores": (
        ("y_i", "the true class of row i; 1 for the positive of two classes, 0 for the negative"),
        ("s_i", "the score of row i"),
        ("s_{i, y_i}", "the score that row i has for its true class"),
        ("s_{i (k)}", "the k-th highest score of row i"),
        ("n_1", "the number of positive rows"),
        ("n_0", "the number of negative rows"),
        ("P_t", "the precision where rows with a score of at least t are predicted positive"),
        ("R_t", "their recall; the thresholds t are the distinct scores, from the highest down"),
        ("FNR_t", "the share of the positive rows with a score below t"),
        ("FPR_t", "the share of the negative rows with a score of at least t"),
        (r"\Phi^{-1}", "the normal deviate of a share"),
        ("x", "the probability cost of the positive class"),
    ),
    "values": (
        ("y_i", "the true value of row i"),
        (r"\hat{y}_i", "the predicted value of row i"),
        (r"\bar{y}", "the mean of the true values of the same test part"),
        ("y_q", "their quantile, the best constant prediction"),
        ("C - D", "the pairs of rows in the same order by truth and prediction less those in the "
                  "opposite order"),
        ("n_y", "the number of pairs that differ in the truth"),
        (r"n_{\hat{y}}", "the number of pairs that differ in the prediction"),
    ),
    "ranges": (
        ("y_i", "the true value of row i"),
        ("l_i", "the lower bound of its interval"),
        ("u_i", "the upper bound of its interval"),
    ),
    "risks": (
        (r"i \prec j", "the pairs whose earlier time, that of i, is the time of an event"),
        ("r_i", "the risk of row i"),
    ),
    "rankings": (
        ("Q", "the number of queries q"),
        ("g_i", "the relevance of row i"),
        ("g_{(r)}", "the gain at place r: the relevance, or 2 to its power less 1"),
        ("n_q", "the number of relevant rows of the query"),
        ("P_q(s_i)", "the share of relevant rows among those with at least the score of row i"),
        (r"\max DCG_q", "the same sum in the best order"),
    ),
    "ratings": (
        ("n", "the number of ratings of examples with two or more"),
        ("x_{ui}", "a rating of example u"),
        ("m_u", "the number of ratings of the example"),
        (r"\delta^2(c, k)", "the disagreement of two ratings"),
        ("n_c", "the number of ratings c"),
        ("N", "the number of examples i with all ratings"),
        ("m", "the number of judges"),
        ("n_{ic}", "the number of judges who rate the example as c"),
    ),
    "verdicts": (
        (r"\hat{y}_i", "the label of the judge; 1 where it is positive"),
        (r"\mathrm{Se}", "the sensitivity of the judge in rows with a label by humans"),
        (r"\mathrm{Sp}", "its specificity in these rows"),
    ),
    "repeats": (
        ("Q", "the number of examples q"),
        ("n_q", "the number of answers to the example"),
        ("c_q", "the number of those that are right"),
    ),
}  # fmt: skip


WORDS = r"\\mathrm\{[^}]*\}"
COMMAND = r"\\[a-zA-Z]+"


def symbols_in(equation: str, needs: str) -> Iterator[tuple[str, str]]:
    """Iterate over the symbols of an equation and their meanings; longer symbols go first."""
    meanings = dict((*BY_NEEDS.get(needs, ()), *OF_ALL))
    longest = sorted(meanings, key=len, reverse=True)
    names = (re.escape(s) + (r"(?![A-Za-z_])" if s != "[" else "") for s in longest)
    found = set(re.findall("|".join((WORDS, *names, COMMAND)), equation))
    return ((symbol, meaning) for symbol, meaning in meanings.items() if symbol in found)
