"""Tables of scores computed elsewhere: over data sets, over folds, and what they cannot give."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from many_cases import for_each
from scipy import stats
from studies import codes, study

from evallang.api import run
from evallang.api.checked_file import StudyError

EXAMPLES = Path(__file__).parents[2] / "examples"
DEMSAR = """evallang 1
scores auc from "data/demsar_auc.csv"
  dataset "data set"
  models plain as "C4.5", m as "C4.5+m", cf as "C4.5+cf", m_cf as "C4.5+m+cf"
  metric "AUC"
"""


@pytest.fixture(scope="module")
def demsar():
    lines = (
        "compare across data with friedman then nemenyi\n"
        "compare across data with friedman(ties=ignore) exploratory\n"
        "compare m_cf, plain across data with wilcoxon exploratory\n"
    )
    return run(study(DEMSAR + lines, EXAMPLES))


def test_demsars_figures_come_out_of_a_study(demsar):
    # statistics.md, section 8: from his printed AUCs chi2 9.857 and F 3.987 without, 10.952
    # and 4.586 with correction for ties; his table 6
    corrected, textbook, _ = demsar.comparisons
    assert corrected.omnibus.extra["chi2"] == pytest.approx(10.952, abs=5e-4)
    assert corrected.omnibus.statistic.value == pytest.approx(4.586, abs=5e-4)
    assert textbook.omnibus.extra["chi2"] == pytest.approx(9.857, abs=5e-4)
    assert textbook.omnibus.statistic.value == pytest.approx(3.987, abs=5e-4)
    # Demšar 2006, 3.2.2: CD = 2.569 sqrt(4 * 5 / (6 * 14)) = 1.25
    assert corrected.ranks.critical_difference == pytest.approx(1.25, abs=5e-3)


def test_every_data_set_of_a_table_is_one_of_the_study_and_its_score_an_estimate(demsar):
    assert [d.name for d in demsar.record.data][:2] == ["auc/adult (sample)", "auc/breast cancer"]
    assert {d.kind for d in demsar.record.data} == {"scores"}
    assert len(demsar.record.data) == 14
    values = {(e.data, e.model): e for e in demsar.estimates}
    wine = values["auc/wine", "m"]
    assert (wine.metric, wine.value, wine.interval, wine.folds) == ("AUC", 0.978, None, ())
    assert {(m.name, m.kind) for m in demsar.record.models} == {
        (name, "scores") for name in ("plain", "m", "cf", "m_cf")
    }


def test_a_pair_over_data_sets_is_tested_by_all_its_signs(demsar):
    rows = np.genfromtxt(EXAMPLES / "data" / "demsar_auc.csv", delimiter=",", skip_header=1)
    d = (rows[:, 4] - rows[:, 1]).round(3)
    ranks = stats.rankdata(np.abs(d[d != 0]))
    signs = np.array(list(itertools.product((-1, 1), repeat=len(ranks))))
    observed = abs((ranks * np.sign(d[d != 0])).sum())
    (pair,) = demsar.comparisons[2].pairwise
    assert pair.p == pytest.approx((np.abs(signs @ ranks) >= observed - 1e-9).mean())
    walsh = [(a + b) / 2 for a, b in itertools.combinations_with_replacement(d, 2)]
    assert pair.estimate.value == pytest.approx(np.median(walsh))  # Hodges & Lehmann 1963


# --- folds -------------------------------------------------------------------------------

SCORES = np.random.default_rng(3).normal([0.80, 0.82], 0.02, (3, 5, 2)).round(3)
LONG = ["suite,rep,fold,algo,acc"] + [
    f"iris,{r},{k},{name},{SCORES[r, k, m]}"
    for r in range(3)
    for k in range(5)
    for m, name in enumerate(("nb", "rf"))
]
FOLDS = """evallang 1
scores s from "long.csv"
  dataset suite
  fold fold
  repeat rep
  model algo
  score acc
  metric "Accuracy"
"""


def long_table(tmp_path, lines, rows=LONG):
    (tmp_path / "long.csv").write_text("\n".join(rows) + "\n")
    return run(study(FOLDS + lines, tmp_path))


def nadeau_bengio(values, ratio):
    """Mean and half width by the formula of Nadeau & Bengio 2003, section 1 of statistics.md."""
    j = values.size
    error = np.sqrt(values.var(ddof=1) * (1 / j + ratio))
    return values.mean(), stats.t.ppf(0.975, j - 1) * error


def test_scores_of_folds_get_their_mean_spread_and_the_corrected_interval(tmp_path):
    (nb, rf) = long_table(tmp_path, "compare rf, nb with corrected_t\n").estimates
    mean, half = nadeau_bengio(SCORES[:, :, 1].ravel(), 1 / 4)
    assert rf.value == pytest.approx(mean)
    assert rf.sd == pytest.approx(SCORES[:, :, 1].std(ddof=1))
    assert (rf.interval.low, rf.interval.high) == pytest.approx((mean - half, mean + half))
    assert (rf.aggregation, rf.n, len(rf.folds)) == ("mean_of_folds", 15, 15)
    assert [(f.repeat, f.fold_label, f.value) for f in nb.folds][5] == (1, "0", SCORES[1, 0, 0])
    assert any("1/4" in note for note in rf.notes)


def test_tests_on_folds_take_the_share_of_their_design_or_the_one_given(tmp_path):
    lines = (
        "compare rf, nb with corrected_t\n"
        "compare rf, nb with corrected_t(test_train_ratio=1/9) exploratory\n"
    )
    assumed, given = long_table(tmp_path, lines).comparisons
    d = (SCORES[:, :, 1] - SCORES[:, :, 0]).ravel()
    for line, ratio in ((assumed, 1 / 4), (given, 1 / 9)):
        expected = d.mean() / np.sqrt(d.var(ddof=1) * (1 / 15 + ratio))
        assert line.pairwise[0].statistic.value == pytest.approx(expected)
    assert any("1/4" in note for note in assumed.pairwise[0].notes)
    assert given.pairwise[0].notes == ()


def test_a_gate_on_folds_is_decided_on_the_corrected_interval(tmp_path):
    met, above = long_table(
        tmp_path, "require rf not worse than nb by 10%\nrequire accuracy of rf >= 99%\n"
    ).requirements
    assert (met.met, met.method) == (True, "corrected_t")
    assert (above.met, above.value) == (False, pytest.approx(SCORES[:, :, 1].mean()))


def test_five_repeats_of_two_folds_are_what_the_5x2_tests_take(tmp_path):
    rows = ["rep,fold,a,b"] + [f"{r},{k},{0.8 + 0.01 * r},{0.78 + 0.02 * k}" for r in range(5)
                               for k in range(2)]  # fmt: skip
    (tmp_path / "f.csv").write_text("\n".join(rows) + "\n")
    text = (
        'evallang 1\nscores s from "f.csv"\n  fold fold\n  repeat rep\n  metric "AUC"\n'
        "compare a, b with 5x2cv_f\n"
    )
    results = run(study(text, tmp_path))
    d = np.array([[0.02 + 0.01 * r - 0.02 * k for k in range(2)] for r in range(5)])
    s2 = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    expected = (d**2).sum() / (2 * s2.sum())  # Alpaydin 1999
    assert results.comparisons[0].pairwise[0].statistic.value == pytest.approx(expected)
    assert {e.interval for e in results.estimates} == {None}
    (tmp_path / "f.csv").write_text("\n".join(rows[:-2]) + "\n")
    with pytest.raises(StudyError) as raised:
        run(study(text, tmp_path))
    assert [d.code for d in raised.value.diagnostics if d.severity == "error"] == ["E201"]


# --- what scores cannot give -------------------------------------------------------------

TABLE = 'evallang 1\nscores auc from "auc.csv"\n  models a, b, c\n  metric "AUC"\n'


@for_each(
    ("lines", "code"),
    [
        ("  dataset name\ncompare with cochran then mcnemar\n", "E201"),
        ("  dataset name\ncompare a, b with corrected_t\n", "E201"),
        ("  dataset name\ncompare a, b with wilcoxon\n", "E201"),
        ("  fold fold\ncompare across data with friedman then nemenyi\n", "E201"),
        ("  fold fold\ncompare a, b with permutation\n", "E201"),
        ("  repeat run\ncompare a, b with corrected_t\n", "E201"),
        ("  dataset name\nmeasure f1\n", "E203"),
        ("  dataset name\nmeasure auc\n  interval wilson\n", "E202"),
        ("  dataset name\nrequire a better than b\n", "E211"),
        ("  dataset name\n  fold fold\ncompare with corrected_t shaffer\n", "E209"),
        ("  dataset name\n  model algo\n", "E142"),
    ],
)
def test_what_scores_cannot_give_is_refused(lines, code):
    assert {c for c in codes(TABLE + lines) if c.startswith("E")} == {code}
