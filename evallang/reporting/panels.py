"""Panels of figures: their captions, and figures of more panels or rows than have room."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from evallang.reporting.document import (
    PANEL_LETTERS,
    Figure,
    Panel,
    Ref,
    Runs,
    Strong,
    listed,
    runs,
)
from evallang.reporting.wording import capitalise

Item = TypeVar("Item")
Drawn = tuple[Panel, Runs]
"""A panel, and what the caption says of it; without words it continues the panel before."""


def divided(rows: Sequence[Item], most: int) -> Iterator[tuple[int, Sequence[Item]]]:
    """Divide rows into parts of about the same size, each with its start."""
    size = -(-len(rows) // max(1, -(-len(rows) // most)))
    for start in range(0, len(rows), max(1, size)):
        yield start, rows[start : start + size]


def name_of_part(name: str, part: int) -> str:
    """Return the identifier of a part of a figure, counted from 0; the first has its name."""
    return name if part == 0 else f"{name}-{part + 1}"


def in_parts(identifier: str, caption: Runs, panels: Sequence[Panel], subject: str) -> list[Figure]:
    """Return a figure, or several where there are more panels than letters.

    `subject` begins the caption of a part after the first, which refers to the first for what
    lines and points mean. The parts have about the same number of panels.
    """
    parts = max(1, -(-len(panels) // len(PANEL_LETTERS)))
    size = -(-len(panels) // parts)
    size += size % 2 if size < len(PANEL_LETTERS) else 0  # whole rows of two
    first = Figure(identifier, caption, tuple(panels[:size]))
    further = runs(f"{subject}, continued from ", Ref(identifier), ".")
    return [first] + [
        Figure(name_of_part(identifier, part), further, tuple(panels[start : start + size]))
        for part, start in enumerate(range(size, len(panels), size), start=1)
    ]


def drawn_words(drawn: int, n: int, of: str, where: Runs, which: str = "first") -> Runs:
    """State for a caption that not all are drawn, and where the others are; empty where all are."""
    if drawn >= n:
        return ()
    return runs(f" Drawn are the {which} {drawn} of {n} {of}; the others are in ", where, ".")


def figures_of_panels(identifier: str, drawn: Sequence[Drawn]) -> list[Figure]:
    """Join panels in as many figures as have letters for them."""
    return [
        joined_panels(name_of_part(identifier, i), part)
        for i, part in enumerate(with_letters(drawn))
    ]


def with_letters(drawn: Sequence[Drawn]) -> list[list[Drawn]]:
    """Divide panels into parts that have letters for them, each with words for its first."""
    parts: list[list[Drawn]] = []
    words: Runs = ()
    for panel, own in drawn:
        words = own or words
        if not parts or len(parts[-1]) == len(PANEL_LETTERS):
            parts.append([(panel, words)])
        else:
            parts[-1].append((panel, own))
    return parts


def joined_panels(identifier: str, drawn: Sequence[Drawn]) -> Figure:
    """Join panels under one caption, which states what several have in common once."""
    caption: Runs = ()
    subjects: dict[str, list[str]] = {}
    several, shown = len(drawn) > 1, runs()
    for i, ((panel, words), letter) in enumerate(zip(drawn, PANEL_LETTERS, strict=False)):
        subjects.setdefault(panel.subject, []).append(letter)
        shown = words or shown
        after = drawn[i + 1][1] if i + 1 < len(drawn) else None
        if after is not None and (not after or after == words):
            continue
        said = listed(
            (
                (runs(Strong(runs(f"{', '.join(letters)},")), " ") if several else ())
                + runs(subject)
                for subject, letters in subjects.items()
            ),
            comma="; ",
            last="; ",
        )
        said += runs(": " if any(subjects) else "", shown)
        caption += runs(" " if caption else "", said if several else capitalise(said), ".")
        subjects = {}
    return Figure(identifier, caption, tuple(panel for panel, _ in drawn))
