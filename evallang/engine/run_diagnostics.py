"""What a run finds wrong: metrics that raised, and models that never predict a class."""

from collections.abc import Iterator, Sequence
from functools import reduce

import numpy as np

from evallang.compatibility import metric_entry
from evallang.compatibility.hypothesis_tests import reads_order
from evallang.diagnostics import Diagnostic, codes, diagnose
from evallang.engine.comparisons import OneSource
from evallang.engine.estimates import levels, restricted, too_few
from evallang.engine.evaluation import Evaluation
from evallang.hypotheses import Families
from evallang.metrics.own_code import OwnMetricFailed
from evallang.models.model import is_baseline
from evallang.results.records import Failure, NeverPredicted
from evallang.results.written import statement_of
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import Method, Study, names_of, own_metrics_of, units_of

MEASURING = "measure"
"""The stage of a failure that is not a fit's."""
ALL_FOLDS = -1


def failures_of_metrics(study: Study, evaluations: Sequence[Evaluation]) -> Iterator[Failure]:
    """Return which models an own metric could not measure, also inside a level of `within`.

    Candidates that it could not measure are failures of their fits.
    """
    chooses = study.tuning.metric if study.tuning is not None else None
    for metric, _ in own_metrics_of(study):
        if metric == chooses and not _is_measured(study, metric):
            continue
        for evaluation in evaluations:
            for model in evaluation.models if evaluation.measures(metric) else ():
                parts = (evaluation, *_levels(study, evaluation, model, metric))
                errors = (_error(part, model, metric) for part in parts)
                error = next((found for found in errors if found is not None), None)
                if error is not None:
                    at = (evaluation.source, evaluation.protocol, model, 0, ALL_FOLDS)
                    yield Failure(
                        MEASURING, *at, {}, error.error, error.message, metric=metric.written
                    )


def _is_measured(study: Study, metric: Method) -> bool:
    used = [m.metric for m in study.measures] + [r.metric for r in study.requirements]
    return metric in (*used, *(m for c in study.comparisons for m in c.metrics))


def _levels(
    study: Study, evaluation: Evaluation, model: str, metric: Method
) -> Iterator[Evaluation]:
    """Iterate over the evaluation inside every level that a model is measured in."""
    for measure in study.measures:
        for column in measure.within if measure.metric == metric else ():
            if column in evaluation.subgroups:
                for level in levels(evaluation, column):
                    inside = restricted(evaluation, evaluation.subgroups[column] == level)
                    if too_few(inside, model, metric) is None:
                        yield inside


def _error(evaluation: Evaluation, model: str, metric: Method) -> OwnMetricFailed | None:
    found = evaluation.models[model]
    if found.failed:
        return None
    try:
        evaluation.aggregates(model, metric)
    except OwnMetricFailed as error:
        return error
    return None


def unlike_workers(study: Study, fitted: int, differences: Sequence[str]) -> Iterator[Diagnostic]:
    """Report that fits were made by workers of another kind, once with all differences."""
    if fitted and differences:
        yield diagnose(
            codes.unlike_workers,
            "workers of the cluster differ from the machine that started the run: "
            f"{', '.join(differences)}",
            next((protocol.span for protocol in study.protocols), None),
            path=study.path,
            help="install the same versions on all workers, on one kind of machine",
        )


# --- models that never predict a class -------------------------------------------------------


MOST_NAMED = 5  # classes named in one message


def never_predicted(study: Study, evaluations: Sequence[Evaluation]) -> Iterator[NeverPredicted]:
    """Find every model that predicts none of its test rows as a class that occurs in them.

    Where everything that is measured or compared is about scores, labels do not matter.
    """
    asked = [
        *(measure.metric for measure in study.measures),
        *(metric for comparison in study.comparisons for metric in comparison.metrics),
        *(line.metric for line in study.requirements),
    ]
    if not any(metric_entry(metric).declaration.needs == "labels" for metric in asked):
        return
    baselines = {model.name for model in study.models if is_baseline(model)}
    for evaluation in evaluations:
        if evaluation.task != "classification" or evaluation.judged:
            continue
        for model in evaluation.models:
            found = [one.models[model] for one in evaluation.by_seed]
            k = len(evaluation.classes)
            matrix = reduce(np.add, [one.confusion(model) for one in evaluation.by_seed])
            missing = np.flatnonzero((matrix.sum(axis=1) > 0) & (matrix.sum(axis=0)[:k] == 0))
            if len(missing):
                n, n_of_classes = int(matrix.sum()), int(matrix[missing].sum())
                if evaluation.counted is None:
                    truth = np.concatenate([one.truth for one in found])
                    every = np.concatenate([one.rows for one in found])
                    rows = np.unique(every, return_index=True)[1]
                    n, n_of_classes = len(rows), int(np.isin(truth[rows], missing).sum())
                yield NeverPredicted(
                    data=evaluation.source,
                    protocol=evaluation.protocol,
                    model=model,
                    classes=tuple(evaluation.classes[code] for code in missing),
                    n=n,
                    n_of_classes=n_of_classes,
                    baseline=model in baselines,
                )


def diagnostics_of(study: Study, found: Sequence[NeverPredicted]) -> Iterator[Diagnostic]:
    """Report each model that never predicts a class; baselines are meant to."""
    places = {model.name: model.span for model in study.models}
    for source in study.sources:
        for model in getattr(source, "models", ()):
            places.setdefault(model.name, source.places.get("models"))
    units, fitted = units_of(study), names_of(study.models)
    several = len({(one.data, one.protocol) for one in found}) > 1
    for one in found:
        if one.baseline:
            continue
        unit = units.get(statement_of(one.data), "examples")
        named = ", ".join(f"`{label}`" for label in one.classes[:MOST_NAMED])
        more = len(one.classes) - MOST_NAMED
        named += f" and {more:,} more" if more > 0 else ""
        which = "the class" if len(one.classes) == 1 else "the classes"
        message = (
            f"`{one.model}` never predicts {named}, {which} of {one.n_of_classes:,} of "
            f"{one.n:,} {unit}"
        )
        under = f" under `{one.protocol}`" if one.protocol else ""
        yield diagnose(
            codes.class_never_predicted,
            message,
            places.get(one.model),
            path=study.path,
            help="write `class_weight=balanced`, or a measure of its scores such as `roc_auc`"
            if one.model in fitted
            else f"write `threshold {one.model} = ...` if it has scores, or measure these by "
            "`roc_auc`",
            notes=(f"on `{one.data}`{under}",) if several else (),
        )


def dependent_losses(
    study: Study, families: Families, evaluations: Sequence[Evaluation]
) -> Iterator[Diagnostic]:
    """Report the tests of series whose losses are correlated beyond what they allow for."""
    at = {(evaluation.source, evaluation.protocol): evaluation for evaluation in evaluations}
    for planned in (p for line in study.comparisons for p in families.planned[line.index]):
        line = planned.line
        test = line.post_hoc or line.test
        evaluation = at.get((planned.source, None)) or at.get((planned.source, line.protocol))
        if not reads_order(test) or evaluation is None or planned.table is not None:
            continue
        context = OneSource(evaluation, planned.metric)
        found = {pair: context.dependence(study, test, pair) for pair in planned.pairs}
        known = {pair: one for pair, one in found.items() if one is not None}
        if not known:
            continue
        (first, second), worst = max(known.items(), key=lambda item: item[1].autocorrelation)
        units = "blocks" if test.keywords().get("block") is not None else "moments"
        pairs = "" if len(known) == 1 else f" (largest of {len(known)} pairs)"
        yield diagnose(
            codes.losses_dependent_beyond_the_horizon,
            f"the differences in `{planned.metric.written}` between `{first}` and `{second}` are "
            f"correlated by {worst.autocorrelation:.2f} at lag {worst.lag}{pairs}, and "
            f"`{test.written}` assumes that {units} this far apart are independent",
            line.span,
            path=study.path,
            help=HYPOTHESIS_TESTS[test.name].declaration.longer,
            notes=(f"on `{evaluation.source}`",) if len(study.sources) > 1 else (),
        )
