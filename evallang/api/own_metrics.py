"""Metrics of the author's own, imported for one run that has consent, and checked again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from evallang.api.checked_file import StudyError
from evallang.api.study_file import StudyFile, checked_again
from evallang.api.trust import find_own_code
from evallang.diagnostics import Diagnostic, diagnose, has_errors, sorted_by_place
from evallang.metrics.own_code import OwnMetric, loaded_for_a_run
from evallang.models.own_code import OwnCode
from evallang.study import Study, own_metrics_of, own_sources

FORM = "a metric is a function `def NAME(truth, prediction)` of its module"


@contextmanager
def import_own_metrics(study: StudyFile) -> Iterator[StudyFile]:
    """Import the own metrics of a study; gives it as checked with what they say of themselves.

    The caller has consent. Raises `StudyError` where a metric cannot be loaded, or does not
    go with the study; a module that is nowhere is left to the planning, which reports it.
    """
    if study.meant is None or not any(own_metrics_of(study.meant)):
        yield study
        return
    loaded, found = _load(study.meant, study)
    if found:
        raise StudyError(sorted_by_place((*study.diagnostics, *found)), study.checked.sources)
    with loaded_for_a_run(loaded):
        again = checked_again(study)
        if has_errors(again.diagnostics):
            raise StudyError(again.diagnostics, again.checked.sources)
        yield again


def _load(meant: Study, study: StudyFile) -> tuple[dict[str, OwnMetric], list[Diagnostic]]:
    from evallang.diagnostics import codes
    from evallang.engine.own_metrics import NotUsable, load, objection

    known, missing = find_own_code(meant, study.folder)
    if missing:
        return {}, []
    code = OwnCode(str(study.folder.resolve()), own_sources(known), functions=study.given.metrics)
    loaded: dict[str, OwnMetric] = {}
    found: list[Diagnostic] = []
    for metric, span in own_metrics_of(meant):
        try:
            loaded[metric.name] = loaded.get(metric.name) or load(metric.name, code)
            why, suggestion = objection(metric, loaded[metric.name]), None
        except NotUsable as reason:
            why = str(reason)
            suggestion = reason.suggestion or FORM
        if why is not None:
            message = f"`{metric.name}` cannot be used as a metric: {why}"
            found.append(diagnose(codes.own_metric_unusable, message, span, help=suggestion))
    return loaded, found
