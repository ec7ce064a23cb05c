"""The site: every page of `docs/` and the reports of some examples, as files that open from disk.

A page is plain Markdown, which reads well on a code host too. What a page of `LISTS` links to is
below it in the navigation: a new page needs one line in one of them.
"""

import os
import re
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx

DOCS = Path(__file__).parent
ARCHIVES = DOCS.parent / "build" / "archives"
sys.path.insert(0, str(DOCS.parent))

from docs.generator import reports  # noqa: E402 - found by the line above
from evallang.editor.lexer import StudyLexer  # noqa: E402
from evallang.version import VERSION  # noqa: E402

project, author, release = "evallang", "the authors of evallang", VERSION
html_title = f"evallang {release}"

extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 4
exclude_patterns = ["README.md"]  # which index.md includes

LISTS = ("learn", "guide", "reports", "reference", "background")
INDEXES = (
    "tests",
    "metrics",
    "intervals",
    "corrections",
    "protocols",
    "analyses",
    "errors",
    "rules",
)
LINK = re.compile(r"\]\(((?!\.\.)[\w./-]+)\.md\)")
LINK_UP = re.compile(r"\]\((\.\./[^)#:]+)\)")
LINK_BELOW = re.compile(r"\]\((\w+/[\w-]+)\.md\)")

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_extra_path = ["../evallang/results/results.schema.json"]
html_extra_path += [str(reports.MADE)] if reports.MADE.exists() else []
html_css_files = ["site.css"]
html_js_files = ["site.js", "filter.js"]
html_math_renderer = "mathml"
html_sidebars = {"reference/codes/*": [], "playground/*": []}  # hundreds of neighbours, or none
html_copy_source = html_show_sourcelink = html_use_index = html_show_copyright = False
html_context = {"default_mode": "auto"}  # light or dark
html_theme_options = {
    "collapse_navigation": True,
    "navigation_with_keys": False,
    "footer_start": [],
    "footer_end": [],
    "logo": {"text": "evallang"},
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def inserted(app: Sphinx, name: str, source: list[str]) -> None:
    """Put pictures of reports into a page, and below a list the pages that it links to."""
    index = name.removeprefix("reference/") in INDEXES
    if name in LISTS or index:
        links = dict.fromkeys((LINK_BELOW if index else LINK).findall(source[0]))
        source[0] += "\n".join(["", "```{toctree}", ":hidden:", "", *links, "```", ""])
    source[0] = LINK_UP.sub(partial(downloaded, app.env.doc2path(name)), source[0])
    source[0] = reports.MARK.sub(lambda found: reports.pictures(found[1]), source[0])


def downloaded(page: Path, link: re.Match[str]) -> str:
    """Lead a link that leaves `docs/` to the file, and one to a folder to an archive of it."""
    path = (page.parent / link[1]).resolve()
    if path.is_dir():
        archive = ARCHIVES / path.name
        path = Path(shutil.make_archive(str(archive), "zip", path.parent, path.name))
    elif path.is_relative_to(DOCS):
        return link[0]
    return f"](path:{os.path.relpath(path, page.parent)})"


def formula(translator: Any, node: nodes.math | nodes.math_block) -> None:
    """Write a formula in MathML, which browsers draw without a script."""
    block = isinstance(node, nodes.math_block)
    text = tex2mathml(node.astext(), as_block=block)
    translator.body.append(f'<div class="formula" tabindex="0">{text}</div>' if block else text)
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register what pages need beyond MyST."""
    app.add_lexer("eval", StudyLexer)
    app.add_html_math_renderer("mathml", (formula, None), (formula, None))
    app.connect("source-read", inserted)
