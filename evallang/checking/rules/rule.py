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
from typing import TYPE_CHECKING

from msgspec import Struct, field

from evallang.checking.rules.examples import Examples
from evallang.diagnostics import Changes, Code, Diagnostic, Phase, Related, Severity, diagnose
from evallang.diagnostics.documented import declare_documented
from evallang.protocols.protocol import Split, Yields
from evallang.source import Span
from evallang.study import Protocol, Study

if TYPE_CHECKING:
    from evallang.data.read_sources import ReadSources


class Objection(Struct, frozen=True):
    """What a rule has against one line: a sentence, the line, and what to write instead."""

    message: str
    span: Span | None
    help: str | None = None
    notes: tuple[str, ...] = ()
    related: tuple[Related, ...] = ()


RuleFunction = Callable[[Study], Iterator[Objection]]


class Stage(StrEnum):
    """When a rule runs: on the study as written, once its data are read, once it is planned."""

    STUDY = "study"
    DATA = "data"
    PLAN = "plan"


class Known(Struct, frozen=True):
    """What a later stage knows in addition to the study as written.

    Attributes
    ----------
    read : the study with the data sets that were found as its sources
    examples : tested examples that the study itself does not count
    classes : the number of classes of each data set
    assigned : what folds assigned by the author yield, by data set
    protocol : the protocol that was planned, on one data set
    splits : its splits there
    sources : the data as they were read
    """

    read: Study
    examples: tuple[Examples, ...] = ()
    classes: Mapping[str, int] = field(default_factory=dict)
    assigned: Mapping[str, Yields] = field(default_factory=dict)
    protocol: Protocol | None = None
    splits: Sequence[Split] = ()
    sources: "ReadSources | None" = None


def _always(study: Study) -> bool:
    return True


class Later(Struct, frozen=True):
    """A stage at which a rule runs once more.

    `find` takes the function of the rule, the study as written and what is known;
    `may_object` returns whether anything can be found then that is not found before.
    """

    stage: Stage
    find: Callable[[RuleFunction, Study, Known], Iterator[Objection]]
    may_object: Callable[[Study], bool] = _always


class Rule(Struct, frozen=True):
    """One rule: its code (with name, reason, source), its function, its later stages."""

    code: Code
    find: RuleFunction
    later: tuple[Later, ...] = ()


RULES: dict[str, Rule] = {}


def rule(
    code: str,
    *,
    source: str,
    severity: Severity = Severity.WARNING,
    changes: Changes = Changes.READING,
    later: tuple[Later, ...] = (),
) -> Callable[[RuleFunction], RuleFunction]:
    """Register the decorated function as a rule, named after it.

    Raises `ValueError` when its docstring lacks the two studies.
    """

    def decorate(function: RuleFunction) -> RuleFunction:
        declared = declare_documented(
            code,
            function,
            source=source,
            severity=severity,
            phase=Phase.ADVICE,
            changes=changes,
        )
        RULES[declared.name] = Rule(declared, function, later)
        return function

    return decorate


@cache
def load_rules() -> None:
    """Import every module of this folder, so that `RULES` is complete."""
    package = importlib.import_module(__package__ or "")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")


def advise(study: Study) -> list[Diagnostic]:
    """Ask every rule about a study."""
    load_rules()
    return [
        diagnostic_of(found.code, objection, study.path)
        for found in RULES.values()
        for objection in found.find(study)
    ]


def advise_later(stage: Stage, study: Study, known: Known) -> list[Diagnostic]:
    """Ask the rules that run at a later stage."""
    load_rules()
    return [
        diagnostic_of(found.code, objection, study.path)
        for found in RULES.values()
        for later in found.later
        if later.stage is stage and later.may_object(study)
        for objection in later.find(found.find, study, known)
    ]


def left_open(study: Study) -> Collection[str]:
    """Return the names of the rules that may object once the data are read."""
    load_rules()
    return [
        name
        for name, found in RULES.items()
        if any(later.may_object(study) for later in found.later)
    ]


def diagnostic_of(code: Code, objection: Objection, path: str) -> Diagnostic:
    """Phrase an objection as a finding of its rule's code."""
    return diagnose(
        code,
        objection.message,
        objection.span,
        path=path,
        help=objection.help,
        notes=objection.notes,
        related=objection.related,
    )
