"""From which score on labels are positive, and what that number was chosen on, by model."""

from evallang.data.dataset import DataSpec, PredictionsSpec
from evallang.models.model import ModelSpec
from evallang.models.thresholds import own_threshold
from evallang.results.records import ThresholdRecord
from evallang.study import Study


def thresholds_of(study: Study, name: str) -> tuple[ThresholdRecord, ...]:
    """Return the thresholds of a model: those of its data sets, and one of its own class."""
    found = []
    for source in study.sources:
        stated: dict[str, float] = {}
        if isinstance(source, DataSpec):
            stated = dict(source.thresholds)
        elif isinstance(source, PredictionsSpec):
            stated = {m.name: m.threshold for m in source.models if m.threshold is not None}
        if name in stated:
            found.append(ThresholdRecord("stated", source.name, stated[name]))
    model = next((model for model in study.models if model.name == name), None)
    own = None if model is None else _own(model)
    return (*found, own) if own is not None else tuple(found)


def _own(model: ModelSpec) -> ThresholdRecord | None:
    own = own_threshold(model.pipeline)
    if own is None or model.stored is not None:
        return None
    if own.scoring is not None:
        return ThresholdRecord("training_part", None, None, own.scoring, own.folds, own.part)
    if own.searched:
        return ThresholdRecord("search", None, None)
    return ThresholdRecord("default" if own.value is None else "stated", None, own.value)
