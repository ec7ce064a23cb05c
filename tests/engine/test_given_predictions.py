"""Predictions made elsewhere: several files, repeats, data sets, values, weights."""

import itertools
import json

import numpy as np
import pytest
from scipy import stats
from studies import codes, study

from evallang.api import run
from evallang.api.study import StudyError

N = 60
RNG = np.random.default_rng(11)
TRUTH = RNG.integers(0, 2, N)
PROBABILITY = np.clip(0.5 + (TRUTH - 0.5) * 0.5 + RNG.normal(0, 0.25, N), 0.01, 0.99).round(3)
LABEL = np.where(RNG.random(N) < 0.75, TRUTH, 1 - TRUTH)


def write(folder, name, header, rows):
    lines = [header, *(",".join(str(cell) for cell in row) for row in rows)]
    (folder / name).write_text("\n".join(lines) + "\n")


def errors(raised):
    return [d for d in raised.value.diagnostics if d.severity == "error"]


# --- several files -----------------------------------------------------------------------

TWO_FILES = """evallang 1
predictions p from "a.csv", "b.csv"
  id id
  truth truth
  models a as said in "a.csv", b
  score b = pb
  positive 1
{}measure accuracy, roc_auc
compare a, b with mcnemar
"""


@pytest.fixture
def two_files(tmp_path):
    write(tmp_path, "a.csv", "id,truth,said", zip(range(N), TRUTH, LABEL, strict=True))
    backwards = [(f"{i}.0", f"{TRUTH[i]}.0", PROBABILITY[i]) for i in reversed(range(N))]
    write(tmp_path, "b.csv", "id,truth,pb", backwards)
    return tmp_path


def without_auc(text):
    return text.replace(", roc_auc", "")


def test_rows_of_two_files_meet_by_id_whatever_their_order_and_spelling(two_files):
    results = run(study(without_auc(TWO_FILES).format(""), two_files))
    first, second = TRUTH == LABEL, (PROBABILITY >= 0.5) == TRUTH
    table = results.comparisons[0].pairwise[0].table
    assert table == (
        (int((first & second).sum()), int((first & ~second).sum())),
        (int((~first & second).sum()), int((~first & ~second).sum())),
    )
    assert {e.model: e.value for e in results.estimates} == pytest.approx(
        {"a": first.mean(), "b": second.mean()}
    )
    assert any("at least 0.5" in note for note in results.record.data[0].notes)


def test_a_metric_of_scores_is_refused_once_for_all_models_without_them(two_files):
    with pytest.raises(StudyError) as raised:
        run(study(TWO_FILES.format(""), two_files))
    (found,) = errors(raised)
    assert found.message == "`roc_auc` needs scores, and `p` has none of `a`"
    assert found.help.startswith('write `score a = "COLUMN"` below `predictions p`')


def test_rows_missing_in_one_file_are_listed_or_left_out_and_counted(two_files):
    rows = [(i, TRUTH[i], PROBABILITY[i]) for i in range(N) if i not in (3, 5)]
    write(two_files, "b.csv", "id,truth,pb", rows)
    with pytest.raises(StudyError) as raised:
        run(study(without_auc(TWO_FILES).format(""), two_files))
    assert "`b.csv` lacks 2 rows that other files have: `id` 3, 5" in errors(raised)[0].message
    results = run(study(without_auc(TWO_FILES).format("  rows common\n"), two_files))
    assert results.record.data[0].n == N - 2
    assert "rows common: 2 rows of 60 left out, not in every file" in results.record.data[0].notes


def test_a_truth_that_differs_between_files_is_an_error_that_names_the_row(two_files):
    rows = [(i, 1 - TRUTH[i] if i == 7 else TRUTH[i], PROBABILITY[i]) for i in range(N)]
    write(two_files, "b.csv", "id,truth,pb", rows)
    with pytest.raises(StudyError) as raised:
        run(study(without_auc(TWO_FILES).format(""), two_files))
    assert "for `id` 7 it is" in errors(raised)[0].message


def test_groups_of_one_file_are_the_unit_for_models_of_all(two_files):
    rows = [(i, TRUTH[i], LABEL[i], f"g{i // 4}") for i in range(N)]
    write(two_files, "a.csv", "id,truth,said,g", rows)
    results = run(study(without_auc(TWO_FILES).format("  group g\n"), two_files))
    assert results.record.data[0].groups == N // 4
    assert results.comparisons[0].pairwise[0].clusters.n == N // 4
    assert {e.about for e in results.estimates} == {"new groups"}


def test_planned_pairs_of_a_test_that_takes_many_models_are_tested_as_pairs(tmp_path):
    columns = [PROBABILITY, RNG.random(N).round(3), np.clip(PROBABILITY + 0.1, 0, 1).round(3)]
    write(tmp_path, "p.csv", "truth,pa,pb,pc", zip(TRUTH, *columns, strict=True))
    text = """evallang 1
predictions p from "p.csv"
  truth truth
  models a, b, c
  score a = pa
  score b = pb
  score c = pc
  positive 1
measure roc_auc
compare a vs b, a vs c with delong holm
compare with delong exploratory
"""
    pairs, together = run(study(text, tmp_path)).comparisons
    assert [t.models for t in pairs.pairwise] == [("a", "b"), ("a", "c")]
    assert (pairs.omnibus, pairs.family.size) == (None, 2)
    assert (together.omnibus.models, together.pairwise) == (("a", "b", "c"), ())


# --- repeats -----------------------------------------------------------------------------

EXAMPLES, REPEATS = 8, 3
RIGHT = RNG.integers(0, 2, (2, EXAMPLES, REPEATS))
REPEATED = """evallang 1
predictions r from "r.csv"
  id item
  repeat run
  correct a, b
  unit "questions"
compare a, b with {}
"""


@pytest.fixture
def repeated(tmp_path):
    rows = [(i, r, RIGHT[0, i, r], RIGHT[1, i, r]) for r in range(REPEATS) for i in range(EXAMPLES)]
    write(tmp_path, "r.csv", "item,run,a,b", rows)
    return tmp_path


def test_with_repeats_the_example_is_the_unit_and_its_mean_the_outcome(repeated):
    results = run(study(REPEATED.format("permutation"), repeated))
    a, _ = results.estimates
    means = RIGHT.mean(axis=2)
    assert a.value == pytest.approx(means[0].mean())
    assert (a.aggregation, a.n, results.record.data[0].n) == ("mean_of_repeats", 8, 8)
    assert [f.value for f in a.folds] == pytest.approx(RIGHT[0].mean(axis=0))
    assert a.extra["sd_within"] == pytest.approx(np.sqrt(RIGHT[0].var(axis=1, ddof=1).mean()))
    assert a.about == "the average of the 3 repeats made here"
    # all 2^8 ways to swap the two models within an example, with all its repeats
    d = means[0] - means[1]
    swapped = np.array(list(itertools.product((-1, 1), repeat=EXAMPLES))) @ d
    expected = (np.abs(swapped) >= abs(d.sum()) - 1e-9).mean()
    (pair,) = results.comparisons[0].pairwise
    assert pair.p == pytest.approx(expected)
    assert pair.estimate.value == pytest.approx(d.mean())


def test_an_example_with_fewer_repeats_counts_as_much_as_any_other(repeated):
    kept = [line for line in (repeated / "r.csv").read_text().splitlines() if line[:3] != "2,2"]
    (repeated / "r.csv").write_text("\n".join(kept) + "\n")
    results = run(study(REPEATED.format("bootstrap(rounds=200)"), repeated))
    means = RIGHT.mean(axis=2)
    means[:, 2] = RIGHT[:, 2, :2].mean(axis=1)
    assert [e.value for e in results.estimates] == pytest.approx(means.mean(axis=1))


@pytest.mark.parametrize("test", ["mcnemar", "proportions_z"])
def test_tests_on_counts_are_refused_with_permutation_as_the_way_out(repeated, test):
    with pytest.raises(StudyError) as raised:
        run(study(REPEATED.format(test), repeated))
    assert [(d.code, d.help) for d in errors(raised)] == [("E201", "write `with permutation`")]


def test_repeats_of_f1_are_measured_each_and_their_examples_drawn_whole(tmp_path):
    rows = [
        (i, r, TRUTH[i], LABEL[(i + 7 * r) % N], 1 - TRUTH[i] if i % 5 == r else TRUTH[i])
        for r in range(2)
        for i in range(N)
    ]
    write(tmp_path, "r.csv", "id,run,truth,a,b", rows)
    text = """evallang 1
predictions r from "r.csv"
  id id
  repeat run
  truth truth
  positive 1
measure f1
  interval bootstrap(rounds=200)
compare b, a with permutation(rounds=200) by f1
"""
    results = run(study(text, tmp_path))
    table = np.array(rows)
    expected = []
    for r in range(2):
        part = table[table[:, 1] == r]
        hits = ((part[:, 2] == 1) & (part[:, 3] == 1)).sum()
        expected.append(2 * hits / ((part[:, 2] == 1).sum() + (part[:, 3] == 1).sum()))
    (a, _) = results.estimates
    assert a.value == pytest.approx(np.mean(expected))
    assert a.interval.low < a.value < a.interval.high
    assert "examples" in results.comparisons[0].pairwise[0].variant


def test_repeated_cross_validation_is_read_as_such_and_not_as_examples(tmp_path):
    rows = [
        (i, r, (i * (r + 1) + r) % 5, TRUTH[i], LABEL[(i + r) % N], LABEL[i])
        for r in range(3)
        for i in range(N)
    ]
    write(tmp_path, "r.csv", "id,run,fold,truth,a,b", rows)
    text = """evallang 1
predictions r from "r.csv"
  id id
  repeat run
  fold fold
  truth truth
  positive 1
compare a, b with corrected_t
"""
    results = run(study(text, tmp_path))
    table = np.array(rows)
    d = np.array(
        [
            (part[:, 4] == part[:, 3]).mean() - (part[:, 5] == part[:, 3]).mean()
            for r in range(3)
            for k in range(5)
            for part in [table[(table[:, 1] == r) & (table[:, 2] == k)]]
        ]
    )
    t = d.mean() / np.sqrt(d.var(ddof=1) * (1 / 15 + 1 / 4))
    (pair,) = results.comparisons[0].pairwise
    assert pair.statistic.value == pytest.approx(t)
    assert {e.interval.method for e in results.estimates} == {"corrected_t"}
    assert "E201" in codes(text.replace("corrected_t", "permutation"))


# --- data sets in one file ---------------------------------------------------------------


def test_a_column_of_data_sets_gives_one_family_and_comparisons_across_them(tmp_path):
    rows = [(i, f"s{i % 6}", TRUTH[i], LABEL[i], LABEL[(i + 1) % N]) for i in range(N)]
    write(tmp_path, "p.csv", "id,suite,truth,a,b", rows)
    text = """evallang 1
predictions p from "p.csv"
  id id
  dataset suite
  truth truth
  positive 1
compare a, b with mcnemar
compare a, b across data with wilcoxon exploratory
"""
    results = run(study(text, tmp_path))
    assert [d.name for d in results.record.data] == [f"p/s{k}" for k in range(6)]
    *each, across = results.comparisons
    assert [c.data for c in each] == [f"p/s{k}" for k in range(6)]
    assert {(c.family.size, c.family.correction) for c in each} == {(6, "holm")}
    right = np.array([TRUTH == LABEL, np.roll(LABEL, -1) == TRUTH])
    d = [right[0, k::6].mean() - right[1, k::6].mean() for k in range(6)]
    assert across.data is None
    walsh = [(a + b) / 2 for a, b in itertools.combinations_with_replacement(d, 2)]
    assert across.pairwise[0].estimate.value == pytest.approx(np.median(walsh))
    alone = text.replace("  dataset suite\n", "").replace("compare a, b with mcnemar\n", "")
    assert "E201" in codes(alone)


# --- values and weights ------------------------------------------------------------------

VALUES = RNG.random((2, 40)).round(3)


def test_values_of_examples_are_a_metric_of_their_own(tmp_path):
    write(tmp_path, "v.csv", "id,fa,fb", zip(range(40), *VALUES, strict=True))
    text = """evallang 1
predictions v from "v.csv"
  id id
  value "Edit distance" a as fa, b as fb
  lower is better
compare a, b with t
require edit_distance of a <= 90%
require a better than b by 30%
"""
    results = run(study(text, tmp_path))
    assert [(e.metric, e.value) for e in results.estimates] == [
        ("Edit distance", pytest.approx(VALUES[0].mean())),
        ("Edit distance", pytest.approx(VALUES[1].mean())),
    ]
    expected = stats.ttest_rel(VALUES[0], VALUES[1])
    assert results.comparisons[0].pairwise[0].p == pytest.approx(expected.pvalue)
    assert [r.met for r in results.requirements] == [True, False]
    (metric,) = [m for m in results.record.methods if m.kind == "metric"]
    assert (metric.name, metric.better) == ("Edit distance", "lower")
    refused = text.replace("with t", "with mcnemar")
    assert "E201" in codes(refused)
    assert "E203" in codes(text + "measure accuracy\n")


def test_values_in_groups_refuse_a_test_that_has_no_form_for_them():
    text = """evallang 1
predictions v from "v.csv"
  group g
  value "F1" a, b
compare a, b with wilcoxon
"""
    assert "E210" in codes(text)


def test_weights_of_predictions_enter_the_measure_and_count_tests_refuse_them(tmp_path):
    weights = 1 + np.arange(N) % 3
    write(tmp_path, "w.csv", "w,truth,a,b", zip(weights, TRUTH, LABEL, TRUTH, strict=True))
    text = """evallang 1
predictions p from "w.csv"
  truth truth
  weight w
  models a, b
  positive 1
compare a, b with permutation(rounds=100)
"""
    a, _ = run(study(text, tmp_path)).estimates
    assert a.value == pytest.approx(np.average(TRUTH == LABEL, weights=weights))
    assert "E221" in codes(text.replace("permutation(rounds=100)", "mcnemar"))


# --- logs of language models -------------------------------------------------------------


def test_sample_logs_are_judged_outcomes_in_their_groups(tmp_path):
    for model, share in (("small", 0.4), ("large", 0.7)):
        judged = RNG.random(40) < share
        lines = [
            json.dumps(
                {
                    "doc_id": i,
                    "doc": {"passage": f"p{i // 4}"},
                    "filter": f,
                    "exact_match": float(x),
                }
            )
            for i, x in enumerate(judged)
            for f in ("strict", "loose")
        ]
        RNG.shuffle(lines)
        (tmp_path / f"{model}.jsonl").write_text("\n".join(lines) + "\n")
    text = """evallang 1
predictions quiz from "small.jsonl", "large.jsonl"
  id doc_id
  group doc.passage
  where filter = strict
  correct small as exact_match in "small.jsonl"
  correct large as exact_match in "large.jsonl"
compare large, small with mcnemar
"""
    results = run(study(text, tmp_path))
    (data,) = results.record.data
    assert (data.n, data.groups, data.excluded[0].n) == (40, 10, 40)
    assert results.comparisons[0].pairwise[0].clusters.n == 10


# --- several kinds of sources in one study -----------------------------------------------

MIXED = """evallang 1
data iris from sklearn iris
model tree = DecisionTreeClassifier(max_depth=2)
model bayes = GaussianNB
protocol cv folds=3
scores s from "s.csv"
  fold fold
  models nb, rf
  metric "Accuracy"
measure balanced_accuracy
"""


@pytest.fixture
def mixed(tmp_path):
    write(tmp_path, "s.csv", "fold,nb,rf", [(k, 70 + k % 3, 80 + k % 2) for k in range(5)])
    return tmp_path


def test_a_line_takes_the_metric_of_the_source_that_has_its_models(mixed):
    lines = (
        "require rf better than nb\n"
        "require accuracy of rf >= 50\n"
        "require balanced_accuracy of tree >= 50%\n"
        "compare rf, nb with corrected_t\n"
        "compare tree, bayes with permutation(rounds=100)\n"
    )
    results = run(study(MIXED + lines, mixed))
    assert [(r.data, r.metric, r.met) for r in results.requirements] == [
        ("s", "Accuracy", True),
        ("s", "Accuracy", True),
        ("iris", "balanced_accuracy", True),
    ]
    assert [(c.data, c.metric) for c in results.comparisons] == [
        ("s", "Accuracy"),
        ("iris", "balanced_accuracy"),
    ]
    metrics = {(e.data, e.metric) for e in results.estimates}
    assert metrics == {("s", "Accuracy"), ("iris", "balanced_accuracy")}


def test_a_requirement_that_no_source_can_decide_never_passes_unseen(mixed):
    assert "E109" in codes(MIXED + "require rf better than tree\n")
    unnamed = MIXED.replace("  models nb, rf\n", "") + "require rf better than tree\n"
    (line,) = run(study(unnamed, mixed)).requirements
    assert not line.met
    assert "cannot be decided" in line.reason


def test_numbers_of_two_measures_do_not_stand_in_one_statement():
    text = 'evallang 1\npredictions v from "v.csv"\n  value "F1" a\n  value "EM" b\n'
    assert "E144" in codes(text)
    stray = 'evallang 1\npredictions v from "v.csv"\n  truth y\n  models a, b\n  lower is better\n'
    assert "E144" in codes(stray)


def test_one_data_set_read_is_no_sample_of_data_sets(tmp_path):
    rows = [(i, "only", TRUTH[i], LABEL[i], TRUTH[i]) for i in range(N)]
    write(tmp_path, "p.csv", "id,suite,truth,a,b", rows)
    text = """evallang 1
predictions p from "p.csv"
  id id
  dataset suite
  truth truth
  positive 1
compare a, b across data with wilcoxon
"""
    with pytest.raises(StudyError) as raised:
        run(study(text, tmp_path))
    assert [d.code for d in errors(raised)] == ["E201"]


def test_few_groups_of_predictions_are_warned_of(two_files):
    rows = [(i, TRUTH[i], LABEL[i], f"g{i % 5}") for i in range(N)]
    write(two_files, "a.csv", "id,truth,said,g", rows)
    results = run(study(without_auc(TWO_FILES).format("  group g\n"), two_files))
    assert "few_groups" in [d["name"] for d in results.record.diagnostics]
