"""The graph of a plan: unique fits, then what reads them, down to the report."""

from collections.abc import Iterator, Sequence
from hashlib import sha256

from evallang.data.read_sources import ReadSources
from evallang.planning.plan import Layout, Task
from evallang.planning.seeds import canonical_json
from evallang.study import ComparisonSpec, Study, models_of

Place = tuple[str, str | None, str]
"""A data set or source, a protocol (None for what was measured elsewhere), a model."""


def graph(
    study: Study,
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
    for source in read.imported:
        fits.update({(source.spec.name, None, model.name): [] for model in source.models})
    for table in read.score_tables:
        fits.update({(name, None, m.name): [] for name in table.names for m in table.models})
    final: list[str] = []
    implied = {p.name for p in study.protocols if p.implied_by is not None}
    for (data, protocol, model), needs in fits.items():
        if protocol in implied:
            continue
        node = _reader("estimate", data, protocol, model, needs)
        final.append(node.key)
        yield node
    for comparison in study.comparisons:
        for node in _compared(comparison, fits):
            final.append(node.key)
            yield node
    yield _reader("report", None, None, None, final)


def _compared(comparison: ComparisonSpec, fits: dict[Place, list[str]]) -> Iterator[Task]:
    """Give a node for each source that a line is about, or one for all under `across data`."""
    about = {at: keys for at, keys in fits.items() if at[1] in (None, comparison.protocol)}
    sources = dict.fromkeys((data, protocol) for data, protocol, _ in about)
    for data, protocol in [(None, comparison.protocol)] if comparison.across else sources:
        here = {
            at: keys for at, keys in about.items() if data is None or at[:2] == (data, protocol)
        }
        family = models_of(comparison, list(dict.fromkeys(model for _, _, model in here)))
        needs = [key for at, keys in here.items() if at[2] in family for key in keys]
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
