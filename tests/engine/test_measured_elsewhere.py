"""What numbers from files are taken for: direction, folds, seeds, scale, metrics, long tables."""

import statistics

import pytest
from many_cases import for_each
from studies import codes, errors_of, study

from evallang.api import run
from evallang.api.checked_file import StudyError
from evallang.metrics.named import named_metric

ERRORS = "dataset,linear,gbm,naive\n" + "".join(
    f"d{i},{row}\n"
    for i, row in enumerate(
        (
            "3.1,2.2,5.0",
            "4.0,3.1,6.2",
            "2.5,1.9,4.1",
            "6.1,5.0,8.8",
            "3.3,2.7,5.9",
            "1.9,1.5,3.0",
            "7.2,6.1,9.9",
            "2.8,2.0,4.4",
        )
    )
)
# Rows of ten folds each, three repeats
LDA = (
    *("1", ".93", ".87", ".8", ".8", ".93", ".93", "1", ".93", ".93"),
    *(".87", ".93", ".87", ".93", "1", "1", ".8", ".8", ".8", ".87"),
    *(".87", ".8", ".8", ".93", ".87", "1", ".87", "1", ".87", "1"),
)
CART = (
    *(".87", ".8", ".73", ".73", ".93", ".93", ".87", ".87", ".87", ".93"),
    *(".93", ".73", ".93", ".73", ".87", ".73", ".93", ".87", ".8", ".8"),
    *(".73", ".73", ".87", ".87", ".87", ".8", ".93", ".93", ".87", ".87"),
)
SPLITS = "split,c1,c2\n" + "".join(
    f"{i},{row}\n"
    for i, row in enumerate(
        (
            ".812,.845",
            ".798,.840",
            ".825,.831",
            ".803,.829",
            ".790,.838",
            ".817,.822",
            ".808,.849",
            ".831,.843",
            ".796,.836",
            ".802,.818",
        ),
        start=1,
    )
)
RANKS = "compare across data with friedman then wilcoxon holm\n"


def results_of(folder, text, **files):
    for name, content in files.items():
        (folder / f"{name}.csv").write_text(content, encoding="utf-8")
    return run(study(f"evallang 1\n{text}", folder))


def refused(folder, text, **files):
    with pytest.raises(StudyError) as raised:
        results_of(folder, text, **files)
    return [found.code for found in errors_of(raised)]


# --- direction -----------------------------------------------------------------------------------


@for_each(
    "metric", ["RMSE", "rmse", "Mean squared error", "log_loss", "Error rate", "brier", "MAE"]
)
def test_the_smallest_error_has_the_best_rank(tmp_path, metric):
    # by hand: gbm has the smallest value on every data set, naive the largest
    scale = 10 if "rate" in metric.lower() or metric == "brier" else 1
    table = (
        ERRORS
        if scale == 1
        else "".join(
            ",".join([line.split(",")[0], *(str(float(x) / 10) for x in line.split(",")[1:])])
            + "\n"
            if line[:1] == "d" and "linear" not in line
            else line + "\n"
            for line in ERRORS.splitlines()
        )
    )
    text = f'scores s from "f.csv"\n  dataset dataset\n  metric "{metric}"\n{RANKS}'
    results = results_of(tmp_path, text, f=table)
    assert results.comparisons[0].ranks.average == {"gbm": 1.0, "linear": 2.0, "naive": 3.0}
    stated = {d.clause: d.value for d in results.record.study.defaults}
    assert stated["scores s better"] == "lower"


@for_each(
    ("name", "better"),
    [
        ("CIFAR-10 test accuracy", "higher"),
        ("Top-1 accuracy (%)", "higher"),
        ("Percent_correct", "higher"),
        ("R\u00b2", "higher"),
        ("NDCG@10", "higher"),
        ("BLEU-4", "higher"),
        ("Mean absolute error (mm)", "lower"),
        ("LogLoss", "lower"),
        ("validation loss", "lower"),
        ("Hausdorff", "lower"),
        ("negative log-likelihood", "lower"),
        ("neg_log_loss", "higher"),
        ("1 - AUC", "lower"),
        ("1-NN error", "lower"),
        ("1 - mean AUC", "lower"),
        ("-RMSE", "higher"),
        ("1/RMSE", None),
        ("FPR@95TPR", "lower"),
        ("TPR@1%FPR", "higher"),
        ("log-likelihood (negative)", None),
        ("\u0394RMSE", None),
        ("attack success rate", None),
        ("survival time", None),
        ("classif.ce", "lower"),
        ("acc_test", "higher"),
        ("time to accuracy", None),
        ("error reduction", None),
        ("calibration_slope", None),
        ("score", None),
    ],
)
def test_a_name_brings_the_direction_that_it_has_in_the_field(name, better):
    found = named_metric(name)
    assert (None if found is None else found.better) == better


@for_each(
    ("lines", "expected"),
    [
        ("", {"E133"}),
        ('  metric "Effort"\n', {"E133"}),
        ('  metric "Effort"\n  lower is better\n', set()),
        ("  higher is better\n", set()),
        ('  metric "RMSE"\n  higher is better\n', {"W466"}),
    ],
)
def test_an_unknown_direction_is_asked_for(lines, expected):
    text = f'evallang 1\nscores s from "f.csv"\n  dataset d\n  models a, b\n{lines}'
    found = set(codes(text + "compare a, b across data with wilcoxon\n"))
    assert found & {"E133", "W466"} == expected


# --- what folds are ------------------------------------------------------------------------------


def test_folds_and_repeats_are_read_from_the_names_of_caret(tmp_path):
    # R: t = mean(d) / sqrt(var(d) (1/30 + 1/9)), 2 * pt(-t, 29): 1.431, .163
    rows = zip(LDA, CART, strict=True)
    table = "Resample,lda~Accuracy,cart~Accuracy\n" + "".join(
        f"Fold{i % 10 + 1:02}.Rep{i // 10 + 1},{a},{b}\n" for i, (a, b) in enumerate(rows)
    )
    text = (
        'scores r from "r.csv"\n  fold Resample\n  models lda as "lda~Accuracy", '
        'cart as "cart~Accuracy"\n  metric "Accuracy"\ncompare lda vs cart with '
    )
    (test,) = results_of(tmp_path, f"{text}corrected_t\n", r=table).comparisons[0].pairwise
    assert test.statistic.value == pytest.approx(1.431, abs=5e-4)
    assert test.p == pytest.approx(0.163, abs=5e-4)
    assert refused(tmp_path, f"{text}kfold_t\n", r=table) == ["E201"]


@for_each(
    ("clause", "t", "p"),
    [
        ("folds of holdout(test=1/3)", 2.15, 0.060),  # ratio 1/2
        ("folds of cv", 3.63, 0.005),  # ratio 1/9
    ],
)
def test_the_design_of_the_folds_decides_the_ratio(tmp_path, clause, t, p):
    # by hand: t = mean(d) / sqrt(var(d) (1/10 + ratio)), nine degrees of freedom
    text = f'scores r from "s.csv"\n  fold split\n  {clause}\n  metric "accuracy"\n'
    results = results_of(tmp_path, f"{text}compare c2 vs c1 with corrected_t\n", s=SPLITS)
    (test,) = results.comparisons[0].pairwise
    assert test.statistic.value == pytest.approx(t, abs=5e-3)
    assert test.p == pytest.approx(p, abs=5e-4)


@for_each(
    ("line", "code"),
    [
        ("compare c1 vs c2 with corrected_t\n", "E469"),
        ("compare c1 vs c2 with bayes_t\n", "E469"),
        ("require c1 not worse than c2 by 5%\n", "E469"),
        ("measure accuracy\n  interval corrected_t\n", "E469"),
        ("compare c1 vs c2 with kfold_t\n", "E201"),
    ],
)
def test_nothing_is_assumed_of_splits_that_nothing_names(tmp_path, line, code):
    text = f'scores r from "s.csv"\n  fold split\n  metric "accuracy"\n{line}'
    assert refused(tmp_path, text, s=SPLITS) == [code]


def test_stated_holdouts_have_the_interval_that_their_ratio_gives(tmp_path):
    # by hand: mean +- t(9, .975) sqrt(var (1/10 + (1/3) / (2/3))); scipy.stats.t.ppf(.975, 9)
    text = 'scores r from "s.csv"\n  fold split\n{}  metric "accuracy"\nmeasure accuracy\n'
    stated = results_of(tmp_path, text.format("  folds of holdout(test=1/3)\n"), s=SPLITS)
    (found,) = (e for e in stated.estimates if e.model == "c1")
    values = [float(line.split(",")[1]) for line in SPLITS.splitlines()[1:]]
    half = 2.2621571628540993 * (statistics.variance(values) * (1 / 10 + 1 / 2)) ** 0.5
    mean = statistics.mean(values)
    assert (found.interval.low, found.interval.high) == pytest.approx((mean - half, mean + half))
    unknown = results_of(tmp_path, text.format(""), s=SPLITS)
    assert {e.interval for e in unknown.estimates} == {None}


def test_sites_are_groups_and_their_scores_no_folds(tmp_path):
    table = "id,site,y,a,b\n" + "".join(
        f"{i},{'ABCDEFGH'[i % 8]},{y},{int(y != (i % 7 == 0))},{int(y != (i % 5 == 0))}\n"
        for i, y in enumerate([0, 1] * 80)
    )
    text = 'predictions q from "q.csv"\n  id id\n  truth y\n  models a, b\n  fold site\n'
    assert refused(tmp_path, f"{text}measure accuracy\n", q=table) == ["E134"]
    grouped = f"{text}  group site\nmeasure accuracy\ncompare with "
    assert refused(tmp_path, f"{grouped}corrected_t\n", q=table) == ["E201"]
    (test,) = results_of(tmp_path, f"{grouped}mcnemar\n", q=table).comparisons[0].pairwise
    assert test.p is not None


# --- seeds ---------------------------------------------------------------------------------------

SEEDS = "model,seed,accuracy\n" + "".join(
    f"{model},{seed},{value}\n"
    for model, values in {"vit": (0.921, 0.926, 0.918), "mixer": (0.905, 0.914, 0.908)}.items()
    for seed, value in enumerate(values)
)
RUNS = 'scores runs from "r.csv"\n  model model\n  score accuracy\n  metric "Accuracy"\n'


def test_seeds_have_a_mean_and_a_spread_and_no_test(tmp_path):
    # by hand: the mean of .921, .926 and .918, and their standard deviation
    results = results_of(tmp_path, f"{RUNS}  seed seed\n", r=SEEDS)
    found = {e.model: e for e in results.estimates}
    assert found["vit"].value == pytest.approx(0.9216666666666667)
    assert found["vit"].sd == pytest.approx(0.004041451884327383)
    assert {e.interval for e in results.estimates} == {None}
    line = "compare with corrected_t\n"
    assert refused(tmp_path, f"{RUNS}  seed seed\n{line}", r=SEEDS) == ["E201"]
    assert refused(tmp_path, f"{RUNS}  fold seed\n{line}", r=SEEDS) == ["E134"]


def test_a_fold_or_a_data_set_has_the_mean_over_its_seeds(tmp_path):
    rows = [
        (d, m, s, 0.5 + 0.02 * d + 0.01 * s + 0.1 * (m == "a"))
        for d in range(7)
        for m in "ab"
        for s in range(3)
    ]
    table = "set,model,seed,auc\n" + "".join(f"d{d},{m},{s},{v:.3f}\n" for d, m, s, v in rows)
    text = (
        'scores r from "r.csv"\n  dataset set\n  model model\n  score auc\n  seed seed\n'
        '  metric "AUC"\ncompare a vs b across data with wilcoxon\n'
    )
    (test,) = results_of(tmp_path, text, r=table).comparisons[0].pairwise
    assert test.p == pytest.approx(2 * 0.5**7)  # one of two orders of seven signs
    assert test.estimate.value == pytest.approx(0.1)


# --- scale ---------------------------------------------------------------------------------------


def test_percents_of_a_share_are_shares_and_stated(tmp_path):
    percents = "set,a,b\n" + "".join(f"d{i},{70 + i},{72 + i + i / 7:.4f}\n" for i in range(9))
    shares = "set,a,b\n" + "".join(
        f"d{i},{(70 + i) / 100},{(72 + i + i / 7) / 100:.6f}\n" for i in range(9)
    )
    text = (
        'scores r from "r.csv"\n  dataset set\n  metric "Accuracy"\n'
        "compare b vs a across data with bayes_signed_rank(rope=1%)\n"
    )
    of_percents, of_shares = (results_of(tmp_path, text, r=table) for table in (percents, shares))
    first, second = (found.comparisons[0].pairwise[0] for found in (of_percents, of_shares))
    assert first.extra["p_rope"] == pytest.approx(second.extra["p_rope"], abs=1e-9)
    assert first.estimate.value == pytest.approx(second.estimate.value, abs=1e-6)
    stated = {d.clause: d.value for d in of_percents.record.study.defaults}
    assert stated["r scale"] == "percent: 1% is one point"
    assert not any(d.option == "scale" for d in of_shares.record.study.defaults)
    assert refused(tmp_path, text.replace("1%", "1"), r=percents) == ["E492"]
    mixed = percents.replace("d3,73", "d3,0.73").replace("d5,75", "d5,-75")
    assert refused(tmp_path, text, r=mixed) == ["E492"]


# --- long tables ---------------------------------------------------------------------------------

LONG = "model,dataset,metric,value\n" + "".join(
    f"{m},{d},auc,{auc}\n{m},{d},acc,{acc}\n"
    for m, d, auc, acc in (
        ("a", "d1", 0.9, 0.8),
        ("b", "d1", 0.85, 0.7),
        ("a", "d2", 0.8, 0.7),
        ("b", "d2", 0.75, 0.6),
    )
)
TABLE = 'scores w from "w.csv"\n  dataset dataset\n  model model\n  score value\n'


@for_each(
    "lines",
    ['  metric "AUC"\n  where metric = auc\n', "  metric metric\nmeasure auc\n"],
)
def test_one_metric_of_a_long_table_is_measured(tmp_path, lines):
    results = results_of(tmp_path, f"{TABLE}{lines}", w=LONG)
    found = {e.value for e in results.estimates if e.model == "a"}
    assert found == {0.9, 0.8}  # as in the file; the mean with the accuracy would be .85
