"""The smallest difference that a comparison of given outcomes detects, by independent sums."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from evallang.cli.main import root


def written(folder, rows, study, header):
    lines = [",".join(header), *(",".join(map(str, row)) for row in rows)]
    (folder / "q.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    place = folder / "study.eval"
    place.write_text(f"evallang 1\n\nstudy\n  seed 1\n\n{study}", encoding="utf-8")
    return place


@pytest.fixture
def invoked():
    def call(*words):
        found = CliRunner().invoke(root, [str(word) for word in words])
        assert found.exit_code == 0, found.output
        return found.stdout

    return call


def midp_power(n, discordant, gap, alpha):
    """Add up the tables that mid-p rejects: b + c is binomial, and b of these is."""
    total, share = 0.0, (discordant + gap) / 2 / discordant
    for m in range(n + 1):
        b = np.arange(m + 1)
        most = np.maximum(b, m - b)
        p = 2 * stats.binom.sf(most, m, 0.5) + stats.binom.pmf(most, m, 0.5)
        p = np.where(b == m - b, 1 - stats.binom.pmf(b, m, 0.5) / 2, p)
        rejected = stats.binom.pmf(b, m, share)[p <= alpha].sum()
        total += stats.binom.pmf(m, n, discordant) * rejected
    return total


OF_ROWS = """predictions bench from "q.csv"
  id question
  correct a, b, c
  unit "questions"
measure accuracy
compare with mcnemar
report html
"""


def test_mcnemars_smallest_difference_has_the_power_at_the_corrected_level(tmp_path, invoked):
    rng = np.random.default_rng(3)
    answers = rng.random((60, 3)) < [0.5, 0.6, 0.7]
    rows = [[i, *map(int, row)] for i, row in enumerate(answers)]
    place = written(tmp_path, rows, OF_ROWS, ["question", "a", "b", "c"])
    invoked("run", place, "--out", tmp_path / "out")
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    (comparison,) = results["comparisons"]
    for pair in comparison["pairwise"]:
        first, second = (answers[:, "abc".index(name)] for name in pair["models"])
        extra, share = pair["extra"], float(np.mean(first != second))
        assert extra["assumed"] == {"discordant": pytest.approx(share)}
        assert extra["detectable_alpha"] == pytest.approx(0.05 / 3)
        found = extra["detectable"]
        if found is None:
            assert midp_power(60, share, share, 0.05 / 3) < 0.8
        else:
            assert midp_power(60, share, found, 0.05 / 3) == pytest.approx(0.8, abs=1e-6)


OF_SAMPLES = """predictions bench from "q.csv"
  id question
  repeat sample
  correct a, b
  unit "questions"
measure accuracy
compare a vs b with permutation
"""


def test_a_check_a_plan_and_power_take_the_spread_of_the_samples_from_the_data(tmp_path, invoked):
    rng = np.random.default_rng(4)
    chance = rng.beta(2, 2, 40)[:, None, None] + np.array([0.0, 0.05])
    right = rng.random((40, 5, 2)) < chance
    rows = [[i, j, *map(int, right[i, j])] for i in range(40) for j in range(5)]
    place = written(tmp_path, rows, OF_SAMPLES, ["question", "sample", "a", "b"])
    apart = np.diff(right.mean(axis=1), axis=1).ravel()
    within = np.sqrt(right.var(axis=1, ddof=1).mean())
    sd = apart.std(ddof=1)

    # The least gap found with 80 % by the noncentral t of SciPy
    def power(gap):
        bound, shift = stats.t.isf(0.025, 39), gap / sd * 40**0.5
        return stats.nct.sf(bound, 39, shift) + stats.nct.cdf(-bound, 39, shift)

    answer = json.loads(invoked("power", place, "--format", "json"))["analyses"][0]["values"]
    (own,) = (a for a in answer["answers"] if a["assumptions"]["samples"] == 5)
    assert own["assumptions"]["sd_within"] == pytest.approx(within)
    between = max(sd**2 - 2 * within**2 / 5, 0) ** 0.5
    assert own["assumptions"]["sd_between"] == pytest.approx(between)
    assert power(own["detectable"]) == pytest.approx(0.8, abs=1e-6)
    said = f"accuracy: {100 * own['detectable']:.1f} points (permutation, 40 questions)"
    for command in (("check", "--data"), ("plan",)):
        lines = invoked(*command, place).splitlines()
        assert said in map(str.strip, lines)
        assert max(map(len, lines)) <= 80
    # The same answers in logs of Inspect AI, which number epochs without a clause
    for k, model in enumerate("ab"):
        samples = [{"id": i, "epoch": j + 1, "scores": {"s": {"value": int(right[i, j, k])}}}
                   for i in range(40) for j in range(5)]  # fmt: skip
        log = {"status": "success", "eval": {"task": "quiz", "model": model}, "samples": samples}
        (tmp_path / f"{model}.json").write_text(json.dumps(log), encoding="utf-8")
    _, after = OF_SAMPLES.split("  correct a, b\n")
    study = f'predictions bench "Bench" from inspect "*.json"\n{after}'
    logs = written(tmp_path, [], study, [])
    assert said in map(str.strip, invoked("check", "--data", logs).splitlines())


def test_without_data_a_plan_states_what_it_assumes(tmp_path, invoked):
    place = written(tmp_path, [], OF_SAMPLES + "analyze power(n=200, sd_between=0.2, "
                    "sd_within=0.45, samples=5)\n", ["question"])  # fmt: skip
    (tmp_path / "q.csv").unlink()
    said = " ".join(invoked("plan", place).split())
    assert "accuracy: 6.9 points (permutation, 200 questions)" in said
    assert "sd 0.2 between examples, sd 0.45 within, 5 samples each, assumed" in said


def test_a_plan_says_that_the_number_of_questions_is_unknown_without_the_data(tmp_path, invoked):
    place = written(tmp_path, [], OF_SAMPLES, ["question"])
    (tmp_path / "q.csv").unlink()
    assert "accuracy: unknown, as the data could not be read" in invoked("plan", place)


OF_SCORES = """predictions p from "q.csv"
  id question
  truth y
  positive yes
  score a = "a"
  score b = "b"
compare a, b with delong by roc_auc
compare a, b with bootstrap by f1
require a better than b in roc_auc with delong
report html
"""


def test_areas_and_f1_take_the_standard_error_that_their_intervals_show(tmp_path, invoked):
    rng, n = np.random.default_rng(5), 150
    truth = rng.random(n) < 0.4
    scores = stats.norm.cdf(rng.normal(size=(n, 2)) + truth[:, None] * [1.6, 0.4] - 0.5)
    rows = [[i, "yes" if y else "no", *map(repr, s)] for i, (y, s) in
            enumerate(zip(truth.tolist(), scores.tolist(), strict=True))]  # fmt: skip
    place = written(tmp_path, rows, OF_SCORES, ["question", "y", "a", "b"])
    invoked("run", place, "--out", tmp_path / "out")
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    areas, f1 = (c["pairwise"][0] for c in results["comparisons"])
    # DeLong's variance from the placements of the positives and the negatives
    above = scores[truth][:, None] > scores[~truth][None]
    parts = [np.diff(above.mean(axis=axis)).ravel().var(ddof=1) / above.shape[1 - axis]
             for axis in (1, 0)]  # fmt: skip
    error = sum(parts) ** 0.5
    for extra in (areas["extra"], results["requirements"][0]["test"]["extra"]):
        assert extra["detectable_error"] == pytest.approx(error)
        shift = extra["detectable"] / error
        power = stats.norm.sf(1.959964 - shift)
        assert power == pytest.approx(0.8, abs=1e-6)
    assert f"Smallest difference detected with 80% power: {extra['detectable']:.3f}" in report
    drawn = rng.integers(0, n, (4000, n))
    right, labels = truth[drawn], (scores > 0.5)[drawn]
    hits = (right[..., None] & labels).sum(axis=1)
    f = 2 * hits / (right.sum(axis=1)[:, None] + labels.sum(axis=1))
    assert f1["extra"]["detectable"] == pytest.approx(2.8016 * np.diff(f).std(), rel=0.1)
    assert "the smallest true difference that each test detects" in report


OF_JUDGES = """predictions bench from "q.csv"
  id question
  judges a, b
  truth human
  positive yes
  unit "questions"
measure corrected_rate, recall, specificity
compare a vs b with mcnemar by accuracy
report html
"""
OF_TASKS = """predictions bench from "q.csv"
  id question
  dataset task
  group passage
  correct a, b
  unit "questions"
measure accuracy averaged over data
compare a vs b averaged over data
report html
"""


def test_a_check_states_the_difference_that_the_report_states(tmp_path, invoked):
    rng = np.random.default_rng(5)
    human = rng.random(200) < 0.5
    judges = [np.where(rng.random(200) < right, human, ~human) for right in (0.7, 0.8)]
    words = np.array(["no", "yes"])
    columns = [words[human.astype(int)], *(words[judge.astype(int)] for judge in judges)]
    rated = [[i, *(c[i] if k or i < 80 else "" for k, c in enumerate(columns))] for i in range(200)]
    place = written(tmp_path, rated, OF_JUDGES, ["question", "human", "a", "b"])
    assert "80 questions)" in difference_of_both(place, invoked)
    answers = rng.random((120, 2)) < [0.5, 0.6]
    tasks = [[i, f"t{i % 3}", f"p{i // 4}", *map(int, row)] for i, row in enumerate(answers)]
    place = written(tmp_path, tasks, OF_TASKS, ["question", "task", "passage", "a", "b"])
    assert "120 questions)" in difference_of_both(place, invoked)


def difference_of_both(place, invoked):
    said = invoked("check", "--data", place)
    invoked("run", place, "--out", place.parent / "out")
    results = json.loads((place.parent / "out" / "results.json").read_text(encoding="utf-8"))
    (pair,) = results["comparisons"][-1]["pairwise"]
    assert f"accuracy: {100 * pair['extra']['detectable']:.1f} points" in said
    return said
