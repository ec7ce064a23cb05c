"""What moved between two results: decisions, estimates, and what may be the reason."""

from collections.abc import Iterator, Mapping
from typing import Any

from evallang.frozen_records import frozen
from evallang.results.records import Difference, Estimate, ModelRecord, Requirement, ResultsRecord
from evallang.results.statistics import HypothesisTestResult

Bounds = tuple[float | None, float | None]


@frozen
class Turned:
    """A decision that is another one now; values and intervals are those of both results."""

    what: str
    before: str
    after: str
    value_before: float | None
    value_after: float | None
    interval_before: Bounds | None
    interval_after: Bounds | None


@frozen
class Moved:
    """An estimate with another value; `share` is the move in half-widths of its former interval."""

    what: str
    before: float | None
    after: float | None
    share: float | None


@frozen
class ResultChanges:
    """Turned decisions first, then moved estimates, then what is in one of the results only.

    `reasons` name what may have moved them: data, protocol, seed, versions, code.
    """

    turned: tuple[Turned, ...]
    moved: tuple[Moved, ...]
    only: tuple[str, ...]
    reasons: tuple[str, ...]

    @property
    def none(self) -> bool:
        """Whether no number and no decision differs."""
        return not (self.turned or self.moved or self.only)


def result_changes(before: ResultsRecord, after: ResultsRecord) -> ResultChanges:
    """Compare two results of a study, or of two versions of it."""
    old_estimates, new_estimates = _estimates(before), _estimates(after)
    old_pairs, new_pairs = _pairs(before), _pairs(after)
    old_gates, new_gates = _requirements(before), _requirements(after)
    turned = [
        *(
            _turned_gate(key, old_gates[key], new_gates[key])
            for key in new_gates
            if key in old_gates
        ),
        *(
            _turned_pair(key, old_pairs[key], new_pairs[key])
            for key in new_pairs
            if key in old_pairs
        ),
    ]
    moved = [
        *_moved_estimates(old_estimates, new_estimates),
        *_moved_pairs(old_pairs, new_pairs),
    ]
    only = [
        *_only(old_estimates, new_estimates),
        *_only(old_pairs, new_pairs),
        *_only(old_gates, new_gates),
    ]
    moved.sort(key=lambda one: -(one.share or 0.0))
    kept = tuple(one for one in turned if one is not None)
    return ResultChanges(kept, tuple(moved), tuple(only), tuple(_reasons(before, after)))


def _estimates(results: ResultsRecord) -> dict[str, Estimate]:
    return {_named(e): e for e in results.estimates}


def _named(estimate: Estimate) -> str:
    where = f" under {estimate.protocol}" if estimate.protocol else ""
    part = estimate.subgroup
    level = f" ({part.column} {part.level})" if part is not None else ""
    return f"{estimate.metric} of {estimate.model} on {estimate.data}{where}{level}"


def _pairs(results: ResultsRecord) -> dict[str, HypothesisTestResult]:
    found: dict[str, HypothesisTestResult] = {}
    for comparison in results.comparisons:
        data = comparison.data or "all data sets"
        tests = [*comparison.pairwise, *([comparison.omnibus] if comparison.omnibus else [])]
        for test in tests:
            models = " vs ".join(test.models)
            key = f"{models}: {test.test} by {comparison.metric} on {data}"
            found.setdefault(key, test)
    return found


def _requirements(results: ResultsRecord) -> dict[str, Requirement]:
    return {
        f"{one.source} on {one.data}" + (f" ({one.subgroup.level})" if one.subgroup else ""): one
        for one in results.requirements
    }


def _turned_gate(key: str, before: Requirement, after: Requirement) -> Turned | None:
    if before.met is after.met:
        return None
    words = {True: "met", False: "not met"}
    return Turned(
        key,
        words[before.met],
        words[after.met],
        before.value,
        after.value,
        before.interval,
        after.interval,
    )


def _turned_pair(
    key: str, before: HypothesisTestResult, after: HypothesisTestResult
) -> Turned | None:
    words = {True: "rejected", False: "not rejected", None: "not tested"}
    first, second = words[before.reject], words[after.reject]
    old, new = before.estimate, after.estimate
    if before.reject is after.reject:
        signs = _sign(old), _sign(new)
        if not before.reject or None in signs or signs[0] == signs[1]:
            return None
        first, second = (f"{words[True]}, difference {sign}" for sign in signs)
    return Turned(
        key,
        first,
        second,
        None if old is None else old.value,
        None if new is None else new.value,
        _bounds(old),
        _bounds(new),
    )


def _sign(difference: Difference | None) -> str | None:
    """Return on which side of 0 a difference is, None where it is on neither."""
    if difference is None or not difference.value:
        return None
    return "above 0" if difference.value > 0 else "below 0"


def _bounds(difference: Difference | None) -> Bounds | None:
    return None if difference is None else (difference.low, difference.high)


def _moved_estimates(
    before: Mapping[str, Estimate], after: Mapping[str, Estimate]
) -> Iterator[Moved]:
    for key in after:
        old = before.get(key)
        if old is not None and old.value != after[key].value:
            bounds = None if old.interval is None else (old.interval.low, old.interval.high)
            yield _moved(key, old.value, after[key].value, bounds)


def _moved_pairs(
    before: Mapping[str, HypothesisTestResult], after: Mapping[str, HypothesisTestResult]
) -> Iterator[Moved]:
    for key in after:
        old, new = before.get(key), after[key].estimate
        if old is None or old.estimate is None or new is None or old.estimate.value == new.value:
            continue
        what = f"{new.name}, {key}"
        yield _moved(what, old.estimate.value, new.value, _bounds(old.estimate))


def _moved(what: str, before: float | None, after: float | None, bounds: Bounds | None) -> Moved:
    share = None
    if before is not None and after is not None and bounds is not None:
        low, high = bounds
        if low is not None and high is not None and high > low:
            share = abs(after - before) / ((high - low) / 2)
    return Moved(what, before, after, share)


def _only(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for key in before:
        if key not in after:
            yield f"only in the first: {key}"
    for key in after:
        if key not in before:
            yield f"only in the second: {key}"


def _reasons(before: ResultsRecord, after: ResultsRecord) -> Iterator[str]:
    """Iterate over what differs between two runs and may have moved their numbers."""
    old_data = {one.name: one for one in before.data}
    for data in after.data:
        old = old_data.get(data.name)
        if old is not None and old.sha256 != data.sha256:
            rows = f" ({old.n:,} -> {data.n:,})" if old.n != data.n else ""
            yield f"the data `{data.name}` differ in content{rows}"
    if before.study.seed != after.study.seed:
        yield f"seed {before.study.seed} -> {after.study.seed}"
    old_protocols = {one.name: one for one in before.protocols}
    for protocol in after.protocols:
        known = old_protocols.get(protocol.name)
        if known is not None and known.written != protocol.written:
            yield f"protocol {known.written} -> {protocol.written}"
    old_models = {one.name: one for one in before.models}
    for model in after.models:
        former = old_models.get(model.name)
        if former is not None and former.pipeline != model.pipeline:
            yield f"model {model.name}: {former.pipeline} -> {model.pipeline}"
        elif former is not None and former.stored != model.stored:
            yield f"model {model.name}: {_origin(former)} -> {_origin(model)}"
    if before.spec.own_code != after.spec.own_code:
        yield "the author's own code"
    for name, first, second in changed_versions(before, after):
        yield f"{name} {first} -> {second}"
    if before.provenance.processor != after.provenance.processor:
        yield "a different processor"


def _origin(model: ModelRecord) -> str:
    """Return where the predictions of a model come from."""
    if model.stored is None:
        return "fitted"
    digest = (model.stored.sha256 or "unknown")[:12]
    return f"{model.stored.model} of {model.stored.results} ({digest})"


def changed_versions(before: ResultsRecord, after: ResultsRecord) -> Iterator[tuple[str, str, str]]:
    """Iterate over the software of another version, with both versions."""
    old, new = before.provenance, after.provenance
    pairs = [("evallang", old.evallang, new.evallang), ("Python", old.python, new.python)]
    names = dict.fromkeys((*old.packages, *new.packages))
    pairs += [(n, old.packages.get(n, "none"), new.packages.get(n, "none")) for n in names]
    for name, first, second in pairs:
        if first != second:
            yield name, first, second
