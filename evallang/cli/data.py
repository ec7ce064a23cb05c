"""`evallang data`."""

from collections.abc import Iterator, Sequence

import click

from evallang.cli.settings import (
    PATH,
    layout_option,
    limit_option,
    network_option,
    set_option,
    shows_errors,
)
from evallang.cli.terminal import read_study, write, write_json
from evallang.diagnostics import Diagnostic
from evallang.printable import wrapped
from evallang.results.records import ColumnRecord

WIDTH = 80  # of wrapped text, in characters
TEXT_COLUMN = 34  # the widest cell before the last column of the table


@click.command("data", epilog="Example: evallang data study.eval")
@click.argument("file", type=PATH, metavar="FILE")
@click.argument("name", metavar="[NAME]", required=False)
@layout_option("How to write the columns.")
@set_option
@network_option
@limit_option
@shows_errors
def command(file: str, name: str | None, layout: str, settings: tuple[str, ...]) -> int:
    """Show every column of the data as the study uses it.

    For each column: its role, kind, levels or range, missing values, and what each model receives
    of it. Then what looks wrong in the data. NAME is one source or data set of the study; without
    it all are shown. The study may lack models and a protocol. The exit code is 1 if the data have
    an error.
    """
    from evallang.api import StudyError, read_and_plan
    from evallang.cli.plan_text import source_texts, unread
    from evallang.cli.settings import overrides
    from evallang.diagnostics import Phase, has_errors
    from evallang.diagnostics.formats import to_record
    from evallang.engine.build_results import data_records
    from evallang.results.codec import to_plain
    from evallang.results.written import statement_of

    study = read_study(file, overrides(settings))
    try:
        prepared = read_and_plan(study, errors_are_fine=True, incomplete_is_fine=True)
    except StudyError as error:
        raise StudyError(_without_lacking(error.diagnostics), error.sources) from error
    texts, lost = list(source_texts(prepared)), unread(prepared)
    known = [*(text.name for text in texts), *lost]
    if name is not None and name not in {*known, *map(statement_of, known)}:
        raise click.ClickException(_unknown(name, known))
    wrong = [d for d in prepared.diagnostics if d.phase is Phase.DATA]

    def chosen(source: str) -> bool:
        return name in (None, source, statement_of(source))

    if layout == "json":
        records = [r for r in data_records(prepared.study, prepared.read) if chosen(r.name)]
        findings = [to_record(d, study.checked.sources) for d in wrong]
        write_json({"data": to_plain(tuple(records)), "findings": findings})
    else:
        shown = [[*text.lines, *_table(text.columns)] for text in texts if chosen(text.name)]
        shown += [[f"{source}: could not be read"] for source in lost if chosen(source)]
        for number, lines in enumerate(shown):
            write(*([""] if number else []), *lines)
        write(*_findings(wrong))
    return 1 if has_errors(d for d in prepared.diagnostics if d not in study.diagnostics) else 0


def _without_lacking(found: Sequence[Diagnostic]) -> "list[Diagnostic]":
    """Replace what a study may lack by the findings in the same place, such as a missing target."""
    from evallang.diagnostics import CODES, codes, diagnose

    shown: list[Diagnostic] = []
    for one in found:
        if one.code == codes.missing_statement.code:
            behind = ((other.code, other) for other in one.related)
            shown += [diagnose(CODES[c], other.message, other.span) for c, other in behind if c]
        else:
            shown.append(one)
    return shown or list(found)


def _unknown(name: str, known: Sequence[str]) -> str:
    from evallang.spelling import closest

    if not known:
        return "the study has no data"
    near = closest(name, known)
    hint = f"did you mean `{near}`?" if near else f"it has {', '.join(f'`{k}`' for k in known)}"
    return f"the study has no data called `{name}`; {hint}"


def _table(columns: Sequence[ColumnRecord]) -> Iterator[str]:
    """Iterate over the lines of a table, a line for each column, and of what models receive."""
    from evallang.results.columns import column_lines

    if not columns:
        return
    lines = column_lines(columns, len(columns))
    rows = [("column", "role", "kind", "values")]
    rows += [(line.title, line.role, line.kind, line.holds) for line in lines]
    widths = [min(max(len(row[i]) for row in rows), TEXT_COLUMN) for i in range(3)]
    yield ""
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield f"  {'  '.join([*cells, row[3]])}".rstrip()
    received: dict[str, list[str]] = {}
    for line in lines:
        if line.becomes:
            received.setdefault(line.becomes, []).append(line.title)
    if received:
        yield ""
        yield "  what models receive"
    for becomes, names in received.items():
        text = f"{', '.join(names)}: {becomes}"
        yield from wrapped(text, WIDTH, " " * 4, " " * 6)


def _findings(found: Sequence[Diagnostic]) -> Iterator[str]:
    if not found:
        return
    yield ""
    yield "what looks wrong in the data of the study"
    for one in found:
        waived = f" (allowed because {one.allowed_because})" if one.allowed_because else ""
        text = f"{one.severity}[{one.code}] {one.message}{waived}"
        yield from wrapped(text, WIDTH, "  ", " " * 4)
        if one.help:
            text = f"help: {one.help}"
            yield from wrapped(text, WIDTH, " " * 4, " " * 6)
