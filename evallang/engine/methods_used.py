"""Every method that a run used, with the works that it is taken from."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from evallang.bibliography import (
    AKIBA_2019,
    BERGSTRA_2011,
    EFRON_TIBSHIRANI_1997,
    PEDREGOSA_2011,
    Reference,
)
from evallang.compatibility import metric_entry, own_metric
from evallang.metrics.metric import MetricDeclaration
from evallang.models.model import search_space
from evallang.planning.candidates import asks
from evallang.protocols.protocol import PROTOCOLS
from evallang.registry import Entry
from evallang.results.records import (
    Analysis,
    Comparison,
    DataRecord,
    Estimate,
    Export,
    MethodRecord,
    ReferenceRecord,
    Requirement,
)
from evallang.stats.analyses.analysis import ANALYSES
from evallang.stats.corrections import CORRECTIONS
from evallang.stats.effect_sizes import EFFECT_SIZES
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.intervals.effective_size import KISH_1965
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration
from evallang.stats.selection_bias import TSAMARDINOS_2018
from evallang.study import Study

BOOTSTRAP_SE = MethodRecord(
    "interval",
    "bootstrap_se",
    "Normal interval with the bootstrap standard error",
    "The estimate plus and minus z standard errors, by the delta method after the bootstrap.",
    (EFRON_TIBSHIRANI_1997.key,),
)
"""No word of the language: it comes with `protocol bootstrap` alone."""


BBC_CV = MethodRecord(
    "estimate",
    "bbc_cv",
    "Bootstrap bias corrected cross-validation",
    "The score of the best model where the choice had no part in it, by drawing examples anew.",
    (TSAMARDINOS_2018.key,),
)
"""No word of the language: it comes with `export best` alone."""
EFFECTIVE_N = MethodRecord(
    "interval",
    "effective_n",
    "Effective number of examples",
    "Weighted examples count as (Σ w)² / Σ w² equally weighted ones.",
    (KISH_1965.key,),
)
"""No word of the language: it comes with `weight COL`."""


OPTUNA = MethodRecord(
    "software",
    "optuna",
    "Optuna",
    "Candidates were proposed by tree-structured Parzen estimators.",
    (BERGSTRA_2011.key, AKIBA_2019.key),
)


def methods_used(
    study: Study,
    estimates: Sequence[Estimate],
    comparisons: Sequence[Comparison],
    requirements: Sequence[Requirement],
    data: Sequence[DataRecord],
    exports: Sequence[Export],
    analyses: Sequence[Analysis],
) -> tuple[tuple[MethodRecord, ...], tuple[ReferenceRecord, ...]]:
    """List every method that was used, once, with the works it is taken from."""
    used: dict[tuple[str, str], MethodRecord] = {}
    works: dict[str, Reference] = {}

    def add(kind: str, entry: Entry[Any], name: str | None = None) -> None:
        found = MethodRecord(
            kind,
            name or entry.name,
            entry.title,
            entry.summary,
            tuple(r.key for r in entry.references),
        )
        used.setdefault((kind, found.name), _as_declared(found, entry))
        for reference in entry.references:
            works.setdefault(reference.key, reference)

    def add_interval(method: str) -> None:
        name = method.partition("(")[0]
        if method in INTERVALS:
            add("interval", INTERVALS[method])
        elif name in INTERVALS or name in of_tests:
            title = INTERVALS[name].title if name in INTERVALS else of_tests[name]
            record = MethodRecord("interval_of_test", name, title, "", ())
            used.setdefault((record.kind, name), record)

    of_tests = _titles_of_intervals()
    for protocol in study.protocols:
        add("protocol", PROTOCOLS[protocol.kind])
    measured = {e.metric for e in estimates} | {c.metric for c in comparisons}
    metrics = [m.metric for m in study.measures]
    metrics += [m for c in study.comparisons for m in c.metrics]
    metrics += [r.metric for r in study.requirements]
    own = [metric for source in study.sources if (metric := own_metric(source)) is not None]
    metrics += [metric for metric in own if metric.written in measured]
    if study.tuning is not None and any(search_space(m.pipeline) for m in study.models):
        metrics.append(study.tuning.metric)
    for metric in metrics:
        add("metric", metric_entry(metric), metric.written)
    for found in estimates:
        if found.interval is not None:
            name = found.interval.method.partition("(")[0]
            if name == BOOTSTRAP_SE.name:
                used.setdefault(("interval", name), BOOTSTRAP_SE)
                works.setdefault(EFRON_TIBSHIRANI_1997.key, EFRON_TIBSHIRANI_1997)
            else:
                add("interval", INTERVALS[name])
    for measure in study.measures:
        if measure.interval is not None:
            add("interval", INTERVALS[measure.interval.name])
    tests = [t for c in comparisons for t in (c.omnibus, *c.pairwise) if t is not None]
    tests += [r.test for r in requirements if r.test is not None]
    for test in tests:
        add("test", HYPOTHESIS_TESTS[test.test])
        if test.estimate is not None:
            add_interval(test.estimate.method)
        for effect in test.effects:
            add("effect", EFFECT_SIZES[effect.name])
    for required in requirements:
        add_interval(required.method.partition("(")[0])
    for analysis in analyses:
        add("analysis", ANALYSES[analysis.kind])
        add("test", HYPOTHESIS_TESTS[analysis.values["test"]])
    for compared in comparisons:
        if compared.family.correction is not None:
            add("correction", CORRECTIONS[compared.family.correction.split("(")[0]])
    if any(export.corrected is not None for export in exports):
        used["estimate", BBC_CV.name] = BBC_CV
        works.setdefault(TSAMARDINOS_2018.key, TSAMARDINOS_2018)
    if any(record.weight is not None for record in data):
        used["interval", EFFECTIVE_N.name] = EFFECTIVE_N
        works.setdefault(KISH_1965.key, KISH_1965)
    if model_based(study):
        used["software", "optuna"] = OPTUNA
        for work in (AKIBA_2019, BERGSTRA_2011):
            works.setdefault(work.key, work)
    if any(record.kind == "table" for record in data):
        used["software", "scikit-learn"] = MethodRecord(
            "software",
            "scikit-learn",
            "scikit-learn",
            "Models were fitted with scikit-learn.",
            (PEDREGOSA_2011.key,),
        )
        works.setdefault(PEDREGOSA_2011.key, PEDREGOSA_2011)
    records = tuple(
        ReferenceRecord(
            r.key, r.authors, r.year, r.title, r.venue, r.volume, r.pages, r.doi, r.kind
        )
        for r in works.values()
    )
    return tuple(used.values()), records


def _as_declared(found: MethodRecord, entry: Entry[Any]) -> MethodRecord:
    """Add what a report needs to know of a method beside its title."""
    match declared := entry.declaration:
        case MetricDeclaration():
            return replace(
                found,
                better=declared.better,
                unit=declared.unit,
                of_examples=declared.of_examples or None,
                averages_classes=entry.option("average") is not None,
                counts_right=declared.counts_right,
            )
        case HypothesisTestDeclaration():
            asked = declared.estimand.statistic if declared.estimand is not None else ""
            return replace(found, estimand=asked or None, variants=declared.variants)
        case IntervalDeclaration():
            return replace(
                found,
                of_difference=declared.of_difference or None,
                allows_overlap=declared.allows_overlap,
            )
    return found


def _titles_of_intervals() -> dict[str, str]:
    """Return the titles of the intervals that come with a test alone."""
    return {
        name: title
        for entry in HYPOTHESIS_TESTS
        for name, title in entry.declaration.intervals.items()
    }


def model_based(study: Study) -> bool:
    """Return whether a model-based search is run."""
    return any(asks(model.pipeline, study.tuning) for model in study.models)
