"""The page of limits, from their declarations."""

from collections.abc import Iterator

from docs.generator import markdown as md
from evallang.limits import LIMITS, VARIABLE

LEAD = f"""\
A study, or a file that it reads, is refused before it fills the memory or runs for years. Every
limit is far above what studies need; an error names the limit (E177 in a study, E404 in data) and
the option that raises it: `--limit rows=5e9`, repeatable, of `check`, `plan`, `power` and `run`;
the environment variable `{VARIABLE}`, with the same settings separated by spaces; in Python
`from evallang.limits import limits`, then `with limits(rows=5e9): ev.run(...)`. A limit is lowered
in the same way: `--limit query_seconds=10`.

Not raised are what protects the parser itself: the depth of brackets, of `include` and of names
(64 levels each), and the digits of a number (400)."""


def pages() -> Iterator[tuple[str, str]]:
    """Iterate over the one page."""
    rows = [
        (f"`{limit.name}`", limit.bounds, limit.stated, limit.reason) for limit in LIMITS.values()
    ]
    table = md.table(("limit", "bounds", "at most", "why"), rows)
    yield "limits", md.page("Limits", LEAD, table)
