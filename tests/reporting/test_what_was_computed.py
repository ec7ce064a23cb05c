"""Sentences of findings and methods say what was computed: sides, levels, intervals, searches."""

import re

import pytest
import tinyhtml5
from conftest import folded
from studies import study, write_rows

from evallang.api import run
from evallang.reporting import html
from evallang.reporting.context import Context
from evallang.reporting.section import build
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS

FIVE = """evallang 1
counts trial
  models a, b, c, d, e
  pattern [1, 1, 1, 1, 1]: 300
  pattern [1, 0, 1, 0, 1]: 40
  pattern [0, 1, 1, 0, 1]: 12
  pattern [1, 1, 0, 1, 0]: 9
  pattern [0, 0, 0, 0, 1]: 39
"""  # a is right 349 times, b 321, c 352, d 309, e 391

CLOSE = """evallang 1
counts trial
  models a, c, d
  pattern [1, 1, 1]: 300
  pattern [1, 0, 0]: 21
  pattern [0, 1, 1]: 8
  pattern [0, 1, 0]: 1
"""


class Page:
    """The results of a study and the text of its report."""

    def __init__(self, text, folder="."):
        self.results = run(study(text, folder)).record
        made = html.render(build(Context(self.results)), "screen").html
        self.root = tinyhtml5.parse(made, namespace_html_elements=False)
        self.whole = folded(self.root)
        self.text = folded(self.root.find("body"))

    def pairs(self):
        return [pair for c in self.results.comparisons for pair in c.pairwise]

    def findings(self, *words):
        every = [folded(item) for item in self.root.findall(".//ol[@class='findings']/li")]
        return [line for line in every if all(word in line for word in words)]

    def methods(self):
        text = " ".join(folded(p) for p in self.root.findall(".//p[@class='methods']"))
        return re.sub(r"\u2060[\d,\u2060]+", "", text)  # without the numbers of references

    def captions(self):
        return [folded(item) for item in self.root.findall(".//figcaption")]


# --- B6: one side -----------------------------------------------------------------------------


def test_a_finding_names_the_side_of_its_test_and_reconciles_the_interval():
    page = Page(f"{FIVE}compare b, a with mcnemar(alternative=greater)\n")
    (pair,) = page.pairs()
    assert (pair.models, pair.side, pair.reject) == (("b", "a"), "greater", False)
    (line,) = page.findings("than a")
    assert line.startswith("b was not shown to have a higher accuracy than a:")
    assert "one-sided p > .999" in line
    assert "−7.0 points (b minus a; two-sided 95% CI [−10.7, −3.6])" in line
    assert line.endswith("in the direction that the one-sided test did not ask about.")
    assert "not shown to differ" not in page.whole


def test_an_error_is_worded_in_its_own_direction():
    page = Page(f"{FIVE}measure error_rate\ncompare a, b with mcnemar(alternative=less)\n")
    assert page.pairs()[0].side == "less"
    (line,) = page.findings("than b")
    assert line.startswith("a had a lower error rate than b: McNemar’s test")
    assert "one-sided p < .001" in line


def test_one_sided_pairs_against_a_model_keep_their_side_with_a_correction():
    page = Page(f"{FIVE}compare c, b against a with mcnemar(alternative=greater) holm\n")
    assert {pair.models: pair.side for pair in page.pairs()} == {
        ("c", "a"): "greater",
        ("b", "a"): "greater",
    }
    # the upper tails of 12 and 9, and of 12 and 40, by mid-p; twice the smaller by Holm
    (line,) = page.findings("c was not shown")
    assert "have a higher accuracy than a: " in line
    assert "one-sided p = .262, Holm-adjusted p = .523" in line
    assert "two-sided simultaneous 95% CI" in line
    (other,) = page.findings("b was not shown")
    assert other.endswith("in the direction that the one-sided test did not ask about.")
    assert "not shown to differ" not in page.whole


def test_more_than_three_one_sided_pairs_are_each_worded_or_counted_with_their_side():
    page = Page(f"{FIVE}compare against e with mcnemar(alternative=less) holm\n")
    assert [pair.side for pair in page.pairs()] == ["less"] * 4
    assert len(page.findings("had a lower accuracy than e", "one-sided p < .001")) == 3
    assert page.findings("One more one-sided test, which was significant,")
    page = Page(f"{FIVE}compare against a with mcnemar(alternative=greater) holm\n")
    assert [pair.reject for pair in page.pairs()] == [False, False, False, True]
    assert page.findings("e had a higher accuracy than a", "one-sided p")
    assert len(page.findings("have a higher accuracy than a", "one-sided p")) == 2
    assert page.findings("One more one-sided test, which was not significant,")
    pairs = "a vs b, a vs c, b vs c, d vs e, d vs a"
    page = Page(f"{FIVE}compare {pairs} with mcnemar(alternative=greater) holm\n")
    assert [pair.reject for pair in page.pairs()] == [True, False, False, False, False]
    assert len(page.findings("have a higher accuracy than", "one-sided p")) == 4
    assert "not shown to differ" not in page.whole


def test_a_turned_pair_turns_its_side():
    from evallang.reporting.orientation import turned

    (pair,) = Page(f"{FIVE}compare a, b with mcnemar(alternative=greater)\n").pairs()
    seen = turned(pair)
    assert (seen.models, seen.side, seen.p) == (("b", "a"), "less", pair.p)
    assert seen.variant.endswith("one-sided: less")
    assert "smaller value of the first model" in seen.null and "larger" not in seen.null
    assert turned(seen) == pair


# --- B10: a requirement beside a test of a margin ------------------------------------------------

LEVELS = "a one-sided level of 2.5%, and the test of a margin between the same models one of 5%"


def test_a_requirement_beside_a_test_of_a_margin_names_both_levels():
    page = Page(f"{FIVE}compare a, c with tost(margin=3%)\nrequire a equivalent to c within 3%\n")
    assert [item.met for item in page.results.requirements] == [False]  # 95% CI [-3.2, 1.6]
    assert page.pairs()[0].reject  # 90% CI [-2.8, 1.2]
    (line,) = page.findings("Not met.")
    assert line.count(LEVELS) == 1
    assert page.findings("were shown to be equivalent in accuracy within ±3.0 points")


def test_requirements_at_the_level_of_the_test_or_of_other_models_have_no_such_sentence():
    page = Page(
        f"{FIVE}compare a, c with tost(margin=3%)\nrequire a equivalent to c within 3% at 90%\n"
        "require a not worse than b by 3%\nrequire a better than b with mcnemar\n"
    )
    assert [item.met for item in page.results.requirements] == [True] * 3
    assert "one-sided level" not in page.whole


# --- B11: nothing is printed that was not computed ------------------------------------------------


@pytest.fixture(scope="module")
def grouped(tmp_path_factory):
    folder = tmp_path_factory.mktemp("groups")
    rows = [(i, f"g{i // 5}", 1, int((i * 7) % 10 < 8), int((i * 3) % 10 < 6)) for i in range(60)]
    write_rows(folder, "answers.csv", "id,passage,truth,a,b", rows)
    return Page(
        "evallang 1\n"
        'predictions quiz from "answers.csv"\n  id id\n  group passage\n'
        "  correct a as a, b as b\n"
        "measure accuracy\ncompare a, b with mcnemar\nrequire accuracy of a >= 50%\n",
        folder,
    )


def test_a_p_of_flipped_groups_has_no_chi_squared_beside_it(grouped):
    (pair,) = grouped.pairs()
    assert pair.variant.startswith("group sign-flip")
    assert pair.statistic is None and pair.df is None
    assert pair.extra["chi2"] is not None and pair.extra["p_chi2"] != pair.p
    (line,) = grouped.findings("b = ", "c = ")
    assert "χ²" not in line


def test_an_interval_over_groups_is_named_so_wherever_it_is_named(grouped):
    found = [e.interval for e in grouped.results.estimates]
    assert [one.clusters.n for one in found] == [12, 12]
    words = "Wilson score interval for grouped data"
    assert f"({words})" in grouped.methods()
    assert any(f"95% interval ({words})" in text for text in grouped.captions())
    assert f"Accuracy: 95% {words}." in grouped.whole
    (line,) = grouped.findings("Accuracy of a at least 50%")
    assert words in line
    assert not re.findall(r"Wilson score interval(?! for grouped data)[ .;)]", grouped.text)
    assert "Whole groups are the units of the intervals: 12 groups, design effect" in grouped.whole


def test_one_further_analysis_is_one(tmp_path):
    write_rows(tmp_path, "p.csv", "truth,a", [(i % 2, i % 3 % 2) for i in range(40)])
    page = Page('evallang 1\npredictions p from "p.csv"\n  truth truth\n  models a\n'
                "analyze confusion\n", tmp_path)  # fmt: skip
    assert "We further analysed the held-out predictions (confusion matrix" in page.methods()


def test_a_bootstrap_interval_of_a_difference_over_groups_is_named_so(tmp_path):
    rows = [(i, i // 5, i % 2, i % 3 % 2, i % 7 % 2) for i in range(60)]
    write_rows(tmp_path, "p.csv", "id,house,truth,a,b", rows)
    text = (
        'evallang 1\npredictions p from "p.csv"\n  id id\n  group house\n  truth truth\n'
        "  models a, b\nmeasure f1\ncompare with permutation(rounds=100) by f1\n"
    )
    page = Page(text, tmp_path)
    words = "bias-corrected accelerated bootstrap interval for grouped data"
    assert f"Differences are given with 95% intervals ({words})." in page.methods()
    assert f"Difference, better minus worse: 95% {words}." in page.whole


def test_an_effect_without_an_interval_cites_none(grouped):
    listed = [folded(work) for work in grouped.root.findall(".//ol[@class='references']/li")]
    assert len(listed) > 3 and not any("Clopper" in work for work in listed)
    assert "The effect size of a pair is the odds ratio of discordant pairs." in grouped.methods()


def test_an_interval_of_single_examples_has_no_form_for_groups():
    page = Page(f"{FIVE}measure accuracy\ncompare a, b with mcnemar\n")
    assert all(e.interval.clusters is None for e in page.results.estimates)
    assert "Wilson score interval" in page.methods() and "groups" not in page.methods()


@pytest.mark.parametrize("test", ["quade", "friedman_aligned"])
def test_a_test_of_other_ranks_has_no_kendalls_w(test, tmp_path):
    rows = [(f"s{i}", 70 + i, 71 + i + i % 3, 75 + i - i % 2) for i in range(9)]
    write_rows(tmp_path, "scores.csv", "set,a,b,c", rows)
    text = (
        'evallang 1\nscores table from "scores.csv"\n  dataset set\n  models a, b, c\n'
        f'  metric "accuracy"\ncompare all with {test} across data\n'
    )
    page = Page(text, tmp_path)
    omnibus = page.results.comparisons[0].omnibus
    assert omnibus.test == test and omnibus.p is not None
    assert omnibus.effects == ()
    assert "Kendall’s W" not in page.whole
    plain = Page(text.replace(f"with {test}", "with friedman"), tmp_path)
    assert "Kendall’s W" in plain.whole


def test_an_unadjusted_interval_beside_an_adjusted_p_is_called_so():
    page = Page(f"{FIVE}compare a, b, c with mcnemar fdr_bh\n")
    # the false coverage rate has intervals for the pairs that were selected, and for no others
    (kept,) = [pair for pair in page.pairs() if not pair.reject]
    assert kept.simultaneous is None and kept.p_adjusted is not None
    (line,) = page.findings("c was not shown to differ in accuracy from a")
    assert "(unadjusted 95% CI [−1.6, 3.2])" in line
    # the intervals of those that were selected are not simultaneous (Benjamini & Yekutieli 2005)
    assert any("(FCR-adjusted 95% CI [" in line for line in page.findings())
    assert "simultaneous" not in page.text.lower()
    assert "FCR-adjusted: 95% over the significant ones among three tests" in page.text
    every = Page(f"{FIVE}compare a vs b, b vs c with mcnemar fdr_bh\n")
    for pair in every.pairs():  # with all rejected their level is that of the pair alone
        assert pair.reject and pair.simultaneous.selected
        assert pair.simultaneous.low == pair.estimate.low
    assert "they hold jointly" not in every.text and "simultaneous" not in every.text.lower()
    holm = Page(f"{FIVE}compare a, b, c with mcnemar holm\n")
    assert "simultaneous 95% CI" in holm.text
    assert "unadjusted 95% CI" not in holm.whole
    single = Page(f"{FIVE}compare a, b with mcnemar\n")
    assert "unadjusted" not in single.whole


# --- where hyper-parameters were chosen -----------------------------------------------------------

TREE = 'model tree "Tree" = DecisionTreeClassifier(max_depth in [1, 3])\n'
BAYES = 'model bayes "Bayes" = GaussianNB\n'
IRIS = f"evallang 1\nstudy\n  seed 1\ndata iris from sklearn iris\n{BAYES}"


def test_a_study_that_searches_nothing_claims_nothing_about_what_was_fixed():
    page = Page(f"{IRIS}protocol holdout\nmeasure accuracy\nrequire accuracy of bayes >= 50%\n")
    assert "Hyper-parameters were not tuned in this study." in page.methods()
    assert "One requirement was stated in the study file" in page.methods()
    assert "in advance" not in page.whole and "beforehand" not in page.whole


def test_a_search_on_one_validation_part_is_not_called_inner_folds():
    page = Page(f"{IRIS}{TREE}protocol holdout test=20% validation=20%\nmeasure accuracy\n")
    assert [p.tuned_on for p in page.results.protocols] == ["validation_part"]
    methods = page.methods()
    assert "of Tree (2 candidates) were chosen on a validation part by grid search" in methods
    assert "the candidate with the best score there was taken" in methods
    assert "best score on the validation part" in page.whole  # the table of settings
    for words in ("best mean inner score", "inside each training part", "in each outer fold"):
        assert words not in page.whole


def test_a_search_in_inner_folds_is_called_so():
    page = Page(f"{IRIS}{TREE}protocol nested cv outer=3 inner=2\nmeasure accuracy\n")
    assert [p.tuned_on for p in page.results.protocols] == ["inner_folds"]
    methods = page.methods()
    assert "chosen inside each training part by grid search in 2-fold inner cross" in methods
    assert "the candidate with the best mean inner score was taken" in methods


def test_a_search_in_a_series_compares_on_later_periods(tmp_path):
    rows = [(i % 7, (i * 13) % 11, i % 7 + (i * 5) % 3) for i in range(60)]
    write_rows(tmp_path, "series.csv", "x,z,y", rows)
    page = Page(
        'evallang 1\nstudy\n  seed 1\ndata load from "series.csv"\n  target y\n  task regression\n'
        'model ridge "Ridge" = Ridge(alpha in [1, 5])\n'
        "protocol time_series folds=3 gap=1\ntune grid cv=2\nmeasure mae\n",
        tmp_path,
    )
    assert [p.tuned_on for p in page.results.protocols] == ["inner_periods"]
    assert "by grid search over two later periods of it" in page.methods()
    assert "cross-validation" not in page.methods()
    assert "with a gap of one row" in page.methods()


def test_protocols_with_different_inner_folds_are_named_with_them():
    page = Page(
        f"{IRIS}{TREE}protocol n = nested cv outer=3 inner=2\nprotocol b = bootstrap rounds=20\n"
        "protocol h = holdout test=20% validation=20%\ntune grid cv=4\nmeasure accuracy\n"
    )
    assert [p.inner_folds for p in page.results.protocols] == [2, 4, None]
    assert (
        "chosen inside each training part by grid search in 2-fold inner cross-validation under n, "
        "in 4-fold inner cross-validation under b and on the validation part under h, by accuracy"
    ) in page.methods()


# --- comparisons ----------------------------------------------------------------------------------


def test_pairs_after_an_omnibus_that_did_not_reject_are_not_called_tested():
    alike = "evallang 1\ncounts trial\n  models a, b, c\n  pattern [1, 1, 1]: 90\n"
    alike += "  pattern [1, 0, 1]: 3\n  pattern [0, 1, 0]: 3\n  pattern [0, 0, 1]: 4\n"
    page = Page(f"{alike}compare with cochran then mcnemar holm\n")
    assert [c.performed for c in page.results.comparisons] == [False]
    assert all(pair.p is None for pair in page.pairs())
    methods = page.methods()
    assert "It was not significant, so pairs of models were not tested." in methods
    assert "were adjusted" not in methods and "When this test was significant" not in methods
    assert any("for three pairs, which were not tested." in text for text in page.captions())
    assert not any("McNemar" in text for text in page.captions())
    other = Page(f"{FIVE}compare with cochran then mcnemar holm\n")
    assert "p-values were adjusted for ten tests" in other.methods()


def test_an_exploratory_posterior_decides_nothing(tmp_path):
    rows = [(f"s{i}", 0.70 + i / 50, 0.72 + i / 50 + (i % 3) / 90) for i in range(9)]
    write_rows(tmp_path, "scores.csv", "set,a,b", rows)
    page = Page(
        'evallang 1\nscores table from "scores.csv"\n  dataset set\n  models a, b\n'
        '  metric "accuracy"\ncompare a, b with bayes_signed_rank across data exploratory\n',
        tmp_path,
    )
    assert "This comparison was exploratory: no decisions are drawn from it." in page.methods()
    assert "was decided" not in page.methods()
    assert "estimates and posterior probabilities are in the comparisons" in page.text
    assert "p-values" not in page.text


def test_an_interval_that_leaves_out_0_beside_a_test_that_does_not_reject_is_explained():
    # 4 to 0: mid-p is 2 (1/2)^4 - (1/2)^4 = .0625; Tango's interval leaves out 0
    counts = "evallang 1\ncounts trial\n  models a, b\n  pattern [1, 1]: 100\n"
    counts += "  pattern [0, 0]: 10\n  pattern [1, 0]: 4\n"
    page = Page(f"{counts}compare a, b with mcnemar\n")
    (pair,) = page.pairs()
    assert pair.p == pytest.approx(0.0625) and pair.estimate.low > 0
    (line,) = page.findings("was not shown to differ")
    assert line.endswith("excludes 0; the test decides.")
    plain = Page(f"{counts.replace(': 4', ': 2')}compare a, b with mcnemar\n")
    assert plain.pairs()[0].estimate.low < 0
    assert "the test decides" not in plain.text


def test_an_interval_of_one_model_by_another_method_names_the_model(tmp_path):
    rows = [(i, i % 4 == 0, (i * 7) % 5 < 2, 0) for i in range(80)]
    write_rows(tmp_path, "p.csv", "id,truth,a,never", [[int(cell) for cell in row] for row in rows])
    page = Page(
        'evallang 1\npredictions p from "p.csv"\n  id id\n  truth truth\n'
        '  models a "Rule" as a, never "Never" as never\n  positive 1\nmeasure accuracy, f1\n',
        tmp_path,
    )
    found = {(e.metric, e.model): e.interval.method for e in page.results.estimates}
    assert found["f1", "never"] == found["accuracy", "never"] == "wilson" != found["f1", "a"]
    methods = page.methods()
    assert "We report accuracy with a 95% interval (Wilson score interval)" in methods
    assert (
        "F1 of Rule with a 95% interval (bias-corrected accelerated bootstrap interval)" in methods
    )
    assert "F1 of Never with a 95% interval (Wilson score interval)" in methods
    assert "accuracy and F1 with" not in methods


def test_no_simultaneous_interval_is_advised_where_the_false_discovery_rate_has_none():
    lines = "compare a vs c, c vs d with mcnemar {}\n"
    kept = Page(CLOSE + lines.format("fdr_bh"))
    pair = kept.pairs()[0]
    assert not pair.reject and pair.estimate.low > 0 and pair.simultaneous is None
    assert "the plain interval covers its pair alone" in kept.whole
    assert "simultaneous interval" not in kept.whole
    assert (
        "the simultaneous interval covers all pairs jointly"
        in Page(CLOSE + lines.format("holm")).whole
    )


# --- what a requirement's test could see --------------------------------------------------------

REQUIRED = """evallang 1
study
  seed 1
data wine from sklearn wine
model a = GaussianNB
model b = LinearDiscriminantAnalysis
protocol cv folds=5
measure accuracy
"""


def test_a_requirement_states_the_power_that_a_comparison_by_the_same_test_states():
    def sentence(line):
        page = Page(f"{REQUIRED}{line} with corrected_t\n")
        (found,) = re.findall(r"In accuracy, with 5 splits .*?points\.", page.whole)
        assert "W507" in page.whole
        return page, found

    required, in_gate = sentence("require a better than b")
    _, in_table = sentence("compare a, b")
    assert in_gate == in_table
    (requirement,) = required.results.requirements
    assert not requirement.met and requirement.test.extra["detectable_alpha"] == 0.05


def test_a_requirement_decided_by_mcnemar_states_its_power_too():
    page = Page(f"{FIVE}require c better than a with mcnemar\n")
    assert page.results.requirements[0].test.reject is False
    assert "% discordant pairs, a single unadjusted comparison at .05 has about 80%" in page.whole


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "bootstrap by f1",
            "Paired bootstrap test (bias-corrected accelerated bootstrap of examples)",
        ),
        ("bootstrap(percentile) by f1", "Paired bootstrap test (percentile bootstrap of examples)"),
        (
            "tost(margin=5%) by accuracy",
            "(Tango score interval for paired proportions) of accuracy",
        ),
    ],
)
def test_a_caption_names_the_form_of_a_test_in_words(tmp_path, line, words):
    rows = [[i, i % 3 == 0, (i * 7) % 5 < 2, (i * 5) % 11 < 4] for i in range(90)]
    write_rows(tmp_path, "p.csv", "id,truth,a,b", [[int(cell) for cell in row] for row in rows])
    page = Page(
        'evallang 1\npredictions p from "p.csv"\n  id id\n  truth truth\n  models a, b\n'
        f"  positive 1\nmeasure accuracy, f1\ncompare with {line}\n",
        tmp_path,
    )
    assert words in page.text
    assert not re.search(r"\((?:bca|percentile, |tango)|bca, ", page.text)


@pytest.mark.parametrize("entry", [e for e in HYPOTHESIS_TESTS if e.declaration.variants])
def test_the_words_of_a_form_are_no_options(entry):
    for words in entry.declaration.variants.values():
        assert not re.search(r"[=_]|\b(?:bca|pratt)\b", words)
