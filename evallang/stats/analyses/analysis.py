"""What an analysis is: a function behind a word of `analyze`, its options keyword-only."""

from evallang.frozen_records import frozen
from evallang.registry import Guidance, Registry


@frozen
class AnalysisDeclaration(Guidance):
    """What an analysis is about.

    Attributes
    ----------
    by_lines : True where it is about the `compare` lines of a study, not about models
    recorded : the options whose values its record repeats
    shown : the record of the values that a report reads, whose types are checked when results
        are read; None where a report reads none
    """

    by_lines: bool = False
    recorded: tuple[str, ...] = ()
    shown: type | None = None


ANALYSES: Registry[AnalysisDeclaration] = Registry("analysis", "evallang.stats.analyses")
"""All analyses, by canonical name."""
