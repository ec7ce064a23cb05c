"""`--limit` on the command line, and what a study may ask for."""

import json

import click
from click.testing import CliRunner
from many_cases import for_each

from evallang.cli.main import root
from evallang.limits import LIMITS, changed_limits, read_settings

STUDY = """evallang 1
study
  seed 1
data iris from sklearn iris
model bayes = GaussianNB
model prior = DummyClassifier
protocol cv folds=3 seeds=20000
"""


def checked(path, *words, **environment):
    path.write_text(STUDY)
    return asked([*words, str(path)], environment)


def asked(words, environment=None):
    """The code that a command returns, or the error that it raises, and what it prints."""
    shown = CliRunner().invoke(root, words, env=environment, standalone_mode=False)
    code = shown.return_value if shown.exception is None else type(shown.exception)
    return code, shown.stdout + shown.stderr + str(shown.exception or "")


def test_a_limit_is_raised_for_one_command_and_no_longer(tmp_path):
    path = tmp_path / "study.eval"
    code, said = checked(path, "check")
    assert code == 1
    assert "20,000" in said and "10,000" in said
    assert "raise it by `--limit seeds=20000`" in said
    assert checked(path, "check", "--limit", "seeds=20000")[0] == 0
    assert checked(path, "check", EVALLANG_LIMIT="rows=5 seeds=2e4")[0] == 0
    assert checked(path, "check")[0] == 1
    assert changed_limits() == {}


@for_each(
    ("setting", "words"),
    [
        ("sedes=3", "there is no limit `sedes`; did you mean `seeds`?"),
        ("seeds", "write it as NAME=NUMBER"),
        ("seeds=many", "a limit is a number from 1"),
        ("seeds=0", "a limit is a number from 1"),
        ("seeds=nan", "a limit is a number from 1"),
        ("seeds=inf", "a limit is a number from 1"),
        ("seeds=5G", "such as 1000000 or 1e6"),
        ("store_bytes=5X", "such as 1e6, 500M or 2G"),
        ("store_bytes=0G", "a limit is a number from 1"),
    ],
)
def test_a_setting_that_means_nothing_is_refused(tmp_path, setting, words):
    code, said = checked(tmp_path / "study.eval", "check", "--limit", setting)
    assert code is click.ClickException
    assert words in said


def test_a_run_with_more_fits_than_it_may_have_ends_before_the_first(tmp_path):
    path = tmp_path / "study.eval"
    path.write_text(STUDY.replace(" seeds=20000", ""))
    options = ["run", "--quiet", "--no-look", "--format", "html", "-j", "1"]
    code, said = asked([*options, "--max-fits", "5", str(path)])
    assert code == 1
    assert "E450" in said and "6 fits are more than the limit of 5" in said
    assert not (tmp_path / "study-results").exists()
    assert asked([*options, "--max-fits", "6", "--limit", "rows=150", str(path)])[0] == 0
    record = json.loads((tmp_path / "study-results" / "results.json").read_text())
    assert record["provenance"]["command"].split(" --")[1:] == ["limit fits=6", "limit rows=150"]
    assert changed_limits() == {}


def test_numbers_are_read_as_they_are_written_in_messages():
    assert read_settings(["rows=5e9", "bytes = 1_000"]) == {"rows": 5 * 10**9, "bytes": 1000}
    for found in (11, 2_500_001, 10**7 - 1, 123_456_789, 2 * 10**15 + 1):
        raised = LIMITS["rows"].exceeded("it", found).help.split("=")[1].rstrip("`")
        assert found <= read_settings([f"rows={raised}"])["rows"] <= 1.2 * found


def test_limits_of_bytes_are_read_with_the_units_of_other_sizes():
    for text, number in (
        ("5G", 5 * 10**9), ("5gb", 5 * 10**9), ("1.5 GiB", 3 * 2**29), ("500M", 5 * 10**8),
        ("2e10", 2 * 10**10), ("1_000", 1000), ("1.5k", 1500),
    ):  # fmt: skip
        assert read_settings([f"store_bytes={text}"]) == {"store_bytes": number}


def test_the_limits_are_listed():
    shown = CliRunner().invoke(root, ["list", "limits", "--format", "json"])
    assert {entry["name"] for entry in json.loads(shown.stdout)} == set(LIMITS)
