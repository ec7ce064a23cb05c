"""The author's template, which is code: what it must be, and the page that it makes.

It extends the template of the report and fills its blocks. It runs as any template of Jinja does,
so a run uses it only with consent, and results do not hold it.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
from jinja2 import nodes

BASE = "report.html.j2"
AUTHORS = "author.html.j2"
MOST_BYTES = 100_000


class TemplateError(Exception):
    """A template that cannot be rendered: why."""


def template_objection(text: str) -> tuple[str, str] | None:
    """Return why a template cannot be that of a report, and what to do; None where it can.

    It is parsed and not run.
    """
    try:
        tree = jinja2.Environment().parse(text)
    except jinja2.TemplateSyntaxError as error:
        return f"is not a template: {error.message} in line {error.lineno}", "correct this line"
    except ValueError as error:  # a number of 5,000 digits
        return f"is not a template: {str(error).partition(';')[0]}", "write shorter numbers"
    except RecursionError:
        return "is nested too deeply", "write its expressions and blocks with fewer levels"
    extended = [node for node in tree.body if isinstance(node, nodes.Extends)]
    if len(extended) != 1 or getattr(extended[0].template, "value", None) != BASE:
        return (
            "does not extend the template of the report",
            f'begin it with `{{% extends "{BASE}" %}}`',
        )
    for node in tree.body:
        if isinstance(node, nodes.Block) and node.name not in _blocks():
            *others, last = (f"`{name}`" for name in _blocks())
            return (
                f"fills the block `{node.name}` in line {node.lineno}, which the template of the "
                "report does not have",
                f"its blocks are {', '.join(others)} and {last}",
            )
    return None


@cache
def _blocks() -> tuple[str, ...]:
    """Return the blocks of the template of the report, in their order."""
    text = (files("evallang.templates") / BASE).read_text(encoding="utf-8")
    found = jinja2.Environment().parse(text).find_all(nodes.Block)
    return tuple(block.name for block in sorted(found, key=lambda block: block.lineno))


def render_authors(environment: Any, values: Mapping[str, Any]) -> str:
    """Return the page that an author's template makes of ours; raises `TemplateError`."""
    try:
        page: str = environment.get_template(AUTHORS).render(**values)
    except jinja2.TemplateError as error:
        raise TemplateError(str(error).rstrip(".")) from error
    except Exception as error:  # whatever its expressions do
        raise TemplateError(f"{type(error).__name__}: {error}") from error
    return page
