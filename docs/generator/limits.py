"""The page of limits, from their declarations."""

from collections.abc import Iterator

from docs.generator import markdown as md
from evallang.limits import LIMITS, VARIABLE

LEAD = f"""\
A study, or a file that it reads, is refused before it fills the memory or runs for years. Every
limit is far above the needs of studies. An error names it (E177 in a study, E404 in data) and
how to raise it: by the repeatable option `--limit rows=5e9` of `check`, `plan`, `power` and `run`;
by the environment variable `{VARIABLE}`, with the same settings separated by spaces; or in Python
by `from evallang.limits import limits` and `with limits(rows=5e9): ev.run(...)`. A limit is lowered
in the same way: `--limit query_seconds=10`.

The limits that protect the parser itself cannot be raised: the depth of brackets, of `include` and
of names (64 levels each), and the digits of a number (400)."""


def pages() -> Iterator[tuple[str, str]]:
    """Iterate over the one page."""
    rows = [
        (f"`{limit.name}`", limit.bounds, limit.stated, limit.reason) for limit in LIMITS.values()
    ]
    table = md.table(("limit", "bounds", "at most", "why"), rows)
    yield "limits", md.page("Limits", LEAD, table)
