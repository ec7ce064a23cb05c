"""What `explain` tells an author, and what it keeps for those who call the functions."""

import pytest
from click.testing import CliRunner
from studies import TWO_MODELS

from evallang.checking.catalogues import REGISTRIES
from evallang.cli.main import root


def said(*words: str) -> str:
    return CliRunner().invoke(root, list(words)).output


@pytest.mark.parametrize("catalogue", list(REGISTRIES))
def test_no_manual_speaks_of_python_exceptions(catalogue):
    for name in REGISTRIES[catalogue].names():
        assert "ValueError" not in said("explain", name), name


def test_shapes_of_arrays_are_left_out_and_the_rest_is_kept():
    text = said("explain", "5x2cv_t")
    assert "(5, 2)" not in text
    assert "with 5 degrees of freedom" in text
    assert "the mean of all ten stands in `extra`." in text


def test_a_value_of_an_option_is_found_where_it_belongs():
    text = said("explain", ".632+")
    assert text.startswith(".632+ (value of `estimate`)\n")
    assert "`.632+` is a value of `estimate` of the protocol `bootstrap`." in text
    assert "Improvements on cross-validation: the .632+ bootstrap" in text


def test_a_protocol_is_headed_by_the_words_that_a_study_has_for_it():
    assert said("explain", "nested", "cv").startswith("nested cv (protocol): ")


def test_a_default_that_the_data_decide_is_said_in_words():
    assert "    average: default binary for two classes, macro for more (" in said("explain", "f1")


def test_fix_says_what_it_fixed(tmp_path):
    study = tmp_path / "study.eval"
    study.write_text(TWO_MODELS.replace("accuracy", "acuracy"))
    done = CliRunner().invoke(root, ["check", "--fix", str(study)])
    assert f"{study}: fixed: replace `acuracy` by `accuracy`" in done.stderr
    assert "error" not in done.stderr


def test_an_error_reminds_of_what_was_set(tmp_path):
    study = tmp_path / "study.eval"
    study.write_text(TWO_MODELS.replace("max_depth=3", "max_depth=depth") + "let depth = 3\n")
    for command in ("run", "plan"):
        done = CliRunner().invoke(root, [command, str(study), "--set", "depth=foo"])
        assert done.stderr.endswith("note: `--set depth=foo` was in force\n"), command
