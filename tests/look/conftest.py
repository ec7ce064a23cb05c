"""Every kind of study, run and rendered once, in the process that has its tests."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from kinds import KINDS
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

import evallang as ev
from evallang.api import RunFailed


@dataclass(frozen=True)
class Rendered:
    """The results of one kind of study, and the folder of its report."""

    results: ev.Results
    folder: Path


class ByKind(LoadScopeScheduling):
    """Gives all tests of a kind to one process (xdist 3.8 loses its own groups in pytest 9.2)."""

    def _split_scope(self, nodeid: str) -> str:
        _, _, values = nodeid.partition("[")
        return max((kind for kind in KINDS if kind in values), key=len, default=nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByKind:
    """Have the tests of several processes given out by kind."""
    return ByKind(config, log)


@pytest.fixture(scope="session")
def studied() -> Callable[[str], ev.Results]:
    """Return a function that runs the study of a kind once."""

    @cache
    def study(name: str) -> ev.Results:
        kind = KINDS[name]()
        try:
            return ev.run(ev.parse(kind.text), data=dict(kind.named), store="off")
        except RunFailed as failed:
            return failed.results

    return study


@pytest.fixture(scope="session")
def rendered(
    studied: Callable[[str], ev.Results], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Rendered]:
    """Return a function that renders the report of a kind once."""

    @cache
    def render(name: str) -> Rendered:
        results = studied(name)
        folder = tmp_path_factory.mktemp("report")
        messages = results.render("html", "pdf", "latex", "markdown", "csv", "docx", folder=folder)
        assert not [message for message in messages if "Pango" in message]
        return Rendered(results, folder)

    return render
