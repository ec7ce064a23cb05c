"""The plan as text: nothing about data, models and protocol is left unsaid."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from evallang.api import read_and_plan
from evallang.api.study_file import open_study
from evallang.cli.main import root
from evallang.cli.plan_text import plan_lines

VISITS = """\
evallang 1

study "Visits"
  seed 1

data visits from "visits.csv"
  target outcome
  positive yes
  where age >= 18
  where site != b

model tree "A tree" = columns(numeric: StandardScaler) | DecisionTreeClassifier(max_depth in [1, 2])
model prior = DummyClassifier

protocol nested cv outer=2 inner=2
measure accuracy
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def planned(text: str) -> str:
    Path("study.eval").write_text(text)
    done = CliRunner().invoke(root, ["plan", "study.eval"])
    assert done.exception is None, done.output
    return done.stdout


def visits(folder) -> None:
    # of 40 rows 4 are under 18; of the 36 others 6 are of site b; of the 30 left 15 are yes
    rows = [f"{10 if i < 4 else 20 + i};{'b' if 4 <= i < 10 else 'a'};{'yes' if i % 2 else 'no'}"
            for i in range(40)]  # fmt: skip
    (folder / "visits.csv").write_text("age;site;outcome\n" + "\n".join(rows) + "\n")


@pytest.mark.parametrize("columns", [None, 50, 80, 200])
def test_a_pipeline_is_wrapped_on_a_terminal_alone(folder, columns):
    visits(folder)
    Path("study.eval").write_text(VISITS)
    prepared = read_and_plan(open_study(Path("study.eval")))
    shown = plan_lines(prepared, columns)
    whole = plan_lines(prepared)
    assert " ".join("\n".join(shown).split()) == " ".join("\n".join(whole).split())
    long = "  tree = columns(numeric: StandardScaler) | DecisionTreeClassifier(max_depth in [1, 2])"
    assert long in whole
    if columns is not None:
        assert max(map(len, shown)) <= columns


def test_the_data_are_described_as_they_were_read(folder):
    visits(folder)
    text = planned(VISITS)
    assert "\nData\n  visits\n    30 examples, 2 features, from visits.csv\n" in text
    assert "\n    where age >= 18: 40 -> 36 rows\n    where site != b: 36 -> 30 rows\n" in text
    assert "\n    target outcome, classification: no 15, yes 15\n" in text
    assert "\n    positive yes\n" in text
    assert "fields separated by semicolon" in text
    assert "first line read as header" in text


def test_models_show_their_pipelines_and_what_was_decided_for_the_author(folder):
    visits(folder)
    text = planned(VISITS)
    assert (
        "\nModels\n  tree = columns(numeric: StandardScaler) | "
        "DecisionTreeClassifier(max_depth in [1, 2])\n    max_depth: 2 candidates\n" in text
    )
    assert "\n    1 column that no key of columns(...) names is dropped: site\n" in text
    assert "\n    random_state from the study's seed: DecisionTreeClassifier\n" in text
