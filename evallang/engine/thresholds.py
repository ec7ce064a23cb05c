"""From which score on labels are positive, and what that number was chosen on, by model."""

from evallang.data.dataset import DataSpec, PredictionsSpec
from evallang.models.thresholds import OwnThreshold, own_thresholds
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
    if model is not None and model.stored is None:
        found += [_own(own) for own in own_thresholds(model.pipeline)]
    return tuple(found)


def _own(own: OwnThreshold) -> ThresholdRecord:
    if own.scoring is not None:
        rest = (own.scoring, own.folds, own.part, own.member)
        return ThresholdRecord("training_part", None, None, *rest)
    if own.searched:
        return ThresholdRecord("search", None, None, member=own.member)
    origin = "default" if own.value is None else "stated"
    return ThresholdRecord(origin, None, own.value, member=own.member)
