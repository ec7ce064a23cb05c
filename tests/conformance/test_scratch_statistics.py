"""A test, a correction and an interval are one module each, and nothing else names them."""

import re
from contextlib import ExitStack
from functools import cache
from html import unescape

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats as peer
from scratch_members import files_that_name, registered
from studies import checked, study, write_rows
from worked_examples import assert_documented, assert_example

from docs.generator import fitting, members
from evallang.api import run
from evallang.api.results import Results
from evallang.cli.main import root
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS

N = 240
LOAD = """\
evallang 1
study "Load of a grid"
  seed 7
data load from "load.csv"
  target mw
  task regression
model ridge "Ridge regression" = Ridge
model tree "Tree" = DecisionTreeClassifier
model mean "Mean" = DummyRegressor
protocol holdout test=1/2
measure mae
compare with yuen fdr_bl
report html
""".replace("DecisionTreeClassifier", "DecisionTreeRegressor(max_depth=2)")
TUMOURS = """\
evallang 1
study "Tumours"
  seed 7
data cancer from sklearn breast_cancer
  positive malignant
model tree = DecisionTreeClassifier(max_depth=2)
protocol holdout test=1/3
measure accuracy
  interval arcsine
report html
"""


@pytest.fixture(autouse=True)
def _scratch():
    with ExitStack() as stack:
        stack.enter_context(registered("yuen", HYPOTHESIS_TESTS))
        stack.enter_context(registered("fdr_bl", CORRECTIONS))
        stack.enter_context(registered("arcsine", INTERVALS))
        yield


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(3)
    warmth = rng.normal(10, 5, N)
    load = 50 - 1.2 * warmth + rng.standard_t(2, N)
    rows = [(f"{a:.3f}", f"{b:.3f}") for a, b in zip(load, warmth, strict=True)]
    write_rows(tmp_path, "load.csv", "mw,warmth", rows)
    return tmp_path


@pytest.fixture
def found(folder):
    results = run(study(LOAD, folder))
    results.save(folder / "found")
    return results


def words_of(folder):
    page = (folder / "found" / "report.html").read_text(encoding="utf-8")
    text = re.sub(r"(?s)<(style|script|svg).*?</\1>", "", page)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", text)))


@pytest.mark.parametrize(
    ("registry", "name"),
    [(HYPOTHESIS_TESTS, "yuen"), (CORRECTIONS, "fdr_bl"), (INTERVALS, "arcsine")],
)
def test_their_worked_examples_hold(registry, name):
    assert_documented(registry[name])
    for example in registry[name].examples:
        assert_example(registry[name], example)


def test_yuens_test_is_that_of_scipy_but_for_the_covariance():
    rng = np.random.default_rng(5)
    x = rng.standard_t(2, 40)
    y = 0.5 * x + rng.standard_t(2, 40) + 0.4
    found = HYPOTHESIS_TESTS["yuen"].function(x, y, 0.95)
    independent = peer.ttest_ind(x, y, equal_var=False, trim=0.2)
    difference = peer.trim_mean(x, 0.2) - peer.trim_mean(y, 0.2)
    winsorised = [peer.mstats.winsorize(losses, (0.2, 0.2)).data for losses in (x, y)]
    kept = 24
    shared = 2 * 39 * np.cov(*winsorised)[0, 1] / (kept * (kept - 1))
    variance = (difference / independent.statistic) ** 2 - shared
    assert found.estimate.value == pytest.approx(difference, rel=1e-12)
    assert found.statistic.value == pytest.approx(difference / variance**0.5, rel=1e-10)
    assert found.p == pytest.approx(2 * peer.t.sf(abs(found.statistic.value), kept - 1), rel=1e-10)


def test_the_correction_is_never_stricter_than_holm_sidak():
    p = (0.001, 0.011, 0.02, 0.04, 0.3)
    found = CORRECTIONS["fdr_bl"].function(p)
    strict = CORRECTIONS["holm_sidak"].function(p)
    assert found[0] == pytest.approx(1 - 0.999**5)  # the strictest step is Šidák's
    assert all(a <= b for a, b in zip(found, strict, strict=True))


def test_the_check_knows_what_the_test_is_about():
    (warning,) = [d for d in checked(LOAD).diagnostics if d.code == "W318"]
    assert (
        warning.message == "`yuen` trims the losses of the examples, and `mae` is about their mean"
    )
    assert not [d for d in checked(LOAD).diagnostics if d.severity == "error"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (TUMOURS.replace("report", "compare tree, b with yuen by accuracy\nreport").replace(
            "protocol", "model b = GaussianNB\nprotocol"), "E207"),
        (LOAD.replace("holdout test=1/2", "time_series"), "E201"),
        (LOAD.replace("target mw", "target mw\n  weight warmth"), "E221"),
        (LOAD.replace("yuen fdr_bl", "yuen then t"), "E208"),
    ],
)  # fmt: skip
def test_what_it_cannot_do_is_refused(text, code):
    errors = [d for d in checked(text).diagnostics if d.severity == "error"]
    assert [d.code for d in errors] == [code]
    assert all("yuen" in d.message for d in errors)


def test_its_power_is_asked_printed_and_read_again(folder):
    text = LOAD.replace("report", "analyze power(sd=2, target=90%)\nreport")
    text = text.replace("yuen fdr_bl", "yuen(trim=0.1) fdr_bl")
    results = run(study(text, folder))
    results.save(folder / "found")
    (analysis,) = results.record.analyses
    (answer,) = analysis.values["answers"]
    level = 1 - 0.95 ** (1 / 3)
    assert (analysis.values["n"], analysis.values["variant"]) == (120, "")
    kept = 120 - 2 * 12
    error = 2 * (119 / (kept * (kept - 1))) ** 0.5
    bound = peer.t.ppf(1 - level / 2, kept - 1)
    assert peer.nct.sf(bound, kept - 1, answer["detectable"] / error) == pytest.approx(0.9)
    words = words_of(folder)
    assert "sd 2, 10% cut off at each end" in words
    assert "computed by noncentral t" in words.lower()
    (folder / "study.eval").write_text(text, encoding="utf-8")
    shown = CliRunner().invoke(root, ["power", str(folder / "study.eval")]).output
    assert re.search(r"assumed sd +assumed trim +found with power 90%\n +2 +0.1 ", shown)
    Results.load(folder / "found").render("html", folder=folder / "found")
    assert words_of(folder) == words


def test_the_findings_name_the_trimmed_mean_and_the_adjustment(found, folder):
    words = words_of(folder)
    assert (
        "Ridge regression had a lower trimmed mean of the absolute errors than Tree and Mean"
        in words
    )
    assert "Benjamini–Liu-adjusted p < .001" in words
    assert "Difference in trimmed mean of the absolute errors" in words
    assert "winsorised variance) of trimmed mean of the absolute errors for three pairs" in words
    assert "compared on trimmed mean of the absolute errors using Yuen’s test" in words
    assert "95% t interval of the difference of trimmed means." in words
    assert "Unadj. Benjamini–Liu" in words or "Unadj.Benjamini–Liu" in words
    assert "adjusted for three tests by the Benjamini-Liu step-down correction" in words
    assert "after the Benjamini–Liu adjustment over three tests" in words
    assert "Yuen’s test: trim" in words
    assert "difference in mean absolute error" not in words
    assert "had a lower mean absolute error" not in words
    (comparison,) = found.record.comparisons
    assert comparison.family.adjective == "Benjamini–Liu"
    for pair in comparison.pairwise:
        assert pair.estimate.name == "difference in the trimmed mean of the absolute errors"
    p = [pair.p for pair in comparison.pairwise]
    adjusted = [pair.p_adjusted for pair in comparison.pairwise]
    assert adjusted == pytest.approx(CORRECTIONS["fdr_bl"].function(p))


def test_the_interval_is_printed(tmp_path):
    results = run(study(TUMOURS, tmp_path))
    results.save(tmp_path / "found")
    words = words_of(tmp_path)
    (estimate,) = results.record.estimates
    right, n = round(estimate.value * estimate.n), estimate.n
    middle = np.arcsin(np.sqrt((right + 3 / 8) / (n + 3 / 4)))
    reach = peer.norm.ppf(0.975) / (2 * n**0.5)
    assert estimate.interval.low == pytest.approx(np.sin(middle - reach) ** 2)
    assert estimate.interval.high == pytest.approx(np.sin(middle + reach) ** 2)
    assert "Accuracy: 95% Anscombe’s arcsine interval" in words
    refused = checked(TUMOURS.replace("accuracy\n", "roc_auc\n")).diagnostics
    assert "`arcsine` is for proportions, and `roc_auc` is not" in [d.message for d in refused]


@pytest.mark.parametrize(
    ("kind", "name"), [("tests", "yuen"), ("corrections", "fdr_bl"), ("intervals", "arcsine")]
)
def test_they_are_listed_explained_and_documented(kind, name):
    assert name in CliRunner().invoke(root, ["list", kind]).output
    explained = CliRunner().invoke(root, ["explain", name])
    assert explained.exit_code == 0
    assert "an example:" in explained.output
    assert f"\n# {name}: " in documented()[f"{kind}/{name}"]


@cache
def documented():
    """Return the reference pages, made while all three are registered."""
    return dict((*members.pages(), *fitting.pages()))


def test_nothing_else_names_them():
    names = ("yuen", "Yuen", "fdr_bl", "Benjamini–Liu", "arcsine", "Anscombe")
    assert files_that_name(*names) == []
