"""`evallang plan`."""

import json
from fractions import Fraction
from typing import Any

import click

from evallang.cli.terminal import show, study_path


@click.command("plan", epilog="Example: evallang plan study.eval --format json")
@click.argument("file", metavar="FILE")
@click.option(
    "--format",
    "layout",
    type=click.Choice(["text", "json", "mermaid", "dot"]),
    default="text",
    help="How to write the plan.",
)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Set a `let`.")
def command(file: str, layout: str, settings: tuple[str, ...]) -> int:
    """Show the resolved protocol with every default, the graph and the number of fits.

    Reads the data; where they are missing, gives what does not depend on them.
    """
    from evallang.api import StudyError, open_study, read_and_plan
    from evallang.cli.settings import overrides
    from evallang.planning.plan import to_plain

    study = open_study(study_path(file), overrides(settings))
    try:
        prepared = read_and_plan(study, missing_is_fine=True)
    except StudyError as error:
        show(error.diagnostics, error.sources)
        return 1
    show(prepared.diagnostics, study.checked.sources)
    document = to_plain(prepared.planned.plan)
    if layout == "json":
        click.echo(json.dumps(document, indent=1, ensure_ascii=False))
    elif layout == "text":
        click.echo(_text(study.meant.title if study.meant else file, document), nl=False)
    else:
        click.echo(_graph(document["tasks"], layout), nl=False)
    return 0


def _text(title: str, plan: dict[str, Any]) -> str:
    lines = [title, ""]
    lines.append("Protocols")
    for protocol in plan["protocols"]:
        options = " ".join(f"{k}={_value(v)}" for k, v in protocol["options"].items())
        words = protocol["kind"].replace("_", " ") if protocol["kind"] != "5x2cv" else "5x2cv"
        line = f"  {protocol['name']}: {words} {options}".rstrip()
        if protocol["stratify"]:
            line += f", stratified by {protocol['stratify']}"
        if protocol["group"]:
            line += f", grouped by {protocol['group']}"
        lines.append(line)
        if protocol["n_splits"] is not None:
            fits = "" if protocol["n_fits"] is None else f", {protocol['n_fits']:,} fits"
            lines.append(f"    {protocol['n_splits']:,} splits{fits}")
        if protocol["implied_by"]:
            lines.append(f"    implied by: {protocol['implied_by']}")
    if not plan["protocols"]:
        lines.append("  none: the outcomes are given")
    lines += ["", "Defaults (not written in the study)"]
    width = max((len(d["clause"]) for d in plan["defaults"]), default=0)
    lines += [f"  {d['clause']:<{width}}  {_value(d['value'])}" for d in plan["defaults"]]
    lines += ["", "Work"]
    if plan["n_fits"] is None:
        lines.append("  the data could not be read, so the number of fits is not known")
    else:
        lines.append(f"  {plan['n_fits']:,} fits")
        if plan["n_fits_naive"] != plan["n_fits"]:
            lines.append(f"  {plan['n_fits_naive']:,} if every pairwise test fitted its own models")
    kinds: dict[str, int] = {}
    for task in plan["tasks"]:
        kinds[task["kind"]] = kinds.get(task["kind"], 0) + 1
    lines.append("  tasks: " + ", ".join(f"{n:,} {kind}" for kind, n in kinds.items()))
    return "\n".join(lines) + "\n"


def _value(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "none", True: "true", False: "false"}[value]
    if isinstance(value, float):
        near = Fraction(value).limit_denominator(100)
        exact = f"{value:.12g}"
        return str(near) if len(exact) > 8 and float(near) == value else exact
    return str(value)


MERMAID_LIMIT = 500  # nodes; a larger graph is no picture any more


def _graph(tasks: list[dict[str, Any]], layout: str) -> str:
    """Draw the graph, one node for each kind, data set, protocol and model."""
    groups: dict[tuple[Any, ...], int] = {}
    owner: dict[str, tuple[Any, ...]] = {}
    edges: set[tuple[tuple[Any, ...], tuple[Any, ...]]] = set()
    for task in tasks:
        group = (task["kind"], task["data"], task["protocol"], task["model"])
        groups[group] = groups.get(group, 0) + 1
        if task["key"]:
            owner[task["key"]] = group
    for task in tasks:
        group = (task["kind"], task["data"], task["protocol"], task["model"])
        edges |= {(owner[key], group) for key in task["needs"] if key in owner}
    number = {group: i for i, group in enumerate(list(groups)[:MERMAID_LIMIT])}
    label = {
        group: " ".join(str(part) for part in group if part)
        + (f" ({groups[group]})" if groups[group] > 1 else "")
        for group in number
    }
    wires = sorted((number[a], number[b]) for a, b in edges if a in number and b in number)
    if layout == "mermaid":
        lines = ["flowchart LR"]
        lines += [f'  n{i}["{_quoted(label[group])}"]' for group, i in number.items()]
        lines += [f"  n{a} --> n{b}" for a, b in wires]
    else:
        lines = ["digraph plan {", "  rankdir=LR;", "  node [shape=box];"]
        lines += [f'  n{i} [label="{_quoted(label[group])}"];' for group, i in number.items()]
        lines += [f"  n{a} -> n{b};" for a, b in wires]
        lines.append("}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return text.replace("\\", "/").replace('"', "'").replace("\n", " ")
