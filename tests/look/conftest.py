"""Every kind of study, run and rendered once."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from kinds import KINDS

import evallang as ev
from evallang.api import RunFailed


@dataclass(frozen=True)
class Rendered:
    """The results of one kind of study, and the folder of its report."""

    results: ev.Results
    folder: Path


@pytest.fixture(scope="session")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Rendered]:
    """Return a function that renders the report of a kind once."""

    @cache
    def render(name: str) -> Rendered:
        kind = KINDS[name]()
        try:
            results = ev.run(ev.parse(kind.text), data=dict(kind.named), store="off")
        except RunFailed as failed:
            results = failed.results
        folder = tmp_path_factory.mktemp("report")
        messages = results.render("html", "pdf", "latex", "markdown", "csv", folder=folder)
        assert not [message for message in messages if "Pango" in message]
        return Rendered(results, folder)

    return render
