"""Nothing is claimed that was not tested; what is rare is said as what it is."""

import re

import cases
import drawn_regression
import drawn_statistics
import fixture
import fixture_variants
import pytest
import tinyhtml5
from conftest import folded
from studies import study

from evallang.api.running import run
from evallang.reporting import html
from evallang.reporting.context import Context
from evallang.reporting.section import build
from evallang.results.codec import from_plain, to_plain
from evallang.results.records import ResultsRecord
from evallang.results.statistics import Clusters


class Page:
    """A study drawn for the screen."""

    def __init__(self, results):
        self.results = results
        text = html.render(build(Context(results)), "screen").html
        self.root = tinyhtml5.parse(text, namespace_html_elements=False)

    def findings(self):
        return [folded(item) for item in self.root.findall(".//ol[@class='findings']/li")]

    def words(self, section):
        return folded(self.root.find(f".//section[@id='{section}']"))

    def table(self, identifier):
        rows = self.root.findall(f".//figure[@id='{identifier}']//tbody/tr")
        return [[folded(cell) for cell in row] for row in rows]

    def figure(self, identifier):
        return self.root.find(f".//figure[@id='{identifier}']")

    def notes(self, identifier):
        return folded(self.figure(identifier).find("p[@class='notes']"))

    def methods(self):
        return " ".join(folded(p) for p in self.root.findall(".//p[@class='methods']"))


@pytest.fixture(scope="module")
def page():
    made = {}

    def draw(case):
        if case not in made:
            made[case] = Page(case())
        return made[case]

    return draw


# --- what was not computed ---------------------------------------------------------------


def test_pairs_that_were_not_computed_are_never_not_shown_to_differ(page):
    found = page(cases.one_model_failed).findings()
    label = fixture.LABELS["forest"]
    about = [item for item in found if label in item]
    assert len(about) == 1
    lost = f"Four comparisons in accuracy were not made, because a fit of {label} failed: "
    assert about[0].startswith(lost)
    assert not any("shown to differ" in item for item in about)
    assert any("was not shown to differ in accuracy from SVM (RBF)" in item for item in found)


def test_a_test_that_was_not_computed_did_not_reject(page):
    words = page(cases.one_model_failed).words("comparisons")
    assert "Cochran’s Q test was not computed: a fit of Random forest failed." in words
    assert "None of the three pairs was tested: a fit of Random forest failed." in words
    assert "did not reject" not in words


def test_a_comparison_without_a_number_has_no_table(page):
    study = page(cases.one_model_failed)
    assert study.figure("table-comparison-1") is not None
    assert study.figure("table-comparison-2") is None
    assert study.figure("table-comparison-3") is None


# --- intervals that do not exist ---------------------------------------------------------


def test_unknown_bounds_are_no_disagreement_and_make_no_column(page):
    study = page(cases.no_bounds)
    codes = re.findall(r"\bW\d{3}\b", study.words("limits"))
    assert "W502" not in codes
    assert "W501" not in codes
    heads = [folded(th) for th in study.figure("table-comparison-1").iter("th")]
    assert not any("CI" in head for head in heads)
    assert "Simultaneous" not in study.notes("table-comparison-1")


def test_equal_scores_everywhere_are_said_and_have_no_interval(page):
    study = page(cases.same_scores)
    item = next(f for f in study.findings() if "shown to differ" in f)
    assert "They had the same score wherever they were compared" in item
    assert "0.0 points" not in item
    assert "[0.0, 0.0]" not in study.words("comparisons")


# --- direction ---------------------------------------------------------------------------


def test_counts_and_signed_numbers_are_those_of_the_model_named_first(page):
    found = page(cases.second_is_better).findings()
    counted = next(item for item in found if "McNemar" in item)
    assert counted.startswith("Logistic regression was not shown to differ in accuracy from SVM")
    assert "12 against 3 discordant" in counted
    folds = next(item for item in found if "resampled" in item)
    assert folds.startswith("Logistic regression was not shown to differ in recall from SVM (RBF)")
    assert "t(9) = 1.25" in folds
    assert "Cohen’s dz = 0.63" in folds


def test_findings_are_ordered_by_the_first_measure(page):
    found = page(cases.second_is_better).findings()
    assert found[0].startswith(
        "The highest observed accuracy was that of Logistic regression, 98.2%"
    )
    assert [("recall" in item) for item in found] == [False, False, True, True]


# --- positions under a protocol of its own ------------------------------------------------


def test_groups_under_other_splits_are_not_placed_by_the_estimates(page):
    study = page(cases.no_bounds)
    figure = study.figure("figure-comparison-1")
    (drawing,) = figure.iter("{http://www.w3.org/2000/svg}svg")
    label = drawing.get("aria-label")
    # 559, 555 and 534 right of 569: logistic - svm and logistic - bayes in points.
    assert "minus SVM (RBF) +0.7" in label and "minus Gaussian naive Bayes +4.4" in label


# --- new kinds of content ------------------------------------------------------------------


def test_levels_have_their_own_table_and_stay_out_of_the_others(page):
    study = page(cases.levels)
    rows = study.table("table-subgroups-1-1")
    # statsmodels' Wilson interval by `drawn_statistics.wilson`; 296/300 = 98.7%, minus 97.0 points.
    low, high = (drawn_statistics.wilson(296, 300).low, drawn_statistics.wilson(296, 300).high)
    assert rows[1] == ["north", "300", "98.7", f"[{low * 100:.1f}, {high * 100:.1f}]", "+1.7"]
    assert rows[2] == ["south", "21", "95.2", "–", "−1.8"]
    assert "south: no interval: 21 cases, fewer than 30." in study.notes("table-subgroups-1-1")
    assert len(study.table("table-estimates-1")) == 4
    assert "south" not in " ".join(study.findings())
    assert "south" not in folded(study.figure("figure-estimates-1"))


def test_bootstrap_estimates_show_their_parts(page):
    study = page(cases.bootstrap)
    rows = study.table("table-parts-1-1")
    assert rows[1] == ["Logistic regression", "96.8", "98.8", "95.7", ".482", ".062", ".647", "2.0"]
    assert rows[0] == ["Accuracy, % (.632+)"]


def test_posterior_probabilities_stand_for_p(page):
    study = page(cases.posterior)
    rows = study.table("table-comparison-1")
    assert [row[-3:] for row in rows] == [
        [".010", ".975", ".015"],
        [".981", ".017", ".002"],
        [".900", ".080", ".020"],
    ]
    heads = [folded(th) for th in study.figure("table-comparison-1").iter("th")]
    assert "p" not in heads
    assert "A pair is decided when one exceeds 95%" in study.notes("table-comparison-1")
    assert "differences within ±1 point" in study.notes("table-comparison-1")
    strong = [
        row.get("class")
        for row in study.root.findall(".//figure[@id='table-comparison-1']//tbody/tr")
    ]
    assert strong == ["strong", "strong", None]


def test_posterior_findings_say_decided_equivalent_and_open_but_nothing_exploratory(page):
    found = [f for f in page(cases.posterior).findings() if "posterior" in f]
    assert len(found) == 3
    assert found[0].startswith("Logistic regression and SVM (RBF) were practically equivalent")
    assert found[1].startswith(
        "Logistic regression had a higher accuracy than Gaussian naive Bayes"
    )
    assert "were not shown to differ in accuracy: no posterior probability exceeded 95%" in found[2]


def test_ranks_have_their_critical_difference_and_wins(page):
    study = page(fixture_variants.many_data_sets)
    figure = study.figure("figure-comparison-1")
    assert "CD, critical difference 2.16" in folded(figure.find("figcaption"))
    assert "CD 2.16" in " ".join(figure.itertext())
    rows = study.table("table-comparison-1")
    assert rows[0][:4] == ["Alpha − Beta", "5", "1", "2"]
    assert "CD = 2.16" in study.notes("table-ranks-1")


# --- warnings, protocol, methods ------------------------------------------------------------


def test_a_rule_warns_once_and_names_metric_and_data():
    from msgspec.structs import replace

    whole = fixture.cancer()
    comparison = whole.comparisons[0]
    twice = (comparison, replace(comparison, index=1, metric="recall"))
    study = Page(replace(whole, comparisons=twice))
    words = study.words("limits")
    assert words.count("W501") == 1
    assert "without a significant difference (two comparisons)" in words
    assert "In accuracy, " in words
    assert "in recall, " in words


def test_the_protocol_is_english_and_whole(page):
    study = page(cases.defaults)
    rows = {row[0]: row[1:] for row in study.table("table-protocol") if len(row) > 1}
    assert rows["Level α"] == ["○ .05", "a hypothesis is rejected at or below it"]
    assert rows["Stratification"] == ["○ by the target",
                                      "class proportions are about equal in all parts"]  # fmt: skip
    assert rows["Comparison 1: correction"] == ["○ Holm’s procedure", "a family of 6 tests"]
    assert rows["Recall: average over classes"] == ["○ none", "of the positive class"]
    assert rows["Measure of the search"][0] == "○ Accuracy"
    assert rows["Splits of a test"] == [
        "◇ stratified 5×2-fold cross-validation",
        "implied by compare with 5x2cv_f: 10 splits, 40 fits",
    ]
    names = [row[0] for row in study.table("table-protocol")]
    assert names.count("Interval of accuracy") == 1
    groups = [row[0] for row in study.table("table-protocol") if len(row) == 1]
    assert groups == ["Data", "Resampling", "Models", "Tuning", "Measures", "Tests", "Report"]
    assert not [name for name in names if "_" in name or re.match(r"[a-z]", name)]


def test_a_file_of_a_version_without_typed_settings_lists_its_defaults_as_written():
    plain = to_plain(cases.defaults())
    del plain["spec"]["stated"]
    for default in plain["study"]["defaults"]:
        for lacking in set(default) - {"clause", "value"}:
            del default[lacking]
    study = Page(from_plain(ResultsRecord, plain))
    rows = study.table("table-protocol")
    assert "its results do not list the stated settings" in study.words("protocol")
    assert ["Compare line 1 by", "○ accuracy", ""] in rows
    assert not [row for row in rows if len(row) > 1 and row[1].startswith("●")]


def test_methods_name_the_search_the_pairs_and_the_effect_sizes(page):
    words = page(cases.second_is_better).methods()
    assert "Logistic regression and SVM (RBF) were compared on accuracy using McNemar’s" in words
    assert "were compared on recall using the corrected resampled t test" in words
    assert (
        "The effect size of a pair is the odds ratio of discordant pairs (exact interval)" in words
    )
    assert "Cohen’s g" not in words  # no table shows it
    tuned = page(drawn_regression.regression).methods()
    assert "Hyper-parameters of Ridge (2 candidates) were chosen inside each training part" in tuned


def test_a_citation_never_reads_as_a_power():
    from evallang.reporting.document import (
        Cite,
        Document,
        Paragraph,
        References,
        Section,
        Work,
        runs,
    )

    blocks = (
        Paragraph(runs("R²", Cite(("a",)), ", and accuracy", Cite(("b",)), ".")),
        References((Work("a", runs("A")), Work("b", runs("B")))),
    )
    made = html.render(Document("t", "0", "", "", "a4", (Section("s", "S", blocks),)), "print")
    text = folded(tinyhtml5.parse(made.html, namespace_html_elements=False).find(".//p"))
    assert text == "R² (ref. 1), and accuracy.\u20602"


def test_names_of_two_authors_are_one_word_in_print():
    from evallang.reporting import html
    from evallang.reporting.document import Document, Paragraph, Section, runs

    blocks = (Paragraph(runs("Bergmann–Hommel, precision–recall")),)
    document = Document("t", "0", "", "", "a4", (Section("s", "S", blocks),))
    made = html.render(document, "print")
    text = tinyhtml5.parse(made.html, namespace_html_elements=False).find(".//p").text
    assert text == "Bergmann–\u2060Hommel, precision–recall"


# --- what real runs brought up --------------------------------------------------------------


def test_intervals_over_groups_are_said_once_and_not_for_every_level():
    from msgspec.structs import replace

    whole = cases.levels()
    clusters = {"north": Clusters(30, 1.5), "south": Clusters(27, None)}
    one = next(e.interval for e in whole.estimates if e.interval is not None)
    estimates = tuple(
        replace(e, interval=replace(one, clusters=clusters[e.subgroup.level]))
        if e.subgroup is not None
        else e
        for e in whole.estimates
    )
    data = tuple(replace(record, groups=57) for record in whole.data)
    study = Page(replace(whole, estimates=estimates, data=data))
    words = study.notes("table-subgroups-1-1")
    expected = "Whole groups are the units of the intervals: 27 to 30 groups, design effect 1.50."
    assert expected in words


def test_two_lines_on_the_same_models_have_different_headings():
    from msgspec.structs import replace

    whole = fixture.cancer()
    comparison = whole.comparisons[0]
    plain = replace(comparison, index=1, omnibus=None, source="compare with mcnemar holm")
    study = Page(replace(whole, comparisons=(comparison, plain)))
    section = study.root.find(".//section[@id='comparisons']")
    assert [folded(h) for h in section.findall("h3")] == [
        "Accuracy: four models, pairwise (Cochran’s Q test, then McNemar’s test, mid-p)",
        "Accuracy: four models, pairwise (McNemar’s test, mid-p)",
    ]
    assert comparison.source not in folded(section)


def test_a_null_hypothesis_names_the_metric_that_was_tested():
    from msgspec.structs import replace

    whole = fixture.cancer()
    comparison = replace(whole.comparisons[0], metric="recall")
    words = Page(replace(whole, comparisons=(comparison,))).words("comparisons")
    assert "rejected the hypothesis that all models have the same recall" in words


def test_a_critical_difference_is_shown_only_where_it_decided():
    from msgspec.structs import replace

    whole = fixture_variants.many_data_sets()
    across = whole.comparisons[0]
    pairs = tuple(replace(p, test="wilcoxon", extra={}) for p in across.pairwise)
    study = Page(replace(whole, comparisons=(replace(across, pairwise=pairs),)))
    assert "CD" not in study.words("comparisons")


def test_every_kind_of_default_has_words_in_the_protocol():
    from evallang.reporting.protocol_table import FORMS
    from evallang.results.settings import DEFAULT_KINDS

    assert set(FORMS) == set(DEFAULT_KINDS)


PAIRED = """evallang 1
predictions p from "p.csv"
  truth y
  models a, b
measure mae
compare a vs b by mae with t
report html
"""


def test_a_test_whose_title_names_its_variant_does_not_repeat_it(tmp_path):
    rows = [f"{i % 7 + 0.5},{i % 5 + i % 3 / 2},{i % 6 + i % 4 / 3}" for i in range(40)]
    (tmp_path / "p.csv").write_text("\n".join(["y,a,b", *rows]) + "\n")
    page = Page(run(study(PAIRED, tmp_path)).record)
    assert "paired t test" in page.methods()
    assert "(paired)" not in folded(page.root)
