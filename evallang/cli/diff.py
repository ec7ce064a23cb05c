"""`evallang diff`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from evallang.api.study_file import StudyFile
from evallang.cli.lock import DIFFERENT
from evallang.cli.settings import PATH, layout_option, limit_option, shows_errors
from evallang.cli.terminal import read_results, read_study, show, write, write_json, write_study
from evallang.locks.result_changes import Bounds, Moved, ResultChanges, Turned
from evallang.locks.settings import Setting


@click.command("diff", epilog="Example: evallang diff HEAD~1:study.eval study.eval")
@click.argument("first", type=PATH, metavar="A")
@click.argument("second", type=PATH, metavar="[B]", required=False)
@layout_option("How to write the differences.", "markdown")
@click.option(
    "--exit-code", is_flag=True, help="Exit with 5 if a setting, a number or a decision differs."
)
@click.option(
    "--textconv",
    is_flag=True,
    help="Print one study for git's textconv: without its data, and if it has errors, its text.",
)
@limit_option
@shows_errors
def command(first: str, second: str | None, layout: str, exit_code: bool, textconv: bool) -> int:
    """Show what differs between two studies, or between two results folders.

    A study is a file, or a file at a revision of git (HEAD~1:study.eval, main:eval/study.eval),
    whose objects are read without starting git. As in git, the path begins at the top of the
    repository, or with `./` in the current folder. Every setting that differs is named, defaults
    too, with what it changes. Of results, decisions that changed come first, and numbers closer
    than 1e-9 of their size are equal. With one study, print its settings, one per line;
    `--textconv` prints those that do not depend on the data.
    """
    if textconv:
        if second is not None or layout != "text" or exit_code:
            raise click.UsageError("`--textconv` takes one study and no other option")
        return _textconv(first)
    if second is None:
        if _is_results(first):
            raise click.UsageError("name a second results folder")
        return _one(first, layout)
    if _is_results(first) != _is_results(second):
        raise click.UsageError("compare two studies, or two results folders")
    if _is_results(first):
        return _diff_results(first, second, layout, exit_code)
    return _diff_studies(first, second, layout, exit_code)


def _textconv(path: str) -> int:
    """Print one study as git compares it.

    Git passes a copy of an old version that has neither data nor included files next to it, so
    data are not read, and an error in it must not end `git log -p`.
    """
    from msgspec.structs import replace

    from evallang.api import StudyError

    study = read_study(path)
    try:
        # nothing is below a file, so that no data are found
        found = _settings(replace(study, folder=study.place))
    except StudyError:
        write_study(study.text)
    else:
        write(*_setting_lines(found))
    return 0


def _one(text: str, layout: str) -> int:
    """Print the settings of one study."""
    from evallang.cli.change_text import markdown_cell, shown

    settings = _settings(_study(text))
    if layout == "json":
        records = [{"setting": s.place, "value": s.value, "stated": s.stated} for s in settings]
        write_json({"schema": "evallang/diff/1", "settings": records})
    elif layout == "markdown":
        rows = ((s.place, shown(s.value), "" if s.stated else "default") for s in settings)
        cells = (" | ".join(map(markdown_cell, row)) for row in rows)
        write("| setting | value | |", "|---|---|---|", *(f"| {row} |" for row in cells))
    else:
        write(*_setting_lines(settings))
    return 0


def _is_results(text: str) -> bool:
    path = Path(text)
    return path.is_dir() or (path.suffix == ".json" and path.is_file())


def _diff_studies(first: str, second: str, layout: str, exit_code: bool) -> int:
    from evallang.cli.change_text import change_lines, change_markdown, change_records
    from evallang.locks.changes import changes

    before, after = _study(first), _study(second)
    for study in (before, after):
        if study.meant is None:
            show(study.diagnostics, study.checked.sources)
            return 1
    found = changes(_settings(before), _settings(after))
    sources = after.checked.sources, before.checked.sources
    if layout == "json":
        write_json({"schema": "evallang/diff/1", "settings": change_records(found, *sources)})
    elif layout == "markdown":
        write(*(change_markdown(found, *sources) if found else ("No setting differs.",)))
    else:
        write(*(change_lines(found, *sources) if found else ("no setting differs",)))
    return DIFFERENT if exit_code and found else 0


def _settings(study: StudyFile) -> tuple[Setting, ...]:
    """Return the settings of a study; raises `StudyError`."""
    from evallang.api.locking import settings_in_force
    from evallang.api.preparing import read_and_plan

    prepared = read_and_plan(study, missing_is_fine=True)
    return settings_in_force(study, prepared, content=False)


def _study(text: str) -> StudyFile:
    """Read a study: a file, or a file at a revision."""
    revision, colon, name = text.partition(":")
    if Path(text).exists() or not colon or not revision or not name:
        return read_study(text)
    from evallang.api.commit import UnknownRevision, committed_reader, revision_place
    from evallang.api.study_file import study_at

    place = revision_place(Path(), name)
    try:
        return study_at(place, committed_reader(place.parent, revision), text)
    except UnknownRevision as error:
        raise click.ClickException(f"{error}{_hint(revision, name, place)}") from error


def _hint(revision: str, name: str, place: Path) -> str:
    """Propose git's `./` for the path of a file below the current folder."""
    from evallang.api.commit import UnknownRevision, committed_reader

    here = Path(name)
    if here.is_absolute() or here.resolve() == place.resolve():
        return ""
    try:
        committed_reader(here.parent, revision)(here)
    except UnknownRevision:
        return ""
    return f"; a path begins at the top of the repository, so write `{revision}:./{name}`"


def _setting_lines(settings: tuple[Setting, ...]) -> Iterator[str]:
    from evallang.cli.change_text import shown

    for one in settings:
        yield f"{one.place} = {shown(one.value)}{'' if one.stated else ' (default)'}"


# --- results --------------------------------------------------------------------------------


def _diff_results(first: str, second: str, layout: str, exit_code: bool) -> int:
    from evallang.locks.result_changes import result_changes
    from evallang.results.codec import to_plain

    found = result_changes(read_results(first).record, read_results(second).record)
    if layout == "json":
        write_json({"schema": "evallang/diff/1", **to_plain(found)})
    elif layout == "markdown":
        write(*_markdown(found))
    else:
        write(*_text(found))
    return DIFFERENT if exit_code and not found.none else 0


def _text(found: ResultChanges) -> Iterator[str]:
    if found.none:
        yield "no number and no decision differs"
    for turned in found.turned:
        yield f"turned: {turned.what}: {turned.before} -> {turned.after}"
        yield f"  {_value_words(turned, first=True)} -> {_value_words(turned, first=False)}"
    for moved in found.moved:
        share = "" if not moved.share else f" ({moved.share:.2g} half-widths of its interval)"
        before, after = _moved_words(moved)
        yield f"moved: {moved.what}: {before} -> {after}{share}"
    yield from (*found.only, *found.other)
    if found.reasons:
        yield "what differs besides:"
        yield from (f"  {reason}" for reason in found.reasons)


def _markdown(found: ResultChanges) -> Iterator[str]:
    from evallang.cli.change_text import markdown_cell

    def row(*cells: str) -> str:
        return "| " + " | ".join(markdown_cell(cell) for cell in cells) + " |"

    if found.none:
        yield "No number and no decision differs."
    if found.turned:
        yield from (
            "**Decisions that turned**",
            "",
            row("what", "before", "after"),
            "|---|---|---|",
        )
        for one in found.turned:
            before = f"{one.before}, {_value_words(one, first=True)}"
            after = f"{one.after}, {_value_words(one, first=False)}"
            yield row(one.what, before, after)
        yield ""
    if found.moved:
        yield from ("**Values that moved**", "")
        yield row("what", "before", "after", "move in half-widths of its interval")
        yield "|---|---|---|---|"
        for moved in found.moved:
            share = "" if not moved.share else f"{moved.share:.2g}"
            yield row(moved.what, *_moved_words(moved), share)
        yield ""
    lists = (("In one of the results only", found.only), ("Other differences", found.other),
             ("What differs besides", found.reasons))  # fmt: skip
    for title, lines in lists:
        if lines:
            yield from (f"**{title}**", "", *(f"- {markdown_cell(line)}" for line in lines), "")


def _value_words(turned: Turned, *, first: bool) -> str:
    """Format what decided: the value with its interval, and the p-value of a test."""
    value = turned.value_before if first else turned.value_after
    bounds = turned.interval_before if first else turned.interval_after
    p = turned.p_before if first else turned.p_after
    found = [] if value is None and bounds is None else [_with_interval(value, bounds)]
    found += [] if p is None else [f"p = {_number(p)}"]
    return ", ".join(found) or "not computed"


def _moved_words(moved: Moved) -> tuple[str, str]:
    """Format a value before and after, with its interval and more digits where they differ."""
    old, new = moved.interval_before, moved.interval_after
    for digits in range(4, 18):
        before = _with_interval(moved.before, old, digits)
        after = _with_interval(moved.after, new, digits)
        if before != after:
            break
    return before, after


def _with_interval(value: Any, bounds: Bounds | None, digits: int = 4) -> str:
    if bounds is None:
        return _number(value, digits)
    low, high = (_number(bound, digits) for bound in bounds)
    return f"{_number(value, digits)} [{low}, {high}]"


def _number(value: Any, digits: int = 4) -> str:
    return "none" if value is None else f"{value:.{digits}g}"
