"""What an analysis of models reads: predictions, and the fits that it asked for."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct, field

from evallang.data.dataset import Table
from evallang.engine.evaluation import Evaluation
from evallang.engine.fit_outcome import FitOutcome
from evallang.engine.metric_samples import resampling_seed
from evallang.metrics.aggregation import Aggregate, aggregate_parts, partition
from evallang.metrics.metric import Outcome
from evallang.metrics.own_code import OwnMetricFailed
from evallang.models.model import ModelSpec
from evallang.planning.plan import FitTask, SubsetPlace
from evallang.stats.score_curves import Predicted
from evallang.study import AnalysisSpec, Method, Study


class Outcomes(Struct, frozen=True):
    """One data set under one protocol, and the models that an analysis is about.

    `line` names all models of its `analyze` line on these data, where they are answered one by
    one. `places` are where the fits that it asks for are used, with their `tasks` and what came of
    them, `fits`.
    """

    study: Study
    spec: AnalysisSpec
    evaluation: Evaluation
    models: tuple[str, ...]
    of_class: int | None = None
    line: tuple[str, ...] = ()
    given: Table | None = None
    places: tuple[SubsetPlace, ...] = ()
    tasks: Mapping[str, FitTask] = field(default_factory=dict)
    fits: Mapping[str, FitOutcome] = field(default_factory=dict)

    @property
    def metric(self) -> Method:
        """The metric that it is by: the one written, or the first that is measured."""
        return self.spec.metric or self.study.measures[0].metric

    @property
    def model(self) -> ModelSpec:
        """The first of its models, as the study states it."""
        return next(model for model in self.study.models if model.name == self.models[0])

    @property
    def table(self) -> Table:
        """The rows that its models are fitted on."""
        assert self.given is not None, "its models are fitted on a table"
        return self.given

    def places_of(self, model: str) -> list[SubsetPlace]:
        """Return where the fits of one model are used."""
        return [place for place in self.places if place.model == model]

    def is_good(self, place: SubsetPlace) -> bool:
        """Return whether a fit did not fail."""
        return self.fits[place.key].failure is None

    def aggregates(self, model: str) -> tuple[Aggregate, ...]:
        """Return the metric of a model with each seed, empty where it lacks what the metric needs.

        Raises `ValueError` where the author's own metric fails.
        """
        try:
            return self.evaluation.aggregates(model, self.metric)
        except OwnMetricFailed as error:
            raise ValueError(f"{self.metric.written}: {error.message}") from error

    def predicted(self, model: str, of_class: int | None = None) -> Predicted:
        """Return the predictions of a model; of a class against the rest where one is given."""
        evaluation = self.evaluation
        found = evaluation.models[model]
        scores, positive, k = found.scores, evaluation.positive, len(evaluation.classes)
        if of_class is not None:
            assert scores is not None and scores.ndim == 2, "every class has a score"
            scores, positive = scores[:, of_class], of_class
        if scores is not None and scores.ndim == 2:
            two = evaluation.positive is not None and scores.shape[1] == k == 2
            scores = scores[:, evaluation.positive] if two else None
        # Drawn together: groups, or examples that are predicted several times
        units = None if len(np.unique(found.rows)) == len(found.rows) else found.rows
        if evaluation.group_codes is not None:
            units = evaluation.group_codes[found.rows]
        return Predicted(
            truth=found.truth,
            labels=found.labels,
            scores=scores,
            probabilities=found.probabilities,
            classes=evaluation.classes,
            positive=positive,
            folds=None if evaluation.yields.single_fit else evaluation.partition(model).fold,
            units=units,
            weights=evaluation.weights_of(model),
            level=self.study.confidence,
            seed=resampling_seed(self.study, evaluation, self.spec.method),
        )

    def score(
        self, places: Sequence[SubsetPlace], *, on_training: bool = False
    ) -> tuple[float, Mapping[tuple[int, int], float]]:
        """Return the metric over the splits of some fits and on each of them, NaN where undefined.

        It is measured on their test rows, or on the rows that they were fitted on. Raises
        `ValueError` where the model gives no scores, or the author's own metric fails.
        """
        nan = float("nan")
        if not places:
            return nan, {}
        entry, table = self.evaluation.entry(self.metric), self.table
        needs = entry.declaration.needs
        truth, rows, output = [], [], []
        for place in places:
            outcome, task = self.fits[place.key], self.tasks[place.key]
            made: Any = outcome.training if on_training else outcome
            assert made is not None, "the predictions of the training rows were asked for"
            rows.append(task.refit if on_training else task.test)
            target = table.y if task.target_of is None else table.y[task.target_of]
            truth.append(target[rows[-1]])
            lacks = made.scores is None or (needs == "probabilities" and not outcome.probabilities)
            if needs in ("scores", "probabilities") and lacks:
                raise ValueError(f"the model gives no {needs}")
            output.append(made.scores if needs in ("scores", "probabilities") else made.labels)
        sizes, every = [len(r) for r in rows], np.concatenate(rows)
        repeat = np.repeat([place.split.repeat for place in places], sizes)
        fold = np.repeat([place.split.fold for place in places], sizes)
        measured = Outcome(
            np.concatenate(truth),
            np.concatenate(output),
            len(self.evaluation.classes),
            self.evaluation.positive,
            None if table.weights is None else table.weights[every],
        )
        parts = partition(len(every), fold, repeat)
        try:
            found = aggregate_parts(entry, self.metric.keywords(), measured, parts)
        except OwnMetricFailed as error:
            raise ValueError(f"{self.metric.written}: {error.message}") from error
        values = [nan if value is None else value for value in (found.value, *found.fold_values)]
        return values[0], dict(zip(found.folds, values[1:], strict=True))
