"""What `explain` tells an author, and what it keeps for those who call the functions."""

import re

import pytest
from click.testing import CliRunner
from studies import TWO_MODELS

from evallang.cli.main import root
from evallang.manual import explanations
from evallang.manual.glossary import REGISTRIES, explain


def said(*words: str) -> str:
    return CliRunner().invoke(root, list(words)).output


ARRAY = re.compile(r"\([nNMGJ], ?\w*\)")


@pytest.mark.parametrize("catalogue", list(REGISTRIES))
def test_no_manual_speaks_of_the_arrays_that_a_function_takes(catalogue):
    for entry in REGISTRIES[catalogue]:
        text = " ".join(p.text for p in explanations.explain_member(entry).parts if not p.heading)
        assert not ARRAY.search(text), entry.name
        arrays = [name for name in entry.inputs if entry.option(name) is None]
        assert [name for name in arrays if f"`{name}`" in text] == [], entry.name


@pytest.mark.parametrize("word", ["mcnemar", "bootstrap", "roc_auc", "W315", "report"])
def test_prose_fits_a_terminal_of_80_columns(word):
    prose = [line for line in said("explain", word).split("\n") if line[:4] != "    "]
    assert max(map(len, prose)) <= 80


def test_an_error_reminds_of_what_was_set(tmp_path):
    study = tmp_path / "study.eval"
    study.write_text(TWO_MODELS.replace("max_depth=3", "max_depth=depth") + "let depth = 3\n")
    for command in ("run", "plan"):
        done = CliRunner().invoke(root, [command, str(study), "--set", "depth=foo"])
        assert done.stderr.endswith("note: `--set depth=foo` was in force\n"), command


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("wilcoxon signed rank", "wilcoxon"),
        ("paired t test", "corrected_t"),
        ("n_splits", "folds"),
        ("svm", "SVC"),
        ("mcnemr", "mcnemar"),
    ],
)
def test_what_others_call_so_is_proposed(asked, near):
    told = CliRunner().invoke(root, ["explain", *asked.split()])
    assert told.exit_code == 1
    assert f"did you mean `{near}`?" in told.output


@pytest.mark.parametrize(
    ("asked", "headed"),
    [
        ("MCNEMAR", "mcnemar (hypothesis test): "),
        ("'mcnemar'", "mcnemar (hypothesis test): "),
        ("mcnemar(exact)", "mcnemar (hypothesis test): "),
        ("Nested CV", "nested cv (protocol): "),
        ("leave one out", "leave_one_out (protocol): "),
        ("5×2cv", "5x2cv (protocol): "),
        ("Brier score", "brier (metric): "),
        ("Nested cross-validation", "nested cv (protocol): "),
        ("split by", "split (protocol): "),
        ("higher is better", "higher (clause)"),
        ("not worse than", "not worse than (word of the language)"),
        ("95%", "95% (share)"),
        ("1/3", "1/3 (share)"),
        ("W315", "W315 pooled_predictions_of_unstable_models (hint): "),
    ],
)
def test_a_word_is_found_however_it_is_written(asked, headed):
    assert said("explain", asked).startswith(headed)


@pytest.mark.parametrize(
    ("asked", "kinds"),
    [
        ("seeds", ["analysis", "word of the language"]),
        ("passthrough", ["word of the language"]),
        ("threshold", ["clause", "option"]),
        ("margin", ["option", "error"]),
        ("bootstrap", ["hypothesis test", "interval", "protocol"]),
        ("group", ["statement"]),
        ("n_estimators", ["parameter"]),
    ],
)
def test_every_meaning_that_a_study_has_for_a_word_answers(asked, kinds):
    assert [told.kind for told in explain(asked)] == kinds
