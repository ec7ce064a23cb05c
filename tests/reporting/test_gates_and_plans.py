"""Requirements with a test, families together and power: what the report says of each."""

import re

import pytest
import tinyhtml5
from conftest import folded
from studies import study

from evallang.api import run
from evallang.reporting import html
from evallang.reporting.context import Context
from evallang.reporting.section import build

COUNTS = """counts trial
  models a, b, c
  pattern [1, 1, 1]: 300
  pattern [1, 0, 1]: 40
  pattern [0, 1, 1]: 12
  pattern [1, 1, 0]: 9
  pattern [0, 0, 0]: 39
"""


class Page:
    """The report of a study, as text."""

    def __init__(self, lines, head="", source=COUNTS):
        self.results = run(study(f"evallang 1\n{head}{source}{lines}")).record
        text = html.render(build(Context(self.results)), "screen").html
        self.root = tinyhtml5.parse(text, namespace_html_elements=False)

    def findings(self):
        return [folded(item) for item in self.root.findall(".//ol[@class='findings']/li")]

    def methods(self):
        return " ".join(folded(p) for p in self.root.findall(".//p[@class='methods']"))

    def table(self, identifier):
        figure = self.root.find(f".//figure[@id='{identifier}']")
        head = [folded(cell) for cell in figure.findall(".//thead//th")]
        body = [[folded(c) for c in row] for row in figure.findall(".//tbody/tr")]
        return head, body, folded(figure)


GATES = (
    "require a better than b with mcnemar\n"
    "require b better than a with mcnemar(midp) at 90%\n"
    "require a not worse than b by 2%\n"
)
IN_A_TABLE = "report html\n  hide findings\n"


@pytest.fixture(scope="module")
def gates():
    return Page(GATES)


@pytest.fixture(scope="module")
def tabled():
    return Page(GATES + IN_A_TABLE)


def test_the_p_of_a_requirement_with_a_test_stands_in_its_row(tabled):
    head, body, _ = tabled.table("table-requirements")
    assert head[-2:] == ["p", "Decision"]
    # The exact binomial p of 40 against 12 of 52, doubled: 1.3e-4
    assert [row[-2:] for row in body] == [["< .001", "met"], ["< .001", "not met"], ["–", "met"]]


def test_the_test_and_its_level_stand_below_the_table(tabled):
    _, _, text = tabled.table("table-requirements")
    assert "McNemar’s test (exact), p < .001 at level .05" in text
    assert "McNemar’s test (mid-p), p < .001 at level .1." in text
    assert "it is decided by the test and by the sign of the difference" in text


def test_a_finding_names_the_test_that_decided_it(gates):
    begins = "Met. Model a better than b"
    passed = next(line for line in gates.findings() if line.startswith(begins))
    assert "McNemar’s test (exact), p < .001" in passed
    by_interval = next(line for line in gates.findings() if "not worse" in line)
    assert "p <" not in by_interval


def test_a_table_of_requirements_without_a_test_has_no_column_of_p():
    head, _, text = Page(f"require a not worse than b by 2%\n{IN_A_TABLE}").table(
        "table-requirements"
    )
    assert "p" not in head
    assert "on that of the test" not in text


def test_the_methods_say_how_requirements_were_decided(gates):
    text = re.sub(r"[\d,⁠ ]+(?=[,.;)])", "", gates.methods())
    assert "Three requirements were stated in the study file (" in text
    assert "a not worse than b by more than " in text and "); each was decided on" in text
    assert re.search(r"95% intervals \(.*\) or the p of McNemar’s test", text)
    assert "only when all are met" in text


TOGETHER = 'study "Together"\n  families together\n'
LINES = "compare a vs b with mcnemar\ncompare a vs c with mcnemar\n"


def test_the_methods_say_that_families_are_one():
    text = Page(LINES, TOGETHER).methods()
    assert "All comparisons formed one family for this correction." in text
    text = Page(LINES + "compare b vs c with mcnemar exploratory\n", TOGETHER).methods()
    assert "All comparisons that were not exploratory formed one family" in text


def test_posteriors_are_not_said_to_be_in_the_one_family():
    posterior = (
        "data iris from sklearn iris\nmodel p = GaussianNB\nmodel q = LinearDiscriminantAnalysis\n"
        "protocol repeated cv folds=3 times=2\ncompare p vs q with bayes_t\n"
    )
    text = Page(LINES + posterior, TOGETHER).methods()
    assert "All comparisons with p-values formed one family for this correction." in text


def test_separate_families_and_a_single_line_are_not_called_one_family():
    assert "one family" not in Page(LINES).methods()
    assert "one family" not in Page("compare a vs b with mcnemar\n", TOGETHER).methods()


def test_the_methods_say_what_power_was_computed_for():
    text = Page(LINES + "analyze power(difference=2%, discordant=8%, target=90%)\n").methods()
    assert (
        "Under the assumptions listed with the results, we computed the smallest difference" in text
    )
    assert "with a power of 90%, and the power at a difference stated in the study file." in text
    assert "one comparison after the correction" not in text  # each line is a family of one
    together = Page(LINES + "analyze power(discordant=8%)\n", TOGETHER).methods()
    assert "at the level of one comparison after the correction" in together
    assert "the power at a difference" not in together
    assert "with a power of" not in Page(LINES).methods()


def test_an_option_of_an_interval_is_no_word_of_the_simultaneous_one():
    # It read "by the same method at the adjusted level, (bca), conservative"
    text = Page("compare a, b, c with bootstrap\n").methods()
    assert "by the same method at the adjusted level, conservative" in text


def test_the_table_of_power_has_a_dash_where_a_line_was_not_asked():
    asked = "analyze power(difference=2%, discordant=8%, width=5%)\nanalyze power(discordant=8%)\n"
    head, rows, _ = Page(LINES + asked).table("table-power")
    assert head[-2:] == ["Width", "Size for it"]
    first, last = rows[0], rows[-1]
    assert "–" not in first
    assert last[-5:] == ["–"] * 5


def test_the_table_of_power_counts_in_standard_deviations_where_no_unit_is_known():
    lines = (
        "data d from sklearn diabetes\nmodel r = Ridge\nmodel l = LinearRegression\n"
        "protocol repeated cv folds=5 times=2\nmeasure rmse\n"
        "compare r vs l with corrected_t\nanalyze power\n"
    )
    _, rows, _ = Page(lines, source="").table("table-power")
    assert any(cell.endswith("sd") for cell in rows[0])


def test_several_models_on_shuffled_targets_have_an_adjusted_p():
    fitted = (
        "data wine from sklearn wine\nmodel a = GaussianNB\n"
        "model b = DecisionTreeClassifier(max_depth=1)\nprotocol cv folds=3\nmeasure accuracy\n"
    )
    line = "analyze target_permutation(rounds=9)\n"
    head, rows, notes = Page(line, source=fitted).table("table-chance-1")
    assert head[-1] == "Adjusted p"
    assert all(row[-2] == row[-1] for row in rows)  # the smallest p of nine rounds, for each model
    assert "the adjusted p is the share of targets on which at least one of the" in notes
    head, _, notes = Page(line.replace("\n", " of a\n"), source=fitted).table("table-chance-1")
    assert head[-1] == "p"
    assert "adjusted" not in notes
