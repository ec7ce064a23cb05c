"""Survival times and rankings by query: what a column of them may hold."""

import pytest
from calling import call

SURVIVAL = """\
evallang 1
study
  seed 1
predictions p from "p.csv"
  truth time
  event died
  models a
  score a = risk
measure concordance
"""
RANKING = """\
evallang 1
study
  seed 1
predictions p from "p.csv"
  truth relevance
  query query
  models a
  group site
measure ndcg
"""
TIMES = "time,died,risk\n5,1,2\n6,0,1\n7,true,0.5\n8,false,0.25\n"
QUERIES = "relevance,query,a,site\n1,q1,0.9,x\n0,q1,0.2,x\n0,q2,0.4,y\n2,q2,0.8,y\n"


def found(folder, study, rows) -> str:
    (folder / "p.csv").write_text(rows)
    (folder / "study.eval").write_text(study)
    done = call("check", "--data", "study.eval", folder=folder)
    return " ".join((done.stdout + done.stderr).split())


@pytest.mark.parametrize(("study", "rows"), [(SURVIVAL, TIMES), (RANKING, QUERIES)])
def test_sound_rows_are_no_error(tmp_path, study, rows):
    assert "error" not in found(tmp_path, study, rows)


def test_a_group_that_is_no_column_is_one_error(tmp_path):
    shown = found(tmp_path, RANKING.replace("group site", "group sites"), QUERIES)
    assert "1 error" in shown
    assert "`sites`" in shown


def test_a_risk_must_be_named(tmp_path):
    shown = found(tmp_path, SURVIVAL.replace("  score a = risk\n", ""), TIMES.replace("risk", "a"))
    assert "`a` has no score, and `event` needs a risk" in shown
    assert "write `score a = COLUMN`" in shown
