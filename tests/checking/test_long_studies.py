"""The work of a check and of a format grows with the length of a study, and not with its square.

Counted in calls of functions, which no busy machine changes; `benchmarks/long_studies.py` measures
the time.
"""

from cProfile import Profile

import pytest
from studies import checked

from benchmarks.long_studies import SHAPES, text
from evallang.source import SourceFile
from evallang.syntax.formatter import format_source

SHORT, LONG = 250, 1_000
AT_MOST = 4.165  # for four times the lines, of which a loop over all models per line is 4.17


def calls(work, study):
    """Count by the profiler in C: a function of Python at each call would take most of the time."""
    profile = Profile()
    profile.runcall(work, study)
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
@pytest.mark.parametrize(
    "work",
    [checked, lambda study: format_source(SourceFile("study.eval", study))],
    ids=["check", "fmt"],
)
def test_four_times_the_lines_are_about_four_times_the_work(work, shape):
    short, long = text(shape, SHORT), text(shape, LONG)
    work(text(shape, 50))  # what is loaded once
    assert calls(work, long) < AT_MOST * calls(work, short)
