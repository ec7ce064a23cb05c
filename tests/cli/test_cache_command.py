"""`evallang cache` shows, empties and names the store of fits."""

import re

import pytest
from calling import call

STUDY = """\
evallang 1
study "Wines"
  seed 5
data wine from sklearn wine
model nb = GaussianNB
model baseline = DummyClassifier
protocol cv folds=3
"""


@pytest.fixture
def store(tmp_path, monkeypatch):
    (tmp_path / "study.eval").write_text(STUDY, encoding="utf-8")
    place = tmp_path / "kept"
    monkeypatch.setenv("EVALLANG_STORE", str(place))
    return place


def test_a_store_is_counted_emptied_and_filled_again(store, tmp_path):
    said = call("cache", "info", folder=tmp_path)
    assert (said.returncode, said.stdout) == (0, f"{store}: no fits\n")
    assert call("run", "study.eval", "-j", "1", "--quiet", folder=tmp_path).returncode == 0
    shown = call("cache", "info", folder=tmp_path).stdout
    found = re.fullmatch(rf"{re.escape(str(store))}: (\d+) entries, (.+); at most (.+)\n", shown)
    assert found
    assert int(found[1]) >= 6  # a fit of each model on each fold
    cleared = call("cache", "clear", folder=tmp_path)
    assert cleared.stdout == f"{store}: deleted {found[1]} entries, {found[2]}\n"
    assert "0 entries, 0 bytes" in call("cache", "info", folder=tmp_path).stdout


def test_the_folder_is_printed_or_that_there_is_none(store, tmp_path):
    assert call("cache", "path", folder=tmp_path).stdout == f"{store}\n"
    assert call("cache", "path", "--store", "off", folder=tmp_path).stdout == "off\n"
    assert call("cache", "info", "--store", "off", folder=tmp_path).stdout == "off\n"


def test_a_look_at_an_empty_folder_leaves_it_empty(store, tmp_path):
    store.mkdir()
    assert "0 entries, 0 bytes" in call("cache", "info", folder=tmp_path).stdout
    assert list(store.iterdir()) == []


def test_a_folder_that_is_no_store_is_not_emptied(store, tmp_path):
    store.mkdir()
    (store / "thesis.txt").write_text("years of work", encoding="utf-8")
    said = call("cache", "clear", folder=tmp_path)
    assert (store / "thesis.txt").exists()
    assert said.returncode in (0, 2)
    assert "thesis" not in said.stdout


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "1e10"])
def test_a_time_limit_is_a_number_of_seconds_that_can_pass(store, tmp_path, seconds):
    said = call("run", "study.eval", "--fit-timeout", seconds, folder=tmp_path)
    assert said.returncode == 2
    assert "the time limit of a fit is" in said.stderr
