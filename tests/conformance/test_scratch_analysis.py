"""An analysis with its section of the report is one module, and nothing else names it."""

import json
from contextlib import ExitStack

import pytest
import studies
from click.testing import CliRunner
from scratch_members import files_that_name, registered
from studies import checked, codes, study, write_rows

from docs.generator import members
from evallang.analysis import ANALYSES
from evallang.api import run
from evallang.api.power import power_of
from evallang.api.results import Results
from evallang.cli.main import root
from evallang.reporting.section import SECTIONS

PAIRS = """\
evallang 1
study "Pairs"
counts trial
  models x, y, z
  pattern [1, 1, 1]: 30
  pattern [1, 0, 0]: 6
  pattern [0, 1, 1]: 4
measure accuracy
compare with mcnemar(exact) bonferroni
analyze fewest_pairs, power(difference=20%, discordant=40%)
report html
"""


@pytest.fixture(autouse=True)
def _scratch():
    with ExitStack() as stack:
        stack.enter_context(registered("fewest_pairs", ANALYSES, SECTIONS))
        yield


@pytest.fixture
def found(tmp_path):
    results = run(study(PAIRS, tmp_path))
    results.save(tmp_path / "found")
    return results


def words_of(folder):
    return studies.words_of(folder / "found" / "report.html")


def test_the_check_knows_its_options_and_that_it_is_about_the_lines():
    assert not [d for d in checked(PAIRS).diagnostics if d.severity == "error"]
    assert "E" in {code[0] for code in codes(PAIRS.replace("fewest_pairs", "fewest_pairs(n=3)"))}
    (error,) = [
        d
        for d in checked(PAIRS.replace("40%)", "40%) of x")).diagnostics
        if d.severity == "error" and "fewest_pairs" in d.message
    ]
    assert "`of` has no place" in error.message


def test_the_run_answers_it_at_the_level_of_one_comparison(found):
    mine, other = found.record.analyses
    assert (mine.kind, other.kind) == ("fewest_pairs", "power")
    assert mine.values["level"] == pytest.approx(0.05 / 3)
    assert mine.values["n"] == 40
    assert mine.values["sided"] == 2
    assert mine.values["answers"] == ({"pairs": 7, "possible": True},)  # 2 / 2^7 = .016, 2^6: .031
    assert "target" not in mine.values
    assert "target" in other.values


def test_a_test_without_an_answer_gets_a_note(tmp_path):
    text = PAIRS.replace("mcnemar(exact) bonferroni", "cochran then mcnemar(exact) bonferroni")
    records = run(study(text, tmp_path)).record.analyses
    notes = {a.values["test"]: a.values["notes"] for a in records if a.kind == "fewest_pairs"}
    assert notes["cochran"] == ("`cochran` is not an exact test of pairs",)
    assert notes["mcnemar"] == ()


def test_its_results_are_read_again_and_drawn(found, tmp_path):
    assert "Discordant pairs without which no p is below the level." in words_of(tmp_path)
    assert "We counted the fewest pairs beforehand." in words_of(tmp_path)
    file = tmp_path / "found" / "results.json"
    again = Results.load(file)
    plain = json.loads(file.read_text(encoding="utf-8"))
    assert [item["kind"] for item in plain["analyses"]] == ["fewest_pairs", "power"]
    assert again.record.analyses[0].values["answers"][0]["pairs"] == 7
    (tmp_path / "found" / "report.html").unlink()
    again.render("html", folder=tmp_path / "found")
    assert "Fewest pairs" in words_of(tmp_path)


def test_the_fields_that_a_report_reads_of_power_are_still_checked(found, tmp_path):
    file = tmp_path / "found" / "results.json"
    plain = json.loads(file.read_text(encoding="utf-8"))
    del plain["analyses"][1]["values"]["target"]
    file.write_text(json.dumps(plain), encoding="utf-8")
    with pytest.raises(ValueError, match="missing required field `target`"):
        Results.load(file)


def test_the_command_of_power_is_about_power_alone():
    answered, _ = power_of(study(PAIRS))
    assert {item.kind for item in answered} == {"power"}


def test_it_is_planned_listed_explained_and_documented(tmp_path):
    (tmp_path / "study.eval").write_text(PAIRS, encoding="utf-8")
    runner = CliRunner()
    assert runner.invoke(root, ["plan", str(tmp_path / "study.eval")]).exit_code == 0
    assert "fewest_pairs" in runner.invoke(root, ["list", "analyses"]).output
    explained = runner.invoke(root, ["explain", "fewest_pairs"])
    assert explained.exit_code == 0
    assert "analyze fewest_pairs" in explained.output
    made = dict(members.pages())
    assert "(analyses/fewest_pairs.md)" in made["analyses"]
    assert "analyze fewest_pairs" in made["analyses/fewest_pairs"]


def test_nothing_else_names_it():
    assert files_that_name("fewest_pairs", "Fewest") == []


def test_an_analysis_of_models_without_a_section_has_a_table_of_its_numbers(tmp_path):
    rows = [(i, i % 2, i % 2, i % 3 % 2) for i in range(60)]
    write_rows(tmp_path, "p.csv", "row,y,a,b", rows)
    text = (
        'evallang 1\npredictions p from "p.csv"\n  id row\n  truth y\n  models a, b\n'
        "  positive 1\nmeasure accuracy\nanalyze unanimity, agreement, confusion\nreport html\n"
    )
    with registered("unanimity", ANALYSES):
        run(study(text, tmp_path)).save(tmp_path / "found")
    alike = sum(a == b for _, _, a, b in rows) / 60
    words = words_of(tmp_path)
    assert "Further analyses" in words
    assert f"all models share alike {alike:.3f}" in words
    right = [sum(y == a == b == one for _, y, a, b in rows) for one in (0, 1)]
    assert "classes apart" in words
    assert all(f"{one} {right[one]} yes" in words for one in (0, 1))
    assert words.count("Pairwise agreement of models") >= 1


def test_an_analysis_of_lines_without_a_section_has_a_table_of_its_answers(tmp_path, monkeypatch):
    monkeypatch.delitem(SECTIONS._entries, "pairs_needed")
    run(study(PAIRS, tmp_path)).save(tmp_path / "found")
    words = words_of(tmp_path)
    assert "Fewest discordant pairs: answers" in words
    assert words.count("compare with mcnemar(exact) bonferroni 7 yes") == 1
