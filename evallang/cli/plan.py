"""`evallang plan`."""

from typing import Any

import click

from evallang.cli.settings import limit_option
from evallang.cli.terminal import read_study, show, write, write_json


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
@limit_option
def command(file: str, layout: str, settings: tuple[str, ...]) -> int:
    """Show the resolved protocol with every default, the graph and the number of fits.

    Reads the data; if they are missing, shows the parts that do not depend on them.
    """
    from evallang.api import StudyError, read_and_plan
    from evallang.cli.settings import overrides, remind
    from evallang.engine.build_results import data_records
    from evallang.planning.plan import to_plain

    study = read_study(file, overrides(settings))
    try:
        prepared = read_and_plan(study, missing_is_fine=True)
    except StudyError as error:
        show(error.diagnostics, error.sources)
        remind(settings)
        return 1
    show(prepared.diagnostics, study.checked.sources)
    data = data_records(prepared.study, prepared.read)
    document = to_plain(prepared.planned.plan, data)
    document["paths_taken"] = list(prepared.paths_taken)
    if layout == "json":
        write_json(document)
    elif layout == "text":
        from evallang.cli.plan_text import plan_lines

        write(*plan_lines(prepared))
    else:
        write(*_graph(document["tasks"], layout))
    return 0


MERMAID_LIMIT = 500  # nodes; a larger graph is unreadable


def _graph(tasks: list[dict[str, Any]], layout: str) -> list[str]:
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
    return lines


def _quoted(text: str) -> str:
    return text.replace("\\", "/").replace('"', "'").replace("\n", " ")
