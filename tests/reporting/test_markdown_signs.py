"""Signs of Markdown: a reader of Markdown shows the text, and intervals stay as they are."""

import re

import pytest
from many_cases import for_each
from markdown_it import MarkdownIt

from evallang.reporting.formats.markdown_signs import escape_signs

PLAIN = (
    "95% CI [83.1, 94.3]",
    "[−0.1, 11.1]",
    "[0.5, ∞]",
    "[2.1 × 10¹², 3 × 10¹³]",
    "the matrix [[0, 5], [50, 0]]: lower is better",
    "New_alarm",
    "Bag & tree",
    "Really! Yes",
)
HOSTILE = (
    "[a](javascript:alert(1))",
    "[1, 2](x)",
    "[1, 2][x]",
    "[1, 2]: x",
    "![1, 2](x)",
    "[x, y]",
    "_a_ and __b__",
    "*a* `b` ~~c~~ | d",
    "<script>alert(1)</script>",
    "&lt; AT&T",
    "# 1 $x$ #2 \\",
    "a! [b]",
)


def backslash(sign):
    return f"\\{sign}"


@pytest.mark.parametrize("text", PLAIN)
def test_numbers_and_names_are_not_escaped(text):
    assert escape_signs(text, backslash) == text


def test_a_text_that_begins_as_a_definition_of_a_link_is_escaped():
    assert escape_signs("[1, 2]: x", backslash) == "\\[1, 2\\]: x"


@for_each("text", [*PLAIN, *HOSTILE])
def test_a_reader_of_markdown_shows_the_text(text):
    page = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    made = page.render(f"Before {escape_signs(text, backslash)} after")
    assert re.findall(r"<(?!/?p>)", made) == []
    shown = re.sub(r"</?p>", "", made).strip()
    for entity, sign in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        shown = shown.replace(entity, sign)
    assert shown == f"Before {text} after"
