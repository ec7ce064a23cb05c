"""Where models meet by one metric: a source under a protocol, or several data sets at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from evallang.engine.across import GridInputs, ScoreGrid, ranks
from evallang.engine.evaluation import Evaluation
from evallang.engine.repeats import as_read_by
from evallang.engine.test_inputs import TestInputs, rows_about
from evallang.planning.seeds import analysis_seed
from evallang.registry import lazy
from evallang.results.records import HypothesisTestResult, Ranks
from evallang.results.statistics import Lacking, not_computed, with_status
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import Method, Study

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")


class ComparisonContext(Protocol):
    """Where models meet by one metric: a source under a protocol, or several data sets."""

    @property
    def data(self) -> str | None:
        """The data set, None across several."""

    @property
    def protocol(self) -> str | None:
        """The protocol, if any."""

    @property
    def metric(self) -> str:
        """The metric as written."""

    @property
    def models(self) -> tuple[str, ...]:
        """All models that are there."""

    def lacking(self, models: Sequence[str]) -> Lacking | None:
        """Return why these models cannot be tested, None when they can."""

    def run(self, study: Study, test: Method, models: tuple[str, ...], level: float) -> Any:
        """Run a test of these models."""

    def correct(self, models: Sequence[str]) -> Any:
        """Right and wrong of these models (n, M), where that is known."""

    def seed(self, study: Study, method: Method) -> int:
        """The seed of a method that resamples."""

    def ranks(self, models: tuple[str, ...], alpha: float) -> Ranks | None:
        """Average ranks over data sets, None on one."""


@dataclass(frozen=True)
class OneSource:
    """One source under one protocol, by one metric."""

    evaluation: Evaluation
    by: Method
    asked: dict[tuple[Method, tuple[str, ...]], TestInputs] = field(default_factory=dict)

    @property
    def data(self) -> str | None:
        """The name of the source."""
        return self.evaluation.source

    @property
    def protocol(self) -> str | None:
        """The protocol, None for given outcomes."""
        return self.evaluation.protocol

    @property
    def metric(self) -> str:
        """The metric as written."""
        return self.by.written

    @property
    def models(self) -> tuple[str, ...]:
        """All models of the source."""
        return tuple(self.evaluation.models)

    def lacking(self, models: Sequence[str]) -> Lacking | None:
        """Return a model whose fit failed, or that gives no scores."""
        for model in models:
            if self.evaluation.models[model].failed:
                return Lacking("fit", f"a fit of {model} failed", model)
            if self.evaluation.outcome(model, self.by) is None:
                return Lacking("scores", f"{model} gives no scores", model)
        return None

    def run(
        self, study: Study, test: Method, models: tuple[str, ...], level: float
    ) -> HypothesisTestResult:
        """Run a test on the outcomes of the models."""
        key = (test, models)
        if key not in self.asked:
            read = as_read_by(self.evaluation, self.by)
            self.asked[key] = TestInputs(study, read, self.by, models, test, level)
        inputs = self.asked[key]
        return _reasoned(lambda: inputs.run(level), test)

    def correct(self, models: Sequence[str]) -> Any:
        """Right and wrong of each model on each row that the metric is about."""
        every = np.column_stack([self.evaluation.correct(model) for model in models])
        return every[rows_about(self.evaluation, self.by, models[0])]

    def seed(self, study: Study, method: Method) -> int:
        """The seed of a method on this source and metric."""
        return analysis_seed(
            study.seed,
            self.evaluation.sha256,
            self.evaluation.protocol,
            self.metric,
            method.written,
        )

    def ranks(self, models: tuple[str, ...], alpha: float) -> Ranks | None:
        """None: folds are no data sets."""
        return None


@dataclass(frozen=True)
class Across:
    """Several data sets, by one metric."""

    grid: ScoreGrid
    by: Method
    on: str | None
    family: tuple[str, ...]

    data: str | None = None

    @property
    def protocol(self) -> str | None:
        """The protocol whose estimates are compared, None for given scores."""
        return self.on

    @property
    def metric(self) -> str:
        """The metric as written."""
        return self.grid.metric

    @property
    def models(self) -> tuple[str, ...]:
        """All models that have scores."""
        return self.grid.models

    def lacking(self, models: Sequence[str]) -> Lacking | None:
        """Nothing here: tests say themselves which data sets they leave out."""
        return None

    def run(
        self, study: Study, test: Method, models: tuple[str, ...], level: float
    ) -> HypothesisTestResult:
        """Run a test on the scores of the models."""
        inputs = GridInputs(study, self.grid, self.by, models, self.family, test, level)
        return _reasoned(inputs.run, test)

    def correct(self, models: Sequence[str]) -> Any:
        """Scores are neither right nor wrong; raises `ValueError`."""
        raise ValueError("scores over data sets are neither right nor wrong")

    def seed(self, study: Study, method: Method) -> int:
        """The seed of a method on these scores."""
        return analysis_seed(study.seed, self.grid.sha256, None, self.metric, method.written)

    def ranks(self, models: tuple[str, ...], alpha: float) -> Ranks | None:
        """Average ranks over the data sets, None where the scores are beyond reach."""
        try:
            return ranks(self.grid, models, alpha)
        except ValueError:
            return None


def _reasoned(run: Callable[[], HypothesisTestResult], test: Method) -> HypothesisTestResult:
    """Run a test; what it refuses by a `ValueError` is not computed, for that reason."""
    try:
        return with_status(run())
    except ValueError as error:
        null = HYPOTHESIS_TESTS[test.name].declaration.null
        return not_computed(test.name, null, Lacking("refused", str(error)))
