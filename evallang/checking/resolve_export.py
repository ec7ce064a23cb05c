"""`export` lines: which model is fitted on everything, and where it is written."""

import re

from evallang.checking.clause_values import column_name
from evallang.checking.scope import Scope, suggestion
from evallang.diagnostics import Related, codes
from evallang.printable import printable
from evallang.spelling import Words
from evallang.study import ExportSpec
from evallang.syntax import nodes as n
from evallang.syntax.formatter import format_node

ENDING = ".skops"
PICKLES = (".pkl", ".pickle", ".joblib", ".sav")


def resolve_exports(scope: Scope) -> tuple[ExportSpec, ...]:
    """Resolve every `export` line, in order; a faulty one is excluded after its reports."""
    nodes = scope.of(n.ExportNode)
    if nodes and not _one_data_set(scope, nodes[0]):
        return ()
    found: dict[str, ExportSpec] = {}  # by paths without case: where folders ignore it
    names = Words((*scope.models, "best"))
    for node in nodes:
        name = _model(scope, node, names)
        path = _path(scope, node, name)
        if name is None or path is None:
            continue
        twice = found.get(path.casefold())
        if twice is not None and twice.model == (None if node.model is None else name):
            message = f"`{name}` is exported to `{path}` twice"
            scope.report_twice(codes.export_twice, message, node.span, twice.span)
            continue
        if twice is not None:
            scope.report(
                codes.export_twice,
                f"two models would be written to `{path}`"
                if twice.path == path
                else f"`{twice.path}` and `{path}` are one file where case does not count",
                node.span,
                help='give each a file of its own: `export MODEL to "NAME.skops"`',
                related=[] if twice.span is None else [Related(twice.span, "the first is here")],
            )
            continue
        source = format_node(node).strip()
        model = None if node.model is None else name
        found[path.casefold()] = ExportSpec(model, path, source, node.span)
    return tuple(found.values())


def _one_data_set(scope: Scope, first: n.ExportNode) -> bool:
    """Return whether there is one table to fit on; a glob is counted once it is read."""
    tables = scope.of(n.DataNode)
    if len(tables) > 1:
        names = [f"`{table.name.name}`" for table in tables]
        scope.refuse(
            "several_data_sets_to_export", first.span, others=", ".join(names[:-1]), last=names[-1]
        )
    elif scope.sources and not tables:
        scope.refuse("nothing_to_export", first.span)
    return len(tables) == 1


def _model(scope: Scope, node: n.ExportNode, names: Words) -> str | None:
    """Return the model's name, or `best`; None after a report."""
    fitted = [name for name, model in scope.models.items() if model.folder is None]
    stored = [name for name in scope.models if name not in (*fitted, *scope.live)]
    name = "best" if node.model is None else column_name(node.model)
    place = node.span if node.model is None else node.model.span
    if name in stored or (node.model is None and stored):
        what = (
            f"`{name}` cannot be exported" if node.model else f"the best model may be `{stored[0]}`"
        )
        scope.refuse(
            "stored_model_exported",
            place,
            help=f"write `export {fitted[0]}`" if fitted else None,
            what=what,
        )
        return None
    if name in scope.models or node.model is None:
        return name if scope.models else None
    text, fixes = suggestion(name, place, names)
    scope.refuse("no_model_to_export", place, help=text, name=name, fixes=fixes)
    return None


def _path(scope: Scope, node: n.ExportNode, name: str | None) -> str | None:
    """Return the path in its shortest form; None after a report."""
    if node.path is None:
        if name is None:
            return None
        path = name + ENDING
        scope.default(f"export {name} to", path, "export", "to", subject=name)
        return path
    written = node.path.value
    objection = path_objection(written)
    if not written.strip():
        objection = "is empty", f'write `to "{name or "MODEL"}{ENDING}"`, or remove `to`'
    if objection is not None:
        shown = f"`{written}`" if written.strip() else "the path"
        message, place = f"{shown} {objection[0]}", node.path.span
        scope.report(codes.export_path, message, place, help=objection[1])
        return None
    return "/".join(part for part in written.split("/") if part not in ("", "."))


def path_objection(path: str) -> tuple[str, str] | None:
    """Return why no model may be written to a path, and what to write; None where it may."""
    name = path.rsplit("/", 1)[-1]
    inside = "name a file in the study's own folder, such as `models/best.skops`"
    outside = outside_objection(path, "a model is written to a file", inside)
    if outside is not None:
        return outside
    if not name.lower().endswith(ENDING) or len(name) == len(ENDING):
        stem = name.removesuffix(ENDING).rpartition(".")[0] or name.removesuffix(ENDING) or "model"
        pickled = name.lower().endswith(PICKLES)
        return (
            "is not a name of a skops file" + (": models are never pickled" if pickled else ""),
            f"write `{path.removesuffix(name)}{stem}{ENDING}`; skops files hold no code and can be "
            "looked into",
        )
    return None


_DRIVE = re.compile(r"[A-Za-z]:")


def outside_objection(path: str, written: str, inside: str) -> tuple[str, str] | None:
    """Return why nothing may be written to a path, and what to write; None where it may.

    `written` says what would be ("a model is written to a file"), `inside` what to write
    in its place.
    """
    if "://" in path:
        return f"is an address, and {written}", inside
    if path.startswith(("/", "~")) or _DRIVE.match(path):
        return "is outside the study's folder", inside
    if "\\" in path:
        return "has backslashes", "write `/` between folders"
    if ".." in path.split("/"):
        return "is outside the study's folder", inside
    if printable(path) != path:
        return "has a sign that cannot be printed", inside
    return None
