"""The classes of the catalogue by their names, and which was meant where none is called so."""

from collections.abc import Collection

from evallang.checking.scope import Scope, suggestion
from evallang.diagnostics import Fix, codes
from evallang.models.catalogue import CATALOGUE, ClassEntry, unavailable
from evallang.syntax import nodes as n

SHORTEST_BEGINNING = 5  # letters that tell a class: `Decis`, not `SV`


class Broken(Exception):
    """A value that was reported; nothing that depends on it is reported again."""


def known_class(scope: Scope, name: n.NameNode, unfinished: Collection[str]) -> ClassEntry:
    """Find a class of the catalogue; raises `Broken` after a report."""
    written = name.name
    entry = CATALOGUE.get("Pipeline" if written == "make_pipeline" else written)
    if entry is None:
        text, fixes = _meant(scope, name, unfinished)
        scope.report(
            codes.unknown_class,
            f"there is no class `{written}` in the catalogue",
            name.span,
            help=text or "`evallang list models` lists all of them",
            fixes=fixes,
        )
        raise Broken
    refused = entry.refused or unavailable(entry)
    if refused:
        scope.report(
            codes.refused_parameter if entry.refused else codes.unknown_class,
            f"`{written}` {refused}",
            name.span,
        )
        raise Broken
    return entry


def _meant(
    scope: Scope, name: n.NameNode, unfinished: Collection[str]
) -> tuple[str | None, list[Fix]]:
    """Return the help text and the fix for a step of a pipeline that nothing is called.

    `unfinished` are the names that are being defined, none of which can be a step of itself.
    """
    written = name.name
    text, fixes = suggestion(written, name.span, scope.steps, "class")
    if any(text == f"did you mean `{other}`?" for other in unfinished):
        known = [step for step in scope.steps if step not in unfinished]
        text, fixes = suggestion(written, name.span, known, "class")
    if text is not None:
        return text, fixes
    whole = f"{written}Classifier"
    if whole not in CATALOGUE and len(written) >= SHORTEST_BEGINNING:
        whole = next((known for known in CATALOGUE if known.startswith(written)), whole)
    return (f"did you mean `{whole}`?" if whole in CATALOGUE else None), []
