"""How well does the parser recover? 3,000 seeded single edits of the samples.

Reports the number of errors for each faulty file and how often the first error is on
the edited line. `--show N` prints the N worst files.

    python -m benchmarks.syntax_recovery
"""

import argparse
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks._rows import Kind, Row, report
from evallang.diagnostics import Diagnostic, Severity
from evallang.diagnostics.text import to_text
from evallang.source import SourceFile
from evallang.syntax.parser import parse

SAMPLES = Path(__file__).resolve().parents[1] / "tests" / "samples"
MUTANTS = 3_000
SEED = 20181113
MOST_ERRORS = 1.04  # for each faulty file, on average
LEAST_ON_LINE = 0.99
KEYS = "abcdefghijklmnopqrstuvwxyzABCXYZ0123456789 \n\"'()[]{},.:;=|<>%#_-+*/!"
WORD = re.compile(r"[\w.%-]+|\S")

Edit = Callable[[str, random.Random], tuple[str, int]]


def delete_character(text: str, chance: random.Random) -> tuple[str, int]:
    at = chance.randrange(len(text))
    return text[:at] + text[at + 1 :], at


def insert_character(text: str, chance: random.Random) -> tuple[str, int]:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(KEYS) + text[at:], at


def replace_character(text: str, chance: random.Random) -> tuple[str, int]:
    at = chance.randrange(len(text))
    return text[:at] + chance.choice(KEYS) + text[at + 1 :], at


def swap_characters(text: str, chance: random.Random) -> tuple[str, int]:
    at = chance.randrange(len(text) - 1)
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :], at


def delete_word(text: str, chance: random.Random) -> tuple[str, int]:
    word = chance.choice(list(WORD.finditer(text)))
    return text[: word.start()] + text[word.end() :], word.start()


def double_word(text: str, chance: random.Random) -> tuple[str, int]:
    word = chance.choice(list(WORD.finditer(text)))
    return f"{text[: word.end()]} {word.group()}{text[word.end() :]}", word.start()


EDITS: tuple[Edit, ...] = (
    delete_character,
    insert_character,
    replace_character,
    swap_characters,
    delete_word,
    double_word,
)


def mutants() -> Iterator[tuple[SourceFile, int, str]]:
    """Give edited samples, the offset of each edit, and its kind."""
    chance = random.Random(SEED)
    samples = [path.read_text(encoding="utf-8") for path in sorted(SAMPLES.rglob("*.eval"))]
    made = 0
    while made < MUTANTS:
        text = chance.choice(samples)
        edit = EDITS[made % len(EDITS)]
        changed, at = edit(text, chance)
        if changed != text:
            made += 1
            yield SourceFile("mutant.eval", changed), at, edit.__name__


def errors_of(source: SourceFile) -> list[Diagnostic]:
    """Parse, and keep the errors."""
    return [d for d in parse(source)[1] if d.severity is Severity.ERROR]


def main() -> None:
    """Run the benchmark and print its two figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--show", type=int, default=0, help="print so many of the worst files")
    shown = options.parse_args().show
    faulty = errors = on_line = most = 0
    worst: list[tuple[bool, int, str]] = []
    for source, at, kind in mutants():
        found = errors_of(source)
        if not found:
            continue
        faulty += 1
        errors += len(found)
        most = max(most, len(found))
        edited = source.position(at).line
        lines = [source.position(d.span.start).line for d in found if d.span]
        # a deleted or inserted line end touches two lines
        near = bool(lines) and lines[0] in (edited, edited + ("\n" in source.text[at : at + 1]))
        on_line += near
        if not near or len(found) > 1:
            text = to_text(found, {source.path: source})
            line = source.line(edited)
            worst.append((near, len(found), f"== {kind}, line {edited}: {line}\n{text}"))
    mean, share = errors / faulty, on_line / faulty
    for _, _, text in sorted(worst, key=lambda item: (item[0], -item[1]))[:shown]:
        print(text)
    note = f"{faulty} of {MUTANTS} edited files are faulty, with {most} errors at most"
    work = "errors of a faulty file, on average"
    report(Row(work, mean, "errors", kind=Kind.MOST, limit=MOST_ERRORS, note=note))
    work = "files whose first error is on the edited line"
    report(Row(work, share, "of them", kind=Kind.LEAST, limit=LEAST_ON_LINE))


if __name__ == "__main__":
    main()
