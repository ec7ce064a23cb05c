"""How often a gate is passed wrongly when it is decided night after night.

`python -m benchmarks.repeated_looks --write` simulates nights and writes the tables of
docs/guide/nightly-gates.md. The gate is `require accuracy of candidate >= 90%` on 1,000 examples,
decided by the lower bound of Wilson's interval as `evallang run` decides it.
"""

import argparse
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evallang.stats import intervals

PAGE = Path(__file__).resolve().parents[1] / "docs" / "guide" / "nightly-gates.md"
MARK = re.compile(r"(<!-- measured: (\w+) -->\n).*?(\n<!-- end of measured -->)", re.DOTALL)
SEED = 2026
REPLICATIONS = 100_000
NIGHTS = (1, 5, 12, 30, 100)
EXAMPLES = 1000
LINE = 0.90
CONFIDENCE = 0.95
GOOD = 0.93
HARD, RIGHT_OF_HARD, RIGHT_OF_EASY = 0.2, 0.58, 0.98
"""Shares of examples and of right answers that make an accuracy of exactly 90%."""
CHANGED = 50
"""Examples whose outcomes a change of the candidate draws anew."""
ADDED = 100
"""Examples that each night adds where test data grow."""

Counts = NDArray[np.int64]
"""Right answers, one row a replication and one column a night."""
Kind = Callable[[np.random.Generator, int, int], Counts]


@cache
def least_passing(n: int, level: float) -> int:
    """Return the smallest number of right answers among n with which the gate is met."""
    low, high = 0, n + 1
    while low < high:
        middle = (low + high) // 2
        met = intervals.wilson(middle, n, level).low >= LINE if middle <= n else True
        low, high = (low, middle) if met else (middle + 1, high)
    return low


def new_data(draw: np.random.Generator, replications: int, nights: int) -> Counts:
    """Draw nights of which each has test data of its own."""
    return draw.binomial(EXAMPLES, LINE, (replications, nights))


def growing_data(
    draw: np.random.Generator,
    replications: int,
    nights: int,
    first: int = EXAMPLES,
    added: int = ADDED,
    accuracy: float = LINE,
) -> Counts:
    """Draw nights of one candidate, each of which adds examples to the test data."""
    start = draw.binomial(first, accuracy, (replications, 1))
    more = draw.binomial(added, accuracy, (replications, nights - 1))
    return np.cumsum(np.hstack([start, more]), axis=1)


def unrelated_candidates(draw: np.random.Generator, replications: int, nights: int) -> Counts:
    """Draw candidates on the same test data, where easy and hard examples are shared by all."""
    hard = np.repeat(draw.binomial(EXAMPLES, HARD, (replications, 1)), nights, axis=1)
    return draw.binomial(hard, RIGHT_OF_HARD) + draw.binomial(EXAMPLES - hard, RIGHT_OF_EASY)


def guided_by_verdicts(draw: np.random.Generator, replications: int, nights: int) -> Counts:
    """Draw candidates on the same test data, changed after each failure in no known direction."""
    return _changed_candidates(draw, replications, nights, keep_best=False)


def guided_by_estimates(draw: np.random.Generator, replications: int, nights: int) -> Counts:
    """Draw candidates on the same test data, where a change is kept if the estimate rose."""
    return _changed_candidates(draw, replications, nights, keep_best=True)


def _changed_candidates(
    draw: np.random.Generator, replications: int, nights: int, *, keep_best: bool
) -> Counts:
    current = draw.binomial(EXAMPLES, LINE, replications)
    seen = [current]
    for _ in range(nights - 1):
        lost = draw.hypergeometric(current, EXAMPLES - current, CHANGED)
        changed = current - lost + draw.binomial(CHANGED, LINE, replications)
        seen.append(changed)
        current = np.maximum(current, changed) if keep_best else changed
    return np.stack(seen, axis=1)


KINDS: dict[str, Kind] = {
    "new test data every night": new_data,
    f"one candidate, test data that grow by {ADDED} examples a night": growing_data,
    "the same test data, a candidate unrelated to the others every night": unrelated_candidates,
    "the same test data, the candidate changed after each failed night": guided_by_verdicts,
    "the same test data, a change kept if it raised the estimate": guided_by_estimates,
}


def sizes(kind: Kind, nights: int) -> list[int]:
    """Return the number of examples of each night."""
    growth = ADDED if kind is growing_data else 0
    return [EXAMPLES + growth * night for night in range(nights)]


def passed_once(kind: Kind, counts: Counts, nights: int, level: float) -> float:
    """Return how often at least one of the first nights meets the gate at a level."""
    least = [least_passing(n, level) for n in sizes(kind, nights)]
    return float(np.mean(np.any(counts[:, :nights] >= least, axis=1)))


def level_of(looks: int) -> float:
    """Return the level at which `looks N` decides each of N nights."""
    return 1 - (1 - CONFIDENCE) / looks


def wrongly_passed(replications: int) -> dict[str, list[tuple[float, float]]]:
    """Return for each kind and number of nights the error at 95%, and at the level of N looks."""
    draw = np.random.default_rng(SEED)
    found = {}
    for name, kind in KINDS.items():
        counts = kind(draw, replications, max(NIGHTS))
        found[name] = [
            (
                passed_once(kind, counts, nights, CONFIDENCE),
                passed_once(kind, counts, nights, level_of(nights)),
            )
            for nights in NIGHTS
        ]
    return found


def wrongly_stopped(replications: int) -> dict[str, list[float]]:
    """Return how often a candidate that is good enough fails at least one of some nights."""
    draw = np.random.default_rng(SEED + 1)
    counts = draw.binomial(EXAMPLES, GOOD, (replications, max(NIGHTS)))
    levels = {"95% every night": lambda _: CONFIDENCE, "the level of `looks N`": level_of}
    return {
        name: [
            float(np.mean(np.any(counts[:, :n] < least_passing(EXAMPLES, level(n)), axis=1)))
            for n in NIGHTS
        ]
        for name, level in levels.items()
    }


def percent(share: float) -> str:
    """Format a share."""
    return f"{100 * share:.1f}%"


def table(first: str, rows: dict[str, list[float]]) -> str:
    """Format one row a kind, one column a number of nights."""
    nights = [f"{n} night{'s' if n > 1 else ''}" for n in NIGHTS]
    lines = [" | ".join([first, *nights]), " | ".join(["---", *["--:"] * len(nights)])]
    lines += [" | ".join([name, *map(percent, shares)]) for name, shares in rows.items()]
    return "\n".join(f"| {line} |" for line in lines)


def tables(replications: int) -> dict[str, str]:
    """Return the tables of the page by their names."""
    errors = wrongly_passed(replications)
    plain = {name: [at_95 for at_95, _ in shares] for name, shares in errors.items()}
    adjusted = {name: [of_looks for _, of_looks in shares] for name, shares in errors.items()}
    return {
        "plain": table("passed wrongly at least once", plain),
        "adjusted": table("passed wrongly at least once", adjusted),
        "stopped": table("failed at least once", wrongly_stopped(replications)),
    }


def main() -> None:
    """Print the tables, or write them into the page."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.repeated_looks", description=__doc__
    )
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    written = tables(REPLICATIONS)
    if not parser.parse_args().write:
        print("\n\n".join(written.values()))
        return
    text = PAGE.read_text(encoding="utf-8")
    text = MARK.sub(lambda m: f"{m[1]}\n{written[m[2]]}\n{m[3]}", text)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
