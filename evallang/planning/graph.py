"""The graph of a plan: unique fits, then what reads them, down to the report."""

from collections.abc import Iterator, Sequence
from hashlib import sha256

from evallang.data.read_sources import ReadSources
from evallang.hypotheses import Families, PlannedComparison
from evallang.planning.plan import Layout, Task
from evallang.planning.seeds import canonical_json
from evallang.study import ComparisonSpec, Study

Place = tuple[str, str | None, str]
"""A data set or source, a protocol (None for what was measured elsewhere), a model."""


def graph(
    study: Study,
    families: Families,
    layout: Layout,
    read: ReadSources,
) -> Iterator[Task]:
    """List the nodes: unique fits, the estimates that read them, comparisons, the report.

    What was measured elsewhere has nodes of estimates and comparisons too, which need no fit.
    """
    seen: set[str] = set()
    fits: dict[Place, list[str]] = {}
    for place in layout.places:
        fits.setdefault((place.data, place.protocol, place.model), []).append(place.key)
        if place.key in seen:
            continue
        seen.add(place.key)
        yield Task(
            place.key,
            "fit",
            place.data,
            place.protocol,
            place.model,
            place.split.repeat,
            place.split.fold,
            layout.tasks[place.key].n_fits,
            (),
        )
    curves: dict[tuple[int, str, str, str], dict[str, None]] = {}
    for subset in layout.subsets:
        at = subset.analysis, subset.data, subset.protocol, subset.model
        curves.setdefault(at, {})[subset.key] = None
        if subset.key in seen:
            continue
        seen.add(subset.key)
        fitted = subset.data, subset.protocol, subset.model
        split, n_fits = subset.split, layout.tasks[subset.key].n_fits
        yield Task(subset.key, "fit", *fitted, split.repeat, split.fold, n_fits, ())
    fits.update({at: [] for at in layout.stored})
    for source in read.imported:
        fits.update({(source.spec.name, None, model.name): [] for model in source.models})
    for table in read.score_tables:
        fits.update({(name, None, m.name): [] for name in table.names for m in table.models})
    final: list[str] = []
    implied = {p.name for p in study.protocols if p.implied_by is not None}
    further = [(p.interval_of, p.name) for p in study.protocols if p.interval_of is not None]
    for (data, protocol, model), own in fits.items():
        if protocol in implied:
            continue
        further_keys = [fits.get((data, name, model), []) for at, name in further if at == protocol]
        needs = [*own, *(key for keys in further_keys for key in keys)]
        node = _reader("estimate", data, protocol, model, needs)
        final.append(node.key)
        yield node
    for comparison in study.comparisons:
        for node in _compared(comparison, families.planned[comparison.index], fits):
            final.append(node.key)
            yield node
    for (index, data, protocol, model), keys in curves.items():
        written = study.analyses[index].method.written
        node = _reader("analyze", data, protocol, model, list(keys), written)
        final.append(node.key)
        yield node
    yield _reader("report", None, None, None, final)


def _compared(
    comparison: ComparisonSpec, planned: Sequence[PlannedComparison], fits: dict[Place, list[str]]
) -> Iterator[Task]:
    """Iterate over the nodes of a line: one for each data set, or for all under `across data`."""
    order = {at: place for place, at in enumerate(fits)}
    found: dict[str | None, dict[Place, None]] = {}
    for one in planned:
        for source in one.sources:
            here = found.setdefault(None if comparison.across else source, {})
            for model in one.models:
                either = ((source, None, model), (source, comparison.protocol, model))
                here.update((at, None) for at in either if at in fits)
    for data, places in found.items():
        if data is not None and not places:
            continue  # which could not be read
        protocol = comparison.protocol if data is None else next((p for _, p, _ in places), None)
        needs = [key for at in sorted(places, key=order.__getitem__) for key in fits[at]]
        yield _reader("compare", data, protocol, None, needs, comparison.source)


def _reader(
    kind: str,
    data: str | None,
    protocol: str | None,
    model: str | None,
    needs: Sequence[str],
    source: str = "",
) -> Task:
    parts = [kind, data, protocol, model, source, *needs]
    key = sha256(canonical_json(parts).encode("ascii")).hexdigest()
    return Task(key, kind, data, protocol, model, None, None, 0, tuple(needs))
