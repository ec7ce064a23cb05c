"""What the lines of a study are about, as far as it is known before data are read.

Shared by the rules; every function takes what the checker may leave of a faulty study.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evallang.checking.capabilities import is_tuned
from evallang.compatibility import metric_entry, yields_of
from evallang.data.dataset import DataSpec, PredictionsSpec, ScoresSpec
from evallang.hypotheses import planned_of
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
    SourceSpec,
    Study,
)

LEAST_TIMES = 10
"""Repeats of a protocol that is proposed instead of one that draws its parts once."""
TWO_CLASSES = {"breast_cancer": ("benign", "malignant")}
"""The bundled data sets of two classes; those of other sources are known once they are read."""


def test_of(method: Method) -> HypothesisTestDeclaration:
    """Return the declaration of a test."""
    return HYPOTHESIS_TESTS[method.name].declaration


def tests_of(comparison: ComparisonSpec) -> tuple[Method, ...]:
    """Return the tests of a line, the omnibus first."""
    return (comparison.test, *([comparison.post_hoc] if comparison.post_hoc else []))


def tested_lines(study: Study) -> tuple[ComparisonSpec, ...]:
    """Return every line with a test: `compare`, then `require ... with TEST` as the pair it is."""
    gates = [
        ComparisonSpec(
            index=-1,
            source=line.source,
            models=line.models,
            pairs=(),
            against=None,
            across=False,
            test=line.test,
            post_hoc=None,
            correction=None,
            metrics=(line.metric,),
            protocol=line.protocol,
            exploratory=False,
            span=line.span,
        )
        for line in study.requirements
        if line.test is not None
    ]
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
