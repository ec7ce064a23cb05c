"""What moved between two runs, and what may have moved it."""

import pytest
from msgspec.structs import replace

import evallang as ev
from evallang.locks.result_changes import result_changes
from evallang.results.records import Failure

FITTED = """evallang 1
study
  seed {seed}
data wine from sklearn wine
model bayes = GaussianNB(var_smoothing={smoothing})
model baseline = DummyClassifier
protocol cv folds={folds}
measure accuracy
report html
"""
COUNTED = """evallang 1
study
  seed 1
counts published
  models small, large
  table {table}
measure accuracy
compare small vs large with mcnemar
require large better than small
report html
"""


def record(tmp_path, text, **values):
    (tmp_path / "s.eval").write_text(text.format(**values))
    return ev.run(tmp_path / "s.eval", store="off").record


def fitted(tmp_path, seed=1, smoothing="0.01", folds=3):
    return record(tmp_path, FITTED, seed=seed, smoothing=smoothing, folds=folds)


def counted(tmp_path, table):
    return record(tmp_path, COUNTED, table=table)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"seed": 2}, "seed 1 -> 2"),
        ({"folds": 4}, "protocol cv folds=3 -> cv folds=4"),
        ({"smoothing": "0.1"}, "model bayes: GaussianNB(var_smoothing=0.01) -> "
         "GaussianNB(var_smoothing=0.1)"),
    ],
)  # fmt: skip
def test_what_differs_between_two_studies_is_named(tmp_path, changed, reason):
    found = result_changes(fitted(tmp_path), fitted(tmp_path, **changed))
    assert list(found.reasons) == [reason]


def test_software_machine_and_own_code_are_named(tmp_path):
    before = fitted(tmp_path)
    provenance = replace(
        before.provenance,
        evallang="9.9",
        packages={**before.provenance.packages, "numpy": "9.0", "new": "1"},
        processor="other",
    )
    spec = replace(before.spec, own_code="0" * 64)
    found = result_changes(before, replace(before, provenance=provenance, spec=spec))
    now = before.provenance
    assert list(found.reasons) == [
        "the author's own code",
        f"evallang {now.evallang} -> 9.9",
        f"numpy {now.packages['numpy']} -> 9.0",
        "new none -> 1",
        "a different processor",
    ]
    assert not (found.turned or found.moved or found.only)


def test_a_pair_that_is_no_longer_rejected_has_turned_and_so_has_its_gate(tmp_path):
    before = counted(tmp_path, "[[50, 2], [22, 26]]")
    after = counted(tmp_path, "[[50, 8], [12, 30]]")
    found = result_changes(before, after)
    gate, pair = found.turned
    assert (gate.before, gate.after) == ("met", "not met")
    assert (pair.before, pair.after) == ("rejected", "not rejected")
    assert pair.value_before == pytest.approx(-0.2) and pair.value_after == pytest.approx(-0.04)
    low, high = pair.interval_before
    assert low < -0.2 < high < 0
    assert [one.what.partition(" ")[0] for one in found.moved]
    shares = [one.share for one in found.moved]
    assert shares == sorted(shares, reverse=True) and shares[0] > 0.5
    assert list(found.reasons) == ["the data `published` differ in content"]


def test_a_pair_that_is_rejected_for_the_other_side_has_turned(tmp_path):
    before = counted(tmp_path, "[[50, 2], [22, 26]]")
    after = counted(tmp_path, "[[50, 22], [2, 26]]")
    _, pair = result_changes(before, after).turned
    assert pair.before == "rejected, difference below 0"
    assert pair.after == "rejected, difference above 0"
    assert pair.value_after == pytest.approx(-pair.value_before)
    mid_p = 2 * (1 + 24 + 276 / 2) / 2**24  # 0, 1 or half of 2 successes in 24 throws of a coin
    assert pair.p_before == pair.p_after == pytest.approx(mid_p, rel=1e-9)
    assert len(result_changes(before, before).turned) == 0


def test_rows_that_were_added_are_counted(tmp_path):
    before = counted(tmp_path, "[[50, 2], [22, 26]]")
    after = counted(tmp_path, "[[60, 2], [22, 26]]")
    assert list(result_changes(before, after).reasons) == [
        "the data `published` differ in content (100 -> 110)"
    ]


def test_what_only_one_run_has_is_listed(tmp_path):
    before, text = counted(tmp_path, "[[50, 2], [22, 26]]"), COUNTED.replace("small", "tiny")
    found = result_changes(before, record(tmp_path, text, table="[[50, 2], [22, 26]]"))
    firsts = [line for line in found.only if line.startswith("only in the first: ")]
    seconds = [line for line in found.only if line.startswith("only in the second: ")]
    assert len(firsts) == len(seconds) == 3  # an estimate, a pair and a requirement
    assert all("small" in line for line in firsts) and all("tiny" in line for line in seconds)


def test_a_requirement_with_another_margin_is_the_same_requirement(tmp_path):
    """20 points with a 95 % bound below them are better, but not better by 19."""
    before = counted(tmp_path, "[[50, 2], [22, 26]]")
    text = COUNTED.replace("than small", "than small by 19%")
    found = result_changes(before, record(tmp_path, text, table="[[50, 2], [22, 26]]"))
    assert not found.only and not found.moved
    (gate,) = found.turned
    assert (gate.before, gate.after) == ("met", "not met")
    assert gate.interval_before == gate.interval_after
    assert list(found.reasons) == [
        "require large better than small -> require large better than small by 19%"
    ]


def test_an_interval_alone_and_a_level_are_differences(tmp_path):
    before = counted(tmp_path, "[[50, 2], [22, 26]]")
    text = COUNTED.replace("  seed 1", "  seed 1\n  confidence 99%\n  alpha 1/100000")
    found = result_changes(before, record(tmp_path, text, table="[[50, 2], [22, 26]]"))
    assert not found.none
    estimate = next(one for one in found.moved if one.what == "accuracy of small on published")
    assert estimate.before == estimate.after and estimate.share == 0
    old, new = estimate.interval_before, estimate.interval_after
    assert new[0] < old[0] < estimate.before < old[1] < new[1]
    (pair,) = found.turned  # 1.9e-5 lies between the two levels
    assert (pair.before, pair.after) == ("rejected", "not rejected")
    assert list(found.reasons) == ["alpha 0.05 -> 1e-05", "confidence 0.95 -> 0.99"]


def test_the_last_digits_of_another_processor_are_no_difference(tmp_path):
    before = counted(tmp_path, "[[50, 2], [22, 26]]")
    near, far = (
        replace(before, estimates=tuple(replace(e, value=e.value * factor)
                                        for e in before.estimates))
        for factor in (1 + 1e-15, 1 + 1e-8)
    )  # fmt: skip
    assert result_changes(before, near).none
    assert len(result_changes(before, far).moved) == len(before.estimates)


def test_two_lines_with_one_question_are_compared_each(tmp_path):
    text = COUNTED.replace("report", "compare small vs large with mcnemar exploratory\nreport")
    before = record(tmp_path, text, table="[[50, 2], [22, 26]]")
    found = result_changes(before, record(tmp_path, text, table="[[50, 8], [12, 30]]"))
    assert [one.what for one in found.turned[1:]] == [
        "small vs large: mcnemar by accuracy on published",
        "small vs large: mcnemar by accuracy on published (line 2)",
    ]


SEARCHED = """evallang 1
study
  seed 1
data wine from sklearn wine
stratify by target
model near = KNeighborsClassifier(n_neighbors in [{candidates}])
protocol nested cv outer=3 inner=3
measure accuracy
analyze confusion
report html
"""


def test_chosen_parameters_and_analyses_are_compared(tmp_path):
    before = record(tmp_path, SEARCHED, candidates="1, 3")
    after = record(tmp_path, SEARCHED, candidates="31, 61")
    found = result_changes(before, after)
    assert list(found.other) == [
        "analysis confusion of near on wine under nested_cv: other values",
        "parameters of near on wine under nested_cv: other values chosen in 3 of 3 searches",
    ]
    (reason,) = found.reasons
    assert reason.startswith("model near: KNeighborsClassifier(n_neighbors in [1, 3]) -> ")
    without = replace(before, analyses=())
    assert list(result_changes(without, before).only) == [
        "only in the second: analysis confusion of near on wine under nested_cv"
    ]


def test_failed_fits_and_other_methods_are_named(tmp_path):
    before = counted(tmp_path, "[[50, 2], [22, 26]]")
    failed = Failure("outer", "published", None, "small", 0, 0, {}, "ValueError", "no")
    comparison = before.comparisons[0]
    family = replace(comparison.family, size=3, correction="holm")
    first, *rest = before.estimates
    after = replace(
        before,
        failures=(failed,),
        comparisons=(replace(comparison, family=family),),
        estimates=(replace(first, interval=replace(first.interval, method="wald")), *rest),
        data=(replace(before.data[0], positive="other"),),
    )
    found = result_changes(before, after)
    assert list(found.other) == ["failed fits: 0 -> 1"]
    assert list(found.reasons) == [
        f"positive of published: {before.data[0].positive} -> other",
        f"{comparison.source}: family of 1 test, not corrected -> 3 tests, corrected by holm",
        "interval of accuracy: wilson -> wald",
    ]
