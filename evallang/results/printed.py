"""Records as short tables: aligned lines for a terminal, HTML for a notebook.

Texts from a study, its data or its author's code pass `printable`, and HTML is escaped.
"""

from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from evallang.printable import printable

if TYPE_CHECKING:
    from evallang.results.records import Comparison, Estimate
    from evallang.results.statistics import Difference, HypothesisTestResult, Interval

MOST_ROWS = 12
MOST_LINES = 4  # below the table
WIDTH = 100
LONGEST_CELL = 40
LONGEST_FACT = 76  # a cell of a table without heads, which has two columns
SMALLEST_P = 0.0001  # a smaller p is printed as "<0.0001"


class Head(Struct, frozen=True):
    """The head of a column; cells with numbers are aligned at the right."""

    text: str
    number: bool = False


class Printed(Struct, frozen=True):
    """A printable table: a title, heads, rows of texts, and lines below it.

    Without heads, the first cell of each row is the name of the second.
    """

    title: str
    heads: tuple[Head, ...]
    rows: tuple[tuple[str, ...], ...]
    below: tuple[str, ...] = ()
    most: int = MOST_ROWS

    def text(self) -> str:
        """Return the table as aligned lines, the title above."""
        rows = self._cells()
        heads = [printable(head.text) for head in self.heads]
        every = [heads, *rows] if heads else rows
        widths = [max(map(len, column)) for column in zip(*every, strict=True)]
        right = [head.number for head in self.heads] or [False] * len(widths)
        lines = [printable(self.title)] if self.title else []
        for row in every:
            cells = [
                cell.rjust(width) if number else cell.ljust(width)
                for cell, width, number in zip(row, widths, right, strict=True)
            ]
            lines.append("  ".join(cells).rstrip())
        below = [line for text in self._last() for line in wrap(printable(text), WIDTH)]
        return "\n".join([*lines, *self._more(), *below])

    def html(self) -> str:
        """Return the table as HTML without style sheets and scripts."""
        rows = self._cells()
        right = [head.number for head in self.heads] or [False] * (len(rows[0]) if rows else 0)
        parts = [f"<p><strong>{_escaped(self.title)}</strong></p>"] if self.title else []
        if self.heads or rows:
            parts.append("<table>")
        if self.heads:
            cells = "".join(_tagged("th", head.text, right=head.number) for head in self.heads)
            parts.append(f"<thead><tr>{cells}</tr></thead>")
        if rows:
            parts.append("<tbody>")
            for row in rows:
                cells = "".join(
                    _tagged("td" if self.heads or i else "th", cell, right=number)
                    for i, (cell, number) in enumerate(zip(row, right, strict=True))
                )
                parts.append(f"<tr>{cells}</tr>")
            parts.append("</tbody>")
        if self.heads or rows:
            parts.append("</table>")
        parts += [f"<p>{_escaped(line)}</p>" for line in (*self._more(), *self._last())]
        return "\n".join(parts)

    def _cells(self) -> list[list[str]]:
        most = LONGEST_CELL if self.heads else LONGEST_FACT
        return [[_cell(cell, most) for cell in row] for row in self.rows[: self.most]]

    def _more(self) -> tuple[str, ...]:
        left = len(self.rows) - self.most
        return (f"... and {left:,} more",) if left > 0 else ()

    def _last(self) -> tuple[str, ...]:
        left = len(self.below) - MOST_LINES
        more = (f"... and {left:,} more notes",) if left > 1 else self.below[MOST_LINES:]
        return (*self.below[:MOST_LINES], *more)


def joined_html(tables: Iterable[Printed]) -> str:
    """Return several tables as one piece of HTML."""
    return "<div>\n" + "\n".join(table.html() for table in tables) + "\n</div>"


def joined_text(tables: Iterable[Printed]) -> str:
    """Return several tables with a blank line between them."""
    return "\n\n".join(table.text() for table in tables)


def number(value: Any) -> str:
    """Return a number with four significant digits, or a dash if it is undefined."""
    if value is None:
        return "-"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4g}"


def p_value(value: float | None) -> str:
    """Return a p-value with three significant digits, or a bound for a tiny one."""
    if value is None:
        return "-"
    return f"<{SMALLEST_P}" if value < SMALLEST_P else f"{value:.3g}"


def bounds(low: float | None, high: float | None) -> str:
    """Return an interval in brackets, or a dash if it is undefined."""
    return "-" if low is None and high is None else f"[{number(low)}, {number(high)}]"


def yes_or_no(value: bool | None) -> str:
    """Return a decision as a word, or a dash if it is undefined."""
    return "-" if value is None else "yes" if value else "no"


def _cell(text: str, most: int) -> str:
    shown = printable(text)
    return shown if len(shown) <= most else shown[: most - 3] + "..."


def _escaped(text: str) -> str:
    from html import escape  # its table of entities takes as long as all records

    return escape(printable(text))


def _tagged(tag: str, text: str, *, right: bool) -> str:
    align = "right" if right else "left"
    style = f"text-align: {align}; padding: 0.1em 0.6em"
    return f'<{tag} style="{style}">{_escaped(text)}</{tag}>'


def facts_of_estimate(estimate: "Estimate") -> Printed:
    """Format one estimate, a line for each fact."""
    rows = [("model", estimate.model), ("data", _data(estimate))]
    if estimate.protocol is not None:
        rows.append(("protocol", estimate.protocol))
    if estimate.subgroup is not None:
        rows.append(("subgroup", f"{estimate.subgroup.column} = {estimate.subgroup.level}"))
    rows.append((estimate.metric, number(estimate.value)))
    if estimate.interval is not None:
        rows += _interval(estimate.interval)
    rows += [("aggregation", estimate.aggregation), ("n", number(estimate.n))]
    return Printed("Estimate", (), tuple(rows), estimate.notes)


def _data(found: "Estimate | Comparison") -> str:
    """Return the data set, or how the data sets are averaged; empty across them."""
    return found.data or (f"averaged over {found.averaged}" if found.averaged else "")


def _interval(found: "Interval | Difference") -> list[tuple[str, str]]:
    if found.low is None and found.high is None:
        return []
    words = f"{found.level * 100:.4g}% {bounds(found.low, found.high)}, {found.method}"
    return [("interval", words)]


def facts_of_test(result: "HypothesisTestResult") -> Printed:
    """Format the result of one hypothesis test, a line for each fact."""
    rows = []
    if result.models:
        rows.append(("models", " vs ".join(result.models)))
    if result.statistic is not None:
        df = ", ".join(map(number, result.df or ()))
        name = f"{result.statistic.name}({df})" if df else result.statistic.name
        rows.append(("statistic", f"{name} = {number(result.statistic.value)}"))
    if result.p is not None:
        rows.append(("p", p_value(result.p)))
    if result.p_adjusted is not None:
        rows.append(("p adjusted", p_value(result.p_adjusted)))
    if result.reject is not None:
        rows.append(("rejected", yes_or_no(result.reject)))
    found = result.estimate
    if found is not None:
        rows.append((found.name, number(found.value)))
        rows += _interval(found)
    rows += [(effect.name, number(effect.value)) for effect in result.effects]
    shares = (("p_first", "P(first)"), ("p_rope", "P(rope)"), ("p_second", "P(second)"))
    rows += [(head, number(result.extra[key])) for key, head in shares if key in result.extra]
    variant = f" ({result.variant})" if result.variant else ""
    tested = () if result.p is None else (f"null hypothesis: {result.null}",)
    below = (*tested, *result.notes)
    return Printed(f"{result.test}{variant}", (), tuple(rows), below)


def facts_of_comparison(comparison: "Comparison") -> tuple[Printed, ...]:
    """Format one comparison: the test of all models, then a line for each pair."""
    about = (_data(comparison), comparison.protocol, comparison.metric)
    where = ", ".join(filter(None, about))
    rows = []
    if comparison.omnibus is not None:
        rows.append((f"p of {comparison.omnibus.test}", p_value(comparison.omnibus.p)))
    rows.append(("family", _family(comparison)))
    if comparison.reason is not None:
        rows.append(("reason", comparison.reason))
    facts = Printed(f"{comparison.source} ({where})", (), tuple(rows))
    return (facts, pair_table(comparison.pairwise)) if comparison.pairwise else (facts,)


def _family(comparison: "Comparison") -> str:
    size = comparison.family.size
    words = f"{size:,} hypothesis" if size == 1 else f"{size:,} hypotheses"
    return f"{words}, correction {comparison.family.correction or 'none'}"


def pair_table(pairs: Sequence["HypothesisTestResult"]) -> Printed:
    """Format tests of pairs, one row for each."""
    heads = (
        Head("pair"),
        Head("test"),
        Head("difference", number=True),
        Head("interval"),
        Head("p", number=True),
        Head("p adjusted", number=True),
        Head("rejected"),
    )
    rows = []
    for pair in pairs:
        found = pair.estimate
        rows.append(
            (
                " vs ".join(pair.models),
                pair.test,
                number(None if found is None else found.value),
                "-" if found is None else bounds(found.low, found.high),
                p_value(pair.p),
                p_value(pair.p_adjusted),
                yes_or_no(pair.reject),
            )
        )
    return Printed("", heads, tuple(rows))
