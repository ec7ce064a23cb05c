"""Networks that were trained with several seeds, each of which predicts every example."""

from functools import partial

import numpy as np
import pytest
from many_cases import for_each
from scipy import stats
from sklearn import metrics
from studies import codes, study, write_rows

from evallang.api import check, run
from evallang.api.checked_file import StudyError
from evallang.metrics.ranking import roc_auc

N, SEEDS = 60, 4
RNG = np.random.default_rng(8)
TRUTH = np.arange(N) % 2
SCORES = (
    (2 * TRUTH - 1)[:, None, None]
    * (np.array([0.8, 1.3])[:, None] + RNG.normal(0, 0.3, (2, SEEDS)))
    + RNG.normal(size=(N, 1, 1))
    + RNG.normal(size=(N, 2, SEEDS))
)
RIGHT = (SCORES > 0) == TRUTH[:, None, None]
HEAD = 'evallang 1\npredictions preds from "p.csv"\n  id image\n  seed run\n  unit "images"\n'
OF_SCORES = f"{HEAD}  truth y\n  positive 1\n  score a = a\n  score b = b\n"
JUDGED = f"{HEAD}  correct a as ra, b as rb\n"


@pytest.fixture
def table(tmp_path):
    rows = [
        (f"i{i:02}", s, TRUTH[i], *SCORES[i, :, s], *RIGHT[i, :, s].astype(int), i % 12)
        for s in range(SEEDS)
        for i in range(N)
    ]
    RNG.shuffle(rows)
    write_rows(tmp_path, "p.csv", "image,run,y,a,b,ra,rb,patient", rows)
    return tmp_path


def of_two_way_analysis(values):
    """Return estimate, standard error and degrees of freedom by mean squares of two-way tables.

    `values` is (n, 2, J). Of each model var = (MS(seeds) + MS(examples) - MS(rest))/(n J), and the
    examples in common are those of the examples' means over seeds.
    """
    n, _, j = values.shape
    of_seeds, shared, own = [], [], []
    for x in (values[:, 0], values[:, 1]):
        rows, columns, whole = x.mean(1, keepdims=True), x.mean(0, keepdims=True), x.mean()
        ms_seeds = n * ((columns - whole) ** 2).sum() / (j - 1)
        ms_rows = j * ((rows - whole) ** 2).sum() / (n - 1)
        ms_rest = ((x - rows - columns + whole) ** 2).sum() / ((n - 1) * (j - 1))
        of_seeds.append(ms_seeds / (n * j))
        own.append((ms_rows - ms_rest) / (n * j))
        shared.append(rows[:, 0])
    common = np.cov(*shared)[0, 1] / n
    variance = sum(of_seeds) + max(sum(own) - 2 * common, 0)
    df = variance**2 / sum(part**2 / (j - 1) for part in of_seeds)
    gap = shared[0].mean() - shared[1].mean()
    return gap, variance**0.5, df, of_seeds, own


@for_each(
    ("text", "values"),
    [
        (f"{JUDGED}measure accuracy\n", RIGHT.astype(float)),
        (f"{OF_SCORES}measure error_rate\n", 1 - RIGHT.astype(float)),
    ],
)
def test_a_difference_has_the_variance_of_seeds_and_of_examples(table, text, values):
    results = run(study(f"{text}compare a vs b with obuchowski_rockette", table))
    (pair,) = results.comparisons[0].pairwise
    gap, error, df, of_seeds, own = of_two_way_analysis(values)
    assert pair.estimate.value == pytest.approx(gap)
    assert pair.extra["standard_error"] == pytest.approx(error)
    assert pair.df == (pytest.approx(df),)
    assert pair.p == pytest.approx(2 * stats.t.sf(abs(gap / error), df))
    half = stats.t.ppf(0.975, df) * error
    assert (pair.estimate.low, pair.estimate.high) == pytest.approx((gap - half, gap + half))
    assert "networks and examples like those sampled" in pair.null
    for k, estimate in enumerate(results.estimates):
        variance = of_seeds[k] + own[k]
        half = stats.t.ppf(0.975, (SEEDS - 1) * variance**2 / of_seeds[k] ** 2) * variance**0.5
        mean = values[:, k].mean()
        bounds = (max(mean - half, 0), min(mean + half, 1))
        assert (estimate.interval.low, estimate.interval.high) == pytest.approx(bounds)
        assert [fold.value for fold in estimate.folds] == pytest.approx(values[:, k].mean(axis=0))
        assert (estimate.n, estimate.extra["n_seeds"]) == (N, SEEDS)
        assert estimate.about == "networks trained this way and examples like these"


def test_numbers_of_seeds_do_not_pair_the_networks_of_two_models(table, tmp_path):
    text = f"{JUDGED}measure accuracy\ncompare a vs b with obuchowski_rockette"
    (first,) = run(study(text, table)).comparisons[0].pairwise
    other = tmp_path / "other"
    other.mkdir()
    shifted = np.roll(RIGHT[:, 1], 1, axis=1).astype(int)
    rows = [
        (f"i{i:02}", s, int(RIGHT[i, 0, s]), shifted[i, s]) for s in range(SEEDS) for i in range(N)
    ]
    write_rows(other, "p.csv", "image,run,ra,rb", rows)
    (second,) = run(study(text, other)).comparisons[0].pairwise
    assert second.p == pytest.approx(first.p, rel=1e-10)


def test_models_need_seeds_of_equal_number_and_not_of_equal_name(tmp_path):
    text = (
        'evallang 1\npredictions preds from "p.csv"\n  id image\n  model net\n  seed run\n'
        "  correct all as right\ncompare a vs b with obuchowski_rockette"
    )
    rows = [
        (f"i{i:02}", "ab"[k], 9 * (k + 1) + s, int(RIGHT[i, k, s]))
        for i in range(N)
        for k in range(2)
        for s in range(SEEDS)
    ]
    write_rows(tmp_path, "p.csv", "image,net,run,right", rows)
    (pair,) = run(study(text, tmp_path)).comparisons[0].pairwise
    gap, error, *_ = of_two_way_analysis(RIGHT.astype(float))
    assert (pair.estimate.value, pair.extra["standard_error"]) == pytest.approx((gap, error))
    write_rows(tmp_path, "p.csv", "image,net,run,right", [row for row in rows if row[2] != 9])
    with pytest.raises(StudyError) as caught:
        run(study(text, tmp_path))
    (found,) = caught.value.diagnostics
    assert found.code == "E458"
    assert found.message == "models need equal numbers of seeds: `a` has 3 seeds, `b` has 4 seeds"


def test_an_area_has_the_covariance_of_placements(table):
    text = f"{OF_SCORES}measure roc_auc\ncompare a vs b with obuchowski_rockette"
    (pair,) = run(study(text, table)).comparisons[0].pairwise
    flat = SCORES.reshape(N, 2 * SEEDS)
    areas = np.array([roc_auc(TRUTH, column, 1) for column in flat.T]).reshape(2, SEEDS)
    above = flat[TRUTH == 1][:, None] > flat[TRUTH == 0]
    covariance = (
        np.cov(above.mean(axis=1).T) / (N // 2) + np.cov(above.mean(axis=0).T) / (N // 2)
    ).reshape(2, SEEDS, 2, SEEDS)
    apart = ~np.eye(SEEDS, dtype=bool)
    same = np.mean([covariance[k, :, k, :][apart].mean() for k in range(2)])
    other = covariance[0, :, 1, :].mean()
    variance = areas.var(axis=1, ddof=1).sum() / SEEDS + 2 * max(same - other, 0)
    assert pair.estimate.value == pytest.approx(areas[0].mean() - areas[1].mean())
    assert pair.extra["standard_error"] == pytest.approx(variance**0.5)


def test_groups_of_examples_are_drawn_together(table):
    text = f"{JUDGED}  group patient\nmeasure accuracy\ncompare a vs b with obuchowski_rockette"
    (pair,) = run(study(text, table)).comparisons[0].pairwise
    by_group = RIGHT.astype(float).reshape(N // 12, 12, 2, SEEDS).mean(axis=0)
    _, error, df, *_ = of_two_way_analysis(by_group)
    assert (pair.extra["standard_error"], pair.df[0]) == pytest.approx((error, df))
    assert pair.clusters.n == 12


def test_models_without_random_steps_are_compared_on_examples_alone(table):
    rows = [(f"i{i:02}", s, *RIGHT[i, :, 0].astype(int)) for s in range(SEEDS) for i in range(N)]
    write_rows(table, "p.csv", "image,run,ra,rb", rows)
    text = f"{JUDGED}measure accuracy\ncompare a vs b with obuchowski_rockette"
    (pair,) = run(study(text, table)).comparisons[0].pairwise
    d = RIGHT[:, 0, 0].astype(float) - RIGHT[:, 1, 0]
    z = d.mean() / (d.std(ddof=1) / N**0.5)
    assert (pair.statistic.value, pair.p) == pytest.approx((z, 2 * stats.norm.sf(abs(z))))


def test_one_seed_gives_estimates_without_intervals_and_tests(table):
    rows = [(f"i{i:02}", 7, *RIGHT[i, :, 0].astype(int)) for i in range(N)]
    write_rows(table, "p.csv", "image,run,ra,rb", rows)
    text = f"{JUDGED}measure accuracy\ncompare a vs b with obuchowski_rockette"
    results = run(study(text, table))
    (pair,) = results.comparisons[0].pairwise
    assert (pair.p, pair.reject) == (None, None)
    assert "W406" in [d.code for d in results.diagnostics]
    for k, estimate in enumerate(results.estimates):
        assert estimate.value == RIGHT[:, k, 0].mean()
        assert estimate.interval.low is None


def test_three_models_are_compared_by_f_with_networks_within_models(tmp_path):
    values = RNG.random((30, 3, SEEDS)) + np.array([0, 0.1, 0.3])[:, None]
    rows = [(i, s, *values[i, :, s]) for i in range(30) for s in range(SEEDS)]
    write_rows(tmp_path, "p.csv", "image,run,a,b,c", rows)
    text = f'{HEAD}  value "gain" a, b, c\n  higher is better\n'
    text += "compare with obuchowski_rockette then obuchowski_rockette holm"
    found = run(study(text, tmp_path)).comparisons[0].omnibus
    means = values.mean(axis=0)
    ms_models = SEEDS * means.mean(axis=1).var(ddof=1)
    within = means.var(axis=1, ddof=1)
    c = np.cov(values.reshape(30, -1).T).reshape(3, SEEDS, 3, SEEDS) / 30
    apart = ~np.eye(SEEDS, dtype=bool)
    same = np.mean([c[k, :, k, :][apart].mean() for k in range(3)])
    other = np.mean([c[k, :, m, :].mean() for k in range(3) for m in range(3) if k != m])
    error = within.mean() + SEEDS * max(same - other, 0)
    df = error**2 / (((within / 3) ** 2).sum() / (SEEDS - 1))
    assert found.statistic.value == pytest.approx(ms_models / error)
    assert found.df == pytest.approx((2, df))


def of_jackknife(function, truth, outputs):
    """Return means, error and degrees of freedom of a difference, and errors of the models.

    `function` is of scikit-learn, `outputs` (n, 2, J); one example at a time is left out.
    """
    n, _, j = outputs.shape
    flat = outputs.reshape(n, -1)
    whole = np.array([function(truth, column) for column in flat.T]).reshape(2, j)
    left_out = np.array(
        [
            [function(np.delete(truth, i), np.delete(column, i)) for column in flat.T]
            for i in range(n)
        ]
    )
    gaps = left_out - left_out.mean(axis=0)
    covariance = ((n - 1) / n * gaps.T @ gaps).reshape(2, j, 2, j)
    apart = ~np.eye(j, dtype=bool)
    same = [covariance[k, :, k, :][apart].mean() for k in range(2)]
    within = whole.var(axis=1, ddof=1)
    shared = np.mean(same) - covariance[0, :, 1, :].mean()
    variance = within.sum() / j + 2 * max(shared, 0)
    df = variance**2 / (((within / j) ** 2).sum() / (j - 1))
    return whole.mean(axis=1), variance**0.5, df, within / j + np.maximum(same, 0)


@for_each(
    ("metric", "function", "task"),
    [
        ("f1", metrics.f1_score, ""),
        ("mcc", metrics.matthews_corrcoef, ""),
        ("balanced_accuracy", metrics.balanced_accuracy_score, ""),
        ("average_precision", metrics.average_precision_score, "scores"),
        ("rmse", metrics.root_mean_squared_error, "task regression"),
        ("r2", metrics.r2_score, "task regression"),
        ("mae", metrics.mean_absolute_error, "task regression"),
    ],
)
def test_metrics_that_are_not_means_have_the_covariance_of_the_jackknife(
    table, metric, function, task
):
    columns = "positive 1\n  models a as ra, b as rb" if not task else "positive 1\n  score a = a"
    columns += "\n  score b = b" if task == "scores" else ""
    truth, outputs = TRUTH, RIGHT.astype(int) if not task else SCORES
    if task.startswith("task"):
        columns, truth = f"models a, b\n  {task}", TRUTH.astype(float)
    text = f"{HEAD}  truth y\n  {columns}\nmeasure {metric}\n"
    results = run(study(f"{text}compare a vs b with obuchowski_rockette", table))
    means, error, df, variances = of_jackknife(function, truth, outputs)
    (pair,) = results.comparisons[0].pairwise
    assert pair.estimate.value == pytest.approx(means[0] - means[1])
    assert pair.extra["standard_error"] == pytest.approx(error)
    assert pair.df == (pytest.approx(df),)
    assert pair.p == pytest.approx(2 * stats.t.sf(abs(means[0] - means[1]) / error, df))
    within = np.array([[f.value for f in e.folds] for e in results.estimates]).var(1, ddof=1)
    for k, estimate in enumerate(results.estimates):
        assert estimate.value == pytest.approx(means[k])
        degrees = (SEEDS - 1) * variances[k] ** 2 / (within[k] / SEEDS) ** 2
        half = stats.t.ppf(0.975, degrees) * variances[k] ** 0.5
        low, high = estimate.interval.low, estimate.interval.high
        assert low in (pytest.approx(means[k] - half), 0.0)
        assert high in (pytest.approx(means[k] + half), 1.0)
        assert ("pseudo_values" in estimate.extra) == (metric != "mae")


def test_networks_of_three_classes_have_intervals(tmp_path):
    truth = np.arange(45) % 3
    labels = np.where(RNG.random((45, 2, 3)) < 0.3, 0, truth[:, None, None])
    rows = [(i, s, truth[i], *labels[i, :, s]) for i in range(45) for s in range(3)]
    write_rows(tmp_path, "p.csv", "image,run,y,a,b", rows)
    text = f"{HEAD}  truth y\n  models a, b\nmeasure accuracy, f1\n"
    results = run(study(f"{text}compare a vs b by f1 with obuchowski_rockette", tmp_path))
    assert all(estimate.interval.low is not None for estimate in results.estimates)
    f1 = partial(metrics.f1_score, average="macro")
    means, error, *_ = of_jackknife(f1, truth, labels)
    (pair,) = results.comparisons[0].pairwise
    assert pair.estimate.value == pytest.approx(means[0] - means[1])
    assert pair.extra["standard_error"] == pytest.approx(error)


def test_a_network_without_a_value_takes_interval_and_test(table):
    rows = [
        (f"i{i:02}", s, int(i == 0), i % 2, (i + s) % 2) for s in range(SEEDS) for i in range(N)
    ]
    write_rows(table, "p.csv", "image,run,y,a,b", rows)
    text = f"{HEAD}  truth y\n  positive 1\n  models a, b\nmeasure recall\n"
    results = run(study(f"{text}compare a vs b with obuchowski_rockette", table))
    (pair,) = results.comparisons[0].pairwise
    assert pair.p is None
    assert pair.notes == ("undefined for one network, or without one of its examples",)
    assert results.estimates[0].interval.notes == pair.notes


def test_a_metric_without_jackknife_is_reported_by_network_with_what_to_write(table):
    text = f"{HEAD}  truth y\n  models a, b\n  task regression\nmeasure medae, mae\n"
    (advice,) = (one for one in check(text, table) if one.code == "W358")
    assert advice.help == "write `repeat` in place of `seed`: the networks are then fixed"
    run(study(text, table)).render("markdown", folder=table)
    words = " ".join(w for p in table.rglob("*.md") for w in p.read_text("utf-8").split())
    assert "by each network" in words and "training examples" not in words


@for_each(
    ("rest", "expected"),
    [
        ("measure accuracy\ncompare a vs b with mcnemar", ["E201"]),
        ("measure accuracy\ncompare a vs b with t", ["E201"]),
        ("measure accuracy\ncompare a vs b with permutation", ["E201"]),
        ("measure accuracy\n  interval wilson", ["E202"]),
        ("measure accuracy\n  interval bootstrap", ["E202"]),
        ("  repeat patient\nmeasure accuracy", ["E144"]),
        ("  fold part\nmeasure accuracy", ["E144"]),
        ("  reader patient\nmeasure accuracy", ["E144"]),
        ("  weight patient\nmeasure accuracy", ["E144"]),
        ("measure pass_at(k=2)", ["E203"]),
        ("  dataset part\nmeasure accuracy averaged over data", ["E229"]),
    ],
)
def test_what_takes_seeds_for_further_examples_is_refused(rest, expected):
    assert codes(f"{JUDGED}{rest}") == expected


def test_names_of_files_hold_seeds_and_exclude_repeats(tmp_path):
    for k, model in enumerate("ab"):
        for s in range(SEEDS):
            rows = [(f"i{i:02}", int(RIGHT[i, k, s])) for i in range(N)]
            write_rows(tmp_path, f"{model}_seed{s}.csv", "image,right", rows)
    text = (
        'evallang 1\npredictions preds from "{model}_seed{seed}.csv"\n  id image\n'
        "  correct all as right\n"
    )
    results = run(study(f"{text}compare a vs b with obuchowski_rockette", tmp_path))
    (pair,) = results.comparisons[0].pairwise
    gap, error, *_ = of_two_way_analysis(RIGHT.astype(float))
    assert (pair.estimate.value, pair.extra["standard_error"]) == pytest.approx((gap, error))
    assert codes(f"{text}  repeat image\nmeasure accuracy") == ["E144"]


def test_the_report_is_about_networks_trained_this_way(table):
    text = f"{JUDGED}measure accuracy\ncompare a vs b with obuchowski_rockette"
    run(study(text, table)).render("markdown", folder=table)
    words = " ".join(w for p in table.rglob("*.md") for w in p.read_text("utf-8").split())
    assert "The findings apply to networks trained this way and images like these." in words
    assert "Each model was trained with four seeds, and every network predicted all images" in words
    assert "a thin line joins" not in words
