"""What a rule is: advice of the literature, as a function of a `Study` that finds objections.

A rule's docstring says what is wrong and why, then shows a study it objects to and one it
accepts; the conformance suite runs both. Its function takes the study as it is written and
yields `Objection`s. Where data or splits may show more, the decorator declares at which
later stage the rule runs once more, and with what.
"""

import importlib
import pkgutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import TypeVar

from msgspec import Struct, field

from evallang.checking.rules.examples import Examples, counted
from evallang.data.dataset import GivenOutcomes, ScoreTable
from evallang.data.row_rules.row_rule import load_row_rules
from evallang.diagnostics import Changes, Code, Diagnostic, Phase, Related, Severity, diagnose
from evallang.diagnostics.documented import declare_documented
from evallang.protocols.protocol import Split, Yields
from evallang.source import Span
from evallang.study import Protocol, Study


class Objection(Struct, frozen=True):
    """What a rule has against one line: a sentence, the line, and what to write instead."""

    message: str
    span: Span | None
    help: str | None = None
    notes: tuple[str, ...] = ()
    related: tuple[Related, ...] = ()


class Stage(StrEnum):
    """When a rule runs once more: when the data are read, and when a protocol is planned."""

    DATA = "data"
    PLAN = "plan"


class Known(Struct, frozen=True):
    """What is known of a study at a stage.

    Attributes
    ----------
    study : as it is written; of data that were read, with the data sets found as its sources
    examples : tested examples that are counted
    classes : the number of classes of each data set
    assigned : what folds assigned by the author yield, by data set
    protocol : the protocol that was planned, on one data set
    splits : its splits there
    imported, score_tables : outcomes and tables of scores as they were read
    """

    study: Study
    examples: tuple[Examples, ...] = ()
    classes: Mapping[str, int] = field(default_factory=dict)
    assigned: Mapping[str, Yields] = field(default_factory=dict)
    protocol: Protocol | None = None
    splits: Sequence[Split] = ()
    imported: Sequence[GivenOutcomes] = ()
    score_tables: Sequence[ScoreTable] = ()


Function = TypeVar("Function", bound=Callable[..., Iterator[Objection]])


class Rule(Struct, frozen=True):
    """One rule: its code (with name, reason, source), its function, when it runs once more.

    `may_object` returns whether anything can be found then that is not found as written.
    """

    code: Code
    find: Callable[..., Iterator[Objection]]
    at: tuple[Stage, ...] = ()
    may_object: Callable[[Study], bool] | None = None

    def objections(self, known: Known) -> Iterator[Objection]:
        """Iterate over what the rule has against a study, as far as it is known."""
        return self.find(known if self.at else known.study)

    def waits(self, study: Study) -> bool:
        """Return whether the rule may object later to what it accepts as written."""
        return bool(self.at) and (self.may_object is None or self.may_object(study))


RULES: dict[str, Rule] = {}


def rule(
    code: str,
    *,
    source: str,
    severity: Severity = Severity.WARNING,
    changes: Changes = Changes.READING,
    at: tuple[Stage, ...] = (),
    may_object: Callable[[Study], bool] | None = None,
) -> Callable[[Function], Function]:
    """Register the decorated function as a rule, named after it.

    It takes the study; one that runs once more `at` a stage takes what is `Known`. Raises
    `ValueError` when its docstring lacks the two studies.
    """

    def decorate(function: Function) -> Function:
        declared = declare_documented(
            code,
            function,
            source=source,
            severity=severity,
            phase=Phase.ADVICE,
            changes=changes,
        )
        RULES[declared.name] = Rule(declared, function, at, may_object)
        return function

    return decorate


@cache
def load_rules() -> None:
    """Import every module of this folder, so that `RULES` is complete."""
    package = importlib.import_module(__package__ or "")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")


def advise(study: Study) -> list[Diagnostic]:
    """Ask every rule about a study as it is written."""
    load_rules()
    known = Known(study, counted(study))
    return [
        _diagnostic(found.code, objection, study.path)
        for found in RULES.values()
        for objection in found.objections(known)
    ]


def advise_later(stage: Stage, study: Study, known: Known) -> list[Diagnostic]:
    """Ask the rules of a later stage; what they object to as written is not repeated."""
    load_rules()
    written, diagnostics = Known(study, counted(study)), []
    for found in RULES.values():
        if stage not in found.at or not found.waits(study):
            continue
        before = {objection.span for objection in found.objections(written)}
        diagnostics += [
            _diagnostic(found.code, objection, study.path)
            for objection in found.objections(known)
            if objection.span not in before
        ]
    return diagnostics


def left_open(study: Study) -> Collection[str]:
    """Return the names of the rules that may object once the data are read."""
    load_rules()
    return [name for name, found in RULES.items() if found.waits(study)]


def _diagnostic(code: Code, found: Objection, path: str) -> Diagnostic:
    return diagnose(
        code,
        found.message,
        found.span,
        path=path,
        help=found.help,
        notes=found.notes,
        related=found.related,
    )


def load_codes() -> None:
    """Import every rule, so that `CODES` is complete."""
    load_rules()
    load_row_rules()
