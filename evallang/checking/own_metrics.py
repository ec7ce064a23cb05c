"""Which metric a line is about where its models' numbers were measured elsewhere."""

from collections.abc import Sequence

from evallang.checking.scope import Scope, letters
from evallang.compatibility import own_metric
from evallang.data.dataset import DataSpec
from evallang.study import Method, SourceSpec, names_of


def has_models(source: SourceSpec, models: tuple[str, ...], scope: Scope) -> bool:
    """Return whether a source has these models, as far as it is known before it is read."""
    if isinstance(source, DataSpec):
        return scope.models.keys() >= set(models)
    names = names_of(source.models)
    return not names or names.known.issuperset(models)


def measured_elsewhere(
    scope: Scope, sources: Sequence[SourceSpec], models: tuple[str, ...]
) -> tuple[Method, ...]:
    """Return the metrics of the sources that have these models, where all were measured already.

    None where any other source has them too, or none does.
    """
    own = [own_metric(source) for source in sources if has_models(source, models, scope)]
    found = tuple(dict.fromkeys(metric for metric in own if metric is not None))
    return found if None not in own else ()


def as_measured(metric: Method, own: Sequence[Method]) -> Method:
    """Take the metric that a source measured where it is called so."""
    return next((m for m in own if letters(m.name) == letters(metric.name)), metric)
