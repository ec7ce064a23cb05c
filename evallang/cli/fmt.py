"""`evallang fmt`."""

import difflib
import sys

import click

from evallang.cli.terminal import cannot, study_path
from evallang.source import SourceFile


@click.command("fmt", epilog="Example: evallang fmt --diff study.eval")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit with 1 if it would.")
@click.option("--diff", "show_diff", is_flag=True, help="Print what would change, write nothing.")
def command(files: tuple[str, ...], only_check: bool, show_diff: bool) -> int:
    """Write studies in their canonical format; `-` reads stdin and writes stdout."""
    from evallang.api.study import read_text
    from evallang.syntax.formatter import format_source

    changed = []
    for path in files:
        if path == "-":
            text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
        else:
            try:
                text = read_text(study_path(path))
            except OSError as error:
                raise click.ClickException(cannot("read", path, error)) from error
        made = format_source(SourceFile(path, text))
        if made != text:
            changed.append(path)
        if show_diff:
            click.echo(_difference(path, text, made), nl=False)
        elif path == "-" and not only_check:
            sys.stdout.buffer.write(made.encode("utf-8", "surrogateescape"))
        elif made != text and not only_check:
            try:
                study_path(path).write_bytes(made.encode("utf-8", "surrogateescape"))
            except OSError as error:
                raise click.ClickException(cannot("write", path, error)) from error
    if only_check or show_diff:
        for path in changed:
            click.echo(f"{path} is not in the canonical format", err=True)
        return 1 if changed and only_check else 0
    if changed and changed != ["-"]:
        click.echo(f"formatted {len(changed)} of {len(files)} files", err=True)
    return 0


def _difference(path: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.split("\n"), after.split("\n"), path, f"{path} (formatted)", lineterm=""
    )
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace").decode()
