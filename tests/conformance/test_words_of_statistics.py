"""Every method, option and variant of the numeric core is a word of the language."""

import re

import pytest
from many_cases import for_each
from studies import checked

from evallang.manual.explanations import illustration
from evallang.metrics.metric import METRICS
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS

PREDICTIONS = """evallang 1
predictions p from "p.csv"
  truth y
  models a, b, c
  score a = "sa"
  score b = "sb"
  score c = "sc"
{more}measure {measure}
{line}
"""
NUMBERS = """evallang 1
predictions p from "p.csv"
  truth y
  models a, b, c
  task regression
measure {measure}
{line}
"""
SCORES = """evallang 1
scores s from "s.csv"
  dataset name
  models a, b, c
  metric "AUC"
{line}
"""
FITTED = """evallang 1
data cancer from sklearn breast_cancer
model a = GaussianNB
model b = DecisionTreeClassifier(max_depth=2)
protocol {protocol}
measure {measure}
{line}
"""
READERS = "  id image\n  reader radiologist random\n"
FOLDS, GROUPS = "  fold fold\n", "  group site\n"


def on_rows(*lines, measure="accuracy", more=""):
    return [PREDICTIONS.format(line=line, measure=measure, more=more) for line in lines]


def on_numbers(*lines):
    return [NUMBERS.format(line=line, measure="mse") for line in lines]


def over_data(*lines):
    return [SCORES.format(line=line) for line in lines]


def fitted(protocol, *lines, measure="accuracy"):
    return [FITTED.format(line=line, protocol=protocol, measure=measure) for line in lines]


def intervals(metric, *names, more=""):
    return [
        PREDICTIONS.format(line="", measure=f"{metric}\n  interval {name}", more=more)
        for name in names
    ]


SECTIONS = {
    "1 intervals": [
        *intervals("accuracy", "wald", "wilson", "clopper_pearson", "agresti_coull", "jeffreys"),
        *intervals("accuracy", "bootstrap(method=percentile)", "bootstrap(basic)",
                   "bootstrap(bca, rounds=2000)", "bootstrap(se)", "delta"),
        *intervals("accuracy", "t", "corrected_t", "corrected_t(test_train_ratio=1/9)", more=FOLDS),
        *intervals("balanced_accuracy", "sum_of_shares"),
        *intervals("roc_auc", "delong"),
        *intervals("accuracy", "obuchowski_rockette", more=READERS),
        *intervals("roc_auc", "cv_auc", more=FOLDS),
        *fitted("cv folds=5", "", measure="brier\n  interval cv_clt"),
        *fitted("cv folds=5", "", measure="brier\n  interval nested_cv(repeats=100)"),
        *fitted("cv folds=5", "", measure="brier\n  interval cv_clt(within_fold)"),
        *fitted("holdout", "", measure="brier\n  interval wild_clusters(rounds=999)"),
        *fitted("time_series folds=5", "", measure="brier\n  interval newey_west(lag=10)"),
        *on_rows("", measure="calibration_slope\n  interval jackknife"),
        *fitted("cv folds=5", "", measure="roc_auc\n  interval multiclass_auc"),
        *on_rows("compare a, b with mcnemar(tango)", "compare a, b with mcnemar(newcombe)",
                 "compare a, b with mcnemar(interval=bonett_price)",
                 "compare a, b with mcnemar(agresti_min)", "compare a, b with mcnemar(wald)"),
        *on_rows("compare with mcnemar holm", "compare with cochran then mcnemar holm",
                 more=GROUPS),
        *on_rows("compare with delong by roc_auc", measure="roc_auc", more=GROUPS),
    ],
    "2 tests on one prediction per example": [
        *on_rows(*(f"compare with mcnemar({method}) holm"
                   for method in ("midp", "exact", "corrected", "chi2", "textbook"))),
        *on_rows("compare with cochran", "compare with cochran(chi2) then mcnemar",
                 "compare with cochran(exact) then mcnemar", "compare with looney_f then mcnemar",
                 "compare with proportions_z uncorrected",
                 "compare with binomial(threshold=20%) holm",
                 "compare a, b with bayes_mcnemar(rope=2%)",
                 "compare with mcnemar by recall", "compare with mcnemar by specificity",
                 "compare a, b with mcnemar(alternative=greater)",
                 "compare with permutation(rounds=500) holm", "compare with permutation(block=5)",
                 "compare with permutation by mcc", "compare with bootstrap by f1",
                 "compare a, b with bootstrap(percentile, rounds=2000)",
                 "compare with mcnemar westfall", "compare with mcnemar westfall(bootstrap)"),
        *on_rows("compare with delong", "compare a, b with delong", "compare with permutation",
                 "compare a vs b, b vs c with delong holm", measure="roc_auc"),
        *on_rows("compare with paired_recalls", measure="balanced_accuracy"),
        *on_rows("compare with delong", measure="roc_auc", more=FOLDS),
        *on_rows("compare with obuchowski_rockette then obuchowski_rockette holm",
                 "compare a vs b with obuchowski_rockette(alternative=greater) by accuracy",
                 measure="roc_auc, accuracy", more=READERS),
        *on_numbers("compare with t", "compare with wilcoxon", "compare with permutation",
                    "compare with diebold_mariano", "compare with diebold_mariano(horizon=3)",
                    "compare with diebold_mariano(newey_west)"),
    ],
    "3 tests on scores per fold": [
        *on_rows("compare a, b with kfold_t", "compare with corrected_t",
                 "compare a, b with corrected_t(test_train_ratio=1/9)",
                 "compare a with single_t(threshold=0.8)", "compare with bayes_t",
                 "compare with bayes_t(rope=2%)", more=FOLDS),
        *fitted("repeated holdout times=10", "compare with resampled_t"),
        *fitted("cv folds=5", "compare with 5x2cv_t", "compare with 5x2cv_t(numerator=first)",
                "compare with 5x2cv_t(mean)", "compare with 5x2cv_f"),
    ],
    "4 tests over many data sets": over_data(
        "compare across data with friedman", "compare across data with friedman(ties=ignore)",
        "compare across data with friedman(exact) then wilcoxon shaffer",
        "compare across data with friedman(chi2) then nemenyi",
        "compare across data with friedman(F, missing=worst)",
        "compare across data with friedman_aligned then wilcoxon bergmann_hommel",
        "compare across data with quade then wilcoxon",
        "compare across data with wilcoxon(zeros=pratt)",
        "compare across data with wilcoxon(split) hommel",
        "compare across data with wilcoxon(missing=worst)", "compare across data with sign",
        "compare across data with sign(split)", "compare across data with nemenyi",
        "compare against c across data with bonferroni_dunn",
        "compare across data with bayes_sign", "compare across data with bayes_signed_rank",
        "compare across data with bayes_signed_rank(rope=1%)",
    ),
    "5 corrections": on_rows(*(
        f"compare with {'bootstrap' if 'resampled' in entry.inputs else 'mcnemar'} {entry.name}"
        for entry in CORRECTIONS)),
    "6 equivalence": on_rows(
        "compare a, b with tost(margin=2%)", "compare a, b with noninferiority(margin=2%)",
        "require a not worse than b by 2%", "require a equivalent to b within 3% at 90%",
    ),
}  # fmt: skip


TEXTS = [
    pytest.param(text, id=f"{section}-{number}")
    for section, texts in SECTIONS.items()
    for number, text in enumerate(texts)
] + [
    pytest.param(text, id=f"{entry.kind}-{entry.name}")
    for registry in (METRICS, HYPOTHESIS_TESTS, INTERVALS)
    for entry in registry
    if (text := illustration(entry)) is not None
]
CALL = r"\w+(?:\((?:[^()]|\([^()]*\))*\))?"


def sound(text):
    """Give the study of a text that is free of errors."""
    found = checked(text)
    assert [d.message for d in found.diagnostics if d.severity == "error"] == []
    return found.study


@for_each("text", TEXTS)
def test_a_study_may_say_it_and_what_is_printed_of_it_says_the_same(text):
    meant = sound(text)
    if len(meant.measures) == 1 and re.fullmatch(CALL, meant.measures[0].metric.written):
        (measure,) = meant.measures
        printed = f"measure {measure.metric.written}"
        again = re.sub(rf"^measure {CALL}", lambda _: printed, text, count=1, flags=re.MULTILINE)
        if measure.interval is not None:
            printed_interval = f"  interval {measure.interval.written}"
            again = re.sub(rf"  interval {CALL}", lambda _: printed_interval, again, count=1)
        (other,) = sound(again).measures
        assert (other.metric, other.interval) == (measure.metric, measure.interval)
    if len(meant.comparisons) == 1 and " then " not in text:
        test = meant.comparisons[0].test
        again = re.sub(rf" with {CALL}", lambda _: f" with {test.written}", text, count=1)
        assert sound(again).comparisons[0].test == test


def test_every_test_and_interval_is_said_somewhere():
    said = " ".join(text for (text,) in (case.values for case in TEXTS))
    # `mcnemar(wald)`; a study of its own kind; `proportions_z` on shares
    by_difference = {"paired_wald", "takahashi", "newcombe_independent"}
    by_difference |= {e.name for e in INTERVALS if e.declaration.form == "strata"}  # of averages
    for entry in (*HYPOTHESIS_TESTS, *INTERVALS):
        assert entry.name in said or entry.name in by_difference, (
            f"declare `example` of {entry.name}: lines of a study that use it"
        )
