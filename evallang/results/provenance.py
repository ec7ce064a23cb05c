"""Where results come from: versions and machine, the methods used and their references."""

from collections.abc import Mapping
from dataclasses import field

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

    `kind` is metric, estimate, interval, interval_of_test (one that only a test makes), test,
    correction, protocol, effect or software; `better` and `unit` are set for metrics ("higher",
    "percent"), and `of_examples` names what each example has ("absolute errors"). `estimand` is
    what a test compares where that is not the mean of what examples have ("trimmed mean"),
    `variants` the words for what it computed, where they are its own. `of_difference` is the title
    of an interval of a difference, where it is another method. `averages_classes` tells that a
    metric is the mean over three or more classes, `counts_right` that it is the share of examples
    predicted right; older files say neither. `allows_overlap` tells that an interval allows for
    training sets that share rows; it is None
    where that is not known, and for other methods.
    """

    kind: str
    name: str
    title: str
    summary: str
    references: tuple[str, ...]
    better: str | None = None
    unit: str | None = None
    of_examples: str | None = None
    estimand: str | None = None
    variants: Mapping[str, str] = field(default_factory=dict)
    of_difference: str | None = None
    allows_overlap: bool | None = None
    averages_classes: bool = False
    counts_right: bool = False
