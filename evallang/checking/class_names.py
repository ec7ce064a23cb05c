"""What a class was meant that the catalogue does not have."""

from collections.abc import Collection

from evallang.checking.scope import Scope, suggestion
from evallang.diagnostics import Fix
from evallang.models.catalogue import CATALOGUE
from evallang.syntax import nodes as n

SHORTEST_BEGINNING = 5  # letters that tell a class: `Decis`, not `SV`


def meant_class(
    scope: Scope, name: n.NameNode, unfinished: Collection[str]
) -> tuple[str | None, list[Fix]]:
    """Give the help text and the fix for a step of a pipeline that nothing is called.

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
