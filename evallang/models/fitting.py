"""Fit candidates on one training part and predict one test part, sharing what they share.

Candidates that begin with the same steps are fitted from that point on only: the tree of
their common beginnings is walked, each transformer is fitted once. A step's seed does not
depend on the candidate, so the predictions are those of separate fits, bit for bit.

A training part may lack a class; the model then never predicts it, and its column of
probabilities is 0. What a model returns is anyone's: shapes and values are checked here, so
that nothing is broadcast, rounded or measured that is not what its method promises.
"""

import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.limits import LARGEST_NUMBER, LARGEST_WORD
from evallang.models.abilities import abilities, is_resampler, too_few_rows
from evallang.models.build import BuildContext, build, build_step, step_names
from evallang.models.catalogue import CATALOGUE
from evallang.models.foreign_errors import FitLost, error_text, is_interruption
from evallang.models.model import ColumnsSpec, PipelineSpec, StepSpec, identity, inside
from evallang.models.thresholds import ChosenThreshold, chosen_thresholds
from evallang.stats.skill import rank_correlation, skill_of_classes
from evallang.user_code import child_ended

ScoreKind = Literal["probabilities", "margins"]


class Outputs(Struct, frozen=True):
    """Predictions for n rows.

    Attributes
    ----------
    predictions : class codes (n,) of int64, or predicted values (n,) of float64
    scores : None where the model has no scores or they were not asked for; probabilities (n, K);
        margins (n,) of the second of two classes, or (n, K)
    kind : what the scores are, None without scores
    """

    predictions: "NDArray[Any]"
    scores: "NDArray[np.float64] | None" = None
    kind: ScoreKind | None = None


class CaughtWarning(Struct, frozen=True):
    """A warning that a fit gave: its class and its cleaned text."""

    category: str
    message: str


class FitFailure(Struct, frozen=True):
    """What a fit raised: the class of the exception and its cleaned text.

    `of_the_fit` is whether the same fit would raise it again: it is of a kind that a computation
    raises about its input, not for a lack of memory, files or processes.
    """

    error: str
    message: str
    of_the_fit: bool = False


OF_A_FIT = (ValueError, TypeError, ArithmeticError, LookupError)
"""Kinds of exceptions that depend on the input of a computation alone."""


class FitOutcome(Struct, frozen=True):
    """What came of one candidate: outputs for the test rows, or a failure.

    `seconds` counts the steps fitted for this candidate alone and its predictions; a
    shared beginning counts for the first candidate behind it. `again` are the outputs for the
    further rows, where there are any. `thresholds` are what the last step or its members chose.
    `training_score` is that of a sample of the training rows, where it was asked for.
    """

    outputs: Outputs | None
    failure: FitFailure | None
    warnings: tuple[CaughtWarning, ...]
    seconds: float
    again: Outputs | None = None
    thresholds: tuple[ChosenThreshold, ...] = ()
    training_score: float | None = None


class FitStep(Struct, frozen=True):
    """One step of a fit as it begins.

    Attributes
    ----------
    first, n : the first of the candidates that share it, and how many they are
    depth : its place in the pipeline
    last : whether it is the last step, with which a fit ends
    seconds : the time that earlier steps have taken of this fit
    """

    first: int
    n: int
    depth: int
    last: bool
    seconds: float


StepGuard = Callable[[FitStep], AbstractContextManager[None]]
"""What holds while a step is fitted; it may raise `FitLost`."""


class FitData(Struct, frozen=True):
    """One split: rows of the design matrix with their targets, and what to predict.

    Attributes
    ----------
    X : design matrix (n, p), see `design_matrix`
    y : class codes (n,) or values (n,)
    train, test : row numbers; rows may repeat in `train`
    n_classes : None for regression
    scores : whether scores are wanted besides labels
    weights : weights (n,) for the last step of pipelines that takes them, or None
    guard : what holds while each step is fitted
    again : further rows to predict, such as the training rows, or None; they are predicted after
        the test rows and apart from them, so that they change no output
    sample_seed : the seed of the sample of training rows whose order is scored, or None where it
        is not
    """

    X: "NDArray[Any]"
    y: "NDArray[Any]"
    train: "NDArray[np.int64]"
    test: "NDArray[np.int64]"
    n_classes: int | None
    scores: bool = False
    weights: "NDArray[np.float64] | None" = None
    guard: StepGuard = lambda step: nullcontext()
    again: "NDArray[np.int64] | None" = None
    sample_seed: int | None = None


def fit_candidates(
    pipelines: Sequence[PipelineSpec], data: FitData, context: BuildContext
) -> tuple[FitOutcome, ...]:
    """Fit pipelines on the same rows, in the order given; equal beginnings are fitted once."""
    outcomes: dict[int, FitOutcome] = {}
    candidates = list(enumerate(pipelines))
    _walk(candidates, 0, _rows_of(data), _Job(data, context, outcomes))
    return tuple(outcomes[i] for i in range(len(pipelines)))


def fit(pipeline: PipelineSpec, data: FitData, context: BuildContext) -> Any:
    """Fit one pipeline on the training rows for export; raises what its classes raise."""
    estimator = build(pipeline, context)
    last = pipeline.steps[-1]
    name = "" if len(pipeline.steps) == 1 else f"{step_names(pipeline)[-1]}__"
    options = {name + k: v for k, v in _weights(last, data).items()}
    rows = np.ascontiguousarray(data.X[data.train])
    estimator.fit(rows, _targets(data, context)[data.train], **options)
    return estimator


def try_fit(
    pipeline: PipelineSpec, data: FitData, context: BuildContext
) -> tuple[Any, FitFailure | None, tuple[CaughtWarning, ...], float]:
    """Fit one pipeline and return it with its warnings, or a failure where it raises."""
    guard = data.guard(FitStep(0, 1, 0, True, 0.0))
    return watched(lambda: fit(pipeline, data, context), guard)


# --- the tree of common beginnings ---------------------------------------------------------


class _Rows(Struct, frozen=True):
    """Training and test rows as they come out of the steps so far.

    `y` are the targets of the training rows where a resampler chose or made them, None where the
    training rows are those of the data; `again` are the further rows to predict, or None.
    """

    train: Any
    test: Any
    y: Any = None
    warnings: tuple[CaughtWarning, ...] = ()
    seconds: float = 0.0
    again: Any = None


def _rows_of(data: FitData) -> _Rows:
    """Take the rows of a split out of the table."""
    train, test = (np.ascontiguousarray(data.X[part]) for part in (data.train, data.test))
    further = None if data.again is None else np.ascontiguousarray(data.X[data.again])
    return _Rows(train, test, again=further)


class _Job(Struct, frozen=True):
    data: FitData
    context: BuildContext
    outcomes: dict[int, FitOutcome]


_Candidate = tuple[int, PipelineSpec]


def _walk(candidates: list[_Candidate], depth: int, rows: _Rows, job: _Job) -> None:
    """Fit step `depth` of candidates that share all steps before it."""
    branches: dict[str, list[_Candidate]] = {}
    last = [c for c in candidates if depth == len(c[1].steps) - 1]
    for candidate in last:
        _finish(candidate, rows, job)
        rows = replace(rows, seconds=0.0)
    for candidate in candidates:
        steps = candidate[1].steps
        if depth < len(steps) - 1:
            # not the step itself, as 1, 1.0 and True are equal keys and unequal parameters
            branches.setdefault(identity(steps[depth]), []).append(candidate)
    for sharing in branches.values():
        after = _through(sharing, depth, rows, job)
        rows = replace(rows, seconds=0.0)
        if isinstance(after, FitOutcome):
            job.outcomes.update((number, after) for number, _ in sharing)
        else:
            _walk(sharing, depth + 1, after, job)


def _through(sharing: list[_Candidate], depth: int, rows: _Rows, job: _Job) -> "_Rows | FitOutcome":
    """Fit one step on the training rows, and send all rows through a transformer.

    A resampler chooses or makes training rows, and the others stay as they are.
    """
    first, pipeline = sharing[0]
    spec = pipeline.steps[depth]
    guard = job.data.guard(FitStep(first, len(sharing), depth, False, rows.seconds))

    def transformed() -> _Rows:
        transformer = build_step(pipeline, depth, job.context)
        y = _training_targets(rows, job)
        train, test = _own_copy(rows.train, spec), _own_copy(rows.test, spec)
        if hasattr(transformer, "fit_transform"):
            fitted = transformer.fit_transform(train, y)
        else:
            fitted = transformer.fit(train, y).transform(train)
        tested, again = transformer.transform(test), rows.again
        if again is not None:
            again = transformer.transform(_own_copy(again, spec))
        return replace(rows, train=fitted, test=tested, again=again)

    def resampled() -> _Rows:
        if job.data.weights is not None:
            raise ValueError("a row that a resampler makes has no weight")
        resampler = build_step(pipeline, depth, job.context)
        targets = _training_targets(rows, job)
        try:
            train, y = resampler.fit_resample(rows.train, targets)
        except ValueError as error:
            reason = too_few_rows(resampler, targets)
            if reason is None:
                raise
            raise ValueError(reason) from error
        return replace(rows, train=train, y=y)

    after, failure, caught, seconds = watched(
        resampled if is_resampler(spec) else transformed, guard
    )
    caught, seconds = (*rows.warnings, *caught), rows.seconds + seconds
    if failure is not None or after is None:
        return FitOutcome(None, failure, caught, seconds)
    made: _Rows = replace(after, warnings=caught, seconds=seconds)
    return made


def _training_targets(rows: _Rows, job: _Job) -> "NDArray[Any]":
    """Return the targets of training rows as they come out of the steps so far."""
    if rows.y is not None:
        return np.asarray(rows.y)
    return _targets(job.data, job.context)[job.data.train]


def _finish(candidate: _Candidate, rows: _Rows, job: _Job) -> None:
    """Fit the last step of a candidate and predict the test rows."""
    number, pipeline = candidate
    data, last = job.data, candidate[1].steps[-1]
    step = FitStep(number, 1, len(pipeline.steps) - 1, True, rows.seconds)
    again, training = None, None
    thresholds: tuple[ChosenThreshold, ...] = ()

    def run() -> Outputs:
        nonlocal again, thresholds, training
        fitted = build_step(pipeline, len(pipeline.steps) - 1, job.context)
        y = _training_targets(rows, job)
        fitted.fit(_own_copy(rows.train, last), y, **_weights(last, data))
        targets = job.context.targets
        thresholds = chosen_thresholds(last, fitted, job.context.positive, targets)
        predict = partial(predict_outputs, fitted, n_classes=data.n_classes, scores=data.scores)
        made = predict(X=rows.test, targets=targets, n=len(data.test))
        if data.again is not None:
            again = predict(X=rows.again, targets=targets, n=len(data.again))
        training = _score_of_training_rows(fitted, rows, job)
        return made

    outputs, failure, caught, seconds = watched(run, data.guard(step))
    warned = tuple(dict.fromkeys((*rows.warnings, *caught)))
    spent = rows.seconds + seconds
    job.outcomes[number] = FitOutcome(outputs, failure, warned, spent, again, thresholds, training)


MOST_SAMPLED = 200
"""Training rows whose order is scored: the standard error of an area of .5 is then .04, and a gap
of .25 matters."""


def _score_of_training_rows(fitted: Any, rows: _Rows, job: _Job) -> float | None:
    """Return how far a model orders a sample of the rows that it was fitted on.

    Classes are sampled equally, which changes no area under a curve. None where it is not asked
    for, where the sample has a single class, or where the model cannot predict it: a fit whose test
    rows were predicted has not failed.
    """
    data, targets = job.data, job.context.targets
    if data.sample_seed is None:
        return None
    y: NDArray[Any] | None
    y = _training_targets(rows, job) if data.n_classes is None else data.y[data.train]
    if data.n_classes is not None and rows.y is not None:  # a resampler chose or made the rows
        made = np.asarray(rows.y)
        y, *_ = watched(partial(_codes, made, data.n_classes, targets, "the resampler returned"))
    if y is None:
        return None
    places = [np.arange(len(y))]
    if data.n_classes is not None:
        places = [np.flatnonzero(y == code) for code in range(data.n_classes)]
    each = max(1, MOST_SAMPLED // len(places))
    if any(len(p) > each for p in places):
        chance = np.random.default_rng(data.sample_seed)
        places = [p if len(p) <= each else chance.choice(p, each, replace=False) for p in places]
    sample = np.sort(np.concatenate(places))
    predict = partial(
        predict_outputs, fitted, rows.train[sample], data.n_classes, targets=targets, n=len(sample)
    )
    outputs, *_ = watched(partial(predict, scores=True, labels=data.n_classes is None))
    if outputs is None:
        return None
    if data.n_classes is None:
        found = rank_correlation(y[sample], outputs.predictions)
    else:
        found = skill_of_classes(
            y[sample],
            outputs.predictions,
            outputs.scores,
            n_classes=data.n_classes,
            positive=1,
        )
    return None if found is None else found.value


def watched(
    run: Any, guard: AbstractContextManager[None] | None = None
) -> tuple[Any, FitFailure | None, tuple[CaughtWarning, ...], float]:
    """Return the result or failure of a call of external code, its warnings and its seconds."""
    result, failure = None, None
    said: str | None = None
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            with guard or nullcontext(), child_ended():
                try:
                    result = run()
                except Exception as error:
                    said = error_text(error)  # the author's own code too, which may not end
                    raise
        except FitLost as error:
            result, failure = None, FitFailure(error.loss.error, error.loss.message)
        # A model is anyone's code: whatever it raises is a result of the study, recorded with
        # the fold and the parameters; it may not end the run. Ctrl-C may.
        except BaseException as error:
            if is_interruption(error):
                raise
            message = error_text(error) if said is None else said
            failure = FitFailure(type(error).__name__, message, isinstance(error, OF_A_FIT))
    caught = dict.fromkeys(
        CaughtWarning(w.category.__name__, error_text(w.message))
        for w in seen
        if _concerns_the_author(w)
    )
    return result, failure, tuple(caught), time.perf_counter() - started


def _concerns_the_author(warning: warnings.WarningMessage) -> bool:
    """Return whether a warning is for the author, not for packages or about a seed of ours."""
    if issubclass(warning.category, DeprecationWarning | PendingDeprecationWarning):
        return False
    return not (
        issubclass(warning.category, FutureWarning)
        and "random_state" in error_text(warning.message)
    )


def _own_copy(rows: Any, step: StepSpec) -> Any:
    """Copy rows for a step that is set to work in place, so that others see them as they are."""
    if isinstance(step, ColumnsSpec):
        parts = [b.pipeline.steps[0] for b in step.branches if b.pipeline is not None]
        return rows.copy() if any(_works_in_place(part) for part in parts) else rows
    return rows.copy() if _works_in_place(step) else rows


def _works_in_place(step: StepSpec) -> bool:
    if isinstance(step, ColumnsSpec):
        return False
    return step.code or any(
        (name.lower().startswith("copy") and value is False) for name, value in step.parameters
    )


def _targets(data: FitData, context: BuildContext) -> "NDArray[Any]":
    if data.n_classes is None or not context.targets:
        return np.asarray(data.y)
    y: NDArray[Any] = np.asarray(context.targets)[data.y]
    return y


def _weights(last: StepSpec, data: FitData) -> dict[str, Any]:
    if data.weights is None or isinstance(last, ColumnsSpec) or last.name not in CATALOGUE:
        return {}
    scaled = inside(last)
    if scaled is not None:
        *before, name = step_names(scaled)
        start = f"{name}__" if before else ""
        return {start + key: v for key, v in _weights(scaled.steps[-1], data).items()}
    if not abilities(PipelineSpec((last,))).weights:
        return {}
    return {"sample_weight": data.weights[data.train]}


SUM_TOLERANCE = 1e-3  # float16 holds three decimals; sums of probabilities in it differ so from 1


SCORING = ("predict_proba", "decision_function")
"""Methods that give scores, the first before the second."""


def predict_outputs(
    estimator: Any,
    X: Any,  # noqa: N803  (scikit-learn's name for rows)
    n_classes: int | None,
    *,
    scores: bool,
    targets: Sequence[bool | int | float | str] = (),
    n: int | None = None,
    labels: bool = True,
) -> Outputs:
    """Predict `n` rows; `n_classes` is None for regression, `scores` asks for scores too.

    Without `labels` those of a model that gives scores are not predicted, and all have the code 0.
    `targets` are the labels the model was fitted on, in the study's order; the codes
    0, 1, ... when empty. Raises `ValueError` where a method of the model returns another shape
    than (n,), or (n, K) for scores, a label that is not a class, a number that is not finite,
    or probabilities outside 0 to 1 or with another sum than 1.
    """
    n = len(X) if n is None else n
    skipped = not labels and any(hasattr(estimator, name) for name in SCORING)
    predicted = (
        np.zeros(n, dtype=np.int64) if skipped else _complete(estimator.predict(X), "predict")
    )
    if predicted.shape != (n,):
        raise ValueError(
            f"`predict` returned {_shaped(predicted)} for {_rows(n)}; it must return one "
            f"{'label' if n_classes else 'number'} per row, the shape ({n},)"
        )
    if n_classes is None:
        values = predicted.astype(np.float64)
        return Outputs(_measurable(values))
    codes = _codes(predicted, n_classes, () if skipped else targets, "`predict` returned")
    if not scores:
        return Outputs(codes)
    own_classes = getattr(estimator, "classes_", None)  # a class of the author's may lack them
    found = list(range(n_classes))
    if own_classes is not None:
        own = np.asarray(own_classes).ravel()
        found = _codes(own, n_classes, targets, "`classes_` holds").tolist()
    if hasattr(estimator, "predict_proba"):
        returned = _complete(estimator.predict_proba(X), "predict_proba")
        table = np.zeros((n, n_classes))
        table[:, found] = _probabilities(returned, n, len(found))
        return Outputs(codes, table, "probabilities")
    if hasattr(estimator, "decision_function"):
        returned = _complete(estimator.decision_function(X), "decision_function")
        margins = _sort_margins(_margins(returned, n, len(found)), found, n_classes)
        if margins is None and skipped:
            return predict_outputs(estimator, X, n_classes, scores=False, targets=targets, n=n)
        return Outputs(codes, margins, None if margins is None else "margins")
    return Outputs(codes)


def _complete(returned: Any, method: str) -> "NDArray[Any]":
    """Return what a method returned as an array; `numpy.asarray` forgets which are masked."""
    if np.ma.is_masked(returned):
        raise ValueError(f"`{method}` returned masked values; it must return one for every row")
    return np.asarray(returned)


def _codes(
    labels: "NDArray[Any]",
    n_classes: int,
    targets: Sequence[bool | int | float | str],
    source: str,
) -> "NDArray[np.int64]":
    """Return the place of each label in the study's order of classes."""
    if not targets and labels.dtype.kind in "iu":
        codes = np.where((labels >= 0) & (labels < n_classes), labels, -1).astype(np.int64)
    else:
        place = {target: i for i, target in enumerate(targets or range(n_classes))}
        codes = np.array([place.get(label, -1) for label in labels.tolist()], dtype=np.int64)
    strange = labels[codes < 0]
    if len(strange):
        meant = "is not a class of the target"
        if not targets:  # the author of a class knows the names of the classes, and not this
            meant += f", whose classes a model is given as 0 to {n_classes - 1}"
        raise ValueError(f"{source} {strange.tolist()[0]!r}, which {meant}")
    return codes


def _probabilities(returned: "NDArray[Any]", n: int, n_classes: int) -> "NDArray[np.float64]":
    """Check probabilities (n, K): finite, between 0 and 1, each row with the sum 1."""
    if returned.shape != (n, n_classes):
        raise ValueError(
            f"`predict_proba` returned {_shaped(returned)} for {_rows(n)} and {n_classes} classes; "
            f"it must return one probability per row and class, the shape ({n}, {n_classes})"
        )
    table = _finite(returned.astype(np.float64), "predict_proba")
    outside = np.flatnonzero(((table < -SUM_TOLERANCE) | (table > 1 + SUM_TOLERANCE)).any(axis=1))
    if len(outside):
        raise ValueError(
            f"`predict_proba` returned {_row(table, outside[0])}; a probability is between 0 and 1"
        )
    wrong = np.flatnonzero(np.abs(table.sum(axis=1) - 1) > SUM_TOLERANCE)
    if len(wrong):
        total = f"{table[wrong[0]].sum():.4g}"
        raise ValueError(
            f"`predict_proba` returned {_row(table, wrong[0])}, whose sum is {total}; the "
            "probabilities of a row must sum to 1"
        )
    return table


def _margins(returned: "NDArray[Any]", n: int, n_classes: int) -> "NDArray[np.float64]":
    """Check margins: (n,) of two classes, (n, K), or (n, K (K - 1) / 2) of pairs of classes."""
    allowed = [(n,)] if n_classes == 2 else [(n, n_classes), (n, n_classes * (n_classes - 1) // 2)]
    if returned.shape not in (*allowed, (n, n_classes)):
        raise ValueError(
            f"`decision_function` returned {_shaped(returned)} for {_rows(n)} and {n_classes} "
            f"classes; it must return the shape {allowed[0]}"
        )
    return _finite(returned.astype(np.float64), "decision_function")


def _sort_margins(margins: "NDArray[np.float64]", found: list[int], n_classes: int) -> Any:
    """Sort margins by the study's order of classes; a class never seen gets the lowest.

    One against one (a column for each pair of classes) is not a score for a class: None.
    """
    if margins.ndim == 1:
        if len(found) == 2 == n_classes:
            return margins
        margins = np.column_stack([-margins, margins])
    if margins.shape[1] != len(found):
        return None
    table = np.full((len(margins), n_classes), margins.min(initial=0.0) - 1.0)
    table[:, found] = margins
    return table


def _finite(values: "NDArray[np.float64]", method: str) -> "NDArray[np.float64]":
    odd = values[~np.isfinite(values)]
    if len(odd):
        raise ValueError(f"`{method}` returned {odd[0]}; every number must be finite")
    return values


def _measurable(values: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Check predicted numbers, which are squared and summed to measure their errors."""
    beyond = values[np.abs(_finite(values, "predict")) > LARGEST_NUMBER]
    if len(beyond):
        raise ValueError(
            f"`predict` returned {beyond[0]:.4g}; the squares of numbers beyond {LARGEST_WORD} "
            "cannot be summed: the fit diverged, or the target needs another unit"
        )
    return values


def _shaped(returned: "NDArray[Any]") -> str:
    return f"an array of the shape {returned.shape}"


def _rows(n: int) -> str:
    return f"{n} row{'s' * (n != 1)}"


SHOWN = 4  # numbers of a row that a message shows


def _row(table: "NDArray[np.float64]", number: int) -> str:
    """Format the numbers of one row: `[0.5, 14.5] in row 3`."""
    shown = [f"{value:.4g}" for value in table[number, :SHOWN].tolist()]
    more = ", ..." if table.shape[1] > SHOWN else ""
    return f"[{', '.join(shown)}{more}] in row {number} of its input"
