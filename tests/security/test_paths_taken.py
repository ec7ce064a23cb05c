"""Data outside the study's folder are read, and said; results are not written there."""

import json
import sqlite3

import pytest
from click.testing import CliRunner
from security.planting import DATA

from evallang.cli.main import root

STUDY = """\
evallang 1
study "Paths"
  seed 1
data d from {source}
  target y
  positive yes
model bayes = GaussianNB
protocol holdout
measure accuracy
report html{to}
"""


@pytest.fixture
def folders(tmp_path):
    """Return the folder of a study, and one beside it with data."""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    (there / "d.csv").write_text(DATA)
    (here / "inside.csv").write_text(DATA)
    (here / "link.csv").symlink_to(there / "d.csv")
    (here / "linked").symlink_to(there)
    (here / "near.csv").symlink_to("inside.csv")
    with sqlite3.connect(there / "d.db") as base:
        base.execute("create table t (a real, b real, y text)")
        rows = [line.split(",") for line in DATA.splitlines()[1:]]
        base.executemany("insert into t values (?, ?, ?)", rows)
    return here, there


@pytest.fixture
def evallang(monkeypatch):
    """Return a command line of this process, called from a folder."""

    def called(*words, cwd):
        monkeypatch.chdir(cwd)
        return CliRunner().invoke(root, words)

    return called


@pytest.mark.parametrize(
    ("source", "taken"),
    [
        ('"{there}/d.csv"', "{there}/d.csv"),
        ('"../there/d.csv"', "../there/d.csv"),
        ('"link.csv"', "link.csv"),
        ('"linked/d.csv"', "linked/d.csv"),
        ('sql "select * from t" on "sqlite:///{there}/d.db"', "{there}/d.db"),
        ('"inside.csv"', None),
        ('"near.csv"', None),
        ('"../here/inside.csv"', None),
    ],
)
def test_data_outside_the_folder_of_the_study_are_said(folders, evallang, source, taken):
    here, there = folders
    (here / "s.eval").write_text(STUDY.format(source=source.format(there=there), to=""))
    expected = [] if taken is None else [taken.format(there=there)]
    planned = evallang("plan", "s.eval", "--format", "json", cwd=here)
    assert json.loads(planned.stdout)["paths_taken"] == expected
    text = evallang("plan", "here/s.eval", cwd=here.parent).stdout
    heading = "Data outside the study's folder\n"
    assert (f"{heading}  {expected[0]}\n" in text) if expected else (heading not in text)
    assert evallang("run", "s.eval", "-j", "1", cwd=here).exit_code == 0
    results = (here / "s-results" / "results.json").read_text()
    assert json.loads(results)["provenance"]["paths_taken"] == expected
    report = (here / "s-results" / "report.html").read_text()
    assert ("Data outside the study" in report) == bool(expected)
    if not expected or str(there) not in expected[0]:
        assert str(here.parent) not in results + report  # no more than the author wrote


def test_results_are_not_written_through_a_link_that_leads_out(folders, evallang):
    here, there = folders
    (here / "away").symlink_to(there)
    (here / "room").mkdir()
    (here / "close").symlink_to("room")
    for to in ("away", "away/results"):
        (here / "s.eval").write_text(STUDY.format(source='"inside.csv"', to=f'\n  to "{to}"'))
        done = evallang("run", "s.eval", "-j", "1", cwd=here)
        assert isinstance(done.exception, SystemExit)
        assert f"`{to}` is outside the study's folder" in done.stderr
        assert sorted(p.name for p in there.iterdir()) == ["d.csv", "d.db"]
    (here / "s.eval").write_text(STUDY.format(source='"inside.csv"', to='\n  to "close"'))
    assert evallang("run", "s.eval", "-j", "1", cwd=here).exit_code == 0
    assert (here / "room" / "results.json").is_file()
