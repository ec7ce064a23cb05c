"""What a check found, for people: a sequence of diagnostics that prints as `check` prints them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from evallang.diagnostics import Diagnostic, Severity, has_errors
from evallang.diagnostics.text import to_text
from evallang.source import SourceFile

MOST_PRINTED = 3
"""Diagnostics that are printed in full; each takes about five lines."""


class Findings(tuple[Diagnostic, ...]):
    """Diagnostics, sorted by place, with the files that they are about."""

    sources: Mapping[str, SourceFile]

    def __new__(
        cls, diagnostics: Iterable[Diagnostic], sources: Mapping[str, SourceFile]
    ) -> Findings:
        """Make the sequence."""
        made = super().__new__(cls, diagnostics)
        made.sources = sources
        return made

    @property
    def valid(self) -> bool:
        """Whether there is no error; warnings and hints stop no run."""
        return not has_errors(self)

    def summary(self) -> str:
        """Return how many errors, warnings and hints there are, in words."""
        found = Counter(diagnostic.severity for diagnostic in self)
        counts = [
            f"{found[severity]} {severity}{'' if found[severity] == 1 else 's'}"
            for severity in Severity
            if found[severity]
        ]
        return ", ".join(counts) or "nothing found"

    def __repr__(self) -> str:
        ordered = sorted(self, key=lambda d: list(Severity).index(d.severity))
        left = len(self) - MOST_PRINTED
        more = [f"... and {left:,} more"] if left > 0 else []
        parts = [self.summary(), to_text(ordered[:MOST_PRINTED], self.sources).rstrip("\n"), *more]
        return "\n".join(part for part in parts if part)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(repr(self))}</pre>"
