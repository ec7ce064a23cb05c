"""How many fits a study asks for, where that does not depend on its data."""

from collections.abc import Mapping, Sequence

from evallang.analysis import ANALYSES
from evallang.data.dataset import DataSpec
from evallang.hypotheses import planned_of
from evallang.models.abilities import abilities
from evallang.models.model import ModelSpec, PipelineSpec, search_space
from evallang.planning.candidates import tried
from evallang.planning.defaults import inner_folds
from evallang.protocols.protocol import PROTOCOLS
from evallang.study import Protocol, Study

PerModel = Mapping[tuple[str, str, str], int]
"""Fits by data set, protocol and model."""


def models_on(study: Study, protocol: Protocol) -> tuple[ModelSpec, ...]:
    """Return the models that are fitted under a protocol."""
    return tuple(model for model in measured_on(study, protocol) if model.stored is None)


def measured_on(study: Study, protocol: Protocol) -> tuple[ModelSpec, ...]:
    """Return all models on a protocol that measures them, those compared on another."""
    if protocol.implied_by is None or protocol.interval_of is not None:
        return study.models
    wanted: set[str] = set()
    for comparison in study.comparisons:
        if comparison.protocol == protocol.name:
            for planned in planned_of(study, comparison):
                wanted |= set(planned.models)
    return tuple(model for model in study.models if model.name in wanted)


def fits_without_data(study: Study) -> PerModel | None:
    """Count the fits of every model by the text alone; None where the data settle them.

    They do for a glob (how many data sets), for the author's own split, for protocols whose
    splits are as many as rows or groups, and for analyses with fits of their own.
    """
    declared = (ANALYSES[spec.method.name].declaration for spec in study.analyses)
    if any(analysis.fits is not None for analysis in declared):
        return None
    found: dict[tuple[str, str, str], int] = {}
    sources = [source for source in study.sources if isinstance(source, DataSpec)]
    for source in sources:
        for protocol in study.protocols:
            splits = PROTOCOLS[protocol.kind].declaration.n_splits(protocol.options)
            if splits is None or source.kind == "glob":
                return None
            for model, each in fits_of_a_split(study, protocol).items():
                found[source.name, protocol.name, model] = splits * each
    return found


def fits_of_a_split(study: Study, protocol: Protocol) -> dict[str, int]:
    """Count the fits of each model on one split of a protocol, those of its search included."""
    three_way = protocol.options.get("validation") is not None
    inner = 1 if three_way else inner_folds(study, protocol)
    found: dict[str, int] = {}
    for model in models_on(study, protocol):
        searched = bool(search_space(model.pipeline))
        each = inner * tried(model.pipeline, study.tuning) + 1 if searched else 1
        able = abilities(model.pipeline)
        found[model.name] = each * (protocol.seeds if able.seeded or not able.known else 1)
    return found


def unique_without_data(
    study: Study, fits: PerModel, protocols: Sequence[Protocol] = ()
) -> int | None:
    """Count fits once for models that are written alike; None where protocols may share some.

    `protocols` are those that the fits belong to, by default all of the study.
    """
    if _may_share(protocols or study.protocols):
        return None
    pipelines = {model.name: model.pipeline for model in study.models}
    total, seen = 0, list[tuple[str, str, PipelineSpec]]()
    for (data, protocol, model), n in fits.items():
        if (data, protocol, pipelines[model]) not in seen:
            seen.append((data, protocol, pipelines[model]))
            total += n
    return total


def _may_share(protocols: Sequence[Protocol]) -> bool:
    """Return whether two protocols may train on the same rows: all of them, or drawn alike."""
    designs = [
        (protocol.kind, sorted(map(str, protocol.options.items()))) for protocol in protocols
    ]
    declared = [(PROTOCOLS[protocol.kind].declaration, protocol.options) for protocol in protocols]
    whole = [d for d, o in declared if d.full_sample or d.tests_on_training_rows(o)]
    return len(whole) > 1 or any(designs.count(design) > 1 for design in designs)
