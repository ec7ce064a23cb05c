"""When the command starts processes for fits before it has checked the study."""

import os

import pytest

from evallang.api.early_workers import start_early
from evallang.engine.backends import fork_server
from evallang.engine.store_folder import STUDIES, study_name

FITS = "evallang 1\ndata d from sklearn iris\nmodel tree = DecisionTreeClassifier\nprotocol cv\n"
PREDICTIONS = "evallang 1\npredictions p from 'p.csv'\n# no protocol, no model\n  model here\n"


@pytest.fixture
def started(monkeypatch):
    """What processes were started for, in this order."""
    calls = []
    monkeypatch.setattr(fork_server, "prepare", calls.append)
    return calls


def start(place, store, *, jobs=2, fresh=False, memory=None):
    start_early(place, jobs, fit_timeout=None, memory=memory, store=store, fresh=fresh)


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        (FITS, {}, True),
        (FITS.replace("\n", "\r\n"), {}, True),
        ("\n".join(reversed(FITS.splitlines())), {}, True),
        (FITS, {"jobs": 1}, False),
        (FITS, {"jobs": 1, "memory": 10**9}, True),
        (PREDICTIONS, {}, False),
        ("", {}, False),
    ],
)
def test_they_start_where_the_text_declares_models_and_protocols(
    tmp_path, started, text, options, expected
):
    study = tmp_path / "study.eval"
    study.write_bytes(text.encode())
    start(study, "off", **options)
    assert bool(started) is expected


def test_they_do_not_start_for_a_study_that_the_store_knows(tmp_path, started):
    study, store = tmp_path / "study.eval", tmp_path / "store"
    study.write_text(FITS, encoding="utf-8")
    start(study, store)
    assert len(started) == 1
    known = store / STUDIES / f"{study_name(study)}.json"
    known.parent.mkdir(parents=True)
    known.touch()
    start(study, store)
    assert len(started) == 1
    start(study, store, fresh=True)
    assert len(started) == 2


def test_a_file_or_a_store_that_cannot_be_used_is_reported_by_others(tmp_path, started):
    start(tmp_path / "missing.eval", "off")
    assert not started
    study = tmp_path / "study.eval"
    study.write_text(FITS, encoding="utf-8")
    start(study, "https://a.server/store")
    assert len(started) == 1


def test_a_pipe_is_not_read_and_many_models_are_searched_once(tmp_path, started):
    pipe = tmp_path / "pipe.eval"
    os.mkfifo(pipe)
    start(pipe, "off")
    study = tmp_path / "study.eval"
    study.write_text("model m = Ridge\n" * 60_000, encoding="utf-8")
    start(study, "off")
    assert not started
