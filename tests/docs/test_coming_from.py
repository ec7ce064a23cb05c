"""What R printed on the pages for readers from R, against evallang's numbers.

R does not run in the tests: its output is recorded on the page. A number agrees if it rounds to the
digits that R printed.
"""

import re
import runpy
import shutil
from decimal import Decimal
from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest
from autorank import autorank
from blocks import blocks_of
from scipy.stats import norm, studentized_range, ttest_1samp, wilcoxon
from studies import study

import evallang as ev
from evallang import stats

ROOT = Path(__file__).parents[2]
NUMBER = r"-?\d[\d.]*(?:e-\d+)?"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "examples" / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def blocks(package):
    return blocks_of((ROOT / "docs" / "guide" / f"from-{package}.md").read_text(encoding="utf-8"))


def recorded(package):
    (block,) = [b for b in blocks(package) if "recorded" in b.words]
    return block.text


def results_of(package, folder):
    block = next(b for b in blocks(package) if b.language == "eval")
    return ev.run(study(block.text, folder))


def after(words, text):
    """Return the numbers after these words, as they are printed."""
    return re.findall(NUMBER, text.split(words, 1)[1])


def agrees(printed, value):
    """Tell whether a number rounds to what was printed."""
    shown = Decimal(printed)
    unit = Decimal(1).scaleb(shown.as_tuple().exponent)
    return abs(Decimal(value) - shown) <= unit * Decimal("0.501")


def matrices(text):
    """Return the upper triangles of the square tables of p-values, in order."""
    rows = [line.split()[1:] for line in text.splitlines() if re.match(r"C4\.5\S*\s+\S", line)]
    tables = [rows[i : i + 4] for i in range(0, len(rows), 4)]
    return [[table[a][b] for a, b in combinations(range(4), 2)] for table in tables]


def test_delongs_test_is_that_of_proc(folder):
    text, results = recorded("proc"), results_of("proc", folder)
    delong, bootstrap = (pair.result for pair in results.pairs)
    z, p = after("Z = ", text)[:2]
    assert agrees(z, delong.statistic.value)
    assert agrees(p, delong.p)
    low, high = after("95 percent confidence interval:", text)[:2]
    assert agrees(low, delong.estimate.low)
    assert agrees(high, delong.estimate.high)
    areas = {e.model: e.value for e in results.estimates}
    for name, printed in zip(
        ("large", "encoder"), after("AUC of roc1 AUC of roc2", text)[:2], strict=True
    ):
        assert agrees(printed, areas[name])
    # both draw at random, pROC two thousand times and within the classes
    assert bootstrap.p == pytest.approx(
        float(after("p-value = ", text.split("D = ")[1])[0]), abs=0.03
    )


def test_scmamps_omnibus_ignores_ties_and_its_nemenyi_has_finite_degrees_of_freedom():
    text = recorded("scmamp")
    scores = pd.read_csv(ROOT / "examples/data/demsar_auc.csv", index_col=0).to_numpy()
    found = stats.friedman(scores, "higher", ties="ignore")
    assert agrees(after("chi-squared = ", text)[0], found.statistic.value)
    assert agrees(after("p-value =", text)[0], found.p)
    unit = (4 * 5 / (6 * 14)) ** 0.5
    finite = studentized_range.ppf(0.95, 4, 52) / 2**0.5 * unit
    assert agrees(after("Critical difference = ", text)[0], finite)
    assert agrees("1.254", stats.critical_difference(4, 14))


def test_scmamps_wilcoxon_has_one_tail_and_its_adjustments_are_those_of_evallang():
    one_tail, adjusted, adjusted_ranks = matrices(recorded("scmamp"))
    table = pd.read_csv(ROOT / "examples/data/demsar_auc.csv", index_col=0)
    pairs = list(combinations(["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"], 2))
    for printed, (a, b) in zip(one_tail, pairs, strict=True):
        both = wilcoxon(table[a], table[b], zero_method="zsplit", method="asymptotic").pvalue
        assert 2 * float(printed) == pytest.approx(both, rel=0.01)  # scmamp ignores ties
    assert all(map(agrees, adjusted, stats.bergmann_hommel([float(p) for p in one_tail])))
    ranks = (-table).rank(axis=1).mean()
    unit = (4 * 5 / (6 * 14)) ** 0.5
    of_ranks = [2 * norm.sf(abs(ranks[a] - ranks[b]) / unit) for a, b in pairs]
    assert all(map(agrees, adjusted_ranks, stats.bergmann_hommel(of_ranks)))


def test_carets_t_test_takes_the_folds_for_independent(folder):
    made = next(b for b in blocks("caret") if b.language == "python")
    Path("folds.py").write_text(made.text, encoding="utf-8")
    runpy.run_path("folds.py")
    text, results = recorded("caret"), results_of("caret", folder)
    folds = results.folds.to_pandas()
    scores = folds[folds["metric"] == "accuracy"].pivot(
        index=["repeat", "fold"], columns="model", values="value"
    )
    for name in ("linear", "nearest"):
        assert agrees(after(f"{name} ", text)[3], scores[name].mean())
    difference = scores["linear"] - scores["nearest"]
    naive = ttest_1samp(difference, 0)
    assert agrees(after("t = ", text)[0], naive.statistic)
    assert agrees(after("p-value = ", text)[0], naive.pvalue)
    low, high = after("95 percent confidence interval:", text)[:2]
    bounds = naive.confidence_interval()
    assert agrees(low, bounds.low)
    assert agrees(high, bounds.high)
    assert agrees(after("mean of x", text)[0], difference.mean())
    (pair,) = results.pairs
    assert pair.result.p > 0.1


def test_autoranks_critical_distance_is_that_of_nemenyis_test():
    suite = pd.read_csv(ROOT / "examples/data/suite_auc.csv", index_col=0, na_values="-").dropna()
    ranking = autorank(suite)
    assert ranking.posthoc == "nemenyi"
    assert ranking.cd == pytest.approx(
        stats.critical_difference(5, len(suite)), rel=1e-4
    )  # from a table
    assert agrees("1.272", ranking.cd)
