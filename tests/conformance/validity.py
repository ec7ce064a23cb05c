"""What a member declares about where it holds, and what its results then state."""

from evallang.stats.validity import COUNTS, Counted, Number, shortfalls

BY_METRIC = {
    Counted.EVENTS,
    Counted.MISTAKES,
    Counted.OUTSIDE,
    Counted.RAREST,
    Counted.TAIL,
    Counted.WEIGHTED,
}
"""What only the metric knows; the engine counts it."""


def assert_validity(entry):
    """Require a reason, or numbers each with what simulations found below it."""
    declared = entry.declaration.holds
    assert declared, f"{entry.name} declares no number from which on it holds (`holds=`)"
    if isinstance(declared, str):
        assert len(declared.split()) > 3, f"{entry.name} gives no reason"
        return
    for holds in declared:
        assert holds.least > 1, entry.name
        assert holds.count in COUNTS or holds.count in BY_METRIC, entry.name
        assert holds.found or holds.count is Counted.TAIL, f"{entry.name}: what was measured?"
    alike = {(holds.count, holds.refused, holds.least) for holds in declared}
    assert len(alike) == len(declared), entry.name


def assert_shortfalls_are_stated(entry, arguments, found):
    """Require the note of every number that the inputs fall short of."""
    declared = entry.declaration.holds
    if isinstance(declared, str):
        return
    given = dict(zip(entry.inputs, arguments, strict=True))
    counts = {h.count: COUNTS[h.count](given) for h in declared if h.count in COUNTS}
    noun = getattr(given.get("strengths"), "each", "")  # prompts or judges
    known = {count: Number(n, None, noun) for count, n in counts.items() if n is not None}
    bounds = getattr(found, "estimate", found)
    defined = bounds is not None and bounds.low is not None
    short = shortfalls(declared, known)
    refused = any(holds.refused for holds, _ in short)
    for _, note in short:
        if refused:
            assert getattr(found, "p", None) is None, entry.name
            assert not defined, entry.name
            assert found.notes, entry.name
        elif defined or getattr(found, "p", None) is not None:
            assert note in found.notes, entry.name
