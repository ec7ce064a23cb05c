"""Words of a report for its readers: labels, titles of methods, settings, what was decided."""

import re
from html import unescape

import fixture
import numpy as np
import pytest
from msgspec.structs import replace
from studies import study

from evallang.api import run
from evallang.api.running import RunFailed
from evallang.cli.summary_text import text_lines
from evallang.reporting.context import Context, MetricWords
from evallang.reporting.letter_case import capitalised, titled
from evallang.reporting.numbers import Scale, interval, settled
from evallang.reporting.summary import summary
from evallang.results.records import ColumnRecord

GATES = """evallang 1
counts pair "Readings"
  models a "Reader A", b "Reader B"
  table [[80, 12], [3, 5]]
measure accuracy
require a not worse than b by 2%
require b not worse than a by 2%
"""
WARD = """evallang 1
predictions alarms "Ward alarms" from "ward.csv"
  truth sepsis
  positive yes
  group patient
  models new "New alarm", old "Old alarm"
  score new = new_p
  score old = old_p
measure accuracy, cost([[0, 5], [50, 0]]), roc_auc within sex
require new not worse than old by 0.2 in roc_auc
compare with permutation(rounds=100)
compare with permutation(rounds=100)
"""


def words_of(written, folder):
    """Run a study and return the words of its report."""
    written += "" if "report html" in written else "report html\n"
    run(study(written, folder)).save(folder / "out")
    return words_in(folder / "out" / "report.html")


def words_in(page):
    """Return the words of a page, without code and drawings."""
    html = page.read_text(encoding="utf-8")
    html = re.sub(r"(?s)<(style|script|svg|pre)\b.*?</\1>", "", html)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html)))


@pytest.fixture(scope="module")
def ward(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ward")
    rng = np.random.default_rng(4)
    truth = rng.random(200) < 0.4
    rows = ["patient,sepsis,sex,new_p,old_p"]
    for i, sick in enumerate(truth):
        shift = 0.2 if sick else -0.2
        scores = np.clip(0.5 + shift + rng.normal(0, (0.15, 0.3)), 0.01, 0.99)
        sex = ("female", "male")[i % 3 % 2]
        rows.append(f"{i // 3},{'yes' if sick else 'no'},{sex},{scores[0]:.3f},{scores[1]:.3f}")
    (folder / "ward.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return words_of(WARD, folder)


def test_warnings_call_models_and_measures_by_their_labels(ward):
    assert "New alarm and Old alarm are tested by accuracy twice." in ward


def test_conclusions_are_about_the_patients_that_are_the_groups(ward):
    scope = "these models on new patients from the same population"
    assert f"The findings apply to {scope}." in ward
    assert "new groups" not in ward


def test_levels_repeat_no_note_on_groups_and_go_on_in_lower_case(tmp_path):
    rng = np.random.default_rng(4)
    rows = ["patient,truth,sex,a,score"]
    for i in range(240):
        sick, score = i % 3 == 0, rng.random()
        label = sick if rng.random() < 0.8 else not sick
        rows.append(f"{i // 8},{sick:d},{('female', 'male')[i % 2]},{label:d},{score:.3f}")
    (tmp_path / "p.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    text = """evallang 1
predictions p from "p.csv"
  truth truth
  positive 1
  group patient
  models a
  score a = score
measure accuracy, roc_auc within sex
"""
    page = words_of(text, tmp_path)
    notes = page[page.index("vs. rest: this level minus") :].partition("#")[0]
    assert notes.count("Patients are the units of the intervals: 30 patients") == 1
    assert "female, accuracy: with fewer than 50 patients" in notes
    assert "male, AUC: with fewer than 50 patients" in notes


def test_scopes_and_notes_have_the_unit_of_the_data(tmp_path):
    text = """evallang 1
data diabetes from sklearn diabetes
  unit "people"
model ridge = Ridge
model mean = DummyRegressor
protocol repeated cv folds=3 times=2
measure mae
"""
    page = words_of(text, tmp_path)
    assert "apply to the algorithms, trained on about 295 people." in page


def test_analyses_have_the_unit_of_the_data_and_count_upwards(tmp_path):
    text = """evallang 1
data wine from sklearn wine
  unit "wines"
model tree = DecisionTreeClassifier
model fails = StandardScaler | MultinomialNB
protocol cv folds=3 seeds=2
analyze bias_variance(rounds=8) of tree
analyze learning_curve(fractions=[50%, 100%], repeats=1) of tree
analyze seeds of tree
analyze confusion
report html
"""
    with pytest.raises(RunFailed) as caught:
        run(study(text, tmp_path))
    caught.value.results.save(tmp_path / "out")
    page = words_in(tmp_path / "out" / "report.html")
    assert re.search(r"\d+ wines, each predicted by", page)
    assert "178 wines tested in three splits" in page
    assert "the share of wines that two seeds predict differently" in page
    assert "0 to 178 predictions of each model" in page


@pytest.mark.parametrize(
    ("column", "noun"),
    [
        ("patient", "patients"), ("Patient_ID", "patients"), ("sites", "sites"),
        ("siteId", "sites"), ("batch", "groups"), ("id", "groups"), ("grp", "groups"),
    ],
)  # fmt: skip
def test_groups_are_called_by_a_column_that_names_a_common_thing(column, noun):
    whole = fixture.cancer()
    group = ColumnRecord(column, "text", "filter, group", 9, 0, None, None)
    data = replace(whole.data[0], columns=(group,))
    assert Context(replace(whole, data=(data,))).groups(data.name) == noun


def test_a_row_of_settings_has_the_threshold_of_scores(ward):
    assert ward.count("Threshold of the scores ○ 0.5 scores at or above it") == 1


def test_options_have_names_in_words(ward):
    assert "Bootstrap interval: number of random draws ○ 10,000" in ward
    assert "Bootstrap interval: form ○ bias-corrected accelerated" in ward
    assert "Paired permutation test: direction ○ two-sided" in ward
    assert "Area under the ROC curve: folds pooled ○ no" in ward


def test_the_methods_state_subgroups_and_what_decided_requirements(ward):
    assert re.search(r"We also report accuracy, .* area under the ROC curve within the levels "
                     r"of sex\.", ward)  # fmt: skip
    decided = r"decided on the bounds of a two-sided 95% interval \(DeLong interval[^)]*\),"
    assert re.search(decided, ward)


def test_a_single_requirement_is_no_family(ward):
    assert ward.count("The requirement was met.") == 1
    assert "Each requirement is decided separately" not in ward


def test_a_cost_is_called_by_its_matrix(ward):
    assert "Cost by the matrix [[0, 5], [50, 0]]" in ward
    assert "The rows of the matrix are the true classes " in ward
    assert "in this order, and its columns the predicted ones" in ward
    assert "matrix =" not in ward


def test_how_requirements_were_decided_is_stated_once(tmp_path):
    words = words_of(GATES, tmp_path)
    assert "with 100 examples, on 15 of which the models differ" in words.lower()
    assert words.count("The study failed: one of two requirements was not met.") == 1
    assert words.count("Not met. Reader B not worse than Reader A by more than 2 points") == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("accuracy", "Accuracy"),
        ("mAP", "mAP"),
        ("nDCG of lists", "nDCG of lists"),
        ("p-value", "P-value"),
        ("mypkg.metrics.f", "mypkg.metrics.f"),
    ],
)
def test_capitals_leave_names_as_they_are(text, shown):
    assert capitalised(text) == shown


def test_a_metric_and_a_unit_that_are_written_small_are_so_at_the_beginning_of_a_title(tmp_path):
    assert MetricWords("own", "mAP", "mAP", "number", "higher").heading == "mAP"
    assert MetricWords("g", "gain", "gain", "number", "higher").heading == "Gain"
    words = words_of(GATES.replace("measure", '  unit "mRNA samples"\nmeasure', 1), tmp_path)
    assert "mRNA samples" in words and "MRNA" not in words


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ("(at=10)", "Gain (first 10 ranks)"),
        ("(at=none)", "Gain (all ranks)"),
        ("(distinct=none)", "Gain"),
        ("(pool=true)", "Gain (pooled over folds)"),
        ("(multi_class=ovo)", "Gain (mean of the pairs of classes)"),
        ("(gain=exponential,at=5)", "Gain (exponential gain, first 5 ranks)"),
        ("(beta=2)", "Gain (β\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}2)"),
    ],
)
def test_options_of_a_metric_are_words(options, shown):
    assert titled("Gain", options) == shown


@pytest.mark.parametrize(
    ("decimals", "numbers", "wanted"),
    [
        (2, [(0.2048, 0.2), (0.1, 0.2)], 3),  # 0.20 would lie on the line
        (2, [(0.25, 0.2), (0.1, 0.2)], 2),
        (2, [(0.049996, 0.05)], 6),
        (0, [(None, 0.2), (float("inf"), 0.2), (0.2, 0.2)], 0),
    ],
)
def test_numbers_that_are_read_together_share_their_decimals(decimals, numbers, wanted):
    assert settled(Scale(decimals), numbers).decimals == wanted


def table_of_scores(folder, lead):
    """Write scores of eight models on twelve data sets, the last of them behind by `lead`."""
    rng = np.random.default_rng(1)
    rows = ["set," + ",".join(f"m{i}" for i in range(8))]
    for number in range(12):
        scores = rng.normal(0.8, 0.004, 8)
        scores[7] -= lead
        rows.append(f"s{number}," + ",".join(f"{score:.4f}" for score in scores))
    (folder / "suite.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


SUITE = """evallang 1
scores suite "Suite" from "suite.csv"
  dataset set
  metric "AUC"
compare across data with bayes_sign(rope=0.02)
"""


def test_many_pairs_by_posteriors_are_summed_up(tmp_path):
    table_of_scores(tmp_path, lead=0.1)
    words = words_of(SUITE, tmp_path)
    findings = words.partition("Estimates Table")[0]
    assert findings.count("The Bayesian sign test gave posterior probabilities") == 3
    assert "25 more of the 28 pairs were decided in AUC by the Bayesian sign test" in findings
    assert (
        "We compared m0, m1, m2, m3, m4, m5, m6 and m7 on Suite (12 data sets)" in words
        or ("We compared eight models (m0, m1, m2, m3, m4, m5, m6 and m7) on Suite (12 data sets).")
        in words
    )


def test_pairs_without_any_decision_are_counted(tmp_path):
    table_of_scores(tmp_path, lead=0)
    written = SUITE.replace("rope=0.02", "rope=0.0001")
    written = written.replace("evallang 1\n", "evallang 1\nstudy\n  alpha 0.001\n")
    findings = words_of(written, tmp_path).partition("Estimates Table")[0]
    lead = "Across the data sets, none of the 28 pairs was decided in AUC"
    assert f"{lead} : no posterior probability exceeded 99.9%." in findings


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (12_900_247_643_857.0, 3.6630e16, "[1.290 × 10¹³, 3.663 × 10¹⁶]"),
        (-5.0, 2e12, "[−5.0, 2.000 × 10¹²]"),
        (1_000.0, 999_999_999_999.0, "[1,000.0, 999,999,999,999.0]"),
    ],
)
def test_bounds_of_an_interval_are_both_large_or_neither(low, high, shown):
    assert interval(low, high, Scale(1)).replace("\N{NO-BREAK SPACE}", " ") == shown


def test_a_row_of_a_large_study_fits_a_terminal(tmp_path):
    """Bounds below the power of ten have 15 signs: two and a name are shorter than a line."""
    rng = np.random.default_rng(9)
    truth = rng.lognormal(22, 6, 60)
    models = [truth * rng.lognormal(0, spread, 60) for spread in (1.5, 3, 2)]
    rows = ["id,y,a,b,c"]
    rows += [f"{i},{truth[i]},{','.join(str(m[i]) for m in models)}" for i in range(60)]
    (tmp_path / "gdp.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    written = """evallang 1
predictions gdp from "gdp.csv"
  id id
  truth y
  models a "Model with an ordinary name", b "Another model", c "A third model of this kind"
measure mae, mse
compare with permutation(rounds=100) holm
"""
    made = summary(run(study(written, tmp_path)).record)
    lines = "\n".join(text_lines(made)).splitlines()
    assert max(map(len, lines)) <= 80
    assert [line for line in lines if line.count("[") != line.count("]")] == []


def test_one_family_of_all_lines_is_stated_beside_the_settings_of_one(tmp_path):
    written = """evallang 1
study
  families together
counts t
  models a, b, c
  pattern [1, 1, 1]: 60
  pattern [1, 1, 0]: 9
  pattern [1, 0, 0]: 7
  pattern [0, 0, 1]: 5
measure accuracy
compare with mcnemar holm
compare a vs b with mcnemar(chi2)
analyze sensitivity
require a better than c with mcnemar
"""
    words = words_of(written, tmp_path)
    assert "The reported decisions are those of one family of four hypotheses" in words
    assert re.search(r"decided on the p of McNemar’s test \(exact\)[\d, ]* with the sign", words)


@pytest.mark.parametrize("fitted", [False, True])
def test_weights_went_into_fits_only_where_models_were_fitted(tmp_path, fitted):
    rows = ["x,y,m,w", *(f"{i % 7},{i % 2},{(i + i // 9) % 2},{1 + i % 3}" for i in range(60))]
    (tmp_path / "rows.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    given = 'predictions d from "rows.csv"\n  truth y\n  models m\n  positive 1\n  weight w\n'
    made = 'data d from "rows.csv"\n  target y\n  features x\n  positive 1\n  weight w\n'
    made += "model m = LogisticRegression\nprotocol cv folds=3\n"
    text = words_of(f"evallang 1\n{made if fitted else given}measure accuracy\n", tmp_path)
    assert ("in the fits of models that take weights and in all measures" in text) is fitted
    assert "were weighted by the column w" in text


@pytest.mark.parametrize(
    ("lines", "bound", "whole"),
    [
        ("require a equivalent to b within 5%\n", False, True),
        ("require a equivalent to b within 5%\nrequire accuracy of a >= 70%\n", True, True),
        ("require accuracy of a >= 70%\n", True, False),
    ],
)
def test_a_table_of_requirements_says_which_bounds_decide(tmp_path, lines, bound, whole):
    head = GATES.partition("require")[0]
    words = words_of(f"{head}{lines}report html\n  hide findings\n", tmp_path)
    assert ("A requirement is decided by the unfavourable bound" in words) is bound
    assert ("Equivalence is decided by the whole interval" in words) is whole


def test_a_warning_of_a_test_is_not_one_of_the_interval_of_the_same_name(tmp_path):
    written = """evallang 1
data iris from sklearn iris
model bayes = GaussianNB
model stump = DecisionTreeClassifier(max_depth=1)
protocol repeated cv folds=2 times=2
measure accuracy
compare with corrected_t
"""
    words = words_of(written, tmp_path)
    assert "The corrected resampled t test on 4 splits has 80% power only for" in words
    assert "95% corrected resampled t interval" in words
