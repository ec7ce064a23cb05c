"""Confusion matrices as heat maps: the counts of each true class by predicted class."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evallang.reporting import fonts
from evallang.reporting.figures.figure import (
    BLUE,
    COLUMN,
    LEADING,
    LEAST_SIZE,
    MUTE,
    PAPER,
    RULE,
    SIZE,
    Canvas,
    depth_of_names,
    draw_numbered_names,
    numbered_names,
    numbers_of_names,
    whole_names,
)
from evallang.reporting.numbers import Scale, count, fixed

HEAD = 24.0  # points for the title of the columns and their names
NAME = 70.0  # points for the names of rows; those that are numbered and longer are in a key
DEEP, LEAST = 24.0, 7.0  # points of a row of few classes, and of many
MOST_NAMED = 5  # columns; more are numbered
MOST_CLASSES = 30  # more would be too small to be seen
DEPTH = 220.0  # points of the rows of all classes at most
ROOM = 4.0  # points around the number of a cell
FULL = 0.5  # the opacity of a share of 1, on which numbers are read in both themes of the page
SPOKEN = 8  # classes whose shares are in the alternative text
PERCENT = Scale(1, 2)


def matrix_of_classes(
    name: str, classes: Sequence[str], cells: Mapping[tuple[str, str], Mapping[str, Any]]
) -> tuple[Canvas, str]:
    """Draw a heat map: a cell for each true and predicted class, dark by its share of the former.

    `cells` are the counts and shares by true and predicted class; a prediction that is none of
    the classes has "". Counts are printed where they have room, with shares below them where there
    is room for both. Gives the SVG and its words.
    """
    heads = [*classes, *([""] if any(predicted == "" for _, predicted in cells) else [])]
    numbered, deep = len(heads) > MOST_NAMED, max(LEAST, min(DEEP, DEPTH / len(classes)))
    if numbered:
        written = whole_names(numbered_names(classes), NAME, max(1, int(deep / LEADING)))
        names = written or numbers_of_names(classes)
    else:
        written = names = fonts.name_lines(classes, SIZE, NAME)
        deep = depth_of_names(names, deep)
    title = "True class"
    left = fonts.widest([title, *(line for lines in names for line in lines)], SIZE) + 8
    wide = (COLUMN - left) / len(heads)
    over = fonts.wrap(f"Predicted class, {name}", SIZE, COLUMN - left, fonts.MOST_LINES)
    columns = dict(_heads(heads, wide))
    head = HEAD + LEADING * (len(over) + max(map(len, columns.values())) - 2)
    foot = head + deep * len(classes)
    canvas = Canvas(foot + 2)
    for k, line in enumerate(over):
        canvas.words((left + COLUMN) / 2, 5 + LEADING * k, line, "center", colour=MUTE)
    canvas.words(left - 5, head - 7, title, "right", colour=MUTE)
    for place, lines in columns.items():
        for k, line in enumerate(reversed(lines)):
            canvas.words(left + wide * (place + 0.5), head - 7 - LEADING * k, line, "center")
    texts = {key: _count(cell["count"]) for key, cell in cells.items()}
    longest = max(fonts.width(text, SIZE) for text in texts.values())
    printed = longest + ROOM <= wide and deep >= SIZE + 2
    both = deep >= 2.4 * SIZE and wide >= fonts.width("100.0%", LEAST_SIZE) + ROOM
    for row, truth in enumerate(classes):
        y = head + deep * (row + 0.5)
        canvas.names(left - 5, y, names[row])
        for column, predicted in enumerate(heads):
            cell, start = cells[truth, predicted], left + wide * column
            share, x = cell["share"] or 0.0, start + wide / 2
            canvas.box(start, y - deep / 2, wide, deep, PAPER, RULE)
            if share > 0:
                canvas.box(start, y - deep / 2, wide, deep, BLUE, opacity=FULL * share)
            if printed:
                at = y - 4 if both and cell["share"] is not None else y
                canvas.words(x, at, texts[truth, predicted], "center")
                if at != y:
                    text = f"{fixed(share, PERCENT)}%"
                    canvas.words(x, y + 5, text, "center", size=LEAST_SIZE)
    if written is None:
        draw_numbered_names(canvas, classes)
    return canvas, f"{name}, shares of a true class: {_spoken(classes, heads, cells)}."


def _heads(heads: Sequence[str], wide: float) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Iterate over the heads of columns and their places: names, or numbers that have room."""
    names = [head or "no class" for head in heads]
    if len(heads) <= MOST_NAMED:
        yield from enumerate(fonts.name_lines(names, SIZE, wide - 4))
        return
    names = [str(i) if head else "–" for i, head in enumerate(heads, start=1)]
    widest = max(fonts.width(name, SIZE) for name in names) + 2
    step = next(s for s in (1, 2, 5, 10, 20) if s * wide >= widest)
    for i, name in enumerate(names):
        if i == 0 or step == 1 or (i + 1) % step == 0 or name == "–":
            yield i, (name,)


def _count(number: float) -> str:
    return count(int(number)) if float(number).is_integer() else f"{number:,.1f}"


def _spoken(
    classes: Sequence[str],
    heads: Sequence[str],
    cells: Mapping[tuple[str, str], Mapping[str, Any]],
) -> str:
    """Describe how much of each true class is right, and its most frequent mistake."""
    made = []
    for truth in classes[:SPOKEN]:
        share = cells[truth, truth]["share"]
        if share is None:
            made.append(f"{truth} has no examples")
            continue
        words = f"{truth} {_count(cells[truth, truth]['count'])}, {fixed(share, PERCENT)}% right"
        wrong, most = max((cells[truth, head]["share"], head) for head in heads if head != truth)
        if wrong:
            words += f", {fixed(wrong, PERCENT)}% as {most or 'no class'}"
        made.append(words)
    return "; ".join(made)
