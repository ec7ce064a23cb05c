"""Limits on the quantities that a study, or a file that it reads, may request.

Each limit is declared here: its name, the quantity that it bounds, its default and its unit in
words. `--limit NAME=NUMBER`, the environment variable `EVALLANG_LIMIT` and `with limits(...)` in
Python set other numbers; the messages and the reference page follow from the declarations.
"""

import contextlib
import os
import re
import resource
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from msgspec import Struct

from evallang.spelling import closest

VARIABLE = "EVALLANG_LIMIT"
LARGEST_NUMBER = 1e45  # its sixth power stays finite: squared errors, cubed for their skewness
LARGEST_WORD = f"{LARGEST_NUMBER:.0e}".replace("+", "")
SMALLEST_NUMBER = 1e-45
_IN_FORCE: ContextVar[Mapping[str, int]] = ContextVar("limits", default={})  # noqa: B039 - read only


class OverLimit(ValueError):
    """A quantity exceeds a limit; `help` says how to raise the limit."""

    def __init__(self, message: str, suggestion: str) -> None:
        super().__init__(message)
        self.help = suggestion


class Limit(Struct, frozen=True):
    """The largest value that a quantity may have.

    Attributes
    ----------
    name : the name for `--limit`
    default : the value unless an author sets another
    unit : the unit of the number, in the plural
    bounds : the quantity, a noun phrase
    reason : why there is a limit, and why it has this value
    shown : words for a default that depends on the machine
    """

    name: str
    default: int
    unit: str
    bounds: str
    reason: str
    shown: str = ""

    @property
    def most(self) -> int:
        """The number in force."""
        return _IN_FORCE.get().get(self.name, self.default)

    @property
    def stated(self) -> str:
        """The default in words."""
        return self.shown or f"{self.default:,} {self.unit}"

    def check(self, what: str, found: float, instead: str = "") -> None:
        """Raise `OverLimit` if `found` is more than allowed.

        `what` begins the message and names the quantity; `instead` suggests an alternative to
        raising the limit.
        """
        if found > self.most:
            raise self.exceeded(what, found, instead)

    def exceeded(self, what: str, found: float | None = None, instead: str = "") -> OverLimit:
        """Return the error for a quantity of `found` (None: an unknown number above the limit)."""
        unit, most = self.unit, f"{self.most:,}"
        raised = _round(2 * self.most if found is None else found)
        suggestion = f"raise it by `--limit {self.name}={raised}`"
        if instead:
            suggestion = f"{instead}, or raise the limit by `--limit {self.name}={raised}`"
        if found is None:
            return OverLimit(f"{what}: more {unit} than the limit of {most}", suggestion)
        return OverLimit(f"{what}: {found:,} {unit} are more than the limit of {most}", suggestion)


LIMITS: dict[str, Limit] = {}


def declare(
    name: str, default: int, unit: str, bounds: str, *, reason: str, shown: str = ""
) -> Limit:
    """Register a limit in `LIMITS`; raise `ValueError` if the name is taken."""
    if name in LIMITS:
        raise ValueError(f"limit {name} is declared twice")
    LIMITS[name] = Limit(name, default, unit, bounds, reason, shown)
    return LIMITS[name]


@contextmanager
def limits(**numbers: float) -> Iterator[None]:
    """Set other limits within the context; raise `ValueError` for an unknown name."""
    token = _IN_FORCE.set({**_IN_FORCE.get(), **{k: _number(k, v) for k, v in numbers.items()}})
    try:
        yield
    finally:
        _IN_FORCE.reset(token)


def changed_limits() -> Mapping[str, int]:
    """Return the limits that were raised or lowered, by name."""
    return _IN_FORCE.get()


def read_settings(settings: Iterable[str]) -> dict[str, int]:
    """Read settings written as `NAME=NUMBER`; raise `ValueError` for any other text."""
    found: dict[str, int] = {}
    for setting in settings:
        name, equals, number = (part.strip() for part in setting.partition("="))
        if not equals:
            raise ValueError(f"`{setting}`: write it as NAME=NUMBER")
        if name in found:
            raise ValueError(f"`{name}` is given twice")
        found[name] = _number(name, number)
    return found


def _number(name: str, number: object) -> int:
    if name not in LIMITS:
        near = closest(name, LIMITS)
        known = f"did you mean `{near}`?" if near else f"the limits are {', '.join(LIMITS)}"
        raise ValueError(f"there is no limit `{name}`; {known}")
    sized = LIMITS[name].unit == "bytes"
    with contextlib.suppress(ValueError, OverflowError):
        size = read_size(str(number)) if sized else None
        value = float(str(number)) if size is None else size
        if value >= 1:
            return int(value) if value != int(value) or value > 1e15 else round(value)
    such = "1e6, 500M or 2G" if sized else "1000000 or 1e6"
    raise ValueError(f"`{name}={number}`: a limit is a number from 1, such as {such}")


UNITS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_SIZE = re.compile(r"(\d+(?:\.\d+)?(?:e\+?\d{1,2})?)\s*([kmgt]?)(i?)b?")


def read_size(text: str) -> int | None:
    """Read a number of bytes, 500M, 2GB, 1.5 GiB or 1e9; None for any other text."""
    found = _SIZE.fullmatch(text.strip().lower().replace("_", ""))
    if found is None:
        return None
    number, unit, binary = found.groups()
    return int(float(number) * (1024 if binary else 1000) ** UNITS[unit])


def _round(number: float) -> str:
    """Format a number rounded up to two digits: 2.1e9, 4500000."""
    exponent = max(0, len(f"{int(number)}") - 2)
    whole = -(-int(number) // 10**exponent) * 10**exponent
    return f"{whole}" if whole < 10**7 else f"{whole:.1e}".replace(".0", "").replace("e+0", "e")


def _machine_memory() -> int:
    """Return the memory of the machine in bytes, or the limit of this process if it is lower."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    return whole if allowed == resource.RLIM_INFINITY else min(whole, allowed)


# --- of a study file ---------------------------------------------------------------------------

STUDY_BYTES = declare(
    "study_bytes",
    4_000_000,
    "bytes",
    "a study file, or a file that it includes",
    reason="5,000 lines are a quarter of a megabyte",
)
ROUNDS = declare(
    "rounds",
    10_000_000,
    "rounds",
    "the rounds of a bootstrap or permutation",
    reason="the simulation error of a p-value of .05 is then below .0001",
)
SAMPLES = declare(
    "samples",
    10_000_000,
    "samples",
    "the samples drawn from a posterior distribution",
    reason="as for rounds",
)
SEEDS = declare(
    "seeds",
    10_000,
    "seeds",
    "the fits of one model on one training part with different seeds",
    reason="the standard error of their mean is then a hundredth of their spread",
)
TIMES = declare(
    "times",
    10_000,
    "repetitions",
    "the repetitions of a cross-validation",
    reason="as for seeds",
)
FOLDS = declare(
    "folds",
    100_000,
    "folds",
    "the folds of a protocol, outer or inner",
    reason="each is a fit of every model",
)
SPLITS = declare(
    "splits",
    100_000,
    "splits",
    "the splits of a protocol, folds times repetitions",
    reason="leave_p_out with p = 2 makes nearly as many from 447 rows",
)
BINS = declare(
    "bins",
    10_000,
    "bins",
    "the bins that `stratify` cuts a target into",
    reason="each needs a row in every fold",
)
POINTS = declare(
    "points",
    100_000,
    "values",
    "the values of a range",
    reason="a longer range usually has a mistyped step",
)
CANDIDATES = declare(
    "candidates",
    100_000,
    "candidates",
    "the combinations of a model's values that are searched, or the sample of `tune`",
    reason="more is usually a mistyped range",
)
FITS = declare(
    "fits",
    10_000_000,
    "fits",
    "the fits of one protocol on one data set",
    reason="at a second each they take 100,000 seconds on a hundred processors",
)
EXAMPLES = declare(
    "examples",
    100_000_000,
    "examples",
    "the examples that a table of counts adds up to",
    reason="100 MB a model when expanded",
)

RESULTS_BYTES = declare(
    "results_bytes",
    50_000_000,
    "bytes",
    "a results.json or report that is read",
    reason="150,000 columns or 300,000 values of folds, which take twenty times the memory",
)

PAGES = declare(
    "pages",
    500,
    "pages",
    "the pages of a PDF",
    reason="each takes a tenth of a second; a style sheet can ask for any number",
)

# --- of data -------------------------------------------------------------------------------------

BYTES = declare(
    "bytes",
    min(8 * 1024**3, _machine_memory() // 2),
    "bytes",
    "a data file, after decompression",
    reason="the largest table that fits a machine of 64 GB while it is read",
    shown="8,589,934,592 bytes, or half of the machine's memory if that is less",
)
MEMORY = declare(
    "memory",
    _machine_memory() // 4,
    "bytes",
    "the memory of a table that was read, or of a database query",
    reason="a table is held several times over while it is read",
    shown="a quarter of the machine's memory, or of what `ulimit -v` leaves",
)
ROWS = declare(
    "rows",
    2_000_000_000,
    "rows",
    "the rows of a data file or query",
    reason="polars can index twice as many",
)
COLUMNS = declare(
    "columns",
    100_000,
    "columns",
    "the columns of a data file or query",
    reason="more than the genes or words of most studies; the results describe each",
)
CELL = declare(
    "cell",
    10_000_000,
    "characters",
    "one cell of a text file, or one value of a database",
    reason="a query can make a value that fills the memory",
)
LINE = declare(
    "line",
    200_000_000,
    "bytes",
    "one line of a JSON Lines file",
    reason="its object is in memory many times over while it is read",
)
NESTING = declare(
    "nesting",
    200,
    "levels",
    "the depth of lists and objects within a line of a JSON Lines file",
    reason="logs have fewer than ten",
)
CLASSES = declare(
    "classes",
    1_000_000,
    "classes",
    "the distinct values of a target or of predictions",
    reason="free text is compared by exact match, and may have as many answers as rows",
)
CLASSES_APART = declare(
    "classes_apart",
    1_000,
    "classes",
    "the classes that a model is fitted to, or that an analysis shows",
    reason="a model has a score for each class and row, a confusion matrix a number for each pair",
)
FILES = declare(
    "files",
    10_000,
    "files",
    "the files that a pattern finds",
    reason="each is a data set of its own",
)
ENTRIES = declare(
    "entries",
    200_000,
    "files and folders",
    "the paths that a pattern visits",
    reason="a pattern with `**` at the wrong place walks the whole disk",
)
QUERY_VALUES = declare(
    "query_values",
    50_000_000,
    "values",
    "the values that a query returns, rows times columns",
    reason="2 to 3 GB while they are Python objects",
)
QUERY_SECONDS = declare(
    "query_seconds",
    3_600,
    "seconds",
    "the time that a database query takes",
    reason="a recursive query may never end",
)
STORE_BYTES = declare(
    "store_bytes",
    5_000_000_000,
    "bytes",
    "the size of the store of fits",
    reason="above it the outcomes that were not used for longest are deleted, and fitted again "
    "when they are needed",
)
