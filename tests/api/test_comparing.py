"""Outcomes in arrays are compared as those of a file, and text is checked without a file."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import evallang as ev

RNG = np.random.default_rng(4)
N = 120
TRUTH = RNG.integers(0, 2, N)
A, B, C = (np.where(RNG.random(N) < share, TRUTH, 1 - TRUTH) for share in (0.9, 0.75, 0.7))
GROUPS = [f"g{i // 4}" for i in range(N)]
FILE = """evallang 1
study
  seed 3
predictions examples from "examples.csv"
  truth truth
  models a, b, c
  positive 1
  group who
measure accuracy, f1
compare {}
"""


@pytest.mark.parametrize(("line", "options"), [
    ("a, b, c with permutation holm", {}),
    ("b, c against a with permutation holm", {"against": "a"}),
])  # fmt: skip
def test_arrays_give_what_a_study_of_a_file_gives(line, options, tmp_path):
    frame = pl.DataFrame({"truth": TRUTH, "a": A, "b": B, "c": C, "who": GROUPS})
    frame.write_csv(tmp_path / "examples.csv")
    of_file = ev.run(ev.parse(FILE.format(line), tmp_path)).record
    found = ev.compare(
        TRUTH, {"a": A, "b": B, "c": C}, with_="permutation holm", seed=3, groups=GROUPS,
        positive=1, metric=["accuracy", "f1"], **options,
    ).record  # fmt: skip
    assert found.estimates == of_file.estimates
    assert [c.pairwise for c in found.comparisons] == [c.pairwise for c in of_file.comparisons]


@pytest.mark.parametrize("form", [
    list, np.asarray, pl.Series, lambda x: pd.Series(x, index=RNG.permutation(len(x))),
])  # fmt: skip
def test_lists_arrays_and_series_are_taken(form):
    found = ev.compare(form(TRUTH), {"a": form(A), "b": form(B)}, with_="mcnemar")
    (pair,) = found.pairs
    only_a, only_b = ((A == TRUTH) & (B != TRUTH)).sum(), ((A != TRUTH) & (B == TRUTH)).sum()
    assert (pair.result.table[0][1], pair.result.table[1][0]) == (only_a, only_b)


def test_what_is_printed_holds_the_test_of_all_models():
    found = ev.compare(TRUTH, {"a": A, "b": B, "c": C}, with_="cochran")
    assert found.comparisons[0].omnibus.p < 0.0001
    assert "1 comparison" in repr(found) and "<0.0001" in repr(found)
    assert re.search(r"Cochran’s Q test.*<i>p</i>\s&lt;\s0?\.001", found._repr_html_())
    assert "1 comparison" not in repr(ev.compare(TRUTH, {"a": A, "b": B}, with_="mcnemar"))


def test_any_name_of_a_model_is_kept_as_its_label():
    names = ['gpt-4.1 "turbo"\n', "truth", "with", "gpt 4.1 turbo", "7b"]
    found = ev.compare(TRUTH, dict.fromkeys(names, A), with_="mcnemar holm")
    assert [model.label for model in found.record.models] == names
    assert len({model.name for model in found.record.models}) == len(names)


def test_numbers_are_compared_by_their_errors():
    truth = RNG.normal(size=60)
    near, far = truth + RNG.normal(0, 0.1, 60), truth + RNG.normal(0, 2, 60)
    found = ev.compare(truth, {"near": near, "far": far}, with_="permutation")
    values = {estimate.model: estimate.value for estimate in found.estimates}
    assert found.record.data[0].task == "regression"
    expected = {"near": ((truth - near) ** 2).mean(), "far": ((truth - far) ** 2).mean()}
    assert values == pytest.approx(expected)


def test_scores_serve_the_metrics_of_ranking():
    from sklearn.metrics import roc_auc_score

    scores = {"a": TRUTH + RNG.normal(size=N), "b": TRUTH + RNG.normal(0, 2, N)}
    found = ev.compare(
        TRUTH, {"b": B, "a": A}, scores=scores, metric="roc_auc", with_="delong", positive=1
    )
    expected = {name: roc_auc_score(TRUTH, score) for name, score in scores.items()}
    assert {e.model: e.value for e in found.estimates} == pytest.approx(expected)


@pytest.mark.parametrize(("call", "words"), [
    (lambda: ev.compare(TRUTH, {"a": A, "b": B[:9]}, with_="mcnemar"), "'b' 9"),
    (lambda: ev.compare(TRUTH, {"a": A}, with_="mcnemar"), "at least two models"),
    (lambda: ev.compare(TRUTH, {"a": A, "b": B}, with_="mcnemar", against="d"), "called 'd'"),
    (lambda: ev.compare(TRUTH, {"a": A, "b": B}, with_="mcnemar", scores={"d": A}), "called 'd'"),
])  # fmt: skip
def test_what_does_not_fit_is_refused_by_name(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_comparison_that_makes_no_sense_gets_the_finding_of_the_language():
    with pytest.raises(ev.StudyError, match="cochran"):
        ev.compare(TRUTH, {"a": A, "b": B}, with_="cochran")


def test_text_is_checked_without_a_file():
    found = ev.check("evallang 1\nmeasure acuracy\n")
    assert not found.valid
    assert [d.code for d in found if d.severity == "error"] == ["E105", "E120"]
    assert "did you mean `accuracy`?" in repr(found)
    assert repr(found).startswith("2 errors\n")
    page = found._repr_html_()
    assert '<pre style="font-family: monospace' in page and "^^^^^^^" in page


def test_a_sound_text_is_valid_and_many_findings_are_cut(tmp_path):
    (tmp_path / "lab.eval").write_text("measure accuracy\n")
    text = FILE.format("a, b, c with permutation holm").replace(
        "measure accuracy, f1\n", 'include "lab.eval"\n'
    )
    assert ev.check(text, tmp_path).valid
    wrong = "evallang 1\n" + "".join(f"measure acuracy{i}\n" for i in range(9))
    assert "... and 7 more" in repr(ev.check(wrong))
