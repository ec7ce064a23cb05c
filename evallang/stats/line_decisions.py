"""The decisions of a `compare` line under other tests and corrections."""

from __future__ import annotations

from msgspec import Struct

Decision = bool | None
"""Whether a hypothesis was rejected; None where the test is undefined."""


class Setting(Struct, frozen=True):
    """One test with one correction, and what it decides on every hypothesis of a line.

    `reported` marks what the line itself uses; `problem` is why a setting decides nothing. The
    titles are those of the test and of the correction, for readers.
    """

    test: str
    correction: str | None
    decisions: tuple[Decision, ...]
    reported: bool = False
    problem: str | None = None
    test_title: str | None = None
    correction_title: str | None = None


class DecidedHypothesis(Struct, frozen=True):
    """One hypothesis of a line: a pair of models by a metric on a data set (None: across them)."""

    data: str | None
    metric: str
    models: tuple[str, ...]


class LineDecisions(Struct, frozen=True):
    """The hypotheses of one line with every setting that was computed, the reported one first.

    `others` are the titles of corrections that control the same error only under an assumption.
    """

    line: int
    source: str
    alpha: float
    hypotheses: tuple[DecidedHypothesis, ...]
    settings: tuple[Setting, ...]
    others: tuple[str, ...]
