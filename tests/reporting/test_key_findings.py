"""The first page answers the question of a study, whatever it asks."""

import re
from itertools import combinations

import numpy as np
import pytest
from fixture import cancer
from msgspec.structs import replace
from studies import study, write_rows

from evallang.api.running import run
from evallang.reporting.context import Context
from evallang.reporting.document import NumberedFindings, Ref
from evallang.reporting.run_writer import plain
from evallang.reporting.section import build
from evallang.results.codec import to_plain

EXHIBITS = ("table", "figure")
N = 160
TRUTH = np.arange(N) % 5 < 2
RULE = np.round(0.1 + 0.4 * TRUTH + (np.arange(N) * 7 % 43) / 90, 3)
NET = np.round(0.1 + 0.3 * TRUTH + (np.arange(N) * 11 % 59) / 100, 3)
EXAM = """evallang 1
study
  seed 1
predictions exam from "p.csv"
  id id
  truth truth
  positive 1
  models rule "Rule" as rule_label, net "Net" as net_label
  score rule = rule
  score net = net
"""
FITS = """evallang 1
study
  seed 3
data wine from sklearn wine
model forest "Forest" = RandomForestClassifier(n_estimators=3, max_depth=2)
model near "Near" = StandardScaler | KNeighborsClassifier(n_neighbors in [1, 5])
model majority "Majority" = DummyClassifier
protocol cv folds=3 seeds=2
tune grid by accuracy cv=2
measure accuracy
"""


class Read:
    """What a study wrote: its key findings and its results."""

    def __init__(self, text, folder):
        results = run(study(text, folder))
        document = build(Context(results.record))
        blocks = [block for section in document.sections for block in section.blocks]
        self.sections = {(s.name, s.supplement): s.blocks for s in document.sections}
        (found,) = [block for block in blocks if isinstance(block, NumberedFindings)]
        self.findings = [plain(item).replace("\u00a0", " ") for item in found.items]
        links = [[r.target for r in item if isinstance(r, Ref) and r.aside] for item in found.items]
        self.targets = ["".join(of) for of in links]
        self.plain = to_plain(results.record)

    def values(self, kind, model=None):
        """Return the values of an analysis."""
        found = (a for a in self.plain["analyses"] if a["kind"] == kind)
        return next(a["values"] for a in found if model in (None, a["model"]))

    def finding(self, words):
        (found,) = [one for one in self.findings if words in one]
        return found


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    made = {}

    def run_once(lines, head=EXAM):
        if (lines, head) not in made:
            folder = tmp_path_factory.mktemp("study")
            rows = [
                [i, int(y), int(a >= 0.5), int(b >= 0.5), a, b]
                for i, (y, a, b) in enumerate(zip(TRUTH, RULE, NET, strict=True))
            ]
            write_rows(folder, "p.csv", "id,truth,rule_label,net_label,rule,net", rows)
            made[lines, head] = Read(head + lines, folder)
        return made[lines, head]

    return run_once


def states(words, value):
    """Return whether a finding has a number, rounded to at least one decimal."""
    printed = re.findall(r"[+−]?\d+\.\d+", words)
    return any(f"{value:.{len(one.split('.')[1])}f}" == one.strip("+").replace("−", "-")
               for one in printed)  # fmt: skip


ANALYSED = (
    "measure accuracy\nanalyze roc, pr, det, calibration, decision_curve, agreement, confusion\n"
)


def test_estimates_are_stated_last_where_a_study_analyses(read):
    page = read(ANALYSED)
    assert page.findings[-1].startswith("The highest observed accuracy was that of Rule, ")
    assert len(page.findings) == 7  # a confusion matrix has no key finding


def test_calibration_is_answered_by_slope_and_intercept(read):
    page = read(ANALYSED)
    found = page.finding("calibration slope")
    for model in ("rule", "net"):
        every = {one["name"]: one for one in page.values("calibration", model)["summaries"]}
        for name in ("slope", "intercept"):
            value, low, high = (f"{every[name][key]:.2f}" for key in ("value", "low", "high"))
            words = f"{value} (95% CI [{low}, {high}])"
            assert words.replace("-", "−") in found


def test_curves_are_answered_by_their_areas_the_best_first(read):
    page = read(ANALYSED)
    areas = {
        model: np.mean([(s > o) + (s == o) / 2 for s in score[TRUTH] for o in score[~TRUTH]])
        for model, score in (("Rule", RULE), ("Net", NET))
    }
    assert areas["Rule"] > areas["Net"]
    found = page.finding("area under the ROC curve")
    assert found.startswith(
        f"The highest observed area under the ROC curve was that of Rule, {areas['Rule']:.3f}"
    )
    assert found.endswith(f"; Net had {areas['Net']:.3f}.")
    found = page.finding("equal error rate")
    assert found.startswith("The lowest observed equal error rate was that of Rule, ")
    for model in ("rule", "net"):
        (rate,) = page.values("det", model)["summaries"]
        assert all(states(found, rate[key]) for key in ("value", "low", "high"))


def test_a_curve_is_not_stated_again_where_it_is_the_first_measure(read):
    page = read("measure roc_auc\nanalyze roc\n")
    assert len([one for one in page.findings if "area under the ROC curve" in one]) == 1


def test_decisions_are_answered_by_the_thresholds_above_both_references(read):
    found = read(ANALYSED).finding("net benefit")
    for name, score in (("Rule", RULE), ("Net", NET)):
        above = []
        for threshold in np.arange(1, 100) / 100:
            odds = threshold / (1 - threshold)
            acted = score >= threshold
            benefit = ((acted & TRUTH).sum() - odds * (acted & ~TRUTH).sum()) / N
            act_on_all = (TRUTH.sum() - odds * (~TRUTH).sum()) / N
            if benefit - max(act_on_all, 0) > 1e-9:
                above.append(round(100 * threshold))
        between = above[-1] - above[0] + 1
        n = "all" if len(above) == between else f"{len(above)} of"
        assert f"{n} {between} thresholds from {above[0]}% to {above[-1]}%" in found, name


def test_agreement_is_answered_by_share_and_kappa(read):
    first, second = RULE >= 0.5, NET >= 0.5
    same = np.mean(first == second)
    chance = first.mean() * second.mean() + (1 - first.mean()) * (1 - second.mean())
    found = read(ANALYSED).finding("the same prediction")
    assert found.startswith(f"Rule and Net gave the same prediction for {100 * same:.1f}% (95% CI")
    assert f"κ was {(same - chance) / (1 - chance):.2f}." in found


def test_of_pairs_that_agree_as_often_none_has_the_highest_share(read):
    head = EXAM.replace("as net_label", 'as rule_label, copy "Copy" as rule_label')
    found = read("measure accuracy\nanalyze agreement\n", head).finding("the same prediction")
    assert found.endswith("; Cohen’s κ was 1.00. All three pairs agreed as often.")


def test_pairs_without_a_difference_are_stated_or_counted():
    record = cancer()
    (compared,) = record.comparisons
    pairs = tuple(
        replace(p, estimate=None, simultaneous=None, effects=(), p=0.001, reject=True)
        for p in compared.pairwise
    )
    compared = replace(compared, pairwise=pairs, performed=True)
    document = build(Context(replace(record, comparisons=(compared,))))
    (found,) = document.every(NumberedFindings)
    said = [plain(item) for item in found.items]
    assert sum(" differed in accuracy: McNemar" in one for one in said) == 3
    assert (
        "Three more tests, all of them significant, are listed in the table of differences." in said
    )


COMPARED = """measure accuracy
compare rule vs net with mcnemar
require accuracy of rule >= 60%
analyze power(difference=5%, discordant=15%)
analyze sensitivity
"""


def test_a_comparison_follows_requirements_and_precedes_analyses(read):
    begins = ("The requirement was met. Accuracy of Rule", "Rule had")  # not its accuracy again
    begins += ("With 160 examples, McNemar’s test detects", "The decision on the pair")
    found = read(COMPARED).findings
    assert [one.startswith(b) for one, b in zip(found, begins, strict=True)] == [True] * 4


def test_size_is_answered_by_the_smallest_difference_detected(read):
    page = read(COMPARED)
    (answer,) = page.values("power")["answers"]
    found = page.finding("detects a difference")
    assert f"of {100 * answer['detectable']:.1f} points or more in accuracy" in found
    assert f"for a difference of 5.0 points is {100 * answer['power']:.1f}%" in found


def test_sensitivity_is_answered_by_decisions_and_settings(read):
    page = read(COMPARED)
    others = [s for s in page.values("sensitivity")["settings"] if not s["reported"]]
    (decision,) = page.values("sensitivity")["hypotheses"]
    assert decision["same"] == len(others) - decision["undecided"]
    assert "other combinations of test and correction" in page.finding("The decision")


def test_what_the_findings_state_is_not_stated_again_in_the_main_part(read):
    page = read(COMPARED)
    assert not {("requirements", False), ("requirements", True)} & set(page.sections)
    p = re.search(r"p [=<] \.\d+", page.finding("had a higher accuracy"))[0]
    (sentence, *_) = page.sections["comparisons", False]
    said = plain(sentence.runs).replace("\u00a0", " ")
    assert said.startswith("McNemar’s test (") and p not in said
    many = read(COMPARED.replace("require", "require accuracy of net >= 1%\n" * 6 + "require"))
    assert many.findings[0] == "The study passed: all seven requirements were met."
    assert not any("least" in one for one in many.findings)
    assert [b.kind for b in many.sections["requirements", False]] == ["table"]
    assert ("requirements", True) not in many.sections


def test_chance_is_answered_by_score_mean_and_p(read):
    page = read("analyze target_permutation(rounds=19) of near\n", FITS)
    values = page.values("target_permutation")
    assert page.findings[0].startswith(
        "Near scored better in accuracy than on shuffled targets: "
        f"{100 * values['value']:.1f}% against a mean of {100 * values['mean']:.1f}%"
    )
    assert values["as_good"] == 0  # so p is 1/20, and none of 19 permutations can give less
    assert "(19 permutations, p = .05, the smallest possible)" in page.findings[0]


def test_a_model_at_chance_is_not_shown_to_score_better(read):
    page = read("analyze target_permutation(rounds=2) of near\n", FITS)  # p is 1/3 at least
    assert "Near was not shown to score better in accuracy" in page.findings[0]
    assert "has learned nothing" in page.findings[0]


def test_a_learning_curve_is_answered_by_the_gain_of_its_last_step(read):
    page = read("analyze learning_curve(fractions=[50%, 100%], repeats=1) of forest, near\n", FITS)
    found = page.findings[0]
    for model in ("forest", "near"):
        half, whole = page.values("learning_curve", model)["points"]
        assert states(found, 100 * (whole["test"]["value"] - half["test"]["value"]))
        assert f"{round(half['n_train'])} to {round(whole['n_train'])} training rows" in found
    assert " worse in " in found and "of three splits" in found


VARIED = "analyze seeds of forest\nanalyze variance, stability\nanalyze bias_variance(rounds=5)\n"


def test_seeds_are_answered_by_their_standard_deviation(read):
    page = read(VARIED, FITS)
    values = page.values("seeds")["values"]
    found = page.finding("standard deviation")
    assert found.startswith("Over two seeds, the accuracy of Forest had a standard deviation")
    for value in (np.std(values, ddof=1), min(values), max(values)):
        assert states(found, 100 * value)


def test_variation_is_answered_by_the_share_of_each_source(read):
    page = read(VARIED, FITS)
    parts = [max(c["variance"], 0) for c in page.values("variance", "forest")["components"]]
    found = page.finding("The largest source of variance")
    for share in np.array(parts) / sum(parts):
        assert f"{100 * share:.1f}%" in found


def test_bias_and_variance_are_answered_by_the_larger_part(read):
    page = read(VARIED, FITS)
    split = page.values("bias_variance", "forest")["decompositions"][-1]
    largest = max(split["parts"], key=lambda part: part["value"])
    found = page.finding("The larger part")
    assert largest["name"] in found
    assert f"({100 * largest['value']:.2f}% of {100 * split['total']:.2f}%" in found


def chosen_by(page):
    chosen = [one["params"]["n_neighbors"] for one in page.plain["selections"]]
    return chosen, max(set(chosen), key=chosen.count)


@pytest.mark.parametrize("lines", ["", "analyze tuning\n"], ids=["selected", "tuned"])
def test_a_selection_is_answered_by_what_was_chosen(read, lines):
    page = read(lines, FITS)
    chosen, most = chosen_by(page)
    found = page.finding(f"chose n_neighbors={most} for Near")
    assert found.startswith("All " if len(set(chosen)) == 1 else "The searches most often")
    assert ("selections", True) in page.sections


def test_stability_is_answered_by_the_share_of_pairs_that_agree(read):
    page = read(VARIED, FITS)
    chosen, most = chosen_by(page)
    assert page.finding(f"chose n_neighbors={most} for Near")
    alike = 100 * np.mean([a == b for a, b in combinations(chosen, 2)])
    assert page.finding("Two outer folds") == (
        f"Two outer folds chose the same n_neighbors for Near in {alike:.0f}% of all pairs "
        "(50% by chance)."
    )
    assert ("selections", True) not in page.sections  # the table of stability has them


def test_an_export_is_answered_by_the_model_and_its_corrected_estimate(tmp_path):
    lines = FITS.replace("forest, near", "") + 'export best to "best.skops"\n'
    page = Read(lines.replace(" seeds=2", ""), tmp_path)
    (export,) = page.plain["exports"]
    found, corrected = page.findings[0], export["corrected"]
    assert re.match(r"(Forest|Near) was exported as the best of \w+ models by accuracy\.", found)
    for key in ("value", "low", "high"):
        assert f"{100 * corrected[key]:.1f}" in found


def test_findings_lead_to_the_table_or_figure_that_shows_them(read):
    for page in (read(COMPARED), read(ANALYSED)):
        exhibits = {b.id for of in page.sections.values() for b in of if b.kind in EXHIBITS}
        targets = [one for one in page.targets if one]
        assert set(targets) <= exhibits and len(targets) >= len(page.findings) - 1
    assert set(page.targets) >= {"table-estimates-1", "figure-curve-1"}
    assert read(COMPARED).targets[1] == "table-comparison-1"


SURVIVAL = 'predictions trial from "t.csv"\n  id id\n  truth months\n  event died\n'
RANKING = 'predictions search from "t.csv"\n  query query\n  id id\n  truth relevance\n'
OTHERS = {
    "survival": (
        SURVIVAL + "  models cox, stage\n  score cox = a\n  score stage = b\n",
        "measure concordance\n",
        "The highest observed concordance index was that of cox, ",
    ),
    "ranking": (
        RANKING + "  models cox as a, stage as b\n",
        "measure mean_reciprocal_rank\n",
        "The highest observed mean reciprocal rank was that of cox, ",
    ),
    "series": (
        'data load from "t.csv"\n  target months\n  features a, b\n  task regression\n'
        "stratify none\nmodel line = LinearRegression\nmodel mean = DummyRegressor\n"
        "protocol time_series folds=3\n",
        "measure mae\n",
        "The lowest observed mean absolute error was that of line, ",
    ),
}


@pytest.mark.parametrize("goal", OTHERS)
def test_other_goals_are_answered_by_the_best_estimate(goal, tmp_path):
    rows = [
        [i, i // 8, months := 1 + i * 7 % 61, int(i % 4 > 0), int(i % 8 == 3),
         (i % 8 == 3) - months / 50 + i * 13 % 17 / 30, i * 11 % 59 / 59]
        for i in range(96)
    ]  # fmt: skip
    write_rows(tmp_path, "t.csv", "id,query,months,died,relevance,a,b", rows)
    head, lines, begins = OTHERS[goal]
    page = Read(f"evallang 1\nstudy\n  seed 1\n{head}{lines}", tmp_path)
    (value,) = [
        e["value"] for e in page.plain["estimates"] if e["model"] == begins.split()[-1].strip(",")
    ]
    assert page.findings[0].startswith(begins)
    assert f", {value:.3f}" in page.findings[0] or f", {value:.1f}" in page.findings[0]
