"""`make fuzz`: 100,000 inputs that nobody means; prints what went wrong, how long, how much memory.

    PYTHONPATH=tests python -m fuzzing [--inputs 100000] [--first 0] [--only NUMBER]

Exits with 1 where anything was raised, took longer than the limit, or the process grew over
1 GB.
"""

import argparse
import resource
import sys
import time
import traceback
from collections import Counter

from .inputs import text_of
from .judging import Stopwatch, judge

MOST_MEMORY = 1_000  # MB, of the whole process
MOST_SECONDS = 20.0  # of the processor, that an author waits for a megabyte: a check, or a format
SHOWN = 20  # tracebacks; the same place in the code is shown once


def main() -> int:
    options = argparse.ArgumentParser(prog="fuzzing")
    options.add_argument("--inputs", type=int, default=100_000)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--only", type=int)
    asked = options.parse_args()
    if asked.only is not None:
        kind, text = text_of(asked.only)
        print(f"{kind}: {text[:2000]!r}")
        watch = Stopwatch()
        judge(text, watch)
        print(f"longest step {watch.longest:.1f} s")
        return 0
    kinds: Counter[str] = Counter()
    failed: dict[tuple[str, str], list[int]] = {}
    slow: list[tuple[float, int]] = []
    characters, began = 0, time.perf_counter()
    for number in range(asked.first, asked.first + asked.inputs):
        kind, text = text_of(number)
        kinds[kind] += 1
        characters += len(text)
        watch = Stopwatch()
        try:
            judge(text, watch)
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            key = (type(error).__name__, f"{place.filename}:{place.lineno}")
            if key not in failed and len(failed) < SHOWN:
                print(f"== input {number} ({kind})\n{''.join(traceback.format_exception(error))}")
                sys.stdout.flush()
            failed.setdefault(key, []).append(number)
        slow = sorted([*slow, (watch.longest, number)], reverse=True)[:5]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{asked.inputs:,} inputs, {characters / 1e6:,.0f} million characters, "
          f"{time.perf_counter() - began:,.0f} s")  # fmt: skip
    print("kinds: " + ", ".join(f"{kind} {n:,}" for kind, n in kinds.most_common()))
    for (what, place), numbers in failed.items():
        print(f"{len(numbers):,} times {what} at {place}, first for input {numbers[0]}")
    print(f"raised: {sum(map(len, failed.values())):,}")
    print(f"peak memory {memory:,.0f} MB   limit {MOST_MEMORY:,}")
    print(f"slowest step {slow[0][0]:.1f} s (inputs {', '.join(str(n) for _, n in slow)})   "
          f"limit {MOST_SECONDS:.0f}")  # fmt: skip
    return int(bool(failed) or memory > MOST_MEMORY or slow[0][0] > MOST_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
