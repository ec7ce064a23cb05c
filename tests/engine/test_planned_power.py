"""`analyze power` and `evallang power`: each line's tests, at the level that one of them gets."""

import json
import math

import pytest
from click.testing import CliRunner
from scipy import stats
from studies import study, write_rows

from evallang.api import run
from evallang.api.power import power_of
from evallang.cli.power import command
from evallang.stats import power_of_metrics, power_of_pairs
from evallang.stats.hypothesis_tests.contingency import mcnemar
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.power import PlannedGroups
from evallang.stats.power_of_metrics import Labels, counts
from evallang.stats.power_of_pairs import grouped_pairs

COUNTS = """evallang 1
counts one
  models x, y, z
  pattern [1, 1, 1]: 30
  pattern [1, 0, 0]: 6
  pattern [0, 1, 1]: 4
measure accuracy
"""


@pytest.fixture(autouse=True)
def few_rounds(monkeypatch):
    """Simulate with a Monte Carlo error of 1.6 points at most."""
    monkeypatch.setattr(power_of_pairs, "GROUP_ROUNDS", 1000)
    monkeypatch.setattr(power_of_metrics, "ROUNDS", 1000)


def answers(text):
    found, _ = power_of(study(text))
    return [item.values for item in found]


def chance_of_rejection(difference, discordant, n, alpha):
    """Add up the probabilities of all tables whose exact p is at most alpha, by brute force."""
    share = (discordant + difference) / (2 * discordant)
    total = 0.0
    for pairs in range(n + 1):
        weight = stats.binom.pmf(pairs, n, discordant)
        for b in range(pairs + 1):
            p = min(1.0, 2 * stats.binom.sf(max(b, pairs - b) - 1, pairs, 0.5))
            if p <= alpha:
                total += weight * stats.binom.pmf(b, pairs, share)
    return total


def test_power_is_at_the_level_of_one_comparison_of_the_family():
    (values,) = answers(
        COUNTS + "compare with mcnemar(exact) bonferroni\n"
        "analyze power(difference=20%, discordant=40%)\n"
    )
    assert (values["n"], values["family_size"]) == (40, 3)
    assert values["level"] == pytest.approx(0.05 / 3)
    (answer,) = values["answers"]
    expected = chance_of_rejection(0.2, 0.4, 40, 0.05 / 3)
    assert answer["power"] == pytest.approx(expected, abs=1e-10)


def test_the_detectable_difference_has_the_power_aimed_at():
    (values,) = answers(
        COUNTS + "compare x, y with mcnemar(exact)\nanalyze power(discordant=60%, target=70%)\n"
    )
    (answer,) = values["answers"]
    assert values["level"] == 0.05
    power = chance_of_rejection(answer["detectable"], 0.6, 40, 0.05)
    assert power == pytest.approx(0.7, abs=1e-6)


def test_the_required_number_is_the_first_that_stays_enough():
    (values,) = answers(
        COUNTS + "compare x, y with mcnemar(exact)\n"
        "analyze power(difference=30%, discordant=50%, n=10)\n"
    )
    (answer,) = values["answers"]
    n = answer["required_n"]
    assert values["n"] == 10
    assert chance_of_rejection(0.3, 0.5, n, 0.05) >= 0.8
    assert min(chance_of_rejection(0.3, 0.5, k, 0.05) for k in (n - 1, n - 2)) < 0.8


@pytest.mark.parametrize(
    ("correction", "level"),
    [
        ("holm", 0.05 / 3),
        ("shaffer", 0.05 / 3),
        ("sidak", 1 - 0.95 ** (1 / 3)),
        ("uncorrected", 0.05),
    ],
)
def test_the_level_is_that_of_the_strictest_step_of_the_correction(correction, level):
    values = answers(COUNTS + f"compare with mcnemar {correction}\nanalyze power\n")[0]
    assert values["level"] == pytest.approx(level)
    assert values["correction"] == correction


def test_the_one_family_of_a_study_counts_all_its_members():
    head = COUNTS.replace("evallang 1\n", 'evallang 1\nstudy "S"\n  families together\n')
    lines = "compare with cochran then mcnemar\ncompare x, y with mcnemar\n"
    found = answers(head + lines + "analyze power\n")
    assert {values["family_size"] for values in found} == {1 + 3 + 1}
    assert [values["omnibus"] for values in found] == [True, False, False]
    assert found[1]["level"] == pytest.approx(0.05 / 5)


def test_a_study_without_lines_is_asked_about_one_comparison():
    (values,) = answers(COUNTS + "analyze power(discordant=10%)\n")
    assert (values["test"], values["line"], values["family_size"]) == ("mcnemar", None, 1)


FITTED = """evallang 1
study "S"
  seed 1
data d from sklearn breast_cancer
  positive malignant
model a = GaussianNB
model b = LinearDiscriminantAnalysis
"""


def test_the_corrected_t_takes_number_and_ratio_from_the_splits():
    text = FITTED + (
        "protocol repeated cv folds=5 times=4\nmeasure accuracy\ncompare a, b with corrected_t\n"
        "analyze power(difference=2%, sd=3%)\n"
    )
    (values,) = answers(text)
    (answer,) = values["answers"]
    assert values["n"] == 20
    assert answer["assumptions"]["test_train_ratio"] == pytest.approx(1 / 4, rel=1e-3)
    # noncentral t with 19 degrees of freedom, by scipy
    shift = 0.02 / (0.03 * (1 / 20 + answer["assumptions"]["test_train_ratio"]) ** 0.5)
    bound = stats.t.ppf(0.975, 19)
    expected = stats.nct.sf(bound, 19, shift) + stats.nct.cdf(-bound, 19, shift)
    assert answer["power"] == pytest.approx(expected, abs=1e-8)
    assert answer["required_n"] is None
    assert "no number of splits is enough" in answer["notes"][0]


def test_tests_over_data_sets_count_the_data_sets():
    names = ("wine", "iris", "breast_cancer", "digits")
    text = (
        'evallang 1\nstudy "S"\n  seed 1\n'
        + "".join(f"data {name} from sklearn {name}\n" for name in names)
        + "model a = GaussianNB\nmodel b = DummyClassifier\n"
        "model c = DecisionTreeClassifier(max_depth=2)\nprotocol holdout\n"
        "compare across data with friedman then wilcoxon holm\nanalyze power(sd=3%)\n"
    )
    omnibus, pairs = answers(text)
    assert (omnibus["n"], pairs["n"], pairs["unit"]) == (4, 4, "data sets")
    assert omnibus["level"] == 0.05 and pairs["level"] == pytest.approx(0.05 / 3)
    # four signs of one kind have p = 1/8: never below 0.05/3
    assert pairs["answers"][0]["detectable"] is None
    assert "too few" in pairs["answers"][0]["notes"][0]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("compare with cochran exploratory", "`mcnemar` is the nearest test with power"),
        ("compare x, y with bayes_mcnemar", "it gives probabilities and no p"),
        ("compare x, y with proportions_z", "separate test sets"),
    ],
)
def test_a_test_whose_power_is_not_computed_says_why_and_names_another(line, reason):
    (values,) = answers(f"{COUNTS}{line}\nanalyze power\n")
    assert values["answers"] == ()
    (note,) = values["notes"]
    assert note.startswith(f"the power of `{values['test']}` is not computed: ")
    assert reason in note


def test_every_test_has_power_or_a_reason_and_another_test_that_has_it():
    for entry in HYPOTHESIS_TESTS:
        declared = entry.declaration
        if declared.power is None:
            assert declared.without_power, entry.name
            assert HYPOTHESIS_TESTS[declared.power_as].declaration.power is not None, entry.name
        else:
            assert not declared.without_power, entry.name


F1 = FITTED + "protocol cv folds=5\nmeasure f1\ncompare a, b with "


@pytest.mark.parametrize(
    ("test", "resampled"), [("bootstrap", "drawn"), ("permutation", "swapped")]
)
def test_the_power_of_f1_is_that_of_tables_with_the_positives_of_the_data(test, resampled):
    (values,) = answers(
        f"{F1}{test}(alternative=greater)\n"
        "analyze power(difference=3%, weaker=90%, correlation=70%, width=6%)\n"
    )
    (answer,) = values["answers"]
    assert answer["assumptions"]["positives"] == pytest.approx(212 / 569)

    def f1(matrices):
        hits = matrices[..., 1, 1]
        return 2 * hits / (2 * hits + matrices[..., 0, 1] + matrices[..., 1, 0])

    labels = Labels(f1, 0.9, 212 / 569, 0.7)
    found = counts(labels, 0.05, resampled=resampled, one_sided=True, rounds=20_000)
    power = found.solve(difference=0.03, size=569)
    assert answer["power"] == pytest.approx(power, abs=0.06)
    assert found.width(0.03, answer["n_for_width"]) <= 0.06
    assert found.width(0.03, answer["n_for_width"] - 2) > 0.06


def test_a_resampling_test_has_the_power_of_the_test_of_its_metric(tmp_path):
    head = FITTED + "protocol cv folds=5\nmeasure accuracy\ncompare a, b with "
    power = "analyze power(difference=2%, discordant=5%)\n"
    exact = answers(f"{head}mcnemar(exact)\n{power}")[0]["answers"][0]
    swaps = answers(f"{head}permutation\n{power}")[0]["answers"][0]
    assert (swaps["power"], swaps["required_n"]) == (exact["power"], exact["required_n"])
    areas = answers(AREAS.replace("delong", "bootstrap") + "analyze power(difference=2%)\n")[0]
    assert areas["answers"] == answers(AREAS + "analyze power(difference=2%)\n")[0]["answers"]
    losses = FITTED + "protocol cv folds=5\nmeasure brier\ncompare a, b with "
    power = "analyze power(difference=1%, sd=10%)\n"
    by_t, by_swaps = (
        answers(f"{losses}{test}\n{power}")[0]["answers"] for test in ("t", "permutation")
    )
    assert by_swaps == by_t


GROUPED = """evallang 1
predictions p from "grouped.csv"
  truth y
  positive 1
  group site
  models a, b
measure accuracy
compare a, b with TEST
"""


def write_groups(folder):
    sizes = [3] * 20 + [7] * 10
    sites = [site for site, size in enumerate(sizes) for _ in range(size)]
    rows = [(i % 2, site, int(i % 3 == 0), int(i % 5 == 0)) for i, site in enumerate(sites)]
    write_rows(folder, "grouped.csv", "y,site,a,b", rows)


def test_groups_of_the_data_have_their_sizes_and_a_stated_correlation(tmp_path):
    write_groups(tmp_path)
    text = GROUPED.replace("TEST", "mcnemar")
    text += "analyze power(difference=10%, discordant=20%, icc=20%)\n"
    ((item,), _) = power_of(study(text, tmp_path))
    (answer,) = item.values["answers"]
    assert item.values["n"] == 130
    assert answer["assumptions"]["icc"] == 0.2
    assert answer["assumptions"]["group_size"] == pytest.approx(130 / 30)
    groups = PlannedGroups(((3, 20), (7, 10)), 0.2)
    expected = grouped_pairs(0.2, groups, 0.05, rounds=20_000).solve(difference=0.1, size=30)
    assert answer["power"] == pytest.approx(expected, abs=0.06)
    assert not any("design effect d" in note for note in item.values["notes"])


def test_a_one_sided_test_has_the_power_of_its_side():
    line = "compare x, y with mcnemar(exact, alternative=greater)\n"
    power = "analyze power(difference=20%, discordant=40%, n=60)\n"
    (answer,) = answers(COUNTS + line + power)[0]["answers"]
    share = 0.75
    expected = sum(
        stats.binom.pmf(pairs, 60, 0.4) * stats.binom.pmf(b, pairs, share)
        for pairs in range(61)
        for b in range(pairs + 1)
        if stats.binom.sf(b - 1, pairs, 0.5) <= 0.05
    )
    assert answer["power"] == pytest.approx(expected, abs=1e-10)


def test_the_width_is_that_of_the_interval_that_the_test_gives():
    line = "compare x, y with mcnemar(interval=wald)\n"
    (answer,) = answers(f"{COUNTS}{line}analyze power(width=10%, discordant=20%)\n")[0]["answers"]
    # Wald: 2 z sqrt(psi / n)
    expected = (2 * stats.norm.ppf(0.975) / 0.1) ** 2 * 0.2
    assert answer["n_for_width"] == pytest.approx(expected, abs=3)


def test_a_run_and_the_command_give_the_same_numbers(tmp_path):
    text = COUNTS + "compare with mcnemar holm\nanalyze power(difference=20%, discordant=40%)\n"
    record = run(study(text)).record
    path = tmp_path / "s.eval"
    path.write_text(text)
    done = CliRunner().invoke(command, [str(path), "--format", "json"], standalone_mode=False)
    (item,) = json.loads(done.stdout)["analyses"]
    assert item["values"]["answers"][0]["power"] == record.analyses[0].values["answers"][0]["power"]
    assert record.analyses[0].kind == "power"
    shown = CliRunner().invoke(command, [str(path)], standalone_mode=False).stdout
    shown = " ".join(shown.split())  # of lines that are wrapped
    assert "holm first step, family of 3" in shown and "Hoenig & Heisey 2001" in shown


def test_the_number_for_a_width_is_that_of_the_interval_of_the_expected_table():
    (values,) = answers(
        COUNTS + "compare x, y with mcnemar\nanalyze power(width=10%, discordant=40%)\n"
    )
    (answer,) = values["answers"]
    assert values["width"] == 0.1
    n = answer["n_for_width"]
    b = round(0.2 * n)
    for size, narrow in ((n + 10, True), (n - 10, False)):
        found = mcnemar([[size - 2 * b, b], [b, 0]]).estimate
        assert (found.high - found.low <= 0.1) is narrow


AREAS = FITTED + "protocol cv folds=5\nmeasure roc_auc\ncompare a, b with delong\n"


def test_areas_are_compared_with_the_share_of_positives_of_the_data():
    (values,) = answers(AREAS + "analyze power(difference=2%, area=90%, width=4%)\n")
    (answer,) = values["answers"]
    assert values["n"] == 569
    assert answer["assumptions"]["positives"] == pytest.approx(212 / 569)
    variance = power_of_metrics.placement_variance(0.02, 0.9, 0.5)
    error = (variance * (1 / 212 + 1 / 357)) ** 0.5
    tails = stats.norm.sf(1.959964 - 0.02 / error) + stats.norm.cdf(-1.959964 - 0.02 / error)
    assert answer["power"] == pytest.approx(tails, abs=1e-5)
    per_example = variance * (569 / 212 + 569 / 357)
    assert answer["required_n"] == math.ceil((2.801585 / 0.02) ** 2 * per_example)
    assert answer["n_for_width"] == math.ceil((2 * 1.959964 / 0.04) ** 2 * per_example)
    assert any("over folds" in note for note in answer["notes"])
