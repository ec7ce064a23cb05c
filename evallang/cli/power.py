"""`evallang power`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

import click

from evallang.cli.settings import (
    PATH,
    layout_option,
    limit_option,
    network_option,
    set_option,
    shows_errors,
)
from evallang.cli.terminal import read_study, show, write, write_json
from evallang.metrics.metric import METRICS
from evallang.printable import wrapped
from evallang.reporting.numbers import Scale, fixed, percent
from evallang.results.provenance import AssumptionWords
from evallang.results.records import Analysis
from evallang.results.written import member_of
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS


@click.command("power", epilog="Example: evallang power study.eval")
@click.argument("file", type=PATH, metavar="FILE")
@layout_option("How to write it.")
@set_option
@network_option
@limit_option
@shows_errors
def command(file: str, layout: str, settings: tuple[str, ...]) -> int:
    """Show which differences the tests of a study can detect, at their corrected level.

    Uses `analyze power(...)` of the study, or its defaults. Reads the data and fits no model; if
    the data are missing, shows the parts that do not depend on them.
    """
    from evallang.api.power import SCHEMA, power_of
    from evallang.cli.settings import overrides
    from evallang.results.codec import to_plain

    study = read_study(file, overrides(settings))
    found, diagnostics = power_of(study)
    show(diagnostics, study.checked.sources)
    if layout == "json":
        document = {"schema": SCHEMA, "analyses": to_plain(found)}
        write_json(document)
    else:
        write(*power_lines(found))
    return 0


STATED = (
    "Power applies to differences stated before the data are seen; at the observed difference it "
    "adds nothing to p (Hoenig & Heisey 2001)."
)

WIDTH = 80
BROKEN = 9  # characters of a line of a heading that is broken, where no word is longer


def power_lines(found: Sequence[Analysis]) -> list[str]:
    """Format the answers, one block for each test of each line."""
    lines: list[str] = []
    for item in found:
        lines += [part for line in _block(item) for part in _wrapped(line, WIDTH)]
        lines.append("")
    return [*lines, *wrapped(STATED, WIDTH)]


def _wrapped(line: str, width: int) -> list[str]:
    margin = line[: len(line) - len(line.lstrip())]
    return wrapped(line.lstrip(), width, margin, f"{margin}  ")


def smallest_lines(found: Sequence[Analysis], width: int = WIDTH) -> list[str]:
    """Format the smallest difference of each test under a heading, with what it rests on."""
    several = len({item.data for item in found}) > 1
    blocks = dict.fromkeys(tuple(_smallest(item, several)) for item in found)
    lines = [f"  {line}" for block in blocks for line in block]
    if lines:
        target = f"{found[0].values['target'] * 100:.12g}%"
        lines.insert(0, f"smallest difference detected with {target} power")
    return [part for line in lines for part in _wrapped(line, width)]


def _smallest(item: Analysis, several: bool) -> Iterator[str]:
    values = item.values
    answers = [a for a in values["answers"] if a["assumptions"].get("samples") != "any number"]
    if "sd_within" in values["observed"]:  # then more samples than there are say nothing here
        answers = [
            a for a in answers if a["assumptions"].get("samples") == values["samples"]
        ] or answers
    if not answers:
        return
    name = f"{item.metric} on {item.data}" if item.data and several else str(item.metric)
    if values["n"] is None:
        yield f"{name}: unknown, as {values['notes'][0]}"
        return
    found = [answer for answer in answers if answer["detectable"] is not None]
    size = _sizes(item, found) if found else "no difference is large enough"
    unit = values["unit"].removesuffix("s") if values["n"] == 1 else values["unit"]
    yield f"{name}: {size} ({values['test']}, {values['n']:,} {unit})"
    known = {*values["observed"], *(("samples",) if values["observed"] else ())}
    declared = HYPOTHESIS_TESTS[values["test"]].declaration.power
    said: dict[str, list[str]] = {"as in the data": [], "assumed": []}
    for one in answers[0]["assumptions"]:
        words = declared.assumptions[one] if declared else AssumptionWords(f"{one} {{}}")
        these = [answer["assumptions"][one] for answer in found or answers]
        shown = _ends(percent(round(x, 3)) if words.percent else _number(x) for x in these)
        said["as in the data" if one in known else "assumed"].append(words.words.format(shown))
    rests_on = (f"{', '.join(parts)}, {word}" for word, parts in said.items() if parts)
    yield f"  {'; '.join((_level(values), *rests_on))}"


def _sizes(item: Analysis, found: Sequence[Mapping[str, Any]]) -> str:
    """Print the smallest and the largest of some differences in the unit of the metric."""
    entry = METRICS.get(member_of(item.metric or ""))
    sizes = [answer["detectable"] for answer in found]
    if found[0]["in_sd"]:
        return f"{_ends(map(_number, sizes))} sd"
    if entry is not None and entry.declaration.unit == "percent":
        return f"{_ends(fixed(size, Scale(1, 2)) for size in sizes)} points"
    return _ends(map(_number, sizes))


def _ends(printed: Iterable[str]) -> str:
    first, *others = printed
    return f"{first} to {others[-1]}" if others and others[-1] != first else first


def _block(item: Analysis) -> Iterator[str]:
    values = item.values
    where = f" on {item.data}" if item.data else ""
    yield values["source"]
    count = "an unknown number of" if values["n"] is None else f"{values['n']:,}"
    test = values["test"]
    if values["variant"] not in (test, ""):
        test += f" {values['variant']}"
    yield f"  {test} by {item.metric}{where}: {count} {values['unit']}, {_level(values)}"
    answers = values["answers"]
    if answers:
        heads, rows = _table(values)
        lines = [*_headings(heads, rows), *rows]
        widths = [max(len(row[i]) for row in lines) for i in range(len(heads))]
        for row in lines:
            cells = (cell.rjust(w) for cell, w in zip(row, widths, strict=True))
            yield f"    {'  '.join(cells)}".rstrip()
    for note in dict.fromkeys([*values["notes"], *(n for a in answers for n in a["notes"])]):
        yield f"    {note}"


def _level(values: Mapping[str, Any]) -> str:
    text = f"level {values['level']:.4g}"
    if values["correction"] is None:
        return text
    declared = CORRECTIONS[values["correction"]].declaration
    step = "" if declared.single_step or not declared.adjusts else " first step"
    if declared.simultaneous == "resampled":
        step = " at Bonferroni's level"
    return f"{text} ({values['correction']}{step}, family of {values['family_size']})"


def _table(values: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    answers = values["answers"]
    target, gap = f"{values['target'] * 100:.12g}%", values["difference"]
    declared = HYPOTHESIS_TESTS[values["test"]].declaration.power
    words = {} if declared is None else declared.assumptions
    names = [
        name
        for name in words
        if words[name].heading and any(name in a["assumptions"] for a in answers)
    ]
    heads = [f"assumed {words[name].heading}" for name in names]
    heads.append(f"found with power {target}")
    asked = gap is not None or any(a["power"] or a["required_n"] for a in answers)
    if asked:
        # Without a stated difference only a test within a margin has a power, that at its margin
        at = "the margin" if gap is None else f"{gap:g}"
        heads += [f"power at {at}", f"{values['unit']} for {target}"]
    width = values["width"]
    if width is not None:
        heads.append(f"{values['unit']} for a width of {width:g}")
    rows = []
    for answer in answers:
        row = [_number(answer["assumptions"].get(name)) for name in names]
        unit = " sd" if answer["in_sd"] and answer["detectable"] is not None else ""
        row.append(_number(answer["detectable"]) + unit)
        if asked:
            row.append("-" if answer["power"] is None else f"{answer['power'] * 100:.1f}%")
            row.append("-" if answer["required_n"] is None else f"{answer['required_n']:,}")
        if width is not None:
            row.append("-" if answer["n_for_width"] is None else f"{answer['n_for_width']:,}")
        rows.append(row)
    if values["n"] is None:  # what depends on n is empty in every row
        kept = [i for i in range(len(heads)) if any(row[i] != "-" for row in rows)]
        heads, rows = [heads[i] for i in kept], [[row[i] for i in kept] for row in rows]
    return heads, rows


def _headings(heads: list[str], rows: list[list[str]]) -> list[list[str]]:
    """Return the headings in one line where the table then fits, else broken between words."""
    cells = [max(len(row[i]) for row in rows) for i in range(len(heads))]
    if sum(max(len(h), w) + 2 for h, w in zip(heads, cells, strict=True)) + 2 <= WIDTH:
        return [heads]
    broken = [
        wrap(h, max(w, BROKEN), break_long_words=False) for h, w in zip(heads, cells, strict=True)
    ]
    tall = max(map(len, broken))
    columns = [[""] * (tall - len(lines)) + lines for lines in broken]
    return [list(line) for line in zip(*columns, strict=True)]


def _number(value: float | str | None) -> str:
    return "-" if value is None else value if isinstance(value, str) else f"{value:.3g}"
