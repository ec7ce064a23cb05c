"""Limits on the quantities that a study, or a file that it reads, may request.

Each limit is an entry of `limits.toml`: its name, the quantity that it bounds, its default and its
unit in words. `--limit NAME=NUMBER`, the environment variable `EVALLANG_LIMIT` and
`with limits(...)` in Python set other numbers; the messages and the reference page follow from the
entries.
"""

import contextlib
import os
import re
import resource
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.resources import files

from msgspec import Struct

from evallang.spelling import closest

VARIABLE = "EVALLANG_LIMIT"
LARGEST_NUMBER = 1e45  # its sixth power stays finite: squared errors, cubed for their skewness
LARGEST_WORD = f"{LARGEST_NUMBER:.0e}".replace("+", "")
SMALLEST_NUMBER = 1e-45
LARGEST_MEMORY = 2**63 - 1
_IN_FORCE: ContextVar[Mapping[str, int]] = ContextVar("limits", default={})  # noqa: B039 - read only


class OverLimit(ValueError):
    """A quantity exceeds a limit; `help` says how to raise the limit."""

    def __init__(self, message: str, suggestion: str) -> None:
        super().__init__(message)
        self.help = suggestion

    def __reduce__(self) -> tuple[type["OverLimit"], tuple[str, str]]:
        return OverLimit, (str(self), self.help)


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


def machine_memory() -> int:
    """Return the memory of the machine in bytes, or the limit of this process if it is lower."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    return whole if allowed == resource.RLIM_INFINITY else min(whole, allowed)


def _declared(name: str, default: int = 0, memory: int = 0, **words: str) -> Limit:
    """Return the limit of an entry of `limits.toml`."""
    if memory:
        default = min(default or LARGEST_MEMORY, machine_memory() // memory)
    return Limit(name, default, **words)


_TABLE = tomllib.loads((files("evallang") / "limits.toml").read_text(encoding="utf-8"))
LIMITS: dict[str, Limit] = {name: _declared(name, **entry) for name, entry in _TABLE.items()}

STUDY_BYTES = LIMITS["study_bytes"]
ROUNDS = LIMITS["rounds"]
SAMPLES = LIMITS["samples"]
SEEDS = LIMITS["seeds"]
TIMES = LIMITS["times"]
FOLDS = LIMITS["folds"]
SPLITS = LIMITS["splits"]
BINS = LIMITS["bins"]
POINTS = LIMITS["points"]
CANDIDATES = LIMITS["candidates"]
FITS = LIMITS["fits"]
EXAMPLES = LIMITS["examples"]
RESULTS_BYTES = LIMITS["results_bytes"]
PAGES = LIMITS["pages"]
BYTES = LIMITS["bytes"]
MEMORY = LIMITS["memory"]
ROWS = LIMITS["rows"]
COLUMNS = LIMITS["columns"]
CELL = LIMITS["cell"]
LINE = LIMITS["line"]
NESTING = LIMITS["nesting"]
CLASSES = LIMITS["classes"]
CLASSES_APART = LIMITS["classes_apart"]
FILES = LIMITS["files"]
ENTRIES = LIMITS["entries"]
QUERY_VALUES = LIMITS["query_values"]
QUERY_SECONDS = LIMITS["query_seconds"]
READ_SECONDS = LIMITS["read_seconds"]
STORE_BYTES = LIMITS["store_bytes"]


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
