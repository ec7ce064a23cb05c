"""What moved between two results: decisions, estimates, and what may be the reason."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from msgspec import Struct

from evallang.results.records import (
    Comparison,
    Difference,
    Estimate,
    Family,
    ModelRecord,
    Requirement,
    ResultsRecord,
    data_words,
)
from evallang.results.statistics import HypothesisTestResult, Interval

Bounds = tuple[float | None, float | None]
Found = TypeVar("Found")
RELATIVE, ABSOLUTE = 1e-9, 1e-12
"""Numbers closer than this are equal: another processor rounds the last digits otherwise."""


class Turned(Struct, frozen=True):
    """A decision that is another one now; values and intervals are those of both results.

    The p-values of a hypothesis test are those that decided: adjusted ones where there are any.
    """

    what: str
    before: str
    after: str
    value_before: float | None
    value_after: float | None
    interval_before: Bounds | None
    interval_after: Bounds | None
    p_before: float | None = None
    p_after: float | None = None


class Moved(Struct, frozen=True):
    """A value that differs, or one whose interval differs.

    `share` is the move of the value in half-widths of its former interval.
    """

    what: str
    before: float | None
    after: float | None
    share: float | None
    interval_before: Bounds | None = None
    interval_after: Bounds | None = None


class ResultChanges(Struct, frozen=True):
    """Turned decisions first, then moved values, then what is in one of the results only.

    `other` names what else the results hold and differs: analyses, chosen parameters, failures.
    `reasons` name what may have moved the numbers: data, protocol, seed, versions, code.
    """

    turned: tuple[Turned, ...]
    moved: tuple[Moved, ...]
    only: tuple[str, ...]
    reasons: tuple[str, ...]
    other: tuple[str, ...] = ()

    @property
    def none(self) -> bool:
        """Whether no number and no decision differs."""
        return not (self.turned or self.moved or self.only or self.other)


def result_changes(before: ResultsRecord, after: ResultsRecord) -> ResultChanges:
    """Compare two results of a study, or of two versions of it."""
    estimates = _estimates(before), _estimates(after)
    pairs = _pairs(before), _pairs(after)
    gates = _with_former_claims(_requirements(before), _requirements(after))
    analyses = _analyses(before), _analyses(after)
    states = [
        *((key, _state_of_gate(old), _state_of_gate(new)) for key, old, new in _in_both(*gates)),
        *((key, _state_of_pair(old), _state_of_pair(new)) for key, old, new in _in_both(*pairs)),
        *(
            (
                key,
                _State(old.value, _bounds(old.interval)),
                _State(new.value, _bounds(new.interval)),
            )
            for key, old, new in _in_both(*estimates)
        ),
    ]
    turned = [one for state in states if (one := _turned(*state)) is not None]
    moved = [one for state in states for one in _moved(*state)]
    only = [
        *_only(*estimates),
        *_only(*pairs),
        *_only(*gates),
        *_only(*analyses),
    ]
    other = [
        *(f"{key}: other values" for key, old, new in _in_both(*analyses) if not _same(old, new)),
        *_other_choices(before, after),
        *_other_failures(before, after),
    ]
    moved.sort(key=lambda one: -(one.share or 0.0))
    reasons = (
        *_reasons(before, after),
        *_changed_claims(gates, pairs, before, after),
        *_changed_intervals(*estimates),
    )
    return ResultChanges(tuple(turned), tuple(moved), tuple(only), reasons, tuple(other))


def _in_both(
    before: Mapping[str, Found], after: Mapping[str, Found]
) -> Iterator[tuple[str, Found, Found]]:
    for key, new in after.items():
        if key in before:
            yield key, before[key], new


def _estimates(results: ResultsRecord) -> dict[str, Estimate]:
    return {_named(e): e for e in results.estimates}


def _named(estimate: Estimate) -> str:
    part = estimate.subgroup
    level = f" ({part.column} {part.level})" if part is not None else ""
    where = _on(data_words(estimate), estimate.protocol)
    return f"{estimate.metric} of {estimate.model}{where}{level}"


def _on(data: str, protocol: str | None) -> str:
    return f" on {data} under {protocol}" if protocol else f" on {data}"


def _pairs(results: ResultsRecord) -> dict[str, HypothesisTestResult]:
    """Return every test by its models, its name, its metric and its data.

    Two lines may ask the same; the second of them is numbered.
    """
    found: dict[str, HypothesisTestResult] = {}
    for comparison in results.comparisons:
        where = _on(data_words(comparison), comparison.protocol)
        tests = [*comparison.pairwise, *([comparison.omnibus] if comparison.omnibus else [])]
        for test in tests:
            models = " vs ".join(test.models)
            key = f"{models}: {test.test} by {comparison.metric}{where}"
            asked = sum(known == key or known.startswith(f"{key} (line ") for known in found)
            found[f"{key} (line {asked + 1})" if asked else key] = test
    return found


def _requirements(results: ResultsRecord) -> dict[str, Requirement]:
    return {
        f"{one.source} on {data_words(one)}"
        + (f" ({one.subgroup.level})" if one.subgroup else ""): one
        for one in results.requirements
    }


def _with_former_claims(
    before: Mapping[str, Requirement], after: Mapping[str, Requirement]
) -> tuple[dict[str, Requirement], dict[str, Requirement]]:
    """Match what is required of the same models by another margin, threshold or kind of claim."""
    renamed: dict[str, str] = {}
    for key, new in after.items():
        if key in before:
            continue
        for old_key, old in before.items():
            if old_key not in after and old_key not in renamed and _about(old) == _about(new):
                renamed[old_key] = key
                break
    return {renamed.get(key, key): one for key, one in before.items()}, dict(after)


def _about(one: Requirement) -> tuple[object, ...]:
    return one.kind == "level", data_words(one), one.protocol, one.metric, one.models, one.subgroup


def _analyses(results: ResultsRecord) -> dict[str, Mapping[str, Any]]:
    found = {}
    for one in results.analyses:
        metric = f" by {one.metric}" if one.metric else ""
        model = f" of {one.model}" if one.model else ""
        found[f"analysis {one.kind}{metric}{model}{_on(data_words(one), one.protocol)}"] = (
            one.values
        )
    return found


class _State(Struct, frozen=True):
    """A value with its interval, what it decided in words, and how a test did so.

    `side` is that of the difference of a rejected test, `name` what the value of a test is.
    """

    value: float | None
    interval: Bounds | None
    decision: str = ""
    side: str = ""
    p: float | None = None
    name: str = ""


def _state_of_gate(one: Requirement) -> _State:
    return _State(one.value, one.interval, "met" if one.met else "not met")


def _state_of_pair(test: HypothesisTestResult) -> _State:
    words = {True: "rejected", False: "not rejected", None: "not tested"}[test.reject]
    p = test.p if test.p_adjusted is None else test.p_adjusted
    found = test.estimate
    if found is None:
        return _State(None, None, words, p=p)
    side = ""
    if test.reject is True and found.value:
        side = "above 0" if found.value > 0 else "below 0"
    return _State(found.value, _bounds(found), words, side, p, str(found.name))


def _bounds(difference: Difference | Interval | None) -> Bounds | None:
    return None if difference is None else (difference.low, difference.high)


def _turned(key: str, old: _State, new: _State) -> Turned | None:
    if (old.decision, old.side) == (new.decision, new.side):
        return None
    words, others = old.decision, new.decision
    if words == others:  # rejected in both, in favour of the other model
        words, others = (f"{words}, difference {side}" for side in (old.side, new.side))
    values = (old.value, new.value, old.interval, new.interval, old.p, new.p)
    return Turned(key, words, others, *values)


def _moved(key: str, old: _State, new: _State) -> Iterator[Moved]:
    """Iterate over the move of a value; of a test without one, or with the same, that of its p.

    The values of a requirement that turned are with its decision.
    """
    tested = bool(old.name or new.name) or (old.p, new.p) != (None, None)
    if old.decision != new.decision and not tested:
        return
    known = not tested or bool(old.name and new.name)
    if known and not (_same(old.value, new.value) and _same(old.interval, new.interval)):
        what = f"{new.name}, {key}" if tested else key
        share = None
        if old.value is not None and new.value is not None and old.interval is not None:
            low, high = old.interval
            if low is not None and high is not None and high > low:
                share = abs(new.value - old.value) / ((high - low) / 2)
        yield Moved(what, old.value, new.value, share, old.interval, new.interval)
    elif tested and not _same(old.p, new.p):
        yield Moved(f"p, {key}", old.p, new.p, None)


def _same(first: Any, second: Any) -> bool:
    """Return whether two values are equal, numbers up to rounding."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(_same(first[k], second[k]) for k in first)
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        return len(first) == len(second) and all(map(_same, first, second))
    if isinstance(first, float) and isinstance(second, float):
        return math.isclose(first, second, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return bool(first == second)


def _only(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for key in before:
        if key not in after:
            yield f"only in the first: {key}"
    for key in after:
        if key not in before:
            yield f"only in the second: {key}"


def _other_choices(before: ResultsRecord, after: ResultsRecord) -> Iterator[str]:
    """Iterate over the models whose fits chose other parameters or thresholds in some fold."""

    def chosen(results: ResultsRecord) -> Iterator[tuple[tuple[Any, ...], Any]]:
        for s in results.selections:
            at = ("parameters", s.data, s.protocol, s.model, "searches", s.repeat, s.fold, s.seed)
            yield at, s.params
        for t in results.thresholds:
            at = ("threshold", t.data, t.protocol, t.model, "fits", t.repeat, t.fold, t.seed)
            yield (*at, t.member), t.value

    old, new = dict(chosen(before)), dict(chosen(after))
    for whose in dict.fromkeys(key[:5] for key in new if key in old):
        keys = [key for key in new if key in old and key[:5] == whose]
        n = sum(not _same(old[key], new[key]) for key in keys)
        if n:
            what, data, protocol, model, unit = whose
            where = f"{what} of {model}{_on(data, protocol)}"
            yield f"{where}: other values chosen in {n} of {len(keys)} {unit}"


def _other_failures(before: ResultsRecord, after: ResultsRecord) -> Iterator[str]:
    for noun, old, new in (
        ("failed fits", len(before.failures), len(after.failures)),
        ("fits with a warning", *(sum(w.n for w in one.warnings) for one in (before, after))),
    ):
        if old != new:
            yield f"{noun}: {old} -> {new}"


def _changed_claims(
    gates: tuple[Mapping[str, Requirement], Mapping[str, Requirement]],
    pairs: tuple[Mapping[str, HypothesisTestResult], Mapping[str, HypothesisTestResult]],
    before: ResultsRecord,
    after: ResultsRecord,
) -> Iterator[str]:
    """Iterate over the lines of a study that ask something else of what both results have."""
    lines = [(old.source, new.source) for _, old, new in _in_both(*gates)]
    old_lines, new_lines = _lines(before), _lines(after)
    for key, old, new in _in_both(*pairs):
        first, second = old_lines[id(old)], new_lines[id(new)]
        if first.source != second.source:
            lines.append((first.source, second.source))
        elif first.family != second.family:
            name = f"{second.source}: family of"
            lines.append((f"{name} {_tests(first.family)}", _tests(second.family)))
        if old.side != new.side:
            lines.append((f"{key}: {old.side or 'two-sided'}", new.side or "two-sided"))
    for first_line, second_line in dict.fromkeys(lines):
        if first_line != second_line:
            yield f"{first_line} -> {second_line}"


def _changed_intervals(
    before: Mapping[str, Estimate], after: Mapping[str, Estimate]
) -> Iterator[str]:
    found: dict[str, None] = {}
    for _, old, new in _in_both(before, after):
        first, second = ("none" if i is None else i.method for i in (old.interval, new.interval))
        if first != second:
            found[f"interval of {new.metric}: {first} -> {second}"] = None
    yield from found


def _lines(results: ResultsRecord) -> dict[int, Comparison]:
    """Return the comparison of each test, by the identity of its record."""
    return {id(test): comparison for comparison in results.comparisons
            for test in (*comparison.pairwise, comparison.omnibus) if test is not None}  # fmt: skip


def _tests(family: Family) -> str:
    how = "not corrected" if family.correction is None else f"corrected by {family.correction}"
    return f"{family.size} {'test' if family.size == 1 else 'tests'}, {how}"


def _reasons(before: ResultsRecord, after: ResultsRecord) -> Iterator[str]:
    """Iterate over what differs between two runs and may have moved their numbers."""
    old_data = {one.name: one for one in before.data}
    for data in after.data:
        old = old_data.get(data.name)
        if old is not None and old.sha256 != data.sha256:
            rows = f" ({old.n:,} -> {data.n:,})" if old.n != data.n else ""
            yield f"the data `{data.name}` differ in content{rows}"
        for name in ("target", "positive"):
            if old is not None and getattr(old, name) != getattr(data, name):
                yield f"{name} of {data.name}: {getattr(old, name)} -> {getattr(data, name)}"
    for name in ("seed", "alpha", "confidence", "families", "looks"):
        first, second = (getattr(study, name) for study in (before.study, after.study))
        if first != second:
            first, second = ("none" if value is None else value for value in (first, second))
            yield f"{name} {first} -> {second}"
    old_protocols = {one.name: one for one in before.protocols}
    for protocol in after.protocols:
        known = old_protocols.get(protocol.name)
        if known is not None and known.written != protocol.written:
            yield f"protocol {known.written} -> {protocol.written}"
        for name, words in (("stratify", "stratification of"), ("group", "groups of")):
            first, second = (getattr(one, name) for one in (known or protocol, protocol))
            if first != second:
                yield f"{words} {protocol.name}: {first or 'none'} -> {second or 'none'}"
    old_models = {one.name: one for one in before.models}
    for model in after.models:
        former = old_models.get(model.name)
        if former is not None and former.pipeline != model.pipeline:
            yield f"model {model.name}: {former.pipeline} -> {model.pipeline}"
        elif former is not None and former.stored != model.stored:
            yield f"model {model.name}: {_origin(former)} -> {_origin(model)}"
        elif former is not None and former.tuned != model.tuned:
            yield f"model {model.name}: other candidates in its search"
        elif former is not None and former.thresholds != model.thresholds:
            yield f"model {model.name}: another threshold of its labels"
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
