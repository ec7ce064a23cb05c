"""Families of hypotheses, asked about again with the data sets and models that were found.

A pattern of files, a column of data sets and a file that names its models itself leave open
how many hypotheses a line has; once they are read, it is known.
"""

from collections.abc import Iterator

from evallang.checking.rules.rule import Known, Later, Objection, RuleFunction, Stage
from evallang.hypotheses import is_open
from evallang.study import Study


def _as_found(find: RuleFunction, study: Study, known: Known) -> Iterator[Objection]:
    """Ask a rule about what was read; what it objects to as written is not repeated."""
    before = {objection.span for objection in find(study)}
    return (found for found in find(known.read) if found.span not in before)


WITH_ALL_HYPOTHESES = Later(Stage.DATA, _as_found, is_open)
"""For rules about families: once more when all their hypotheses are known."""
