"""What moved between two runs, and what may have moved it."""

from dataclasses import replace

import pytest

import evallang as ev
from evallang.locks.result_changes import result_changes

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
