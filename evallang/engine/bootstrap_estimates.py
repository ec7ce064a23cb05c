"""Estimates under `protocol bootstrap`: out-of-bag, .632, .632+ and their parts."""

from functools import cached_property
from math import isfinite, isinf
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.engine.evaluation import Evaluation, ModelOutcome
from evallang.engine.metric_samples import resampling_seed
from evallang.metrics.aggregation import sd_over_seeds
from evallang.metrics.metric import MetricEntry, Outcome, fold_value, weighted_mean
from evallang.protocols.protocol import subject_of_yields
from evallang.results.records import Estimate, FoldValue, Interval
from evallang.stats.basics import normal_quantile
from evallang.stats.learning_bootstrap import (
    BootstrapError,
    bootstrap_error,
    leave_one_out_error,
    no_information_rate,
    standard_error,
)
from evallang.study import Method, Study

FULL_SAMPLE = -1  # the fold of the model fitted on, and tested on, all rows
PERMUTATIONS = 200  # of the truth, for the no-information value of a metric that is not a mean


def bootstrap_estimate(
    study: Study, evaluation: Evaluation, model: str, metric: Method
) -> Estimate:
    """Estimate one metric of one learning algorithm by resampling its training rows.

    Metrics that are means of losses follow Efron & Tibshirani 1997: Err(1) is a mean over
    examples. For others it is the mean over rounds of the metric out of the bag, with the
    no-information value by permutation: an extension, and labelled so.
    """
    found = evaluation.models[model]
    outcomes = evaluation.outcomes(model, metric)
    assert outcomes, "models without scores are sorted out before"
    entry = evaluation.entry(metric)
    kind = str(evaluation.options["estimate"])
    rounds = _Rounds(evaluation, found, outcomes, entry, metric)
    losses = rounds.losses()
    notes: list[str] = []
    error: float | None = None
    if losses is not None:
        weights = None if evaluation.weights is None else evaluation.weights[rounds.rows]
        error_left_out, never = leave_one_out_error(losses, weights)
        oob = float("nan") if error_left_out is None else error_left_out
        apparent = weighted_mean(rounds.loss(rounds.full), weights)
        gamma = rounds.gamma()
        if len(rounds.rows) < evaluation.n:
            notes.append("no standard error: its form is for all rows that were drawn")
        elif evaluation.drawn is not None and not evaluation.on_training_rows and isfinite(oob):
            error = standard_error(
                losses, evaluation.drawn, evaluation.weights, evaluation.group_codes
            )
            if error is None:
                notes.append(
                    f"no standard error: it takes rounds enough that each of the {evaluation.unit} "
                    "is excluded twice"
                )
        if never:
            notes.append(f"{never} {evaluation.unit} were excluded by no round")
    else:
        values = rounds.values()
        undefined = int(np.isnan(values).sum())
        oob = float(np.nanmean(values)) if undefined < len(values) else float("nan")
        apparent = rounds.to_error(rounds.value(rounds.full))
        gamma = rounds.permuted_gamma(study)
        notes.append("an extension: Err(1) is the mean over rounds, gamma by permutation")
        if not evaluation.on_training_rows:
            notes.append("no standard error: its form is for means over examples")
        if undefined:
            notes.append(
                f"{undefined} of {len(values)} rounds, where it is undefined, are excluded"
            )
    if not (isfinite(oob) and isfinite(apparent) and isfinite(gamma)):
        if isinf(oob) or isinf(apparent) or isinf(gamma):
            notes.append("undefined: the loss of an example is infinite")
        return _record(evaluation, model, metric, None, None, None, rounds, tuple(notes))
    parts = bootstrap_error(apparent, oob, gamma, kind)  # type: ignore[arg-type]  # one of the option's words
    if error is not None:
        error = error if kind == "oob" else error * parts.value / parts.oob if parts.oob else 0.0
    interval = None
    if error is not None and entry.declaration.proportion == "all":
        interval = _interval(study, rounds, parts.value, error, kind)
    return _record(evaluation, model, metric, parts, error, interval, rounds, tuple(notes))


def _interval(study: Study, rounds: "_Rounds", error: float, spread: float, kind: str) -> Interval:
    """Return value plus and minus z standard errors, inside the metric's range."""
    reach = normal_quantile(study.confidence) * spread
    ends = sorted(rounds.from_error(bound) for bound in (error - reach, error + reach))
    low, high = rounds.entry.declaration.low, rounds.entry.declaration.high
    return Interval(
        "bootstrap_se" if kind == "oob" else "bootstrap_se(approximate)",
        study.confidence,
        max(ends[0], low) if low is not None else ends[0],
        min(ends[1], high) if high is not None else ends[1],
    )


def _record(
    evaluation: Evaluation,
    model: str,
    metric: Method,
    parts: BootstrapError | None,
    error: float | None,
    interval: Interval | None,
    rounds: "_Rounds",
    notes: tuple[str, ...],
) -> Estimate:
    values = rounds.values()
    known = [rounds.from_error(float(v)) for v in values if not np.isnan(v)]
    extra: dict[str, Any] = {}
    if parts is not None:
        extra = {
            "resubstitution": rounds.from_error(parts.resubstitution),
            "oob": rounds.from_error(parts.oob),
            "gamma": parts.gamma,
            "R": parts.R,
            "weight": parts.weight,
            "standard_error": error,
        }
    if len(rounds.outcomes) > 1:
        extra["seeds"] = len(rounds.outcomes)
    n_train = len(evaluation.models[model].rows[evaluation.models[model].fold == FULL_SAMPLE])
    about = subject_of_yields(evaluation.yields, evaluation.grouped)
    return Estimate(
        data=evaluation.source,
        protocol=evaluation.protocol,
        model=model,
        metric=metric.written,
        value=None if parts is None else rounds.from_error(parts.value),
        aggregation=str(evaluation.options["estimate"]),
        fold_mean=float(np.mean(known)) if known else None,
        sd=float(np.std(known, ddof=1)) if len(known) > 1 else None,
        n=len(known),
        about=about.replace("{n_train}", f"about {n_train}"),
        interval=interval,
        folds=tuple(
            FoldValue(
                0,
                b,
                None,
                None if np.isnan(value) else rounds.from_error(float(value)),
                n_train,
                int(np.sum(mask)),
                spread,
            )
            for b, (value, mask, spread) in enumerate(
                zip(values, rounds.masks, rounds.spreads(), strict=True)
            )
        ),
        extra=extra,
        notes=notes,
    )


class _Rounds:
    """The outcomes of one model, round by round, as errors; of several seeds their means."""

    def __init__(
        self,
        evaluation: Evaluation,
        found: ModelOutcome,
        outcomes: tuple[Outcome, ...],
        entry: MetricEntry,
        metric: Method,
    ) -> None:
        self.evaluation, self.found, self.outcomes = evaluation, found, outcomes
        self.entry, self.options, self.metric = entry, metric.keywords(), metric
        self.full = found.fold == FULL_SAMPLE
        self.rows = found.rows[self.full]  # in a subgroup not all that are drawn
        rounds = range(int(found.fold.max()) + 1)
        self.masks = [found.fold == b for b in rounds]

    def losses(self) -> "NDArray[np.float64] | None":
        """Return losses out of the bag (B, n), NaN where drawn; None where there are none."""
        if not self._is_mean():
            return None
        table = np.full((len(self.masks), len(self.rows)), np.nan)
        for b, mask in enumerate(self.masks):
            table[b, np.searchsorted(self.rows, self.found.rows[mask])] = self.loss(mask)
        return table

    def _is_mean(self) -> bool:
        declared = self.entry.declaration
        return declared.proportion == "all" or (
            declared.form == "losses" and declared.transform is None
        )

    def loss(self, mask: "NDArray[np.bool_]") -> "NDArray[np.float64]":
        """Return the loss of each row of a mask; 0-1 for accuracy and error rate."""
        found: NDArray[np.float64] = np.mean(
            [self._loss_of(o.take(mask)) for o in self.outcomes], axis=0
        )
        return found

    def _loss_of(self, o: Outcome) -> "NDArray[np.float64]":
        if self.entry.declaration.form == "counts":
            return np.asarray(o.truth != o.output, dtype=np.float64)
        return np.asarray(self.entry.function(o.truth, o.output, o.positive, **self.options))

    def gamma(self) -> float:
        """Return the mean loss over all pairs of a truth and an output (Raschka 2018, eq. 38)."""
        return float(np.mean([self._gamma_of(o.take(self.full)) for o in self.outcomes]))

    def _gamma_of(self, o: Outcome) -> float:
        if self.entry.declaration.form == "counts":
            return no_information_rate(o.truth, o.output, o.k, o.weights)
        weights = np.ones(o.n) if o.weights is None else o.weights
        truths, code = np.unique(o.truth, return_inverse=True)
        total = 0.0
        for truth, share in zip(truths, np.bincount(code.reshape(-1), weights), strict=True):
            same = np.full(o.n, truth, dtype=o.truth.dtype)
            loss = self.entry.function(same, o.output, o.positive, **self.options)
            total += float(np.sum(loss * weights)) * float(share)
        return total / float(weights.sum()) ** 2

    def permuted_gamma(self, study: Study) -> float:
        """Return the mean error of the full-sample model on permuted truths."""
        rng = np.random.default_rng(
            resampling_seed(study, self.evaluation, Method("no_information"))
        )
        full = [o.take(self.full) for o in self.outcomes]
        values = []
        for _ in range(PERMUTATIONS):
            truth = rng.permutation(full[0].truth)
            values.append(np.mean([self._error_of(replace(o, truth=truth)) for o in full]))
        known = [value for value in values if not np.isnan(value)]
        return float(np.mean(known)) if known else float("nan")

    def values(self) -> "NDArray[np.float64]":
        """Return the error of each round out of the bag, NaN where undefined."""
        found: NDArray[np.float64] = self._by_seed.mean(axis=0)
        return found

    def spreads(self) -> "list[float | None]":
        """Return the standard deviation over seeds of each round's error, None with one seed."""
        return [sd_over_seeds(errors) for errors in self._by_seed.T]

    @cached_property
    def _by_seed(self) -> "NDArray[np.float64]":
        """The error of each round by seed (S, B)."""
        return np.array(
            [[self._error_of(o.take(mask)) for mask in self.masks] for o in self.outcomes]
        )

    def value(self, mask: "NDArray[np.bool_]") -> float:
        """Return the metric on the rows of a mask."""
        errors = [self._error_of(o.take(mask)) for o in self.outcomes]
        return self.from_error(float(np.mean(errors)))

    def _error_of(self, o: Outcome) -> float:
        return self.to_error(fold_value(self.entry, self.options, o))

    def to_error(self, value: float) -> float:
        """Turn a metric into an error: the distance from its best value."""
        declared = self.entry.declaration
        if declared.better == "lower":
            return value
        return (1.0 if declared.high is None else declared.high) - value

    def from_error(self, error: float) -> float:
        """Turn an error back into the metric."""
        return self.to_error(error)
