"""Figures of more panels than have a letter: in parts, each with a caption that says so."""

from collections.abc import Sequence

from msgspec.structs import replace

from evallang.reporting.document import PANEL_LETTERS, Figure, Panel, Ref, Runs, runs


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
    made = [first]
    for part, start in enumerate(range(size, len(panels), size), start=1):
        words = runs(f"{subject}, continued from ", Ref(identifier), ".")
        further = replace(first, id=name_of_part(identifier, part), caption=words)
        made.append(replace(further, panels=tuple(panels[start : start + size])))
    return made


def drawn_words(drawn: int, n: int, of: str, where: Runs, which: str = "first") -> Runs:
    """State for a caption that not all are drawn, and where the others are; empty where all are."""
    if drawn >= n:
        return ()
    return runs(f" Drawn are the {which} {drawn} of {n} {of}; the others are in ", where, ".")
