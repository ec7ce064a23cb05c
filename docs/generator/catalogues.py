"""The pages of the catalogues: one for tests, metrics, intervals, corrections and protocols."""

from collections.abc import Iterator

from docs.generator import markdown as md
from evallang.manual.catalogues import REGISTRIES
from evallang.manual.explanations import of_entry, written

TITLES = {
    "tests": ("Hypothesis tests", "What may stand after `with` in a `compare` line."),
    "metrics": ("Metrics", "What may stand in a `measure` line, and after `by`."),
    "intervals": (
        "Intervals",
        "What may stand in the clause `interval` of a `measure` line. The default depends on "
        "metric and protocol: see [what goes with what](what-goes-with-what.md).",
    ),
    "corrections": (
        "Corrections for many comparisons",
        "What may stand after the test in a `compare` line. Several hypotheses without one are "
        "corrected by `holm`.",
    ),
    "protocols": ("Protocols", "What may stand in a `protocol` line."),
}


def pages() -> Iterator[tuple[str, str]]:
    """Give the page of each catalogue by its plural."""
    for plural, registry in REGISTRIES.items():
        title, lead = TITLES.get(plural, (plural.capitalize(), ""))
        told = [of_entry(entry) for entry in registry]
        rows = [
            (
                f"[`{written(entry)}`](#{md.anchor(written(entry))})",
                entry.title,
                entry.declaration.when,
            )
            for entry in registry
        ]
        head = f"`evallang list {plural}` lists them, `evallang explain NAME` prints an entry."
        yield (
            plural,
            md.page(
                title,
                f"{lead} {head}",
                md.table(("name", "what it is", "when to use it"), rows),
                *(md.explanation(one) for one in told),
            ),
        )
