"""Where results come from: versions and machine, the methods used and their references."""

from collections.abc import Mapping

from evallang.frozen import frozen
from evallang.results.kinds import Duration


@frozen
class GitState:
    """The commit of the working copy, and whether it was dirty."""

    commit: str
    dirty: bool


@frozen
class FitCounts:
    """How many fits were planned, run, taken from the store, failed."""

    planned: int
    run: int
    cached: int
    failed: int


@frozen
class Provenance:
    """What may differ between two equal runs: versions, machine, time.

    `paths_taken` are the paths of data, as written, that lead out of the study's folder.
    """

    evallang: str
    python: str
    packages: Mapping[str, str]
    platform: str
    processor: str
    git: GitState | None
    command: str
    started: str
    seconds: Duration
    fits: FitCounts
    paths_taken: tuple[str, ...] = ()


@frozen
class ReferenceRecord:
    """A reference of a method that was used, so that a report needs no catalogue."""

    key: str
    authors: tuple[str, ...]
    year: int
    title: str
    venue: str
    volume: str
    pages: str
    doi: str
    kind: str


@frozen
class MethodRecord:
    """A method that was used: what a report says of it without asking the catalogues.

    `kind` is metric, estimate, interval, test, correction, protocol, effect or software; `better`
    and `unit` are set for metrics ("higher", "percent").
    """

    kind: str
    name: str
    title: str
    summary: str
    references: tuple[str, ...]
    better: str | None = None
    unit: str | None = None
