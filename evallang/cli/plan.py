"""`evallang plan`."""

import sys
from typing import Any

import click

from evallang.cli.settings import (
    PATH,
    layout_option,
    limit_option,
    network_option,
    set_option,
    shows_errors,
    store_option,
)
from evallang.cli.terminal import columns, read_study, show, tell, write, write_json


@click.command("plan", epilog="Example: evallang plan study.eval --format json")
@click.argument("file", type=PATH, metavar="FILE")
@layout_option("How to write the plan.", "mermaid", "dot")
@set_option
@store_option
@network_option
@limit_option
@shows_errors
def command(file: str, layout: str, settings: tuple[str, ...], store: str | None) -> int:
    """Show the resolved protocol with every default, the graph and the number of fits.

    Reads the data; if they are missing, shows the parts that do not depend on them. States which
    fits the store has, why it lacks the others, and how long they will take, judged by past runs.
    """
    from evallang.api import read_and_plan
    from evallang.api.preparing import with_store
    from evallang.cli.settings import overrides
    from evallang.engine.build_results import data_records, model_records
    from evallang.planning.plan import to_plain
    from evallang.results.codec import to_plain as plain

    study = read_study(file, overrides(settings))
    prepared = with_store(read_and_plan(study, missing_is_fine=True), study, store)
    show(prepared.diagnostics, study.checked.sources)
    tell(*prepared.planned.plan.notes)
    data = data_records(prepared.study, prepared.read)
    document = to_plain(prepared.planned.plan, data)
    document["paths_taken"] = list(prepared.paths_taken)
    document["joined_parts"] = [
        {"text": given.joined.text, **plain(given.joined)}
        for given in prepared.read.imported
        if given.joined is not None
    ]
    document["looks"] = prepared.study.looks
    models = model_records(prepared.study, prepared.read)
    document["stored_models"] = [
        {"name": model.name, **plain(model.stored)} for model in models if model.stored is not None
    ]
    if layout == "json":
        write_json(document)
    elif layout == "text":
        from evallang.cli.plan_text import plan_lines

        write(*plan_lines(prepared, columns() if sys.stdout.isatty() else None))
    else:
        write(*_graph(document["tasks"], layout))
    return 0


MOST_NODES = 500  # a larger graph is unreadable


def _graph(tasks: list[dict[str, Any]], layout: str) -> list[str]:
    """Draw the graph, one node for each kind, data set, protocol and model."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    owner: dict[str, tuple[Any, ...]] = {}
    edges: set[tuple[tuple[Any, ...], tuple[Any, ...]]] = set()
    for task in tasks:
        group = (task["kind"], task["data"], task["protocol"], task["model"])
        groups.setdefault(group, []).append(task)
        if task["key"]:
            owner[task["key"]] = group
    for group, members in groups.items():
        edges |= {(owner[key], group) for task in members for key in task["needs"] if key in owner}
    number = {group: i for i, group in enumerate(list(groups)[:MOST_NODES])}
    wires = sorted((number[a], number[b]) for a, b in edges if a in number and b in number)
    more = len(groups) - len(number)
    if layout == "mermaid":
        lines = ["flowchart LR"]
        lines += [f'  n{i}["{_mermaid_text(_label(g, groups[g]))}"]' for g, i in number.items()]
        lines += [f"  n{a} --> n{b}" for a, b in wires]
        return [*lines, *([f"  %% and {more:,} more nodes"] if more else [])]
    lines = ["digraph plan {", "  rankdir=LR;", "  node [shape=box];"]
    lines += [f'  n{i} [label="{_dot_text(_label(g, groups[g]))}"];' for g, i in number.items()]
    lines += [f"  n{a} -> n{b};" for a, b in wires]
    return [*lines, *([f"  // and {more:,} more nodes"] if more else []), "}"]


def _label(group: tuple[Any, ...], members: list[dict[str, Any]]) -> str:
    text = " ".join(str(part) for part in group if part)
    tasks = sum(task.get("n_tasks", 1) for task in members)
    fits = sum(task["n_fits"] for task in members)
    counted = [f"{n:,} {noun}" for n, noun in ((fits, "fits"), (tasks, "tasks")) if n > 1][:1]
    kept = ["in the store"] if all(task["cached"] for task in members) else []
    facts = [*counted, *kept]
    return f"{text} ({', '.join(facts)})" if facts else text


def _mermaid_text(text: str) -> str:
    """Write every sign that Mermaid or HTML would read as an entity of its number."""
    plain = " ".join(text.split())
    return "".join(f"#{ord(sign)};" if sign in '"#<>&`\\;' else sign for sign in plain)


def _dot_text(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
