"""Diagnostics as data: a code, a place, a message and a fix.

Codes are declared in `codes.toml`, those of rules by the rule with `declare`; `codes.NAME` is a
code, and `explain`, the reference and the golden files of the tests read its words.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from enum import StrEnum
from importlib.resources import files

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from evallang.source import Span


class Severity(StrEnum):
    """The severity of a finding: errors stop a run, warnings do not, hints are advice."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


class Phase(StrEnum):
    """The subject of a finding; a later phase depends on the phases before it.

    `TEXT`: syntax; `REFERENCES`: names that the study may declare; `WORDS`: all other names, words
    and options; `CLAUSES`: the clauses of a statement; `USE`: declarations that are not used;
    `WAIVERS`: comments that allow a rule; `SENSE`: parts that do not fit together; `ADVICE`: the
    design of the study; `DATA`: the content of the data; `MEANING`: its consequences for the study;
    `SPLITS`: whether the rows can be split; `RESULTS`: the results of the run; `LATER`: words that
    this version cannot run.
    """

    TEXT = "text"
    REFERENCES = "references"
    WORDS = "words"
    CLAUSES = "clauses"
    USE = "use"
    WAIVERS = "waivers"
    SENSE = "sense"
    ADVICE = "advice"
    DATA = "data"
    MEANING = "meaning"
    SPLITS = "splits"
    RESULTS = "results"
    LATER = "later"


class Changes(StrEnum):
    """What a finding would change in the conclusion of a study, the most important first."""

    SCORES = "whether the scores hold on new data"
    QUESTION = "what the p-value is about"
    CLAIMS = "how often a difference is claimed where none exists"
    PRECISION = "how precise the results are"
    READING = "how the results are read"

    @property
    def place(self) -> int:
        """The place in the order of importance, from 0."""
        return list(Changes).index(self)


PHASES: tuple[tuple[str, Phase], ...] = (
    ("E000", Phase.TEXT),
    ("E100", Phase.WORDS),
    ("E160", Phase.WAIVERS),
    ("E170", Phase.WORDS),
    ("E200", Phase.SENSE),
    ("E400", Phase.DATA),
    ("E900", Phase.LATER),
    ("W000", Phase.TEXT),
    ("W100", Phase.USE),
    ("W160", Phase.WAIVERS),
    ("W300", Phase.ADVICE),
    ("W400", Phase.DATA),
    ("W430", Phase.MEANING),
    ("W440", Phase.DATA),
    ("W500", Phase.RESULTS),
    ("W600", Phase.DATA),
)
"""The phase of codes from this number on, unless their declaration states another."""


class Words(Struct, frozen=True):
    """What a code means: a summary, the reason, a wrong and a right line, where it comes from."""

    summary: str
    reason: str = ""
    wrong: str = ""
    right: str = ""
    source: str = ""


class Code(Struct, frozen=True):
    """A diagnostic code; `name` is the word that an author writes after `allow`.

    `waivable` states that an author may accept the finding with a reason.
    """

    code: str
    name: str
    severity: Severity
    phase: Phase
    changes: Changes
    waivable: bool
    words: Words


CODES: dict[str, Code] = {}

FORMER_NAMES = {"gate_that_cannot_pass": "few_examples_for_a_requirement"}
"""The names that codes had, in studies and results of earlier versions, with those they have."""


def current_name(name: str) -> str:
    """Return the name of a code, also where it is given by the name it had before."""
    return FORMER_NAMES.get(name, name)


def declare(
    code: str,
    name: str,
    words: Words,
    *,
    severity: Severity | None = None,
    phase: Phase | None = None,
    changes: Changes = Changes.READING,
    waivable: bool | None = None,
) -> Code:
    """Register a code in `CODES`; its number decides severity and phase unless they are stated.

    Without a statement all but errors and findings in the results are `waivable`.
    Raises `ValueError` if the code or its name is taken.
    """
    if severity is None:
        severity = Severity.ERROR if code.startswith("E") else Severity.WARNING
    if phase is None:
        phase = PHASES[bisect_right(PHASES, code, key=lambda first: first[0]) - 1][1]
    if waivable is None:
        waivable = severity is not Severity.ERROR and phase is not Phase.RESULTS
    if code in CODES or any(other.name == name for other in CODES.values()):
        raise ValueError(f"diagnostic {code} {name} is declared twice")
    CODES[code] = Code(code, name, severity, phase, changes, waivable, words)
    return CODES[code]


class _Row(Words, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A code as `codes.toml` states it."""

    name: str
    severity: Severity | None = None
    phase: Phase | None = None
    changes: str = "READING"
    waivable: bool | None = None


class Codes:
    """The codes of `codes.toml` as attributes, each by its name."""

    def __init__(self) -> None:
        text = (files("evallang.diagnostics") / "codes.toml").read_bytes()
        for code, row in msgspec.toml.decode(text, type=dict[str, _Row]).items():
            declared = declare(
                code,
                row.name,
                Words(row.summary, row.reason, row.wrong, row.right, row.source),
                severity=row.severity,
                phase=row.phase,
                changes=Changes[row.changes],
                waivable=row.waivable,
            )
            setattr(self, row.name, declared)

    def __getattr__(self, name: str) -> Code:
        """Refuse a name that no code has; `tests/checking` looks for them in the package."""
        raise AttributeError(f"no diagnostic is called `{name}`")


codes = Codes()


class Edit(Struct, frozen=True):
    """A replacement of the text of `span` by `text`."""

    span: Span
    text: str


class Fix(Struct, frozen=True):
    """A change that removes the cause; `check --fix` applies those that are `safe`."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True


class Related(Struct, frozen=True):
    """Another place that a finding refers to, with a message.

    If the place has a finding of its own in the same clause, `code` is the code of that finding.
    """

    span: Span
    message: str
    code: str | None = None

    @property
    def words(self) -> str:
        """The message for formats that do not mark the place as a finding."""
        return self.message if self.code is None else f"also {self.code}: {self.message}"


class Diagnostic(Struct, frozen=True):
    """One finding; `span` is None if it is about the whole file."""

    code: str
    name: str
    severity: Severity
    message: str
    span: Span | None
    path: str
    notes: tuple[str, ...] = ()
    help: str | None = None
    fixes: tuple[Fix, ...] = ()
    related: tuple[Related, ...] = ()
    allowed_because: str | None = None
    part: str | None = None  # of the line that the finding is about, as the parser names it

    @property
    def phase(self) -> Phase:
        """The subject of the finding."""
        return CODES[self.code].phase

    @property
    def is_error(self) -> bool:
        """Whether the finding stops a run."""
        return self.severity is Severity.ERROR


def diagnose(
    code: Code,
    message: str,
    span: Span | None,
    *,
    path: str = "",
    notes: Sequence[str] = (),
    help: str | None = None,  # noqa: A002 - the word of the contract
    fixes: Sequence[Fix] = (),
    related: Sequence[Related] = (),
    part: str | None = None,
) -> Diagnostic:
    """Return a diagnostic with a declared code."""
    return Diagnostic(
        code.code,
        code.name,
        code.severity,
        message,
        span,
        span.path if span is not None else path,
        tuple(notes),
        help,
        tuple(fixes),
        tuple(related),
        part=part,
    )


def sorted_by_place(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sort by file and place; findings about a whole file come first."""

    def place(item: Diagnostic) -> tuple[str, int, int, str]:
        span = item.span
        return (item.path, span.start, span.end, item.code) if span else (item.path, -1, -1, "")

    return tuple(sorted(diagnostics, key=place))


def sorted_by_weight(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sort errors first, then by what a finding changes in the conclusion, then by place."""
    severities = list(Severity)

    def weight(item: Diagnostic) -> tuple[int, int]:
        if item.is_error:
            return 0, 0
        return severities.index(item.severity), CODES[item.code].changes.place

    return tuple(sorted(sorted_by_place(diagnostics), key=weight))


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Return whether any of the diagnostics stops a run."""
    return any(item.severity is Severity.ERROR for item in diagnostics)


def allowed(diagnostic: Diagnostic, because: str) -> Diagnostic:
    """Return the same finding, marked as accepted by the author for a reason."""
    return replace(diagnostic, allowed_because=because)
