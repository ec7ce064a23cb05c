"""Sentences of findings and methods say what was computed: sides, levels, intervals, searches."""

import re

import numpy as np
import pytest
import tinyhtml5
from conftest import folded
from msgspec.structs import replace
from studies import study, write_rows

from evallang.api import run
from evallang.reporting import html
from evallang.reporting.context import Context
from evallang.reporting.document import Table
from evallang.reporting.figures.forest import PAIR, forest_of_differences
from evallang.reporting.formats.bibtex import entry
from evallang.reporting.formats.works import works_of
from evallang.reporting.section import build
from evallang.reporting.wording import simultaneous_words
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
    assert line.startswith("Model b was not shown to have a higher accuracy than a:")
    assert "one-sided p > .999" in line
    assert "−7.0 points (b minus a; two-sided 95% CI [−10.7, −3.6])" in line
    assert line.endswith("in the direction that the one-sided test did not ask about.")
    assert "not shown to differ" not in page.whole


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
    (line,) = page.findings("The requirement was not met.")
    assert line.count(LEVELS) == 1
    assert page.findings("were shown to be equivalent in accuracy within ±3 points")


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
    (line,) = grouped.findings("against", "discordant")
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
    assert "Passages are the units of the intervals: 12 passages, design effect" in grouped.whole


def test_each_interval_of_differences_is_named_where_metrics_have_different_ones(tmp_path):
    write_rows(tmp_path, "p.csv", "truth,a,b", [(i % 2, i % 3 % 2, i % 7 % 2) for i in range(60)])
    page = Page('evallang 1\npredictions p from "p.csv"\n  truth truth\n  models a, b\n'
                "measure f1, accuracy\ncompare with permutation(rounds=100) by f1, accuracy\n",
                tmp_path)  # fmt: skip
    words = "interval of the {} permutation test"
    both = f"{words.format('shifted')} and {words.format('inverted')}"
    assert f"Differences are given with 95% intervals ({both})" in page.methods()


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
    assert "Hyper-parameters were not tuned." in page.methods()
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
    assert "by grid search with two later periods of that part as validation data" in page.methods()
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
    assert "Because the omnibus test was not significant, no pairwise tests were run." in methods
    assert "were adjusted" not in methods and "When this test was significant" not in methods
    assert any(
        "for three pairs, which were not tested (100 examples)." in text for text in page.captions()
    )
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
    assert "This comparison was exploratory: no decisions were drawn from it." in page.methods()
    assert "was decided" not in page.methods()
    assert "declared exploratory: no decisions were drawn from it." in page.text
    assert "p-values" not in page.text


def test_an_interval_that_leaves_out_0_beside_a_test_that_does_not_reject_is_explained():
    # 4 to 0: mid-p is 2 (1/2)^4 - (1/2)^4 = .0625; Tango's interval leaves out 0
    counts = "evallang 1\ncounts trial\n  models a, b\n  pattern [1, 1]: 100\n"
    counts += "  pattern [0, 0]: 10\n  pattern [1, 0]: 4\n"
    page = Page(f"{counts}compare a, b with mcnemar\n")
    (pair,) = page.pairs()
    assert pair.p == pytest.approx(0.0625) and pair.estimate.low > 0
    assert page.findings("was not shown to differ")
    assert "an interval and its test do not agree" in page.text
    plain = Page(f"{counts.replace(': 4', ': 2')}compare a, b with mcnemar\n")
    assert plain.pairs()[0].estimate.low < 0
    assert "the test decides" not in plain.text


def test_an_interval_of_one_model_by_another_method_names_the_model(tmp_path):
    rows = [(i, i % 4 == 0, (i * 7) % 5 < 2, 0) for i in range(80)]
    write_rows(tmp_path, "p.csv", "id,truth,a,never", [[int(cell) for cell in row] for row in rows])
    page = Page(
        'evallang 1\npredictions p from "p.csv"\n  id id\n  truth truth\n'
        '  models a "Rule" as a, never "Never" as never\n  positive 1\n'
        "measure accuracy, fbeta(beta=2)\n",
        tmp_path,
    )
    found = {(e.metric, e.model): e.interval.method for e in page.results.estimates}
    f2 = "fbeta(beta=2)"
    assert found[f2, "never"] == found["accuracy", "never"] == "wilson" != found[f2, "a"]
    methods = page.methods()
    assert "We report accuracy with a 95% interval (Wilson score interval)" in methods
    name, bootstrap = "F-beta (β = 2)", "bias-corrected accelerated bootstrap interval"
    assert f"{name} of Rule with a 95% interval ({bootstrap}, 10,000 resamples)" in methods
    assert f"{name} of Never with a 95% interval (Wilson score interval)" in methods
    assert f"accuracy and {name} with" not in methods


def test_no_simultaneous_interval_is_advised_where_the_false_discovery_rate_has_none():
    lines = "compare a vs c, c vs d with mcnemar {}\n"
    kept = Page(CLOSE + lines.format("fdr_bh"))
    pair = kept.pairs()[0]
    assert not pair.reject and pair.estimate.low > 0 and pair.simultaneous is None
    assert "the plain interval covers its difference alone" in kept.whole
    assert "simultaneous interval" not in kept.whole
    assert (
        "the simultaneous interval covers all differences jointly"
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


# --- what a second look found ------------------------------------------------------------------

GROUPED = "evallang 1\npredictions p from 'p.csv'\n  id id\n  group house\n  truth truth\n".replace(
    "'", '"'
)


def houses(folder, columns):
    """Write 60 examples in twelve houses, every other one positive, and which models are wrong."""
    rows = [
        (i, i // 5, i % 2, *(int((i in wrong) != i % 2) for wrong in columns)) for i in range(60)
    ]
    write_rows(folder, "p.csv", "id,house,truth,a,b", rows)


def test_models_that_share_the_best_value_have_each_their_interval(tmp_path):
    houses(tmp_path, [range(10), range(1, 60, 6)])  # both are wrong ten times, a in two houses
    page = Page(f"{GROUPED}  models a, b\n  positive 1\nmeasure accuracy\n", tmp_path)
    ends = [e.interval for e in page.results.estimates]
    assert ends[0].low != ends[1].low
    (line,) = page.findings("shared by a and b")
    for name, one in zip("ab", ends, strict=True):
        assert f"[{one.low * 100:.1f}, {one.high * 100:.1f}]; 50 of 60 correct) for {name}" in line


def test_a_requirement_has_the_notes_of_its_interval(tmp_path):
    houses(tmp_path, [range(10), range(1, 60, 6)])
    lines = "  models a, b\n  positive 1\nmeasure f1\nrequire a not worse than b by 30%\n"
    page = Page(GROUPED + lines, tmp_path)
    (required,) = page.results.requirements
    assert any(note.startswith("with fewer than 50 groups,") for note in required.notes)
    below = folded(page.root.find(".//section[@id='findings']"))
    assert "With fewer than 50 groups, " in below


def test_a_warning_states_why_a_simultaneous_interval_includes_zero():
    lines = "measure accuracy\ncompare a, b, c with mcnemar holm\n"
    # b = 44 and c = 27: p is .044, and the interval at 1 - .05/3 has 0 inside (examples/reviews)
    table = (
        "evallang 1\ncounts t\n  models a, b, c\n  pattern [1, 1, 1]: 340\n"
        "  pattern [1, 0, 0]: 44\n  pattern [0, 1, 0]: 27\n  pattern [1, 1, 0]: 59\n"
    )
    page = Page(table + lines)
    # Holm's steps are narrower than Bonferroni's interval; the note of the table says so too
    assert "simultaneous interval, conservative compared with a step-wise correction" in page.text
    assert "simultaneous interval, which is not made from" not in page.text


def test_simultaneous_intervals_are_named_by_the_methods_of_all_pairs():
    record = run(study(f"{FIVE}measure accuracy\ncompare a, b, c with mcnemar holm\n")).record
    (compared,) = record.comparisons
    first, second, third = compared.pairwise
    other = replace(second.simultaneous, method="wilson, conservative")
    pairs = (first, replace(second, simultaneous=other), third)
    same = "by the same method at the adjusted level, conservative"
    words = simultaneous_words(Context(record), pairs)
    assert words == f"{same}; or Wilson score interval, conservative"


def test_exploratory_pairs_are_drawn_and_described_without_decisions():
    line = "measure accuracy\ncompare a, b, e with mcnemar holm"
    for end, words in (("", "filled point"), (" exploratory", "open points, compared without")):
        page = Page(f"{FIVE}{line}{end}\n")
        assert any(words in caption for caption in page.captions())
        (compared,) = page.results.comparisons
        assert any(pair.reject for pair in compared.pairwise)
        drawing, alt = forest_of_differences(
            Context(page.results), compared, compared.pairwise, compared.pairwise
        )
        svg = drawing.svg()
        assert (f"fill:{PAIR.colour};stroke:{PAIR.colour}" in svg, "rejected" in alt) == (
            not end,
            not end,
        )


def test_the_interval_of_a_margin_has_the_level_of_its_decision():
    """The interval of two one-sided tests at alpha is that of level 1 - 2 alpha (Schuirmann)."""
    lines = "measure accuracy\ncompare a vs d with tost(margin=9%)\n"
    page = Page(CLOSE.replace("counts", 'study "t"\n  confidence 90%\ncounts', 1) + lines)
    (pair,) = page.pairs()
    assert pair.estimate.level == 0.9
    inside = pair.estimate.low > -0.09 and pair.estimate.high < 0.09
    assert pair.reject is inside


def test_a_family_of_margins_claims_what_its_tests_show():
    page = Page(f"{FIVE}measure accuracy\ncompare a, b, c with tost(margin=9%) holm\n")
    shown = [pair for pair in page.pairs() if pair.reject]
    assert shown
    assert len(page.findings("shown to be equivalent in accuracy")) == 3
    assert "had a higher accuracy" not in page.text
    assert "shown to be equivalent by the two one-sided tests" in page.text
    assert "share a letter" not in page.text


def test_wins_are_those_of_the_data_sets_that_the_test_used(tmp_path):
    rows = [(f"d{i}", 80 + i, 82 + 2 * i, "" if i < 2 else 75 + i) for i in range(8)]
    write_rows(tmp_path, "s.csv", "set,a,b,c", rows)
    text = (
        'evallang 1\nscores s from "s.csv"\n  dataset set\n  models a, b, c\n  metric "points"\n'
        "  higher is better\ncompare across data with friedman then wilcoxon holm\n"
    )
    page = Page(text, tmp_path)
    # Exact p of eight and six differences of one sign: 2/2^8 and 2/2^6
    wanted = {("a", "b"): (8, 2 / 2**8), ("a", "c"): (6, 2 / 2**6), ("b", "c"): (6, 2 / 2**6)}
    for pair in page.pairs():
        n, p = wanted[tuple(sorted(pair.models))]
        assert pair.p == pytest.approx(p, abs=1e-12)
        assert sum(pair.extra[key] for key in ("wins", "ties", "losses")) == n
    rows = page.root.findall(".//figure[@id='table-comparison-1']//tbody/tr")
    cells = [[folded(cell) for cell in row] for row in rows]
    assert [row[:5] for row in cells] == [
        ["b − a", "8", "0", "0", "8"],
        ["b − c", "6", "0", "0", "6"],
        ["a − c", "6", "0", "0", "6"],
    ]


def test_positive_examples_are_counted_among_the_tested_ones():
    text = (
        "evallang 1\ndata cancer from sklearn breast_cancer\n  positive malignant\n"
        "model bayes = GaussianNB\nprotocol holdout test=1/3\nmeasure accuracy\n"
    )
    page = Page(text)
    # 212 of 569 are malignant, and strata are kept: 190 * 212 / 569 = 70.8
    assert page.results.estimates[0].tested.positive == 71
    assert "malignant (71 of the 190 tested)" in page.text


def test_scores_over_splits_have_no_effect_size_and_no_impossible_bound():
    text = (
        "evallang 1\ndata wine from sklearn wine\nmodel lda = LinearDiscriminantAnalysis\n"
        "model bayes = GaussianNB\nprotocol repeated cv folds=5 times=2\nmeasure accuracy\n"
        "compare lda vs bayes with corrected_t\n"
    )
    page = Page(text)
    assert page.pairs()[0].effects
    assert "Cohen" not in page.text


def test_a_bound_beyond_the_possible_values_is_printed_as_the_nearest():
    record = run(study(f"{FIVE}measure accuracy\n")).record
    first = record.estimates[0]
    wide = replace(first, interval=replace(first.interval, low=0.947, high=1.013))
    context = Context(replace(record, estimates=(wide, *record.estimates[1:])))
    shown = context.results.estimates[0].interval
    assert (shown.low, shown.high) == (0.947, 1.0)
    assert shown.notes[-1].startswith("a bound beyond the possible values is printed as")


def test_weighted_shares_have_no_counts_of_right_answers(tmp_path):
    """Case 09: a is right on the 20 rows of weight 1, b on 13 of them."""
    rows = [(i, i % 2, i % 2 if i < 20 else 1 - i % 2, i % 2 if i < 13 or i > 32 else 1 - i % 2,
             int(i < 20)) for i in range(60)]  # fmt: skip
    write_rows(tmp_path, "w.csv", "id,y,a,b,w", rows)
    text = (
        'evallang 1\npredictions p from "w.csv"\n  id id\n  truth y\n  models a, b\n  weight w\n'
        "  positive 1\nmeasure accuracy\nanalyze confusion\nanalyze agreement\n"
    )
    page = Page(text, tmp_path)
    assert [e.value for e in page.results.estimates] == [1.0, pytest.approx(13 / 20)]
    words = folded(page.root.find(".//section[@id='estimates']"))
    assert "correct" not in words.lower()
    assert "correct" not in "".join(page.findings()).lower()
    assert page.text.count("weighted by w, so that counts are sums of weights") >= 2


def test_a_source_of_several_data_sets_is_cited_without_the_name_of_one(tmp_path):
    rows = [(f"set {i} (sample)", 80 + i, 82 + 2 * i) for i in range(6)]
    write_rows(tmp_path, "s.csv", "set,a,b", rows)
    text = (
        'evallang 1\nscores s from "s.csv"\n  dataset set\n  models a, b\n  metric "points"\n'
        '  higher is better\n  cite "Anyone 2006, table 6"\ncompare across data with wilcoxon\n'
    )
    page = Page(text, tmp_path)
    references = [folded(item) for item in page.root.findall(".//section[@id='references']//li")]
    assert references.count("Anyone 2006, table 6") == 1
    (work,) = [w for w in works_of(page.results).values() if w.data is not None]
    assert "title" not in entry(work) and "howpublished = {Anyone 2006, table 6}" in entry(work)


def test_data_sets_of_a_table_with_several_metrics_are_counted_once(tmp_path):
    rows = [
        (f"soil {i}", model, metric, 0.5 + i / 50 + 0.1 * (model == "cnn") * (1 + i % 3))
        for i in range(9) for model in ("cnn", "svm", "knn") for metric in ("kappa", "R2")
    ]  # fmt: skip
    write_rows(tmp_path, "soil.csv", "site,learner,measure,v", rows)
    page = Page(
        'evallang 1\nscores soils "Soils" from "soil.csv"\n  dataset site\n  model learner\n'
        "  metric measure\n  score v\nmeasure kappa, R2\n"
        "compare across data with friedman then nemenyi by R2\n",
        tmp_path,
    )
    assert len(page.results.data) == 18
    assert "on Soils (nine data sets)." in page.methods()
    assert "Soils, 9 data sets" in page.text and "18 data sets" not in page.text
    # The pairs of Nemenyi's test differ in ranks, as the axis of the figure says
    assert any("difference in average rank in R2, better minus" in c for c in page.captions())


def test_a_bound_that_was_cut_at_a_possible_value_is_stated(tmp_path):
    """Accuracies of one in nearly all folds: mean + t sd sqrt(1/J + ratio) is above 1."""
    text = (
        "evallang 1\nstudy\n  seed 1\ndata wine from sklearn wine\n"
        "model lda = LinearDiscriminantAnalysis\nprotocol repeated cv folds=5 times=2\n"
        "measure accuracy\n"
    )
    page = Page(text)
    (found,) = page.results.estimates
    scores = [fold.value for fold in found.folds]
    ratio = sum(f.n_test for f in found.folds) / sum(f.n_train for f in found.folds)
    spread = 2.2621571627409915 * np.std(scores, ddof=1) * np.sqrt(1 / 10 + ratio)  # t(9), scipy
    assert np.mean(scores) + spread > 1 == found.interval.high
    assert "a bound beyond the possible values is replaced by the nearest" in page.text


def narrow_tables(text):
    sections = build(Context(run(study(text)).record)).sections
    return {b.id: b.narrow for s in sections for b in s.blocks if isinstance(b, Table)}


def test_narrow_tables_say_what_their_intervals_and_p_are_of():
    tables = narrow_tables(f"{FIVE}measure accuracy\ncompare a, b, c with mcnemar fdr_bh\n")
    # c is right 352, a 349, b 321 times: two of the three pairs differ, the third has no FCR's
    notes = " ".join(str(note) for note in tables["table-comparison-1"].notes)
    assert "FCR-adjusted where one exists, otherwise of the pair alone" in notes
    tables = narrow_tables(f"{CLOSE}measure accuracy\ncompare a vs d with tost(margin=9%)\n")
    # The p of a test of equivalence is not that of a difference "to the best"
    assert "p" not in [column.name for column in tables["table-estimates-1"].columns]


def test_examples_with_several_readers_are_the_units_and_not_groups(tmp_path):
    rows = [(i, r, int(i % 3 == 0), (i * 7 + k) % 11 + 4 * (i % 3 == 0), (i * 5 + k) % 13)
            for i in range(40) for k, r in enumerate(("ann", "bo", "cy"))]  # fmt: skip
    write_rows(tmp_path, "read.csv", "scan,doc,lesion,x,z", rows)
    page = Page(
        'evallang 1\npredictions r from "read.csv"\n  id scan\n  reader doc\n  truth lesion\n'
        '  positive 1\n  score x = x\n  score z = z\n  unit "scans"\n'
        "measure roc_auc\n",
        tmp_path,
    )
    assert {e.interval.clusters.n for e in page.results.estimates} == {40}
    assert "Scans are the units of the intervals: 40 scans." in page.text


def test_a_requirement_states_why_its_interval_is_not_that_of_the_test(tmp_path):
    houses(tmp_path, [range(10), range(1, 60, 6)])
    lines = "  models a, b\n  positive 1\nmeasure f1\nrequire a not worse than b by 30%\n"
    why = "This interval has the default method of the metric"
    same = Page(f"{GROUPED}{lines}compare a, b with bootstrap\n", tmp_path)
    assert why not in same.text
    other = Page(f"{GROUPED}{lines}compare a, b with permutation\n", tmp_path)
    assert why in other.text
