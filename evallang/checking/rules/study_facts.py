"""What the lines of a study are about, as far as it is known before data are read.

Shared by the rules; every function takes what the checker may leave of a faulty study.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evallang.compatibility import is_assigned, metric_entry, yields_of
from evallang.data.dataset import DataSpec, PredictionsSpec, ScoresSpec, Task
from evallang.hypotheses import planned_of
from evallang.models.abilities import abilities
from evallang.models.catalogue import CATALOGUE
from evallang.models.model import EstimatorSpec, ModelSpec, search_space
from evallang.protocols.protocol import PROTOCOLS, Yields, written
from evallang.results.settings import DefaultPlace
from evallang.spelling import written_name
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.study import (
    ComparisonSpec,
    Method,
    Protocol,
    RequirementSpec,
    SourceSpec,
    Study,
)


def is_tuned(model: ModelSpec) -> bool:
    """Return whether any parameter of a model is searched."""
    return bool(search_space(model.pipeline))


def kind_of(model: ModelSpec) -> str | None:
    """Return `classifier` or `regressor`; None where the catalogue cannot tell."""
    return abilities(model.pipeline).kind


def task_of(models: Iterable[ModelSpec]) -> Task | None:
    """Return the task that all models are for, which defaults follow until the data are read."""
    kinds = {kind_of(model) for model in models if model.stored is None}
    if kinds == {"classifier"}:
        return "classification"
    return "regression" if kinds == {"regressor"} else None


def counterpart(model: ModelSpec) -> str | None:
    """Return the class for the other task: `SVR` for `SVC`."""
    last = model.pipeline.steps[-1]
    if not isinstance(last, EstimatorSpec):
        return None
    pairs = (("Classifier", "Regressor"), ("SVC", "SVR"), ("NB", ""))
    for one, other in pairs:
        for old, new in ((one, other), (other, one)):
            if old and old in last.name and last.name.replace(old, new) in CATALOGUE:
                return last.name.replace(old, new)
    return None


def lacks(model: ModelSpec, needs: str) -> str | None:
    """Return what to write where a model does not give scores or probabilities, else None."""
    if needs == "ranges":
        return "write `range` below a `predictions` statement: no model that is fitted gives ranges"
    able, last = abilities(model.pipeline), model.pipeline.steps[-1]
    given = {"probabilities": able.probabilities, "scores": able.scores or able.probabilities}
    if given.get(needs, True):
        return None
    name = last.name if isinstance(last, EstimatorSpec) else ""
    entry = CATALOGUE.get(name)
    if (
        needs == "probabilities"
        and entry is not None
        and "classifier" in entry.kinds
        and able.scores
    ):
        return f"write `CalibratedClassifierCV(estimator={name})`"
    return f"choose a model that gives {needs}"


LEAST_TIMES = 10
"""Repeats of a protocol that is proposed instead of one that draws its parts once."""
NONE_FOUND: Mapping[str, Yields] = {}
TWO_CLASSES = {"breast_cancer": ("benign", "malignant")}
"""The bundled data sets of two classes; those of other sources are known once they are read."""


def test_of(method: Method) -> HypothesisTestDeclaration:
    """Return the declaration of a test."""
    return HYPOTHESIS_TESTS[method.name].declaration


def gate_of(line: RequirementSpec, test: Method) -> ComparisonSpec:
    """Return `require ... with TEST` as the comparison of a pair that it is."""
    return ComparisonSpec(
        index=-1,
        source=line.source,
        models=line.models,
        pairs=(),
        against=None,
        across=False,
        test=test,
        post_hoc=None,
        correction=None,
        metrics=(line.metric,),
        protocol=line.protocol,
        exploratory=False,
        averaged=line.averaged,
        span=line.span,
    )


def tested_lines(study: Study) -> tuple[ComparisonSpec, ...]:
    """Return every line with a test: `compare`, then `require ... with TEST`."""
    gates = (gate_of(r, r.test) for r in study.requirements if r.test is not None)
    return (*study.comparisons, *gates)


def is_gate(comparison: ComparisonSpec) -> bool:
    """Return whether a line with a test is a `require` line."""
    return comparison.index < 0


def pair_test(comparison: ComparisonSpec) -> Method:
    """Return the test of each pair; the omnibus where nothing follows it."""
    return comparison.post_hoc or comparison.test


def own_protocols(study: Study) -> tuple[Protocol, ...]:
    """Return the protocols that the author wrote."""
    return tuple(p for p in study.protocols if p.implied_by is None)


def protocol_prefix(study: Study, protocol: Protocol) -> str:
    """Return the name of a protocol as it is written before its words, where there are several."""
    return f"{written_name(protocol.name)} = " if len(own_protocols(study)) > 1 else ""


def repeated_design(study: Study) -> str:
    """Return the repeated cross-validation for a study; one with a search needs inner folds."""
    searched = any(is_tuned(model) for model in study.models)
    if searched and (study.tuning is None or study.tuning.cv is None):
        return "nested cv outer=5 inner=5 times=10"
    return "repeated cv folds=10 times=10"


def repeated_options(protocol: Protocol) -> tuple[str, Mapping[str, Any]] | None:
    """Find the form of a protocol that draws the same parts several times, with its options.

    The protocol's own options are kept, and `times` is its default, ten at least. None where
    no protocol with `times` takes these options.
    """
    own = {name: value for name, value in protocol.options.items() if value is not None}
    own.pop("times", None)
    entries = sorted(PROTOCOLS, key=lambda entry: entry.name != protocol.kind)
    for entry in entries if own else ():
        default = entry.defaults().get("times")
        if default is None or not set(own) <= set(entry.defaults()):
            continue
        options = {**entry.defaults(), **own, "times": max(LEAST_TIMES, default)}
        return entry.name, options
    return None


def repeated_form(study: Study, protocol: Protocol) -> str:
    """Write the form of a protocol that draws the same parts several times, with its name."""
    name = f"{written_name(protocol.name)} = " if protocol.name != protocol.kind else ""
    repeated = repeated_options(protocol)
    if repeated is None:
        return f"{name}{repeated_design(study)}"
    return name + written(*repeated, seeds=protocol.seeds)


def tables(study: Study) -> tuple[DataSpec, ...]:
    """Return the sources on which models are fitted."""
    return tuple(source for source in study.sources if isinstance(source, DataSpec))


def settings(
    study: Study, found: Mapping[str, Yields] = NONE_FOUND
) -> Iterator[tuple[SourceSpec, Protocol | None, Yields]]:
    """Iterate over every source with every protocol of the author's that runs on it.

    `found` is what folds that the author assigned yield, by data set; they are skipped until
    they are read.
    """
    for source in study.sources:
        if not isinstance(source, DataSpec):
            yield source, None, yields_of(source, None)
            continue
        for protocol in study.protocols:
            if protocol.implied_by is not None:
                continue
            if not is_assigned(protocol):
                yield source, protocol, yields_of(source, protocol)
            elif source.name in found:
                yield source, protocol, found[source.name]


def evidence_of(
    study: Study, comparison: ComparisonSpec
) -> Iterator[tuple[SourceSpec, Protocol | None, Yields]]:
    """Iterate over the sources that a line is tested on, with what they yield to its tests."""
    tested = {source for planned in planned_of(study, comparison) for source in planned.sources}
    protocol = next((p for p in study.protocols if p.name == comparison.protocol), None)
    for source in study.sources:
        if source.name not in tested:
            continue
        if not isinstance(source, DataSpec):
            yield source, None, yields_of(source, None)
        elif protocol is not None:
            yield source, protocol, yields_of(source, protocol)


def all_options(test: Method) -> dict[str, Any]:
    """Return the options of a test, those that are not written by their defaults."""
    return {**HYPOTHESIS_TESTS[test.name].defaults(), **test.keywords()}


def uses_rows(test: Method, yields: Yields) -> bool:
    """Return whether a test counts examples of its input, not scores of folds."""
    shared = test_of(test).evidence & yields.evidence
    return bool(shared) and all(one.unit == "row" for one in shared)


def data_set_column(source: SourceSpec) -> str | None:
    """Return the column that holds the data sets of a source, None without one."""
    return source.dataset if isinstance(source, PredictionsSpec | ScoresSpec) else None


def is_by_default(study: Study, kind: str, option: str, line: int | None = None) -> bool:
    """Return whether a clause of a statement, or of a `compare` line, was left to its default."""
    place = DefaultPlace(kind, option, line=line)
    return any(default.place == place for default in study.defaults)


def metrics_of(study: Study) -> tuple[Method, ...]:
    """List every metric that is reported or tested, each once."""
    found = [m.metric for m in study.measures]
    found += [metric for comparison in study.comparisons for metric in comparison.metrics]
    return tuple(dict.fromkeys(found))


def depends_on_positive(metric: Method) -> bool:
    """Return whether a metric of two classes changes when the other class is called positive."""
    entry = metric_entry(metric)
    if entry.declaration.of_positive:
        return True
    return entry.option("average") is not None and metric.keywords().get("average") in (
        None,
        "binary",
    )


def listed(names: Sequence[str] | Iterable[str], most: int = 4) -> str:
    """Write names in a row: `a`, `b` and `c`; of more than `most` the first ones."""
    quoted = [f"`{name}`" for name in names]
    if len(quoted) > most:
        return f"{', '.join(quoted[:most])} and {len(quoted) - most} more"
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


NEARLY = 1e-9  # of a share, which may differ from a written one in its last bits


def percent(share: float) -> str:
    """Return a share that was written as `95%`, with all its decimals."""
    return f"{round(share * 100, 9):.10g}%"


def rounded_share(share: float) -> str:
    """Return a share that was computed, with two decimals."""
    return percent(round(share, 4))


def reachable_below(share: float) -> str:
    """Return a share with one decimal, rounded down, so that what is advised can be met."""
    return percent(math.floor(share * 1000 + NEARLY) / 1000)


def reachable_above(share: float) -> str:
    """Return a share with one decimal, rounded up, so that what is advised can be met."""
    return percent(math.ceil(share * 1000 - NEARLY) / 1000)
