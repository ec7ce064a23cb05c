"""Averages over data sets through study files: right values, enumerated swaps, what is refused."""

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import scipy.stats
import sklearn.metrics

import evallang as ev
from evallang.api.running import RunFailed
from evallang.reporting.context import Context

LOGS = Path(__file__).parents[1] / "data" / "logs"
TRUTH = json.loads((LOGS / "truth.json").read_text())["benchmark"]
NAMES = {"small": "org/small-1b", "large": "org/large-7b", "mid": "other/mid.v2-3b"}
HEAD = "evallang 1\n\nstudy\n  seed 1\n\n"
BENCH = f'predictions bench from lm_eval "{LOGS}/lm_eval"\n  metric acc\n  models ' + ", ".join(
    f'{name} as "{full}"' for name, full in NAMES.items()
)


def run(folder: Path, body: str) -> Any:
    (folder / "s.eval").write_text(HEAD + body)
    return ev.run(folder / "s.eval").record


def refused(folder: Path, body: str) -> str:
    (folder / "s.eval").write_text(HEAD + body)
    with pytest.raises(ev.StudyError) as caught:
        ev.run(folder / "s.eval")
    return " ".join(f"{d.code} {d.message} {d.help}" for d in caught.value.diagnostics)


def truth_of_pair(models: tuple[str, ...]) -> tuple[dict[str, float], int]:
    first, second = (NAMES[model] for model in models)
    if f"{first} - {second}" in TRUTH:
        return TRUTH[f"{first} - {second}"], 1
    return TRUTH[f"{second} - {first}"], -1


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory) -> Any:
    body = (
        "\n\nmeasure accuracy averaged over data\nmeasure accuracy averaged over rows\n"
        "compare averaged over data with t\n"
        "compare averaged over rows with t exploratory\n"
        "require large better than small averaged over data\n"
        "require accuracy of large >= 40% averaged over rows\n"
    )
    return run(tmp_path_factory.mktemp("benchmark"), BENCH + body)


def test_averages_over_tasks_have_the_right_values_and_standard_errors(benchmark):
    found = [one for one in benchmark.estimates if one.averaged]
    assert len(found) == 6
    for one in found:
        true = TRUTH[NAMES[one.model]]
        assert one.data is None
        assert one.value == pytest.approx(true[f"averaged_over_{one.averaged}"], abs=1e-9)
        error = one.extra["standard_error"]
        assert error == pytest.approx(true[f"se_averaged_over_{one.averaged}"], abs=1e-9)
        assert one.extra["n_data_sets"] == 3
    assert sum(one.averaged is None for one in benchmark.estimates) == 9


def test_differences_of_averages_have_the_right_values_and_standard_errors(benchmark):
    assert [one.averaged for one in benchmark.comparisons] == ["data", "rows"]
    for one in benchmark.comparisons:
        assert one.data is None and len(one.pairwise) == 3
        for pair in one.pairwise:
            true, sign = truth_of_pair(pair.models)
            value = sign * true[f"averaged_over_{one.averaged}"]
            assert pair.estimate.value == pytest.approx(value, abs=1e-9)
            error = true["se" if one.averaged == "data" else "se_rows"]
            assert pair.extra["standard_error"] == pytest.approx(error, abs=1e-9)


def test_compared_and_required_averages_are_measured_without_a_line_of_their_own(
    tmp_path, benchmark
):
    stated = {(e.model, e.metric, e.averaged): e for e in benchmark.estimates}
    lines = (
        "\n\nmeasure accuracy\ncompare large vs small averaged over data with t\n"
        "require accuracy of large >= 40% averaged over rows\nanalyze leaderboard\n"
    )
    found = run(tmp_path, BENCH + lines)
    averages = [e for e in found.estimates if e.averaged]
    assert [e.averaged for e in averages] == ["data"] * 3 + ["rows"] * 3
    for one in averages:
        other = stated[one.model, one.metric, one.averaged]
        assert (one.value, one.interval.low) == (other.value, other.interval.low)
    assert [one.averaged for one in found.analyses] == ["data"]


def test_a_requirement_of_an_average_is_decided_on_the_interval_of_the_average(benchmark):
    better, level = benchmark.requirements
    pair = next(
        pair for pair in benchmark.comparisons[0].pairwise if set(pair.models) == {"large", "small"}
    )
    ends = pair.estimate.low, pair.estimate.high
    if pair.models[0] == "small":
        ends = -ends[1], -ends[0]
    assert better.interval == pytest.approx(ends, abs=1e-12)
    assert (better.met, better.data, better.averaged) == (True, None, "data")
    own = next(e for e in benchmark.estimates if (e.model, e.averaged) == ("large", "rows"))
    assert level.interval == (own.interval.low, own.interval.high)


def test_groups_are_the_units_within_tasks(tmp_path):
    body = "\n  group doc.passage\n\nmeasure accuracy averaged over data\n"
    found = run(tmp_path, BENCH + body + "compare averaged over data with t\n")
    for pair in found.comparisons[0].pairwise:
        true, _ = truth_of_pair(pair.models)
        assert pair.extra["standard_error"] == pytest.approx(true["se_clustered"], abs=1e-9)


# --- tests by swapping ----------------------------------------------------------------------


def small_table(folder: Path, models: int = 2) -> pl.DataFrame:
    """Write right and wrong answers to four and seven questions of two tasks."""
    rng = np.random.default_rng(3)
    data: dict[str, Any] = {"id": range(11), "task": ["a"] * 4 + ["b"] * 7}
    data |= {f"m{i}": rng.integers(0, 2, 11) for i in range(models)}
    table = pl.DataFrame(data)
    table.write_csv(folder / "t.csv")
    return table


def of_models(models: int = 2) -> str:
    names = ", ".join(f"m{i}" for i in range(models))
    return f'predictions p from "t.csv"\n  id id\n  dataset task\n  correct {names}\n'


@pytest.mark.parametrize("over", ["data", "rows"])
def test_the_permutation_test_counts_the_swaps_of_all_examples(tmp_path, over):
    table = small_table(tmp_path)
    found = run(tmp_path, of_models() + f"compare averaged over {over} with permutation\n")
    (pair,) = found.comparisons[0].pairwise
    d = (table["m0"] - table["m1"]).to_numpy().astype(float)
    weights = np.array([1 / 8] * 4 + [1 / 14] * 7) if over == "data" else np.full(11, 1 / 11)
    signs = np.array(list(itertools.product((-1, 1), repeat=11)))
    values = signs @ (weights * d)
    observed = weights @ d
    assert pair.estimate.value == pytest.approx(observed, abs=1e-12)
    exact = float(np.mean(np.abs(values) >= abs(observed) - 1e-12))
    assert pair.p == pytest.approx(exact, abs=1e-12)


def test_the_default_is_a_permutation_test_adjusted_by_max_t(tmp_path):
    """All models swap the outputs of the same examples: the loop draws its own signs."""
    table = small_table(tmp_path, 3)
    found = run(tmp_path, of_models(3) + "compare averaged over data\n")
    (comparison,) = found.comparisons
    assert comparison.family.correction == "max_t"
    weights = np.array([1 / 8] * 4 + [1 / 14] * 7)
    pairs = list(itertools.combinations(range(3), 2))
    d = np.column_stack([(table[f"m{a}"] - table[f"m{b}"]).to_numpy() for a, b in pairs])
    signs = np.array(list(itertools.product((-1, 1), repeat=11)))
    values = np.abs(signs @ (weights[:, None] * d))
    p = np.stack(
        [(column[None, :] >= column[:, None] - 1e-12).mean(axis=1) for column in values.T]
    ).T
    observed = (values >= np.abs(weights @ d) - 1e-12).mean(axis=0)
    for pair, exact in zip(comparison.pairwise, observed, strict=True):
        assert pair.test == "permutation"
        assert pair.p == pytest.approx(exact, abs=1e-12)
        adjusted = float((p.min(axis=1) <= exact + 1e-12).mean())
        assert pair.p_adjusted == pytest.approx(adjusted, abs=0.02)  # of 10,000 draws


def test_max_t_of_all_data_sets_counts_the_swaps_of_each_by_itself(tmp_path):
    """Data sets share no examples: the smallest p of all has the product of their distributions."""
    table = small_table(tmp_path, 3)
    found = run(tmp_path, of_models(3) + "compare all with permutation max_t\n")
    assert [one.data for one in found.comparisons] == ["p/a", "p/b"]
    assert {(one.family.size, one.family.correction) for one in found.comparisons} == {(6, "max_t")}
    pairs, smallest, observed = list(itertools.combinations(range(3), 2)), [], []
    for task in table.partition_by("task", maintain_order=True):
        d = np.column_stack([(task[f"m{a}"] - task[f"m{b}"]).to_numpy() for a, b in pairs])
        signs = np.array(list(itertools.product((-1, 1), repeat=len(d))))
        values = np.abs(signs @ d)
        p = np.stack([(c[None, :] >= c[:, None]).mean(axis=1) for c in values.T]).T
        smallest.append(p.min(axis=1))
        observed.append((values >= np.abs(d.sum(axis=0))).mean(axis=0))
    for comparison, exact in zip(found.comparisons, observed, strict=True):
        for pair, alone in zip(comparison.pairwise, exact, strict=True):
            assert pair.p == pytest.approx(alone, abs=1e-12)
            none = np.prod([(one > alone + 1e-12).mean() for one in smallest])
            assert pair.p_adjusted == pytest.approx(1 - none, abs=0.02)  # of 10,000 draws


def test_data_sets_of_one_size_are_not_swapped_alike(tmp_path):
    """Equal answers on two tasks: with the same draws the second task would cost nothing."""
    one = pl.DataFrame({"m0": [1] * 8 + [0], "m1": [0] * 8 + [1]})
    both = [one.with_columns(task=pl.lit(task)) for task in ("a", "b")]
    pl.concat(both).with_row_index("id").write_csv(tmp_path / "t.csv")
    found = run(tmp_path, of_models() + "compare all with permutation max_t\n")
    p = 2 * scipy.stats.binom.cdf(1, 9, 0.5)
    for comparison in found.comparisons:
        (pair,) = comparison.pairwise
        assert pair.p == pytest.approx(p, abs=1e-12)
        assert pair.p_adjusted == pytest.approx(1 - (1 - p) ** 2, abs=0.006)


def test_a_written_test_without_a_correction_has_holms(tmp_path):
    small_table(tmp_path, 3)
    found = run(tmp_path, of_models(3) + "compare averaged over data with permutation\n")
    assert found.comparisons[0].family.correction == "holm"


# --- what is averaged -----------------------------------------------------------------------


def test_repeats_are_averaged_before_data_sets(tmp_path):
    rng = np.random.default_rng(4)
    rows = [
        {"id": f"{task}{i}", "task": task, "k": k, "m": int(rng.random() < 0.6)}
        for task, n in (("a", 10), ("b", 25))
        for i in range(n)
        for k in range(3)
    ]
    table = pl.DataFrame(rows)
    table.write_csv(tmp_path / "t.csv")
    body = 'predictions p from "t.csv"\n  id id\n  dataset task\n  repeat k\n  correct m\n'
    found = run(tmp_path, body + "measure accuracy averaged over data\n")
    (one,) = (e for e in found.estimates if e.averaged)
    means = table.group_by("task", "id").agg(pl.col("m").mean()).sort("task", "id")
    each = [part["m"].to_numpy() for part in means.partition_by("task", maintain_order=True)]
    assert one.value == pytest.approx(np.mean([x.mean() for x in each]), abs=1e-12)
    error = np.sqrt(sum(scipy.stats.sem(x) ** 2 for x in each)) / 2
    assert one.extra["standard_error"] == pytest.approx(error, abs=1e-12)
    assert one.n == 35


def test_cross_validated_losses_are_averaged_and_the_null_is_about_the_folds(tmp_path):
    rng = np.random.default_rng(5)
    for i, n in enumerate((40, 60)):
        x = rng.normal(size=n)
        table = {"x": x, "z": rng.normal(size=n), "y": x + rng.normal(size=n)}
        pl.DataFrame(table).write_csv(tmp_path / f"d{i}.csv")
    body = (
        'data d from "d*.csv"\n  target y\n  task regression\n'
        "model a = LinearRegression\nmodel b = DecisionTreeRegressor(max_depth=2)\n"
        "protocol cv folds=4\nmeasure mae averaged over data\n"
        "compare averaged over data with t\n"
    )
    found = run(tmp_path, body)
    values = {(e.data, e.model): e.value for e in found.estimates}
    for model in ("a", "b"):
        mean = (values["d/d0", model] + values["d/d1", model]) / 2
        assert values[None, model] == pytest.approx(mean, abs=1e-12)
    (pair,) = found.comparisons[0].pairwise
    assert "over these folds" in pair.null
    about = next(e.about for e in found.estimates if e.averaged)
    assert about == (
        "the average of the 8 models fitted here, not to a new training set, with the data sets "
        "fixed"
    )


def samples(rng: np.random.Generator, *, without: str = "") -> str:
    """Return the logs of three models on two tasks, in which one in ten samples failed."""
    rows = []
    for task, i, (model, rate) in itertools.product(
        ("a", "b"), range(30), (("x", 0.7), ("y", 0.6), ("z", 0.3))
    ):
        if f"{model} {task}" != without:
            error = "no answer" if rng.random() < 0.1 else None
            score = {"score": float(rng.random() < rate), "is_correct": True}
            rows.append(
                {"schema_version": "0.3.0", "model_id": model, "evaluation_name": task,
                 "sample_id": f"{task}{i}", "error": error, "evaluation": score}
            )  # fmt: skip
    return "\n".join(map(json.dumps, rows))


OF_SAMPLES = 'predictions p from every_eval_ever "e.jsonl"\n  samples errored dropped\n'


def test_pairs_are_compared_on_the_examples_that_both_models_have(tmp_path):
    (tmp_path / "e.jsonl").write_text(samples(np.random.default_rng(6)))
    body = OF_SAMPLES + "compare averaged over data\ncompare averaged over data with t max_t"
    found = run(tmp_path, body + " exploratory\n")
    records = [json.loads(line) for line in (tmp_path / "e.jsonl").read_text().splitlines()]
    table = {
        (r["model_id"], r["sample_id"]): r["evaluation"]["score"]
        for r in records
        if r["error"] is None
    }
    for comparison in found.comparisons:
        for pair in comparison.pairwise:
            first, second = pair.models
            means = [
                np.mean([
                    table[first, f"{task}{i}"] - table[second, f"{task}{i}"]
                    for i in range(30)
                    if (first, f"{task}{i}") in table and (second, f"{task}{i}") in table
                ])
                for task in ("a", "b")
            ]  # fmt: skip
            assert pair.estimate.value == pytest.approx(np.mean(means), abs=1e-12)
            assert pair.p_adjusted >= pair.p


def test_a_line_about_a_model_without_one_of_its_data_sets_is_refused(tmp_path):
    (tmp_path / "e.jsonl").write_text(samples(np.random.default_rng(7), without="z b"))
    pair = "compare x vs {} averaged over data\n"
    for lines in ("measure accuracy averaged over data\n", pair.format("z")):
        told = refused(tmp_path, OF_SAMPLES + lines + pair.format("y"))
        assert told.count("E607 `z` has no examples of `p/b`") == 1
    (comparison,) = run(tmp_path, OF_SAMPLES + pair.format("y")).comparisons
    assert comparison.pairwise[0].status == "computed"


# --- metrics that are not means -------------------------------------------------------------

SITES = """predictions p from "t.csv"
  id id
  dataset site
  truth y
  positive 1
  models m0, m1
  score m0 = s0
  score m1 = s1
"""
SIZES = {"north": 60, "south": 90, "far east": 48}


def of_sites(folder: Path, *, seed: int = 11, repeats: int = 1) -> pl.DataFrame:
    """Write labels and scores of two models at three sites, one positive in four, in threes."""
    rng, parts = np.random.default_rng(seed), []
    for site, n in SIZES.items():
        y = np.repeat((rng.random(n) < 0.25).astype(int), repeats)
        size, shared = n * repeats, np.repeat(rng.normal(size=n // 3), 3 * repeats)
        table = {"id": [f"{site} {i // repeats}" for i in range(size)], "site": site, "y": y}
        table |= {"k": np.arange(size) % repeats, "g": [f"{site} {i // 3}" for i in range(size)]}
        for m in range(2):
            score = scipy.stats.norm.cdf(1.3 * y + shared + rng.normal(size=size) - 0.8)
            table |= {f"s{m}": score, f"m{m}": (score > 0.55).astype(int)}
        parts.append(pl.DataFrame(table))
    found = pl.concat(parts)
    found.write_csv(folder / "t.csv")
    return found


BY_SKLEARN = {
    "f1": lambda part, m: sklearn.metrics.f1_score(part["y"], part[f"m{m}"]),
    "mcc": lambda part, m: sklearn.metrics.matthews_corrcoef(part["y"], part[f"m{m}"]),
    "balanced_accuracy": lambda part, m: sklearn.metrics.balanced_accuracy_score(
        part["y"], part[f"m{m}"]
    ),
    "roc_auc": lambda part, m: sklearn.metrics.roc_auc_score(part["y"], part[f"s{m}"]),
    "average_precision": lambda part, m: sklearn.metrics.average_precision_score(
        part["y"], part[f"s{m}"]
    ),
}


def jackknifed(part: pl.DataFrame, function: Any, unit: str = "id") -> tuple[float, float, int]:
    """Return a value, its variance by leaving out one unit at a time, and the degrees of it."""
    units = part[unit].unique(maintain_order=True)
    left_out = np.array([function(part.filter(pl.col(unit) != one)) for one in units])
    n = len(units)
    return function(part), (n - 1) * left_out.var(), n - 1


def satterthwaite(each: list[tuple[float, float, int]]) -> tuple[float, float, float]:
    parts = np.array([variance for _, variance, _ in each]) / len(each) ** 2
    df = parts.sum() ** 2 / sum(v**2 / d for v, (_, _, d) in zip(parts, each, strict=True))
    return float(np.mean([value for value, _, _ in each])), float(parts.sum() ** 0.5), float(df)


@pytest.mark.parametrize("metric", sorted(BY_SKLEARN))
def test_the_errors_of_data_sets_are_those_of_the_jackknife(tmp_path, metric):
    table, function = of_sites(tmp_path), BY_SKLEARN[metric]
    lines = f"measure {metric} averaged over data\ncompare averaged over data\n"
    found = run(tmp_path, SITES + lines + "require m0 better than m1 averaged over data\n")
    parts = table.partition_by("site")
    for m, one in enumerate(e for e in found.estimates if e.averaged):
        value, error, df = satterthwaite(
            [jackknifed(x, lambda p, m=m: function(p, m)) for x in parts]
        )
        assert one.value == pytest.approx(value, abs=1e-12)
        assert one.extra["standard_error"] == pytest.approx(error, abs=1e-10)
        half = scipy.stats.t.ppf(0.975, df) * error
        assert one.interval.low == pytest.approx(value - half, abs=1e-9)
        alone = [e.value for e in found.estimates if e.model == one.model and not e.averaged]
        assert value == pytest.approx(np.mean(alone), abs=1e-12)
    (pair,) = found.comparisons[0].pairwise
    each = [jackknifed(x, lambda p: function(p, 0) - function(p, 1)) for x in parts]
    value, error, df = satterthwaite(each)
    assert (pair.test, pair.variant) == ("t", "stratified")
    assert found.comparisons[0].about.endswith("of these data sets")
    assert pair.estimate.value == pytest.approx(value, abs=1e-12)
    assert pair.p == pytest.approx(2 * scipy.stats.t.sf(abs(value) / error, df), abs=1e-9)
    (gate,) = found.requirements
    assert gate.interval == pytest.approx((pair.estimate.low, pair.estimate.high), abs=1e-12)
    assert {r.key for r in found.references} >= {"cochran1977", "efron1982"}


def test_the_jackknife_of_an_area_has_the_variances_of_its_placements(tmp_path):
    """Those of DeLong, DeLong & Clarke-Pearson (1988), divided by n - 1 in place of n."""
    table = of_sites(tmp_path)
    found = run(tmp_path, SITES + "measure roc_auc averaged over data\n")
    variance = 0.0
    for part in table.partition_by("site"):
        scores = [part.filter(y=side)["s0"].to_numpy() for side in (1, 0)]
        above = scores[0][:, None] > scores[1]
        of_placements = [above.mean(axis=axis).var(ddof=1) for axis in (1, 0)]
        each = zip(of_placements, scores, strict=True)
        n = len(part)
        variance += (n - 1) / n * sum(one / (len(side) - 1) for one, side in each)
    error = next(e.extra["standard_error"] for e in found.estimates if e.averaged)
    assert error == pytest.approx(variance**0.5 / 3, abs=1e-12)


def test_few_examples_of_a_class_are_noted_where_the_metric_is_not_a_mean(tmp_path):
    table = of_sites(tmp_path)
    order = pl.int_range(pl.len()).over("site", "y")
    table.filter((pl.col("y") == 0) | (order < 6)).write_csv(tmp_path / "t.csv")
    found = run(tmp_path, SITES + "measure f1, accuracy averaged over data\n")
    notes = {e.metric: e.interval.notes for e in found.estimates if e.averaged}
    few = "only 18 examples of the rarest class; with fewer than 50, coverage"
    assert [note[: len(few)] for note in notes["f1"]] == [few]
    assert notes["accuracy"] == ()


def test_what_examples_add_to_a_metric_is_summed_in_their_groups(tmp_path):
    table = of_sites(tmp_path)
    body = SITES.replace("  truth", "  group g\n  truth") + "measure f1 averaged over data\n"
    found = run(tmp_path, body)
    variance = 0.0
    for part in table.partition_by("site"):
        n = len(part)
        alone = np.arange(n)
        rows = [part.filter(pl.Series(alone != i)) for i in alone]
        left_out = np.array([BY_SKLEARN["f1"](one, 0) for one in rows])
        added = (n - 1) * (left_out.mean() - left_out)
        sums = added.reshape(-1, 3).sum(axis=1)
        variance += len(sums) / (len(sums) - 1) * (sums**2).sum() / n**2
    error = next(e.extra["standard_error"] for e in found.estimates if e.averaged)
    assert error == pytest.approx(variance**0.5 / 3, abs=1e-10)
    # Groups that are left out whole give nearly the same
    each = [
        jackknifed(x, lambda p: BY_SKLEARN["f1"](p, 0), "g") for x in table.partition_by("site")
    ]
    assert error == pytest.approx(satterthwaite(each)[1], rel=0.03)


def test_an_example_is_left_out_with_all_its_repeats(tmp_path):
    table = of_sites(tmp_path, repeats=2)
    body = SITES.replace("  truth", "  repeat k\n  truth") + "measure f1 averaged over data\n"
    found = run(tmp_path, body)

    def mean(part: pl.DataFrame) -> float:
        return float(np.mean([BY_SKLEARN["f1"](one, 0) for one in part.partition_by("k")]))

    value, error, _ = satterthwaite([jackknifed(x, mean) for x in table.partition_by("site")])
    one = next(e for e in found.estimates if e.averaged)
    assert (one.value, one.extra["standard_error"]) == pytest.approx((value, error), abs=1e-10)


def test_judges_are_averaged_over_what_they_labelled_and_compared_on_what_both_did(tmp_path):
    rng, table = np.random.default_rng(12), of_sites(tmp_path)
    for m, unlabelled in (
        ("m0", rng.random(len(table)) < 0.1),
        ("m1", rng.random(len(table)) < 0.2),
    ):
        labels = pl.when(pl.Series(unlabelled)).then(None).otherwise(pl.col(m))
        table = table.with_columns(labels.alias(m))
    table.write_csv(tmp_path / "t.csv")
    judges = SITES.partition("  score")[0].replace("models", "missing dropped\n  judges")
    lines = "measure cohen_kappa, accuracy averaged over data\ncompare averaged over data\n"
    found = run(tmp_path, judges + lines + "compare averaged over data by accuracy exploratory\n")
    for comparison, function in zip(
        found.comparisons,
        (sklearn.metrics.cohen_kappa_score, sklearn.metrics.accuracy_score),
        strict=True,
    ):
        for one in (e for e in found.estimates if e.averaged and e.metric == comparison.metric):
            parts = table.drop_nulls(one.model).partition_by("site")
            value = np.mean([function(part["y"], part[one.model]) for part in parts])
            assert one.value == pytest.approx(value, abs=1e-12)
        both = table.drop_nulls().partition_by("site")
        each = [
            jackknifed(x, lambda p, f=function: f(p["y"], p["m0"]) - f(p["y"], p["m1"]))
            for x in both
        ]
        assert comparison.pairwise[0].estimate.value == pytest.approx(
            satterthwaite(each)[0], abs=1e-12
        )
        if comparison.metric == "cohen_kappa":
            error = comparison.pairwise[0].extra["standard_error"]
            assert error == pytest.approx(satterthwaite(each)[1], abs=1e-10)


def test_a_data_set_without_a_class_has_no_area_and_so_no_average(tmp_path):
    table = of_sites(tmp_path)
    few = (pl.col("site") == "south") & (pl.col("y") == 1)
    first = table.filter(few)["id"][0]
    table.filter(~few | (pl.col("id") == first)).write_csv(tmp_path / "t.csv")
    lines = "measure roc_auc averaged over data\ncompare averaged over data\n"
    found = run(tmp_path, SITES + lines + "require m0 better than m1 averaged over data\n")
    why = "roc_auc of m0 is undefined on p/south, or without one of its examples"
    one = next(e for e in found.estimates if e.averaged)
    assert (one.value, one.notes) == (None, (f"not computed: {why}",))
    assert found.comparisons[0].pairwise[0].lacking.reason == why
    assert found.requirements[0].reason == f"cannot be decided: {why}"


def test_a_root_of_a_mean_is_averaged_after_the_root(tmp_path):
    rng = np.random.default_rng(5)
    sizes = {"a": 1200, "b": 40}
    parts = [
        pl.DataFrame({"d": d, "y": rng.normal(size=n), "m": rng.normal(size=n)})
        for d, n in sizes.items()
    ]
    pl.concat(parts).with_row_index("id").write_csv(tmp_path / "t.csv")
    body = 'predictions p from "t.csv"\n  id id\n  dataset d\n  truth y\n  task regression\n'
    found = run(tmp_path, body + "  models m\nmeasure rmse, r2, mape averaged over data\n")
    mape = next(e for e in found.estimates if e.averaged and e.metric == "mape")
    each = [sklearn.metrics.mean_absolute_percentage_error(x["y"], x["m"]) for x in parts]
    assert (mape.value, mape.notes) == (pytest.approx(np.mean(each)), ())
    for metric, function in (
        ("rmse", sklearn.metrics.root_mean_squared_error), ("r2", sklearn.metrics.r2_score),
    ):  # fmt: skip
        each = [
            jackknifed(x.with_row_index("id"), lambda p, f=function: f(p["y"], p["m"]))
            for x in parts
        ]
        value, error, _ = satterthwaite(each)
        one = next(e for e in found.estimates if e.averaged and e.metric == metric)
        assert (one.value, one.extra["standard_error"]) == pytest.approx((value, error), abs=1e-10)


# --- power ----------------------------------------------------------------------------------


def test_power_of_an_average_is_the_share_of_simulated_benchmarks_that_reject(tmp_path):
    """Differences of 0.3 standard deviations on average, of either sign on single tasks."""
    sizes, rng = (20, 30, 60), np.random.default_rng(8)
    codes = np.repeat(range(3), sizes)
    table = pl.DataFrame({"id": range(110), "task": [f"t{c}" for c in codes]})
    table = table.with_columns(a=rng.normal(size=110), b=rng.normal(size=110))
    table.write_csv(tmp_path / "t.csv")
    body = (
        'predictions p from "t.csv"\n  id id\n  dataset task\n  value "points" a, b\n'
        "  higher is better\ncompare averaged over data with t\n"
        "analyze power(difference=0.3, sd=1)\n"
    )
    (found,) = (one.values for one in run(tmp_path, body).analyses)
    assert found["n"] == round(9 / sum(1 / n for n in sizes))
    rejected = 0
    for _ in range(4000):
        d = rng.normal(0.3 + np.array([1, -1, 0])[codes])
        parts = [d[codes == one] for one in range(3)]
        v = np.array([part.var(ddof=1) / len(part) / 9 for part in parts])
        df = v.sum() ** 2 / (v**2 / (np.array(sizes) - 1)).sum()
        t = np.mean([part.mean() for part in parts]) / np.sqrt(v.sum())
        rejected += 2 * scipy.stats.t.sf(abs(t), df) <= 0.05
    assert found["answers"][0]["power"] == pytest.approx(rejected / 4000, abs=0.03)


# --- what is refused ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("measure accuracy averaged over data\n", "the study has one"),
        ("compare averaged over data\n", "the study has one"),
        ("require m0 better than m1 averaged over rows\n", "the study has one"),
    ],
)
def test_one_data_set_that_is_read_has_no_average(tmp_path, lines, said):
    small_table(tmp_path).with_columns(task=pl.lit("a")).write_csv(tmp_path / "t.csv")
    assert said in refused(tmp_path, of_models() + lines)


@pytest.mark.parametrize(
    ("source", "lines", "said"),
    [
        ("", "compare averaged over data with mcnemar", "`mcnemar` has no form for averages"),
        ("", "compare averaged over data with permutation(block=2)", "no form for averages"),
        ("  weight w\n", "compare averaged over data", "those of `p` have weights"),
        ("", "measure accuracy within task averaged over data", "levels of a column"),
    ],
)
def test_what_has_no_average_is_refused_with_what_works(tmp_path, source, lines, said):
    small_table(tmp_path).with_columns(w=pl.lit(1.5)).write_csv(tmp_path / "t.csv")
    told = refused(tmp_path, of_models() + source + lines + "\n")
    assert "E229" in told and said in told


def test_the_clause_interval_is_about_the_average_above_it(tmp_path):
    small_table(tmp_path)
    lines = "measure accuracy averaged over data\n  interval stratified_t\n"
    found = run(tmp_path, of_models() + lines + "measure accuracy\n  interval jeffreys\n")
    methods = {(one.data, one.interval.method) for one in found.estimates}
    assert methods == {("p/a", "jeffreys"), ("p/b", "jeffreys"), (None, "stratified_t")}
    told = refused(tmp_path, of_models() + lines.replace("stratified_t", "wilson"))
    assert "E229 `wilson` has no form for averages over data sets" in told


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("measure f1 averaged over rows", "`f1` is not a mean over examples"),
        ("compare averaged over data by mcc with permutation", "write `with t`"),
        ("require m0 better than m1 with permutation in mcc averaged over data", "`with t`"),
        ("measure break_even_point averaged over data", "the jackknife is not valid"),
        ("measure recall(at_specificity=90%) averaged over data", "the jackknife is not valid"),
        ("measure ece averaged over data", "the jackknife is not valid"),
    ],
)
def test_metrics_without_a_jackknife_are_refused_and_swaps_of_others(tmp_path, lines, said):
    of_sites(tmp_path)
    told = refused(tmp_path, SITES + lines + "\n")
    assert "E229" in told and said in told


def test_scores_of_folds_have_no_examples_to_average(tmp_path):
    (tmp_path / "s.csv").write_text("d,a,b\nx,.5,.6\ny,.7,.5\nz,.1,.2\n")
    body = 'scores s from "s.csv"\n  dataset d\n  models a, b\n  higher is better\n'
    told = refused(tmp_path, body + "compare averaged over data\n")
    assert "E229 an average over data sets needs one value for each example" in told


def test_a_data_set_of_one_example_has_no_variance(tmp_path):
    table = small_table(tmp_path)
    table.filter(pl.col("id") >= 3).write_csv(tmp_path / "t.csv")
    margin = "require m0 not worse than m1 by 20% averaged over data\n"
    found = run(tmp_path, of_models() + "measure accuracy averaged over data\n" + margin)
    for one in (e for e in found.estimates if e.averaged):
        assert one.value is not None and not one.interval.has_bounds
        assert "standard_error" not in one.extra
    reason = found.requirements[0].reason
    assert reason == "cannot be decided: p/a has fewer than two examples"
    warned = {one["name"] for one in found.diagnostics}
    assert "margin_beyond_the_baseline" not in warned


def test_data_sets_of_another_measure_are_not_counted_in_an_average(tmp_path):
    table = small_table(tmp_path).unpivot(["m0", "m1"], index=["id", "task"])
    table.with_columns(tokens=pl.col("id") + 5).write_csv(tmp_path / "long.csv")
    from_table = ' from "long.csv"\n  id id\n  model variable\n  dataset task\n'
    body = (
        f"predictions right{from_table}  correct all as value\n"
        f'predictions cost{from_table}  value "tokens" all as tokens\n  lower is better\n'
        "measure accuracy averaged over data\ncompare averaged over data\n"
    )
    found = run(tmp_path, body)
    (family,) = {one.family.correction for one in found.comparisons}
    assert len(found.comparisons) == 2 and family == "holm"
    context = Context(found)
    assert context.data_label(context.averages[0].data).startswith("averaged over two data sets")
    assert context.n(context.averages[0].data) == 11


FLAKY = """from sklearn.linear_model import LogisticRegression

class Flaky(LogisticRegression):
    def fit(self, X, y):
        if self.random_state % 3 == 0:
            raise ValueError("no luck")
        return super().fit(X, y)
"""


def test_a_fit_that_fails_with_one_seed_alone_takes_the_model_out_of_the_average(tmp_path):
    (tmp_path / "flaky.py").write_text(FLAKY)
    rng = np.random.default_rng(5)
    for i in range(2):
        table = {"x": rng.normal(size=40), "y": ["no", "yes"] * 20}
        pl.DataFrame(table).write_csv(tmp_path / f"d{i}.csv")
    body = (
        'use flaky\ndata d from "d*.csv"\n  target y\n'
        "model flaky = flaky.Flaky\nmodel tree = DecisionTreeClassifier\n"
        "protocol cv folds=4 seeds=3\nmeasure accuracy averaged over data\n"
        "compare averaged over data\n"
    )
    (tmp_path / "s.eval").write_text(HEAD + body)
    with pytest.raises(RunFailed) as caught:
        ev.run(tmp_path / "s.eval", trust=True)
    record = caught.value.results.record
    assert 0 < len(record.failures) < 24
    found = {e.model: e for e in record.estimates if e.averaged}
    assert found["flaky"].value is None and found["tree"].value is not None
    assert found["tree"].about.startswith("the average of the 24 models fitted here")
    assert record.comparisons[0].pairwise[0].lacking.reason == "a fit of flaky failed"
