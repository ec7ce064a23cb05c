"""A study in, what its tests can detect out; nothing is fitted."""

from evallang.api.preparing import Prepared, read_and_plan
from evallang.api.study_file import StudyFile
from evallang.diagnostics import Diagnostic
from evallang.results.records import Analysis

SCHEMA = "evallang/power/1"


def smallest_differences(prepared: Prepared) -> tuple[Analysis, ...]:
    """Return the smallest differences that a study can detect, from what was read and planned."""
    from evallang.engine.analyses import smallest_differences

    planned = prepared.planned
    return smallest_differences(
        prepared.study, prepared.read, planned.layout.splits, planned.families
    )


def power_of(study: StudyFile) -> tuple[tuple[Analysis, ...], tuple[Diagnostic, ...]]:
    """Read what data there are, and answer every `analyze power`, or one with its defaults.

    Raises `StudyError` where the study or its data are faulty.
    """
    from evallang.analysis import ANALYSES
    from evallang.engine.analyses import analyses_of_lines
    from evallang.study import AnalysisSpec, Method

    prepared = read_and_plan(study, missing_is_fine=True)
    meant, planned = prepared.study, prepared.planned
    of_lines = [entry.name for entry in ANALYSES if entry.declaration.command]
    specs = [spec for spec in meant.analyses if spec.method.name in of_lines]
    known = prepared.read, planned.layout.splits, planned.families
    asked = specs or [AnalysisSpec(0, Method(name)) for name in of_lines]
    answers = (one for spec in asked for one in analyses_of_lines(meant, spec, *known))
    return tuple(answers), prepared.diagnostics
