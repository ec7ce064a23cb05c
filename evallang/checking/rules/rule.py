"""What a rule is: advice of the literature, as a function of a `Study` that finds objections.

A rule's docstring says what is wrong and why, then shows a study it objects to and one it
accepts; the conformance suite runs both. Its function is given what it reads of the study
and yields `Objection`s; the decorator declares its code.
"""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator

from evallang.diagnostics import Code, Diagnostic, Related, Severity, declare, diagnose
from evallang.frozen import frozen
from evallang.source import Span
from evallang.study import Study


@frozen
class Objection:
    """What a rule has against one line: a sentence, the line, and what to write instead."""

    message: str
    span: Span | None
    help: str | None = None
    notes: tuple[str, ...] = ()
    related: tuple[Related, ...] = ()


RuleFunction = Callable[[Study], Iterator[Objection]]


@frozen
class Rule:
    """One rule: its code (with name, reason, source) and its function."""

    code: Code
    find: RuleFunction


RULES: dict[str, Rule] = {}
SECTIONS = re.compile(
    r"(?P<summary>.*?)\n\n(?P<reason>.*?)\n\n"
    r"Objects to:\n\n(?P<wrong>.*?)\n\nAccepts:\n\n(?P<right>.*)",
    re.DOTALL,
)


def rule(
    code: str, *, source: str, severity: Severity = Severity.WARNING
) -> Callable[[RuleFunction], RuleFunction]:
    """Register the decorated function as a rule, named after it.

    Raises `ValueError` when its docstring lacks the two studies.
    """

    def decorate(function: RuleFunction) -> RuleFunction:
        found = SECTIONS.fullmatch((inspect.getdoc(function) or "").strip())
        if found is None:
            raise ValueError(f"rule {function.__name__} needs a reason and two studies")
        declared = declare(
            code,
            function.__name__,
            " ".join(found["summary"].split()),
            severity=severity,
            reason=" ".join(found["reason"].split()),
            wrong=inspect.cleandoc("    " + found["wrong"].strip("\n")),
            right=inspect.cleandoc("    " + found["right"].strip("\n")),
            source=source,
        )
        RULES[declared.name] = Rule(declared, function)
        return function

    return decorate


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


def diagnostic_of(code: Code, objection: Objection, path: str) -> Diagnostic:
    """Word an objection as a finding of its rule's code."""
    return diagnose(
        code,
        objection.message,
        objection.span,
        path=path,
        help=objection.help,
        notes=objection.notes,
        related=objection.related,
    )
