"""Scores of models over several data sets: what tests `across data` read, and the ranks."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.compatibility import metric_entry
from evallang.data.dataset import ScoreTable
from evallang.engine.estimates import point_estimate
from evallang.engine.evaluation import Evaluation
from evallang.engine.providers import Providers
from evallang.planning.seeds import analysis_seed
from evallang.results.records import HypothesisTestResult, Ranks, Summary
from evallang.stats.effect_sizes.effect_size import rank_models
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.inputs import Subject
from evallang.stats.rank_scores import win_tie_loss
from evallang.study import ComparisonSpec, Method, Study


class ScoreGrid(Struct, frozen=True):
    """Scores of M models on N data sets (N, M); NaN for a missing score.

    `protocol` is the kind and options of that of the scores, None for given ones; `missing` is
    the policy of a `scores` statement for them, `options` of a test apart.
    """

    models: tuple[str, ...]
    datasets: tuple[str, ...]
    values: "NDArray[np.float64]"
    metric: str
    better: Literal["higher", "lower"]
    bounded: bool
    protocol: tuple[str, Mapping[str, Any]] | None = None
    missing: str = "leave_out"

    def seed(self, study: Study, method: str) -> int:
        """Return the seed of what draws the data sets again."""
        return analysis_seed(study.seed, self.protocol, "data sets", len(self.datasets), method)


def grid_of(study: Study, evaluations: Sequence[Evaluation], metric: Method) -> ScoreGrid:
    """Measure every model on the data set of every evaluation, a row for each."""
    datasets = tuple(evaluation.source for evaluation in evaluations)
    models = tuple(dict.fromkeys(m for evaluation in evaluations for m in evaluation.models))
    values = np.full((len(datasets), len(models)), np.nan)
    for row, evaluation in enumerate(evaluations):
        for model in evaluation.models:
            value = point_estimate(study, evaluation, model, metric)
            if value is not None:
                values[row, models.index(model)] = value
    declared = metric_entry(metric).declaration
    seen = values[~np.isnan(values)]
    bounded = metric.better is not None and len(seen) > 0 and 0 <= seen.min() <= seen.max() <= 1
    return ScoreGrid(
        models,
        datasets,
        values,
        metric.written,
        declared.direction,
        bounded or (declared.low == 0 and declared.high == 1),
        evaluations[0].draws[0],
    )


def missing_policy(spec: ComparisonSpec) -> Literal["leave_out", "worst"]:
    """Return what the tests of a line do with a data set that lacks a score."""
    tests = [spec.test, *([spec.post_hoc] if spec.post_hoc else [])]
    worst = any(test.keywords().get("missing") == "worst" for test in tests)
    return "worst" if worst else "leave_out"


def grid_of_table(
    table: ScoreTable, missing: Literal["leave_out", "worst"] = "leave_out"
) -> ScoreGrid:
    """Arrange a table of scores computed elsewhere."""
    values = table.means
    inside = values[~np.isnan(values)]
    return ScoreGrid(
        tuple(model.name for model in table.models),
        table.datasets,
        values,
        table.spec.metric or "score",
        "higher" if table.spec.higher_is_better else "lower",
        bool(len(inside)) and bool((inside >= 0).all()) and bool((inside <= 1).all()),
        missing=missing if table.spec.policy == "leave_out" else table.spec.policy,
    )


class GridInputs(Struct, frozen=True):
    """The evidence of a test over data sets, made when it is asked for."""

    study: Study
    grid: ScoreGrid
    metric: Method
    models: tuple[str, ...]
    family: tuple[str, ...]
    test: Method
    level: float

    def columns(self, models: Sequence[str]) -> "NDArray[np.float64]":
        """Return the scores of some models (s, m)."""
        columns = [self.grid.models.index(model) for model in models]
        return self.grid.values[:, columns]

    def run(self) -> HypothesisTestResult:
        """Run the test on the columns of its models; ranks are those of the whole family."""
        entry = HYPOTHESIS_TESTS[self.test.name]
        needs = entry.declaration.evidence
        inputs = [DATA_SETS.make(name, self, needs) for name in entry.inputs]
        options = self.test.keywords()
        takes_policy = entry.option("missing") is not None
        if takes_policy and "missing" not in options and self.grid.missing != "leave_out":
            options["missing"] = self.grid.missing
        result: HypothesisTestResult = entry.function(*inputs, **options)
        if "first" in entry.inputs:  # the data sets of this pair, which others may lack
            missing: Any = options.get("missing", "leave_out")
            counts = win_tie_loss(self.columns(self.models), self.grid.better, missing)[0][2:]
            named = dict(zip(("wins", "ties", "losses"), counts, strict=True))
            result = replace(result, extra={**result.extra, **named})
        if result.estimate is None or not isinstance(result.estimate.name, Summary):
            return result
        name = result.estimate.name.by(self.grid.metric)
        return replace(result, estimate=replace(result.estimate, name=name))


# --- one provider for each input --------------------------------------------------------------

DATA_SETS: Providers[GridInputs] = Providers(Subject.DATA_SETS)
"""What makes the inputs of a test over data sets."""

DATA_SETS.provide(
    pair=lambda inputs: tuple(inputs.family.index(model) for model in inputs.models),
    first=lambda inputs: inputs.columns(inputs.models)[:, 0],
    second=lambda inputs: inputs.columns(inputs.models)[:, 1],
    better=lambda inputs: inputs.grid.better,
    bounded=lambda inputs: inputs.grid.bounded,
    level=lambda inputs: inputs.level,
    seed=lambda inputs: inputs.grid.seed(inputs.study, inputs.test.written),
)


@DATA_SETS.provides("scores")
def scores(inputs: GridInputs) -> "NDArray[np.float64]":
    """Return the scores of the models; for a test of a pair those of the whole family."""
    of_pair = "pair" in HYPOTHESIS_TESTS[inputs.test.name].inputs
    return inputs.columns(inputs.family if of_pair else inputs.models)


def ranks(study: Study, grid: ScoreGrid, models: tuple[str, ...]) -> Ranks:
    """Return average ranks, Nemenyi's critical difference, and wins, ties, losses of each pair."""
    columns = [grid.models.index(model) for model in models]
    policy: Any = grid.missing
    seed = grid.seed(study, "ranks")
    return rank_models(grid.values[:, columns], models, grid.better, 1 - study.alpha, policy, seed)
