"""A query writes nothing next to a database, and sees what a program has just written."""

import sqlite3

from calling import call

STUDY = """\
evallang 1
study "Bases"
data d from sql "select a, y from t" on "sqlite:///d.db"
  target y
model bayes = GaussianNB
protocol cv folds=2
measure accuracy
report csv
"""


def test_reading_leaves_no_file_beside_a_database(tmp_path):
    base = sqlite3.connect(tmp_path / "d.db")
    base.execute("pragma journal_mode = wal")
    base.execute("create table t (a real, y text)")
    base.executemany("insert into t values (?, ?)", [(i % 7, "ab"[i % 2]) for i in range(40)])
    base.commit()
    (tmp_path / "study.eval").write_text(STUDY)
    open_still = call("data", "study.eval", folder=tmp_path)
    assert open_still.returncode == 0 and "40 examples" in open_still.stdout
    base.close()
    before = {file.name for file in tmp_path.iterdir()}
    assert before == {"d.db", "study.eval"}
    closed = call("data", "study.eval", folder=tmp_path)
    assert closed.stdout == open_still.stdout
    assert {file.name for file in tmp_path.iterdir()} == before
