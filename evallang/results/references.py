"""References between the records of results: every name in a record must exist."""

from collections.abc import Iterable, Sequence
from typing import Any

from evallang.results.records import Comparison, Requirement, ResultsRecord
from evallang.results.statistics import HypothesisTestResult

PARTS = (
    "estimates", "comparisons", "selections", "requirements", "analyses", "exports", "failures",
    "warnings", "never_predicted", "best_of_many", "thresholds",
)  # fmt: skip
"""The lists of results whose records name data sets, protocols, models and metrics."""


def check_references(results: ResultsRecord) -> None:
    """Raise `ValueError`, with the place, for a name or a length that contradicts other records."""
    models = frozenset(model.name for model in results.models)
    known = {
        "data": frozenset(("", *(data.name for data in results.data))),
        "protocol": frozenset(protocol.name for protocol in results.protocols),
        "model": models,
    }
    for kind, records in (
        ("data", results.data), ("models", results.models), ("protocols", results.protocols),
    ):  # fmt: skip
        _check_once(kind, [record.name for record in records])
    measured = frozenset(m.name for m in results.methods if m.kind == "metric") | frozenset(
        estimate.metric for estimate in results.estimates
    )
    for part in PARTS:
        for number, record in enumerate(getattr(results, part)):
            if isinstance(record, Requirement) and record.reason is not None:
                continue  # it was not decided: its model may be missing in the data
            where = f"$.{part}[{number}]"
            for field, names in known.items():
                _check_known(getattr(record, field, None), names, field, f"{where}.{field}")
            for name in getattr(record, "models", ()):
                _check_known(name, models, "model", f"{where}.models")
            if part in ("comparisons", "requirements"):
                _check_known(record.metric, measured, "metric", f"{where}.metric")
    for number, comparison in enumerate(results.comparisons):
        _check_comparison(comparison, models, f"$.comparisons[{number}]")
    for number, requirement in enumerate(results.requirements):
        _check_requirement(requirement, f"$.requirements[{number}]")


def _check_once(kind: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for number, name in enumerate(names):
        if name in seen:
            raise ValueError(f"$.{kind}[{number}].name is {name!r} a second time")
        seen.add(name)


def _check_known(name: str | None, names: Iterable[str], kind: str, where: str) -> None:
    if name is not None and name not in names:
        words = "data set" if kind == "data" else kind
        raise ValueError(f"{where} is {name!r}, which is not a {words} of these results")


def _check_comparison(comparison: Comparison, models: Iterable[str], where: str) -> None:
    if comparison.omnibus is not None:
        _check_test(comparison.omnibus, models, f"{where}.omnibus")
    for number, pair in enumerate(comparison.pairwise):
        place = f"{where}.pairwise[{number}]"
        _check_test(pair, models, place)
        if len(pair.models) not in (1, 2):
            raise ValueError(f"{place}.models has {len(pair.models)} items, not 2")
    ranks = comparison.ranks
    if ranks is not None:
        for name in (*ranks.average, *ranks.intervals):
            _check_known(name, models, "model", f"{where}.ranks")


def _check_test(test: HypothesisTestResult, models: Iterable[str], where: str) -> None:
    for name in test.models:
        _check_known(name, models, "model", f"{where}.models")
    ranks: Any = test.extra.get("average_aligned_ranks")
    if ranks is not None and len(ranks) != len(test.models):
        size = len(test.models)
        raise ValueError(f"{where}.extra.average_aligned_ranks has {len(ranks)} items, not {size}")


def _check_requirement(requirement: Any, where: str) -> None:
    needed = 1 if requirement.kind == "level" else 2
    if len(requirement.models) != needed:
        raise ValueError(f"{where}.models has {len(requirement.models)} items, not {needed}")
