"""What a run finds wrong once its fits are made, each in the words of its code.

Metrics that raised, workers of another kind, models that never predict a class or are no better
than chance, dependent losses, searches among equals, features as good as models, unlike folds.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from evallang.compatibility import is_mean_or_root, metric_entry
from evallang.compatibility.hypothesis_tests import reads_order
from evallang.data.dataset import Table
from evallang.data.row_rules.revealing_features import (
    GIVES_AWAY,
    scale_of,
    strengths,
    written_strength,
)
from evallang.data.row_rules.strengths import area
from evallang.diagnostics import Diagnostic, codes, diagnose
from evallang.engine.comparisons import OneSource
from evallang.engine.estimates import levels, restricted, too_few
from evallang.engine.evaluation import Evaluation, FittedFold, ModelOutcome, means_of
from evallang.engine.walk import computes
from evallang.hypotheses import Families
from evallang.metrics.metric import default_metric
from evallang.metrics.own_code import OwnMetricFailed
from evallang.models.model import is_baseline
from evallang.planning import nodes
from evallang.reporting.numbers import Scale, bounded, fixed, scale_of as decimals_of
from evallang.results.records import Failure, NeverPredicted
from evallang.results.written import statement_of
from evallang.source import Span
from evallang.spelling import written_name
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.skill import rank_correlation, skill_of_classes
from evallang.study import Method, Study, own_metrics_of, units_of

MEASURING = "measure"
"""The stage of a failure that is not a fit's."""
ALL_FOLDS = -1


@computes(nodes.METRIC_FAILURES)
def failures_of_metrics(study: Study, evaluations: Sequence[Evaluation]) -> tuple[Failure, ...]:
    """Return which models an own metric could not measure."""
    return tuple(_failures_of_metrics(study, evaluations))


@computes(nodes.NEVER_PREDICTED)
def missed_classes(study: Study, evaluations: Sequence[Evaluation]) -> tuple[NeverPredicted, ...]:
    """Return the models that never predict a class of their test rows."""
    return tuple(never_predicted(study, evaluations))


@computes(nodes.FINDINGS)
def findings(
    study: Study,
    evaluations: Sequence[Evaluation],
    missed: Sequence[NeverPredicted],
    tables: Mapping[str, Table],
    families: Families,
) -> tuple[Diagnostic, ...]:
    """Report what results show of a study: searches, folds, models, features."""
    fitted = [e for e in evaluations if e.kind is not None]
    return (
        *diagnostics_of(study, missed),
        # Those of imported predictions are told where these are read
        *dependent_losses(study, families, fitted),
        *features_as_good_as_models(study, tables, evaluations),
        *folds_that_disagree(study, evaluations),
        *searches_that_gained_nothing(study, evaluations),
        *models_without_skill(study, evaluations),
    )


def _failures_of_metrics(study: Study, evaluations: Sequence[Evaluation]) -> Iterator[Failure]:
    """Return which models an own metric could not measure, also inside a level of `within`.

    Candidates that it could not measure are failures of their fits.
    """
    chooses = study.tuning.metric if study.tuning is not None else None
    used = [measure.metric for measure in study.measures]
    used += [line.metric for line in study.requirements]
    used += [metric for line in study.comparisons for metric in line.metrics]
    for metric, _ in own_metrics_of(study):
        if metric == chooses and metric not in used:
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
        if evaluation.task != "classification" or evaluation.judged or evaluation.rated:
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
    units, fitted = units_of(study), study.model_names
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
            else f"write `threshold {written_name(one.model)} = ...` if it has scores, or measure "
            "these by `roc_auc`",
            notes=(f"on `{one.data}`{under}",) if several else (),
        )


# --- tests of series whose losses depend on each other ----------------------------------------


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


# --- searches whose candidates score alike, so that the choice among them is chance -------------

ALIKE = 0.7
"""The ratio of mean squares up to which candidates count as alike; at 1 the estimated variance
between them is 0.

Measured with 300 replications, 5 searches of 7 candidates in 5 inner folds, or of 2 in 3:
candidates up to 5 points of accuracy apart were reported in 19 and 28 % of studies of 100 rows, in
3 and 10 % of 300 and in none of 1,000; up to 10 points in 3 and 8 %, and in none. Equal ones were
reported in 26 to 53 %."""
FEWEST_FOLDS = 3
"""With two inner folds the variation within candidates has one degree of freedom per pair."""


def searches_that_gained_nothing(
    study: Study, evaluations: Sequence[Evaluation]
) -> Iterator[Diagnostic]:
    """Report each model whose candidates differ by no more than the inner folds of one of them."""
    if study.tuning is None:
        return
    for evaluation in evaluations:
        if evaluation.judged or evaluation.implied:
            continue
        for model in study.models:
            found = evaluation.models.get(model.name)
            tables = () if found is None or found.failed else _searches(found.fitted)
            if not tables:
                continue
            ratio = variation_between(tables)
            if ratio is None or ratio > ALIKE:
                continue
            means = [table.mean(axis=0) for table in tables]
            spread = float(np.mean([mean.max() - mean.min() for mean in means]))
            entry = evaluation.entry(study.tuning.metric)
            percent = entry.declaration.unit == "percent"
            scale, unit = (Scale(1, 2), " points") if percent else (Scale(3), "")
            n = tables[0].shape[1]
            several = len(tables) > 1
            differ = (
                f"differ in `{study.tuning.metric.written}` by {fixed(spread, scale)}{unit}"
                f"{' on average' if several else ''}, no more than the inner folds of one "
                f"candidate (ratio of variances {fixed(ratio, Scale(2))})"
            )
            if ratio == 0:
                differ = f"have the same `{study.tuning.metric.written}` in every inner fold"
            yield diagnose(
                codes.search_gained_nothing,
                f"the search of `{model.name}` gained nothing: its {n} candidates {differ}",
                model.span,
                path=study.path,
                help="write one value, or candidates that are farther apart",
                notes=(f"on `{evaluation.source}`",) if len(study.sources) > 1 else (),
            )


def _searches(fitted: Sequence[FittedFold]) -> "list[NDArray[np.float64]]":
    """Return the scores of each search (folds, candidates); nothing where one cannot be judged."""
    tables = []
    for one in fitted:
        search = one.outcome.search
        if search is None or one.fold < 0:  # a bootstrap fits all rows first
            continue
        scores = search.scores
        usable = np.isfinite(scores).all()
        if not usable or scores.shape[0] < FEWEST_FOLDS or scores.shape[1] < 2:
            return []
        tables.append(scores)
    return tables


def variation_between(tables: "Sequence[NDArray[np.float64]]") -> float | None:
    """Return the mean square between candidates over that within them, folds as blocks.

    Each table (folds, candidates) is one search; the mean squares of all are added. Searches in
    which every candidate has equal scores vary by 0 in both, and count as 0. None where all
    variation within is 0 and some between is not.
    """
    between = within = 0.0
    for scores in tables:
        j, k = scores.shape
        centred = scores - scores.mean(axis=1, keepdims=True)
        effect = centred.mean(axis=0)
        between += j * float(effect @ effect) / (k - 1)
        within += float(((centred - effect) ** 2).sum()) / ((j - 1) * (k - 1))
    tiny = 1e-18 * max(1.0, max(float(np.abs(t).max()) for t in tables)) ** 2
    if within <= tiny:
        return 0.0 if between <= tiny else None
    return between / within


# --- a feature that predicts as well by itself as the best model --------------------------------

STRONG = {"classification": 0.95, "regression": 0.9}
"""Area under the curve (balanced accuracy of several classes) and R2 of a target with noise."""
FAR_BELOW = {"classification": 0.9, "regression": 0.8}
"""What all other features stay below; sound data sets have several strong features."""
NO_BETTER = 0.01  # of the same scale; what all other features add is less
LEAST_ROWS = 50
FEWEST_FEATURES = 2


def features_as_good_as_models(
    study: Study, tables: Mapping[str, Table], evaluations: Sequence[Evaluation]
) -> Iterator[Diagnostic]:
    """Report features that predict as well as the best model of their data, once for each table.

    The features that give the target away are reported before a run, and time series have
    features such as the last value, which may well be as good.
    """
    for name, table in tables.items():
        about = [e for e in evaluations if e.source == name and not e.yields.neighbours]
        if not about or table.n < LEAST_ROWS or len(table.columns) < FEWEST_FEATURES:
            continue
        (best, feature), (second, _) = strengths(table, table.columns)[:2]
        strong = STRONG[table.task] <= best < GIVES_AWAY[table.task]
        if not strong or second >= FAR_BELOW[table.task]:
            continue
        reached = {
            model: value
            for evaluation in about[:1]
            for model, outcome in evaluation.models.items()
            if (value := _reached(table, outcome)) is not None
        }
        if not reached:
            continue
        model = max(reached, key=lambda one: reached[one])
        if reached[model] > best + NO_BETTER:
            continue
        yield diagnose(
            codes.feature_as_good_as_models,
            f"`{feature}` alone predicts `{table.target}` with {scale_of(table)} of "
            f"{written_strength(best)}, and the best model, `{model}`, has "
            f"{written_strength(reached[model])}",
            table.spec.places.get("features", table.spec.places.get("target")),
            path=study.path,
            help=f"write `features all except {written_name(feature)}` if it is known only after "
            "the outcome",
            notes=(f"on `{name}`",) if len(tables) > 1 else (),
        )


def _reached(table: Table, outcome: ModelOutcome) -> float | None:
    """Return what a model reached on the scale of single features, None where it is unknown.

    The area under the curve is the mean over folds, because scores of different fits need not
    be comparable.
    """
    truth = outcome.truth
    if not len(truth):
        return None
    if table.task == "regression":
        error, spread = outcome.labels - truth, truth - truth.mean()
        return float(1 - (error @ error) / (spread @ spread)) if spread.any() else None
    if len(table.classes) > 2:
        recalls = [(outcome.labels[truth == c] == c).mean() for c in np.unique(truth)]
        return float(np.mean(recalls))
    if outcome.scores is None:
        return None
    scores = outcome.scores if outcome.scores.ndim == 1 else outcome.scores[:, 1]
    parts = outcome.repeat * (int(outcome.fold.max()) + 2) + outcome.fold
    found = [
        (int(rows.sum()), area(scores[rows], truth[rows] == 1))
        for part in np.unique(parts)
        if 0 < (truth[rows := parts == part] == 1).sum() < rows.sum()
    ]
    n = sum(size for size, _ in found)
    return sum(size * value for size, value in found) / n if n else None


# --- models that order the test rows no better than chance, whatever they learned --------------

ABOVE_CHANCE = 1.0
"""Standard errors above chance up to which a model counts as no better than chance.

A model without information stays below in 84 % of studies; one whose study had a power of 80 % to
show that it is better than chance, at .05 on one side, stays below in 7 %.
`benchmarks/chance_models.py` measures both in simulations.
"""
FAR = {"classification": 0.25, "regression": 0.5}
"""A gap between training and test score: half of the way from chance to a perfect order."""
CHANCE = {"classification": 0.5, "regression": 0.0}
FEWEST_ROWS, FEWEST_OF_A_CLASS = 20, 5
"""Tested rows, or groups, below which a standard error is not one."""


def models_without_skill(study: Study, evaluations: Sequence[Evaluation]) -> Iterator[Diagnostic]:
    """Report each fitted model that is no better than chance on the test rows.

    One that orders its training rows far better learned what does not hold for other rows, and has
    a code of its own.
    """
    for evaluation in evaluations:
        if evaluation.design is None or evaluation.judged or evaluation.on_training_rows:
            continue
        for model in study.models:
            found = evaluation.models.get(model.name)
            if found is None or not found.fitted or found.failed or is_baseline(model):
                continue
            tested = _tested(evaluation, found)
            if tested is None or tested[1] >= ABOVE_CHANCE:
                continue
            value, _, error = tested
            trained = _trained(found)
            noun, chance = "a rank correlation", "0"
            if not _of_ranks(evaluation):
                several = len(evaluation.classes) > 2
                noun = f"{'a mean' if several else 'an'} area under the ROC curve"
                chance = ".5"
            on_test = (
                f"{bounded(value, 2)} (standard error {bounded(error, 2)}) on test rows, where "
                f"chance gives {chance}"
            )
            notes = (f"on `{evaluation.source}`",) if len(study.sources) > 1 else ()
            if trained is not None and trained - value >= FAR[evaluation.task]:
                yield diagnose(
                    codes.training_score_far_above_test_score,
                    f"`{model.name}` predicts its training rows, and others no better than "
                    f"chance: {noun} of {bounded(trained, 2)} on training rows and {on_test}",
                    model.span,
                    path=study.path,
                    help="write a simpler or more regularised model, or report that these "
                    "features do not predict the target",
                    notes=notes,
                )
                continue
            also = "" if trained is None else f"{bounded(trained, 2)} on training rows and "
            yield diagnose(
                codes.no_better_than_chance,
                f"`{model.name}` predicts no better than chance: {noun} of {also}{on_test}",
                model.span,
                path=study.path,
                help="scale the features, write a more flexible model, or report that these "
                "features do not predict the target",
                notes=notes,
            )


def _of_ranks(evaluation: Evaluation) -> bool:
    return evaluation.task == "regression"


def _trained(found: ModelOutcome) -> float | None:
    """Return the mean score of the fits on their training rows, None where it is unknown."""
    scores = [one.outcome.training_score for one in found.fitted if one.fold >= 0]
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if known and len(known) == len(scores) else None


def _tested(evaluation: Evaluation, found: ModelOutcome) -> tuple[float, float, float] | None:
    """Return the score on the test rows, how many standard errors it is above chance, and these.

    Rows are compared inside each fold, because scores of different fits need not be comparable,
    and over all folds, because a model may tell what the folds differ in; the better one counts.
    """
    kept = found.fold >= 0  # not the fit on all rows that precedes a bootstrap
    rows, truth, labels = found.rows[kept], found.truth[kept], found.labels[kept]
    if not len(rows):
        return None
    scores = None if found.scores is None else found.scores[kept]
    coded = evaluation.group_codes
    unit = np.unique(rows if coded is None else coded[rows], return_inverse=True)[1]
    if int(unit.max()) + 1 < FEWEST_ROWS or not _enough(evaluation, rows, truth):
        return None
    folds = found.repeat[kept] * (int(found.fold.max()) + 1) + found.fold[kept]
    return above_chance(
        truth,
        labels,
        scores,
        (folds, found.repeat[kept]),
        unit,
        n_classes=None if _of_ranks(evaluation) else len(evaluation.classes),
        positive=1 if evaluation.positive is None else evaluation.positive,
        enough=ABOVE_CHANCE,
    )


def above_chance(
    truth: "NDArray[Any]",
    labels: "NDArray[Any]",
    scores: "NDArray[np.float64] | None",
    ways: "Sequence[NDArray[np.int64]]",
    unit: "NDArray[np.int64]",
    *,
    n_classes: int | None,
    positive: int = 1,
    enough: float = float("inf"),
) -> tuple[float, float, float] | None:
    """Return the score that is the most standard errors above chance, these, and one of them.

    Each of the `ways` divides the rows (n,) into parts inside which they are compared, until a
    score is `enough` errors above chance; `n_classes` is None for a regression.
    """
    best: tuple[float, float, float] | None = None
    for part in ways:
        if n_classes is None:
            skill = rank_correlation(truth, labels, part)
        else:
            skill = skill_of_classes(
                truth, labels, scores, part, n_classes=n_classes, positive=positive
            )
        if skill is None:
            continue
        above = skill.value - CHANCE["regression" if n_classes is None else "classification"]
        error = skill.standard_error(unit)
        z = above / error if error > 0 else float("inf") if above > 0 else 0.0
        if best is None or z > best[1]:
            best = skill.value, z, error
            if z >= enough:
                break
    return best


def _enough(evaluation: Evaluation, rows: "NDArray[np.int64]", truth: "NDArray[np.int64]") -> bool:
    if _of_ranks(evaluation):
        return True
    once = np.full(int(rows.max()) + 1, -1)
    once[rows] = truth
    each = np.bincount(once[once >= 0])
    return int(np.count_nonzero(each >= FEWEST_OF_A_CLASS)) >= 2


# --- folds whose scores differ by more than the sampling of their rows explains ----------------

RARE = 1e-4
"""The chance of such a spread if all folds were alike; one model in 10,000 is reported wrongly."""
FEWEST_SPREAD_FOLDS, FEWEST_UNITS = 3, 10
"""What a comparison of folds rests on: with fewer units in a fold its mean is far from normal."""


def folds_that_disagree(study: Study, evaluations: Sequence[Evaluation]) -> Iterator[Diagnostic]:
    """Report, for each data set and protocol, the model whose folds differ the most.

    The metric is the first one that is a mean over examples; of models that are fitted here it is
    the default one of the task where no measure is. Where examples are grouped, the groups are the
    units of a fold.
    """
    baselines = {model.name for model in study.models if is_baseline(model)}
    for evaluation in evaluations:
        if evaluation.design is None or not evaluation.yields.once or evaluation.judged:
            continue
        found_metric = _mean_metric(study, evaluation)
        if found_metric is None:
            continue
        metric, span = found_metric
        spreads = [
            (found[0], model, found[1])
            for model in evaluation.models
            if model not in baselines and (found := _spread(evaluation, model, metric)) is not None
        ]
        if not spreads:
            continue
        p, model, means = min(spreads, key=lambda spread: spread[0])
        if p >= RARE:
            continue
        percent = evaluation.entry(metric).declaration.unit == "percent"
        scale, unit = (Scale(0, 2), "%") if percent else (decimals_of((), means, percent=False), "")
        low, high = int(np.argmin(means)), int(np.argmax(means))
        yield diagnose(
            codes.folds_disagree,
            f"the folds of `{model}` differ by more than the sampling of their rows explains: "
            f"`{metric.written}` is {fixed(float(means[low]), scale)}{unit} in fold {low + 1} and "
            f"{fixed(float(means[high]), scale)}{unit} in fold {high + 1}",
            span,
            path=study.path,
            help="look for what separates these rows: a group that no `group by` names, an order "
            "of the rows, a change over time",
            notes=(f"on `{evaluation.source}`",) if len(study.sources) > 1 else (),
        )


def _mean_metric(study: Study, evaluation: Evaluation) -> tuple[Method, Span | None] | None:
    """Return the mean over examples that folds are compared by, and where the study measures."""
    for measure in study.measures:
        if is_mean_or_root(metric_entry(measure.metric)):
            return measure.metric, measure.span
    fitted = all(model.fitted for model in evaluation.models.values())
    if not study.measures or not fitted:
        return None
    task: Literal["classification", "regression"] = (
        "regression" if evaluation.task == "regression" else "classification"
    )
    metric = Method(default_metric(task))
    return (metric, study.measures[0].span) if is_mean_or_root(metric_entry(metric)) else None


def _spread(
    evaluation: Evaluation, model: str, metric: Method
) -> "tuple[float, NDArray[np.float64]] | None":
    """Return the p-value of the spread between folds and the metric of the folds (j,).

    None where the folds are too few or too small. The statistic is that of Cochran's test of
    heterogeneity with the variance within folds, chi-squared with j - 1 degrees of freedom.
    """
    outcome = evaluation.outcome(model, metric)
    if outcome is None or evaluation.models[model].failed:
        return None
    values = means_of(metric, outcome)
    fold = evaluation.partition(model).fold
    j = int(fold.max()) + 1
    if evaluation.group_codes is not None:
        rows = evaluation.models[model].rows
        groups, unit = np.unique(evaluation.group_codes[rows], return_inverse=True)
        unit = unit.reshape(-1)
        size = np.bincount(unit)
        first = np.zeros(len(groups), dtype=np.int64)
        first[unit] = fold
        values, fold = np.bincount(unit, values) / size, first
    n = np.bincount(fold, minlength=j)
    if j < FEWEST_SPREAD_FOLDS or n.min() < FEWEST_UNITS:
        return None
    means = np.bincount(fold, values, j) / n
    within = float(((values - means[fold]) ** 2).sum() / (len(values) - j))
    if not within > 0:
        return None
    q = float((n * (means - values.mean()) ** 2).sum() / within)
    if evaluation.entry(metric).declaration.transform == "sqrt":
        means = np.sqrt(means)
    return float(scipy.special.chdtrc(j - 1, q)), means
