"""Every kind of study, run and rendered once, in the process that has its tests."""

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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of a kind together, wherever they are: `make look` runs by group."""
    for item in items:
        values = item.callspec.params if hasattr(item, "callspec") else {}
        if "name" in values:
            item.add_marker(pytest.mark.xdist_group(values["name"]))


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
        messages = results.render("html", "pdf", "latex", "markdown", "csv", folder=folder)
        assert not [message for message in messages if "Pango" in message]
        return Rendered(results, folder)

    return render
