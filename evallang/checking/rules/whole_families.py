"""Rules about families of hypotheses, asked again of the data sets and models that were found.

A pattern of files, a column of data sets and a file that names its models itself leave open
how many hypotheses a line has; once they are read, it is known.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evallang.checking.rules.primary import OF_CLASSES, depends_on_classes
from evallang.checking.rules.rule import RULES, diagnostic_of, load_rules
from evallang.data.dataset import CountsSpec, DataSpec
from evallang.diagnostics import Diagnostic
from evallang.study import SourceSpec, Study

if TYPE_CHECKING:
    from evallang.data.dataset import GivenOutcomes, ScoreTable, Table

OF_FAMILIES = (
    "many_comparisons_without_correction",
    "same_pair_tested_twice",
    "step_up_correction_of_dependent_pairs",
)


def left_open(study: Study) -> bool:
    """Tell whether the data say how many hypotheses the lines of a study have."""
    return any(_is_open(source) for source in study.sources)


def _is_open(source: SourceSpec) -> bool:
    if isinstance(source, DataSpec):
        return source.kind == "glob"
    several = not isinstance(source, CountsSpec) and source.dataset is not None
    return several or not source.models


def as_read(
    study: Study,
    tables: Mapping[str, "Table"],
    given: Sequence["GivenOutcomes"],
    scored: Sequence["ScoreTable"],
) -> Study:
    """Give a study whose sources are the data sets that were found, with their models."""
    found: list[SourceSpec] = [table.spec for table in tables.values()]
    found += [replace(outcomes.spec, models=outcomes.models) for outcomes in given]
    for table in scored:
        named = [replace(table.spec, name=name, models=table.models) for name in table.datasets]
        found += named
    return replace(study, sources=tuple(found))


def advise_on_families(study: Study, read: Study) -> list[Diagnostic]:
    """Ask the rules about families of what was read; what the check said is not said again."""
    if not left_open(study):
        return []
    load_rules()
    found: list[Diagnostic] = []
    for name in OF_FAMILIES:
        rule = RULES[name]
        said = {objection.span for objection in rule.find(study)}
        found += [
            diagnostic_of(rule.code, objection, study.path)
            for objection in rule.find(read)
            if objection.span not in said
        ]
    return found


def asked_again(study: Study) -> Collection[str]:
    """Name the rules that the check has to leave to the data."""
    of_families = (*OF_FAMILIES, "too_few_data_sets") if left_open(study) else ()
    return (*of_families, *([OF_CLASSES] if depends_on_classes(study) else []))
