"""The author's template: what it may be, and how it is rendered without trusting it.

It extends the template of the report and fills its blocks. It runs in Jinja's sandbox, sees only
the document, and can neither load files nor change the policy that keeps a page from loading
anything; loops and texts have limits.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from evallang.registry import lazy
from evallang.reporting.style_sheets import style_objection

jinja2 = lazy("jinja2")
nodes = lazy("jinja2.nodes")
sandbox = lazy("jinja2.sandbox")
tinyhtml5 = lazy("tinyhtml5")

BASE = "report.html.j2"
AUTHORS = "the author's template"
MOST_BYTES = 100_000
MOST_TURNS = 100_000
"""Turns of all loops of the author's template together."""
MOST_CHARACTERS = 5_000_000
"""Characters that its expressions print together."""

FILTERS = frozenset(
    re.findall(
        r"\w+",
        "abs batch capitalize d default e escape first float int items join last length list lower "
        "map max min reject rejectattr round select selectattr sort string sum title trim unique "
        "upper exact unbroken inline_svg data_uri",
    )
)
"""Filters that cannot make a text of any size."""
REFUSED = ("script", "iframe", "object", "embed", "base", "link", "form", "frame", "frameset")
"""Elements that run, load or replace something."""
LOADING = ("src", "srcset", "poster", "data", "background", "action")
"""Attributes with an address that a page loads."""


class TemplateError(Exception):
    """A template that cannot be rendered: why, and what to do."""


def template_objection(text: str) -> tuple[str, str] | None:
    """Return why a template cannot be that of a report, and what to do; None where it can."""
    try:
        tree = jinja2.Environment().parse(text)
    except jinja2.TemplateSyntaxError as error:
        return f"is not a template: {error.message} in line {error.lineno}", "correct this line"
    extended = [node for node in tree.body if isinstance(node, nodes.Extends)]
    one = len(extended) == 1 and getattr(extended[0].template, "value", None) == BASE
    if not one or len(list(tree.find_all(nodes.Extends))) != 1:
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
    for kind in (nodes.Include, nodes.Import, nodes.FromImport):
        for node in tree.find_all(kind):
            return (
                f"reads another template in line {node.lineno}",
                "copy what it needs into the file",
            )
    for node in tree.find_all((nodes.Concat, nodes.Pow, nodes.Mul, nodes.Mod)):
        return (
            f"computes with an operator in line {node.lineno} that can make a text of any size",
            "print the parts next to each other, as in `{{ a }}{{ b }}`",
        )
    for node in tree.find_all(nodes.Filter):
        if node.name is not None and node.name not in FILTERS:
            return (
                f"uses the filter `{node.name}` in line {node.lineno}",
                "remove it; filters that order, choose, count and escape are there",
            )
    return None


@cache
def _blocks() -> tuple[str, ...]:
    """Return the blocks of the template of the report, in their order."""
    text = (files("evallang.templates") / BASE).read_text(encoding="utf-8")
    found = jinja2.Environment().parse(text).find_all(nodes.Block)
    return tuple(block.name for block in sorted(found, key=lambda block: block.lineno))


def render_authors(
    text: str, sources: Mapping[str, str], filters: Mapping[str, Any], values: Mapping[str, Any]
) -> str:
    """Return the page that an author's template makes of ours; raises `TemplateError`."""
    if template_objection(text) is not None:
        raise TemplateError("it does not only extend the template of the report")
    made = _environment(text, sources, filters)
    try:
        page: str = made.get_template(AUTHORS).render(**values)
    except TemplateError:
        raise
    except jinja2.TemplateError as error:
        raise TemplateError(str(error).rstrip(".")) from error
    except Exception as error:  # whatever its expressions do
        raise TemplateError(f"{type(error).__name__}: {error}") from error
    _refuse_elements(page, str(values["script"]) if values["medium"] == "screen" else None)
    return page


def _environment(text: str, sources: Mapping[str, str], filters: Mapping[str, Any]) -> Any:
    turns, printed = 0, 0

    def turn() -> str:
        nonlocal turns
        turns += 1
        if turns > MOST_TURNS:
            raise TemplateError(f"its loops have more than {MOST_TURNS:,} turns")
        return ""

    class Sandbox(sandbox.ImmutableSandboxedEnvironment):  # type: ignore[misc, name-defined]
        """Jinja's sandbox, in which no text has methods and loops are counted."""

        def _parse(self, source: str, name: str | None, filename: str | None) -> Any:
            tree = super()._parse(source, name, filename)
            if name == AUTHORS:
                for loop in list(tree.find_all(nodes.For)):
                    call = nodes.Call(nodes.Name("turn", "load"), [], [], None, None)
                    loop.body.insert(0, nodes.Output([call]).set_lineno(loop.lineno))
                tree.set_environment(self)
            return tree

        def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
            plain = not isinstance(obj, str | int | float | list | dict | tuple)
            return bool(plain and super().is_safe_attribute(obj, attr, value))

    def counted(value: Any) -> Any:
        nonlocal printed
        printed += len(value) if isinstance(value, str) else 20
        if printed > MOST_CHARACTERS:
            raise TemplateError(f"it prints more than {MOST_CHARACTERS:,} characters")
        return value

    made = Sandbox(
        loader=jinja2.DictLoader({**sources, AUTHORS: text}),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=counted,
    )
    made.globals = {
        "turn": turn,
        "namespace": made.globals["namespace"],
        "range": made.globals["range"],
    }
    made.filters.update(filters)
    return made


def _refuse_elements(page: str, script: str | None) -> None:
    """Refuse a page with an element that loads or runs something; raises `TemplateError`."""
    root = tinyhtml5.parse(page, namespace_html_elements=False)
    for element in root.iter():
        name = element.tag if isinstance(element.tag, str) else ""
        ours = name == "script" and (
            element.get("type") == "application/json" or (element.text or "") == script
        )
        if name in REFUSED and not ours:
            raise TemplateError(f"it makes an element `{name}`")
        if name == "meta" and (element.get("http-equiv") or "").lower() == "refresh":
            raise TemplateError("it leads to another page")
        if name == "style" and (objection := style_objection(element.text or "")) is not None:
            raise TemplateError(f"it makes a style sheet that {objection[0]}")
        for attribute, value in element.attrib.items():
            address = str(value).strip().lower()
            if attribute == "style" and style_objection(f"a {{ {value} }}") is not None:
                raise TemplateError("it makes a style that loads something or is not CSS")
            if attribute.lower().startswith("on"):
                raise TemplateError(f"it makes an attribute `{attribute}`")
            loads = attribute in LOADING or (
                attribute.endswith("href") and name not in ("a", "area")
            )
            if loads and not address.startswith(("data:", "#")):
                raise TemplateError(f"it loads `{value}`")
            if attribute == "href" and address.startswith(("javascript:", "data:", "vbscript:")):
                raise TemplateError("it has a link that runs something")
