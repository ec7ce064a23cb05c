"""A document as HTML: one file for the screen, and the page that the PDF is made from."""

import base64
import hashlib
import json
import re
import traceback
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import jinja2
import markupsafe
from jinja2 import nodes
from msgspec import Struct

from evallang.printable import ISOLATE, POP_ISOLATE
from evallang.reporting import fonts
from evallang.reporting.document import Block, Document, Figure, Panel, Section, Table
from evallang.reporting.figures.figure import COLOURS, LEAST_SIZE, smallest_text
from evallang.reporting.long_tables import has_long_word, keeps_names_of_rows
from evallang.reporting.numbering import number
from evallang.reporting.sentences import StatedUndefined

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
    except Exception as error:  # whatever its expressions do
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == AUTHORS]
        said = str(error).rstrip(".")
        if not isinstance(error, jinja2.TemplateError):
            said = f"{type(error).__name__}: {said}"
        raise TemplateError(f"line {lines[-1]}: {said}" if lines else said) from error
    return page


Medium = Literal["screen", "print"]
ROOM = {"screen": 500, "print": 50}
"""How many rows of a long table the media show."""
ISOLATED = re.compile(f"{ISOLATE}([^{ISOLATE}{POP_ISOLATE}]*){POP_ISOLATE}")
OPAQUE = re.compile(r"<(script|style|svg|title)\b")  # elements in which an element is not text
LEADING_POINT = re.compile(r"(?<!\w)\.(?=\d)")
NAMES = re.compile(r"(?<=[^\W\d_])–(?=([^\W\d_]))")
SPACE_BEFORE_ELEMENT = re.compile(r"(?<=[^\s>])(\s+)(?=<(?:a|b|code|em|i|span|strong|sub|sup)\b)")
SPACE_BEFORE_END = re.compile(r"(?<=\S)\s+(?=</(?:figcaption|li|p|td|th)>)")
TEMPLATE, INLINE, BLOCKS = "report.html.j2", "notebook.html.j2", "blocks.html.j2"
FONTS_PLACE = "/* fonts */"
HEAD = '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
"""The beginning of every page: what a template writes comes after the policy that follows it."""
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:; "
    "script-src 'sha256-{}'; base-uri 'none'; form-action 'none'"
)
"""What the page may load and run: nothing but its own script."""


class Page(Struct, frozen=True):
    """The HTML of one medium, the characters that a PDF prints as codes, and the cut tables.

    A browser has fonts of its own for characters that no embedded font has.
    `shortened` are the tables of which the page shows fewer rows than there are, `objection` is
    the reason why the author's template was not used.
    """

    html: str
    missing: tuple[str, ...]
    shortened: tuple[Table, ...] = ()
    objection: str = ""


def render(
    document: Document,
    medium: Medium,
    copied: Mapping[str, Any] | None = None,
    template: str | None = None,
) -> Page:
    """Render a document; the same document always gives the same bytes.

    `copied` are the forms of sentences and tables that the buttons of the page copy, `template` is
    the author's, whom the user trusts.
    """
    numbered, numbering = number(document, ROOM[medium])
    script = _asset("report.js")
    theirs_of = document.drawing_style.colours
    colours = {variable: theirs_of.get(ours, ours) for ours, variable in COLOURS.items()}
    values = {
        "document": numbered,
        "labels": numbering.labels,
        "citations": numbering.citations,
        "cited": numbering.cited,
        "medium": medium,
        "base_style": _asset("base.css"),
        "style": _asset(f"{medium}.css"),
        "script": script,
        "copied": _inert_json({**(copied or {}), "colours": colours}),
        "fonts_place": FONTS_PLACE,
    }
    html = objection = ""
    if template is not None:
        try:
            theirs = template_environment({**_sources(), AUTHORS: template})
            html = render_authors(theirs, values)
            if not html.startswith(HEAD):
                raise TemplateError("it writes something before the page of the report")
        except TemplateError as error:
            html, objection = "", str(error)
    html = html or str(_environment().get_template(TEMPLATE).render(**values))
    if medium == "screen":
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
        policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY.format(digest)}">'
        html = f"{HEAD}{policy}\n{html.removeprefix(HEAD)}"
        html = _with_elements(html)
    else:
        # WeasyPrint 70 breaks a text that ends with a space after its first word where the text
        # fills a line, because the space does not fit: spaces before elements have their own
        html = SPACE_BEFORE_END.sub("", SPACE_BEFORE_ELEMENT.sub(r"<span>\1</span>", html))
    cut = {table.id for table in numbered.every(Table) if table.left_out}
    shortened = tuple(table for table in document.every(Table) if table.id in cut)
    missing = frozenset[str]()
    if medium == "screen":
        rules = fonts.embed(html)
    else:
        panels = [panel for figure in document.every(Figure) for panel in figure.panels]
        drawn = "".join(mark.text for panel in panels for mark in panel.drawing.printed().marks)
        missing = fonts.without_glyph(html + drawn)
        html = fonts.spelled(html)
        rules = fonts.print_rules()
    text = html.replace(FONTS_PLACE, rules, 1)
    return Page(text, tuple(sorted(missing)), shortened, objection)


def render_inline(document: Document, shown: Callable[[Section, Block], bool]) -> str:
    """Render the blocks that are `shown` for a notebook, in the colours of its theme."""
    numbered, numbering = number(document, ROOM["print"])
    html = (
        _environment()
        .get_template(INLINE)
        .render(
            document=numbered,
            chosen=[
                b for section in numbered.sections for b in section.blocks if shown(section, b)
            ],
            labels=numbering.labels,
            medium="notebook",
            base_style=_asset("base.css").replace(":root", "&"),  # rules inside those of an element
            style=_asset("notebook.css"),
            faces=fonts.embed("", fonts.DRAWN),
        )
    )
    return _with_elements(html)


def _with_elements(html: str) -> str:
    """Isolate names by an element instead of signs, where text may hold elements."""
    if ISOLATE not in html:
        return html
    inside = ""
    parts = re.split(r"(<[^<>]*>)", html)
    for i, part in enumerate(parts):
        if i % 2:
            opened = OPAQUE.match(part)
            if inside:
                inside = "" if part == f"</{inside}>" else inside
            elif opened:
                inside = opened[1]
        elif not inside:
            parts[i] = ISOLATED.sub(r"<bdi>\1</bdi>", part)
    return "".join(parts)


@cache
def _environment() -> Any:
    return template_environment(_sources())


def template_environment(sources: Mapping[str, str]) -> Any:
    """Return the environment of our templates, whose texts are `sources` by name."""

    def load(name: str) -> tuple[str, str, Callable[[], bool]] | None:
        return (sources[name], name, lambda: True) if name in sources else None

    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(load),
        autoescape=True,
        undefined=StatedUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "inline_svg": _inline_svg,
        "printed_drawing": _printed_drawing,
        "trusted": markupsafe.Markup,
        "unbroken": jinja2.pass_context(_unbroken),
        "exact": _exact,
        "has_long_word": has_long_word,
        "keeps_names_of_rows": keeps_names_of_rows,
        "least_scale": lambda panels: (
            f"{LEAST_SIZE / smallest_text(p.drawing for p in panels):.3f}"
        ),
    }
    return made


def _inert_json(value: object) -> str:
    """Return JSON that ends no element of the page."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


@cache
def _sources() -> dict[str, str]:
    """Return our templates, which that of an author extends."""
    folder = files("evallang.templates")
    return {
        name: (folder / name).read_text(encoding="utf-8") for name in (TEMPLATE, INLINE, BLOCKS)
    }


@cache
def _asset(name: str) -> str:
    return (files("evallang.templates") / "styles" / name).read_text(encoding="utf-8")


def _unbroken(context: Any, text: str) -> str:
    """Keep ".001" and "Clopper–Pearson" in one piece, where Pango would break the line."""
    if context["medium"] != "print":
        return text
    text = NAMES.sub(lambda found: "–\u2060" if found[1].isupper() else "–", text)
    return LEADING_POINT.sub(".\u2060", text)


def _exact(value: float) -> str:
    """Return a number at full precision; a whole one as people write it."""
    return repr(float(value)).removesuffix(".0")


@jinja2.pass_context
def _printed_drawing(context: Any, panel: Panel) -> str:
    """Write the drawing of a panel as an address that holds it."""
    svg = context["document"].drawing_style.applied(panel.drawing.printed().svg())
    text = fonts.spelled(svg).encode("utf-8")
    return "data:image/svg+xml;base64," + base64.b64encode(text).decode("ascii")


def _inline_svg(svg: str, alt: str) -> Any:
    """Embed a drawing in the page: its colours become those of the page."""
    for literal, variable in COLOURS.items():
        svg = svg.replace(f":{literal}", f":{variable}")
    opened = svg.replace("<svg ", f'<svg role="img" aria-label="{markupsafe.escape(alt)}" ', 1)
    return markupsafe.Markup(opened)
