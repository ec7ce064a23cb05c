"""The pages of the catalogues: one for tests, intervals, corrections and protocols."""

from collections.abc import Iterator

from docs.generator import markdown as md
from evallang.manual.explanations import explain_member, written
from evallang.manual.glossary import REGISTRIES

TITLES = {
    "tests": ("Hypothesis tests", "These tests follow `with` in a `compare` line."),
    "intervals": (
        "Intervals",
        "The clause `interval` of a `measure` line takes these intervals. The default depends on "
        "metric and protocol: see [what goes with what](what-goes-with-what.md).",
    ),
    "corrections": (
        "Corrections for many comparisons",
        "These corrections follow the test in a `compare` line. For several hypotheses the "
        "default is `holm`.",
    ),
    "protocols": ("Protocols", "These protocols may be written in a `protocol` line."),
}


def pages() -> Iterator[tuple[str, str]]:
    """Iterate over the catalogues and their pages, by plural."""
    for plural, registry in REGISTRIES.items():
        if plural in md.PAGED:
            continue
        title, lead = TITLES.get(plural, (plural.capitalize(), ""))
        told = [explain_member(entry) for entry in registry]
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
