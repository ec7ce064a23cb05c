"""The provenance of results: versions, machine, methods and their references."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from evallang.results.ranges import Duration


class GitState(Struct, frozen=True):
    """The commit of the working copy, and whether it had uncommitted changes."""

    commit: str
    dirty: bool


class FitCounts(Struct, frozen=True):
    """The number of fits that were planned, run, taken from the store, and failed.

    The results that a PDF carries lack those run and taken, which differ between equal runs.
    """

    planned: int
    run: int = 0
    cached: int = 0
    failed: int = 0


class FastPath(Struct, frozen=True):
    """A shortcut that gave the outcome of fits without making each of them, and how many."""

    name: str
    n_fits: int


class LockState(Struct, frozen=True):
    """The lock next to a study: its hash, its date, and whether the run had the locked settings."""

    sha256: str
    date: str
    same: bool


class Provenance(Struct, frozen=True):
    """The facts that may differ between two equal runs: versions, machine, time.

    `paths_taken` are the written paths of data that lead out of the study's folder. `fast_paths`
    are the shortcuts that a version before 0.2 took.
    `lock` is the lock next to the study, `looks` the number of recorded evaluations on the same
    test data; they are None where there is none and where nothing is recorded.
    `predictions_sha256` is the hash of the file of predictions next to the results. `cpu` is the
    name of the processor, `cores` the number of its logical cores, `memory` in bytes that of the
    machine; older files lack them.
    """

    evallang: str
    python: str
    packages: Mapping[str, str]
    platform: str
    processor: str
    git: GitState | None
    command: str = ""
    started: str = ""
    seconds: Duration = 0.0
    fits: FitCounts = field(default_factory=lambda: FitCounts(0))
    paths_taken: tuple[str, ...] = ()
    fast_paths: tuple[FastPath, ...] = ()
    lock: LockState | None = None
    looks: int | None = None
    predictions_sha256: str | None = None
    cpu: str = ""
    cores: int | None = None
    memory: int | None = None


class ReferenceRecord(Struct, frozen=True):
    """A reference of a method that was used, so that a report does not need the catalogues.

    `bibtex` is the entry of the authors' bibliography; it is empty for the works of methods.
    """

    key: str
    authors: tuple[str, ...]
    year: int
    title: str
    venue: str
    volume: str
    pages: str
    doi: str
    kind: str
    bibtex: str = ""


class AssumptionWords(Struct, frozen=True):
    """The words of an assumption of a power analysis, with `{}` for its value.

    `heading` is that of a column; it is empty where the assumption has no column. `percent` prints
    a share in percent.
    """

    words: str
    heading: str = ""
    percent: bool = False


class CurveWords(Struct, frozen=True):
    """The axes of a curve: their titles and units, and which quantity is large at its ends.

    `scale` is `share` for rates from 0 to 1, `deviate` for rates on the scale of normal deviates,
    `risk` for shares from 0 to the largest one, and `free` for numbers of any size on the y axis.
    `summaries` are the numbers that are printed next to the name of a model; the first has the
    interval of `metric`, where that was measured.
    """

    x: str
    y: str
    scale: Literal["share", "deviate", "risk", "free"] = "share"
    summaries: tuple[str, ...] = ()
    metric: str | None = None


class MethodRecord(Struct, frozen=True):
    """A method that was used, described so that a report does not need the catalogues.

    `kind` is metric, estimate, interval, interval_of_test (one that only a test makes), test,
    correction, protocol, effect, level, choice or software; `better` and `unit` are set for metrics
    ("higher", "percent"), and `of_examples` names what each example has ("absolute errors").
    `estimand` is what a test compares if that is not the mean over the examples ("trimmed mean"),
    and `variants` are the test's own words for its variants. `of_difference` is the title of an
    interval of a difference if it is another method. `averages_classes` states that a metric is the
    mean over three or more classes, `counts_right` that it is the share of examples predicted
    right; older files contain neither. `allows_overlap` states that an interval allows for training
    sets that share rows; it is None if that is unknown, and for other methods. `quantity` is what a
    test of one model is about if that is not the metric ("error rate"). `own_code` states that a
    metric is a function of the authors'; older files do not state it. `assumptions` are the words
    of what an analysis of a test's power assumes. `no_interval` is the reason why no interval of a
    metric from single examples is sound. `curve` has the words of a curve's axes, and `section` is
    the section of a report that shows an analysis, if it names one. `of_sums` states that a metric
    divides two sums over the examples. `ideal` is the best value of a metric whose `better` is
    "nearest"; "neither" is that of one with no better values. `title_states_options` is True where
    the title has the options of the name in words. `matrix_of_classes` is True where an option of a
    metric is a matrix with a row for each true class, in the order of the classes. `low` and `high`
    are the least and the largest possible value of a metric, None if it has no such bound.
    `over_splits` is True for tests of scores per split, whose training sets overlap; older files do
    not state it. `abbreviation` is that of a metric ("AUC"), if it has one.
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
    quantity: str | None = None
    own_code: bool = False
    assumptions: Mapping[str, AssumptionWords] = field(default_factory=dict)
    no_interval: str | None = None
    curve: CurveWords | None = None
    section: str | None = None
    of_sums: bool = False
    ideal: float | None = None
    title_states_options: bool = False
    matrix_of_classes: bool = False
    low: float | None = None
    high: float | None = None
    over_splits: bool = False
    abbreviation: str | None = None
