"""`evallang new`."""

import os
import shlex
from pathlib import Path
from typing import get_args

import click

from evallang.cli.settings import PATH, limit_option, shows_errors
from evallang.cli.terminal import cannot, tell, write_study

GOALS = ("compare", "select", "gate", "estimate")


@click.command("new", epilog="Example: evallang new visits.eval --from visits.csv --target outcome")
@click.argument("file", type=PATH, metavar="[FILE]", default="study.eval")
@click.option(
    "--from",
    "sources",
    type=PATH,
    metavar="DATA",
    multiple=True,
    help="A table, a file of predictions, or a log or folder of logs.",
)
@click.option("--target", metavar="COL", help="The column to predict.")
@click.option(
    "--goal",
    type=click.Choice(GOALS),
    default="compare",
    show_default=True,
    help="What the study decides.",
)
@click.option("--force", is_flag=True, help="Replace a file that exists.")
@limit_option
@shows_errors
def command(file: str, sources: tuple[str, ...], target: str | None, goal: str, force: bool) -> int:
    """Write a study that checks without an error, with the reason for each choice in a comment.

    DATA is a CSV, TSV, Parquet, JSON Lines or ARFF file: a table to learn from, or the truth with
    the predictions of several models. A folder has the logs of several models: those of
    lm-evaluation-harness, Inspect AI or Every Eval Ever, or a table for each model. Without DATA
    the study uses a bundled data set. FILE is study.eval by default; `-` writes to stdout.
    """
    from evallang.data.reading import reading
    from evallang.diagnostics import Severity, has_errors
    from evallang.drafts.draft import draft_study
    from evallang.drafts.writing import DraftRefused, Goal

    assert set(GOALS) == set(get_args(Goal))
    if len(sources) > 1:
        raise click.ClickException("--from is given twice; name one folder that holds all logs")
    source = sources[0] if sources else None
    if target is not None and source is None:
        raise click.ClickException("--target names a column of a file; name the file with --from")
    place = Path("study.eval" if file == "-" else file)
    if file != "-" and os.path.lexists(place) and not force:
        raise click.ClickException(f"`{file}` exists; name another file, or replace it by --force")
    if file != "-" and not place.parent.is_dir():
        raise click.ClickException(f"there is no folder `{place.parent}`")
    try:
        with reading():  # all files of a folder by one process
            draft = draft_study(place, Path(source) if source else None, target, goal)  # type: ignore[arg-type]
    except DraftRefused as error:
        raise click.ClickException(str(error)) from error
    if file == "-":
        write_study(draft.text)
    else:
        try:
            place.write_text(draft.text, encoding="utf-8")
        except OSError as error:
            raise click.ClickException(cannot("write", file, error)) from error
    errors = [d for d in draft.diagnostics if d.severity is Severity.ERROR]
    warnings = sum(d.severity is Severity.WARNING for d in draft.diagnostics)
    if errors:
        tell("the check still finds errors:" if file == "-" else f"wrote {file}, with errors:")
    elif file != "-":
        tell(f"wrote {file}; `{shlex.join(['evallang', 'run', file])}` runs it")
    if warnings:
        noun = "warning" if warnings == 1 else "warnings"
        verb = "is" if warnings == 1 else "are"
        tell(f"{warnings} {noun} of the check {verb} explained in comments")
    for one in errors:
        tell(f"error[{one.code}] {one.message}")
    return 1 if has_errors(draft.diagnostics) else 0
