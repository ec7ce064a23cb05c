"""Outcomes in, `Estimate`s with their intervals out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any

from evallang.compatibility import default_interval
from evallang.engine.bootstrap_estimates import bootstrap_estimate
from evallang.engine.repeats import as_read_by, with_repeats
from evallang.engine.settings import FoldSize, Setting
from evallang.engine.weighted import sample_of, weighted_proportion
from evallang.metrics.aggregation import (
    Aggregate,
    aggregate,
    over_seeds,
    partition,
    point_value,
    sd_over_seeds,
)
from evallang.metrics.metric import MetricEntry, Outcome, confusion, successes
from evallang.metrics.own_code import OwnMetricFailed
from evallang.planning.seeds import analysis_seed
from evallang.protocols.protocol import ALGORITHM, ALGORITHM_ELSEWHERE, AS_GIVEN, about_yields
from evallang.registry import Entry, Evidence, lazy
from evallang.results.records import Estimate, FoldValue, Interval
from evallang.stats.intervals.effective_size import clustered_wilson
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration, Resampler
from evallang.stats.intervals.resampled_counts import CountSample
from evallang.stats.intervals.resampled_scores import ScoreSample
from evallang.stats.intervals.resampling import LossSample, WeightSample, mean_sample
from evallang.study import Measure, Method, Study

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")


SAME = 1e-9  # relative; means of equal folds in another order


def estimates(study: Study, setting: Setting) -> Iterator[Estimate]:
    """Measure every model of a setting by every metric of the study."""
    for measure in study.measures:
        for model in setting.models if setting.measures(measure.metric) else ():
            yield estimate(study, setting, model, measure)


def estimate(study: Study, setting: Setting, model: str, measure: Measure) -> Estimate:
    """Measure one model by one metric."""
    metric = measure.metric
    try:
        if setting.yields.averaged and not setting.means:
            read = _estimate(study, as_read_by(setting, metric), model, measure)
            return with_repeats(read, setting, model, metric)
        return _estimate(study, setting, model, measure)
    except OwnMetricFailed as error:
        return _undefined(setting, model, metric, f"not computed: {error}")


def _estimate(study: Study, setting: Setting, model: str, measure: Measure) -> Estimate:
    metric = measure.metric
    found = setting.models[model]
    outcome = setting.outcome(model, metric)
    if found.failed or outcome is None:
        reason = (
            f"not computed: {len(found.failed)} of {len(setting.folds)} fits failed"
            if found.failed
            else f"not computed: the model gives no {setting.entry(metric).declaration.needs}"
        )
        return _undefined(setting, model, metric, reason)
    if setting.kind == "bootstrap":
        return bootstrap_estimate(study, setting, model, metric)
    entry = setting.entry(metric)
    whole, spreads, extra = _whole(setting, model, metric)
    outcomes = setting.outcomes(model, metric)
    bench = Bench(study, setting, model, metric, entry, outcomes, whole)
    interval, notes = _interval(bench, measure)
    return Estimate(
        data=setting.source,
        protocol=setting.protocol,
        model=model,
        metric=metric.written,
        value=whole.value,
        aggregation=_aggregation(setting, whole),
        fold_mean=whole.fold_mean,
        sd=whole.sd,
        n=whole.n,
        about=about(setting),
        interval=interval,
        folds=_folds(setting, whole, spreads),
        extra=extra,
        notes=(*whole.notes, *notes),
    )


def point_estimate(study: Study, setting: Setting, model: str, metric: Method) -> float | None:
    """Give the value of a metric alone; None where it cannot be computed."""
    setting = as_read_by(setting, metric)
    found = setting.models[model]
    outcome = setting.outcome(model, metric)
    if found.failed or outcome is None:
        return None
    try:
        if setting.kind == "bootstrap":
            return bootstrap_estimate(study, setting, model, metric).value
        return _whole(setting, model, metric)[0].value
    except OwnMetricFailed:
        return None


def _whole(
    setting: Setting, model: str, metric: Method
) -> tuple[Aggregate, tuple[float | None, ...], dict[str, Any]]:
    """Put the folds together; with several seeds also the spread over them, by fold and in all."""
    found, entry, options = setting.models[model], setting.entry(metric), metric.keywords()
    wholes = [
        aggregate(entry, options, outcome, found.fold, found.repeat)
        for outcome in setting.outcomes(model, metric)
    ]
    if len(wholes) == 1:
        return wholes[0], (None,) * len(wholes[0].folds), {}
    whole, spreads = over_seeds(wholes)
    values = np.array([np.nan if w.value is None else w.value for w in wholes])
    return whole, spreads, {"seeds": len(wholes), "sd_over_seeds": sd_over_seeds(values)}


def about(setting: Setting) -> str:
    """Say what the estimates of a setting are about, with its numbers."""
    sizes = [fold.n_train for fold in setting.folds if fold.n_train is not None]
    mean = round(sum(sizes) / len(sizes)) if sizes else 0
    text = about_yields(setting.yields, setting.grouped)
    if setting.own is not None and not setting.yields.evidence:
        text = AS_GIVEN
    elif text == ALGORITHM and not sizes:
        text = ALGORITHM_ELSEWHERE
    fits = len(setting.folds) * (1 + len(setting.further_seeds))
    return text.replace("{k}", str(fits)).replace("{n_train}", f"about {mean}")


@dataclass(frozen=True)
class Bench:
    """Everything that an interval may ask for by the name of a parameter.

    `outcomes` are those of every seed; an example's loss is its mean over them.
    """

    study: Study
    setting: Setting
    model: str
    metric: Method
    entry: MetricEntry
    outcomes: tuple[Outcome, ...]
    whole: Aggregate

    @property
    def outcome(self) -> Outcome:
        """The outcome, of several seeds that of the first: the same rows and weights."""
        return self.outcomes[0]

    def given(self, name: str, method: str) -> Any:
        """Give one input by its name; raises `Unavailable` where there is none."""
        makers: Mapping[str, Callable[[], Any]] = {
            "successes": lambda: self._proportion()[0],
            "n": lambda: self._proportion()[1],
            "level": lambda: self.study.confidence,
            "losses": self._losses,
            "folds": self._fold_codes,
            "values": self._values,
            "n_train": lambda: None if self._sizes is None else self._sizes[0],
            "n_test": lambda: None if self._sizes is None else self._sizes[1],
            "truth": self._binary_truth,
            "scores": self._positive_scores,
            "sample": self._sample,
            "matrix": self._matrix,
            "average": self._average,
            "positive": lambda: self.outcome.positive,
            "seed": lambda: analysis_seed(
                self.study.seed,
                self.setting.sha256,
                self.setting.protocol,
                self.metric.written,
                method,
            ),
        }
        return makers[name]()

    def _proportion(self) -> tuple[int, int]:
        if len(self.outcomes) > 1:
            raise Unavailable("with several seeds an example is no single success or failure")
        if self.setting.judged:
            right = int(self.setting.correct(self.model).sum())
            return right, self.outcome.n
        counts = confusion(self.outcome.truth, self.outcome.output, self.outcome.k)
        found = successes(self.entry, self.metric.keywords(), counts, self.outcome.positive)
        if found is None:
            raise Unavailable(f"`{self.metric.written}` is no proportion of these classes")
        return round(found[0]), round(found[1])

    def _matrix(self) -> Any:
        """Count true by predicted class (k, k)."""
        if len(self.outcomes) > 1:
            raise Unavailable("with several seeds an example is in no single cell")
        if (self.outcome.output < 0).any():
            raise Unavailable("a prediction is none of the classes")
        counts = confusion(self.outcome.truth, self.outcome.output, self.outcome.k)
        return counts[:, : self.outcome.k]

    def _average(self) -> str:
        """Name the average that a metric over classes takes, as it does by default."""
        written = self.metric.keywords().get("average")
        if written is not None:
            return str(written)
        return "binary" if self.outcome.k == 2 else "macro"

    def over_groups(self) -> "tuple[Interval | None, tuple[str, ...]]":
        """Give Wilson's interval with n over the design effect of the groups."""
        if self.entry.declaration.proportion != "all":
            return None, ("no interval: its form for groups is that of accuracy",)
        right = self.outcome.truth == self.outcome.output
        found, clusters = clustered_wilson(right, self._groups(), self.study.confidence)
        low, high = found.low, found.high
        if self.entry.declaration.complement and low is not None and high is not None:
            found = replace(found, low=1 - high, high=1 - low)
        effect = clusters.design_effect
        size = "" if effect is None else f", design effect {effect:.2f}"
        return found, (f"over {clusters.n} groups{size}",)

    def with_weights(self) -> "tuple[Interval | None, tuple[str, ...]]":
        """Give Wilson's interval with the effective number of examples (Kish 1965)."""
        if self.setting.group_codes is not None:
            return None, ("no interval: `wilson` has no form for groups and weights at once",)
        options, level = self.metric.keywords(), self.study.confidence
        try:
            found = weighted_proportion(self.entry, options, self.outcome, level)
        except ValueError as error:
            return None, (f"no interval: {error}",)
        if self.entry.declaration.complement and found.low is not None and found.high is not None:
            found = replace(found, low=1 - found.high, high=1 - found.low)
        return found, found.notes

    def _groups(self) -> Any:
        codes = self.setting.group_codes
        return None if codes is None else codes[self.setting.models[self.model].rows]

    def _losses(self) -> Any:
        options = self.metric.keywords()
        return np.mean(
            [self.entry.function(o.truth, o.output, o.positive, **options) for o in self.outcomes],
            axis=0,
        )

    def _fold_codes(self) -> Any:
        found = self.setting.models[self.model]
        return found.repeat * (int(found.fold.max()) + 1) + found.fold

    def _values(self) -> Any:
        values = [np.nan if value is None else value for value in self.whole.fold_values]
        return np.array(values, dtype=np.float64)

    @cached_property
    def _sizes(self) -> Any:
        return self.setting.sizes()

    def assumed(self, entry: Entry[IntervalDeclaration], method: Method) -> tuple[str, ...]:
        """State the sizes of folds that an interval takes for granted."""
        uses = "n_train" in entry.inputs and "test_train_ratio" not in method.keywords()
        note = self._sizes[2] if uses and self._sizes is not None else None
        return () if note is None else (note,)

    def _binary_truth(self) -> Any:
        if len(self.setting.classes) != 2 or self.setting.positive is None:
            raise Unavailable("the interval is for two classes")
        return (self.outcome.truth == self.setting.positive).astype(np.int64)

    def _positive_scores(self) -> Any:
        return positive_scores(self.outcome)

    def _sample(self) -> Resampler:
        o, options, groups = self.outcome, self.metric.keywords(), self._groups()
        if self.setting.yields.averaged and not self.setting.means:
            return WeightSample(o.n, self._over_repeats, groups, self._limits())
        if o.weights is not None or len(self.outcomes) > 1:
            folds = None if self.setting.yields.single_fit else self._fold_codes()
            return mean_sample(
                [sample_of(self.entry, options, one, folds, groups) for one in self.outcomes]
            )
        if self.entry.declaration.form == "counts" and groups is not None:
            return WeightSample(o.n, self._of_counts, groups, self._limits())
        if self.entry.declaration.form == "counts":
            counts = confusion(o.truth, o.output, o.k)
            return CountSample(
                counts,
                lambda m: self.entry.function(m, o.positive, **options),
                self._limits(),
            )
        if self.entry.declaration.form == "losses":
            return LossSample(
                self._losses(), self.entry.declaration.transform, groups, self._limits()
            )
        if self.metric.name == "roc_auc" and len(self.setting.classes) == 2:
            return ScoreSample(self._binary_truth(), self._positive_scores(), groups)

        def statistic(weights: "NDArray[np.float64]") -> "NDArray[np.float64]":
            return np.array(
                [self.entry.function(o.truth, o.output, o.positive, w, **options) for w in weights]
            )

        return WeightSample(o.n, statistic, groups, self._limits())

    def _over_repeats(self, weights: "NDArray[np.float64]") -> "NDArray[np.float64]":
        """Compute the mean over repeats of a metric under each row of weights (B, n)."""
        o, found = self.outcome, self.setting.models[self.model]
        own = np.ones(o.n) if o.weights is None else o.weights
        parts = partition(o.n, found.fold, found.repeat)
        options = self.metric.keywords()
        values = [
            point_value(self.entry, options, replace(o, weights=own * w), parts) for w in weights
        ]
        return np.array(values, dtype=np.float64)

    def _of_counts(self, weights: "NDArray[np.float64]") -> "NDArray[np.float64]":
        """Compute a metric of counts under each row of weights (B, n)."""
        o = self.outcome
        tables = np.stack([confusion(o.truth, o.output, o.k, w) for w in weights])
        return np.asarray(
            self.entry.function(tables, o.positive, **self.metric.keywords()), dtype=np.float64
        )

    def _limits(self) -> tuple[float | None, float | None]:
        return self.entry.declaration.low, self.entry.declaration.high


class Unavailable(Exception):
    """An interval's input that these outcomes do not give; the text says why."""


def positive_scores(outcome: Outcome) -> Any:
    """Give the score of the positive class (n,)."""
    scores = outcome.output
    return scores if scores.ndim == 1 else scores[:, outcome.positive]


def _interval(bench: Bench, measure: Measure) -> tuple[Interval | None, tuple[str, ...]]:
    method = measure.interval
    if method is None:
        name = default_interval(
            bench.metric,
            bench.setting.yields,
            len(bench.setting.classes),
            bench.setting.group_codes is not None,
        )
        if name is None:
            alone = bench.setting.own is not None and not bench.setting.yields.evidence
            return None, () if alone else ("no interval is sound here by default",)
        method = Method(name)
    if bench.whole.value is None:
        return None, ()
    entry = INTERVALS[method.name]
    weights = bench.outcome.weights
    if weights is not None and entry.declaration.form == "proportion":
        return bench.with_weights()
    if bench.setting.group_codes is not None and entry.declaration.form == "proportion":
        return bench.over_groups()
    try:
        inputs = [bench.given(name, method.written) for name in entry.inputs]
    except Unavailable as reason:
        return None, (f"no interval: {reason}",)
    try:
        found: Interval = entry.function(*inputs, **method.keywords())
    except ValueError as error:
        return None, (f"no interval: {error}",)
    notes = (*found.notes, *bench.assumed(entry, method))
    return _in_metric_units(bench, entry.declaration.form, found), notes


def _in_metric_units(bench: Bench, form: str, interval: Interval) -> Interval:
    """Turn bounds of a proportion or a mean loss into those of the metric."""
    declared = bench.entry.declaration
    low, high = interval.low, interval.high
    if form == "fold_values":
        low, high, notes = _centred(bench, low, high)
        interval = replace(interval, notes=(*interval.notes, *notes))
        return replace(
            interval, low=_at_least(low, declared.low), high=_at_most(high, declared.high)
        )
    if form == "proportion" and declared.complement and low is not None and high is not None:
        return replace(interval, low=1 - high, high=1 - low)
    if form == "losses" and declared.transform == "sqrt" and low is not None and high is not None:
        return replace(interval, low=sqrt(max(low, 0.0)), high=sqrt(max(high, 0.0)))
    if form == "losses":
        return replace(
            interval, low=_at_least(low, declared.low), high=_at_most(high, declared.high)
        )
    return interval


def _centred(
    bench: Bench, low: float | None, high: float | None
) -> tuple[float | None, float | None, tuple[str, ...]]:
    """Move an interval over folds to the estimate, where that is no mean of the folds."""
    value, mean = bench.whole.value, bench.whole.fold_mean
    if low is None or high is None or value is None or mean is None:
        return low, high, ()
    shift = value - mean
    if abs(shift) <= SAME * max(abs(value), 1.0):
        return low, high, ()
    return low + shift, high + shift, (f"centred on the estimate; the folds' mean is {mean:.6g}",)


def _at_least(bound: float | None, least: float | None) -> float | None:
    return bound if bound is None or least is None else max(bound, least)


def _at_most(bound: float | None, most: float | None) -> float | None:
    return bound if bound is None or most is None else min(bound, most)


def _folds(
    setting: Setting, whole: Aggregate, spreads: Sequence[float | None]
) -> tuple[FoldValue, ...]:
    if setting.own is not None and not setting.yields.evidence:
        return ()
    sizes: dict[tuple[int, int], FoldSize] = {(f.repeat, f.fold): f for f in setting.folds}
    return tuple(
        FoldValue(
            repeat,
            fold,
            sizes[repeat, fold].label,
            value if value is None or isfinite(value) else None,
            sizes[repeat, fold].n_train,
            sizes[repeat, fold].n_test,
            spread,
        )
        for (repeat, fold), value, spread in zip(
            whole.folds, whole.fold_values, spreads, strict=True
        )
    )


def _aggregation(setting: Setting, whole: Aggregate) -> str:
    """Name how one value came of many; scores measured elsewhere have no examples to pool."""
    if setting.own is None or setting.yields.evidence - {Evidence.FOLD_SCORES}:
        return whole.aggregation
    return "mean_of_folds" if len(whole.folds) > 1 else "given"


def _undefined(setting: Setting, model: str, metric: Method, reason: str) -> Estimate:
    return Estimate(
        data=setting.source,
        protocol=setting.protocol,
        model=model,
        metric=metric.written,
        value=None,
        aggregation="pooled",
        fold_mean=None,
        sd=None,
        n=0,
        about=about(setting),
        notes=(reason,),
    )
