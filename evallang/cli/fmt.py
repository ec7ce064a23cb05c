"""`evallang fmt`."""

import difflib
import sys
from collections.abc import Callable

import click

from evallang.cli.settings import PATH, limit_option
from evallang.cli.terminal import cannot, show, study_path, tell, write_difference, write_study
from evallang.diagnostics import Diagnostic
from evallang.source import SourceFile

NO_NEWLINE = "\\ No newline at end of file"  # the words of diff and patch


@click.command("fmt", epilog="Example: evallang fmt --diff study.eval")
@click.argument("files", nargs=-1, required=True, type=PATH, metavar="FILE...")
@click.option(
    "--check", "only_check", is_flag=True, help="Write nothing; exit with 1 if files change."
)
@click.option("--diff", "show_diff", is_flag=True, help="Print the changes without writing them.")
@limit_option
def command(files: tuple[str, ...], only_check: bool, show_diff: bool) -> int:
    """Write studies in their canonical format; `-` reads stdin and writes stdout."""
    from evallang.api.study_file import read_text
    from evallang.syntax.formatter import format_parsed
    from evallang.syntax.parser import parse_lines
    from evallang.syntax.preflight import not_text

    changed = []
    found: list[Diagnostic] = []
    sources: dict[str, SourceFile] = {}
    for path in files:
        if path == "-":
            text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
        else:
            try:
                text = read_text(study_path(path))
            except OSError as error:
                raise click.ClickException(cannot("read", path, error)) from error
        source = SourceFile(path, text)
        parsed = parse_lines(source)
        if parsed.refused:
            found += parsed.diagnostics
            sources[path] = source
            if path == "-" and not (only_check or show_diff):
                write_study(text)
            continue
        damage = not_text(source)
        if damage is not None:
            found.append(damage)
            sources[path] = source
        made = format_parsed(source, parsed, _rules_by_name(text))
        if made != text:
            changed.append(path)
        if show_diff:
            write_difference(_difference(path, text, made))
        elif path == "-" and not only_check:
            write_study(made)
        elif made != text and not only_check:
            try:
                study_path(path).write_bytes(made.encode("utf-8", "surrogateescape"))
            except OSError as error:
                raise click.ClickException(cannot("write", path, error)) from error
    if only_check or show_diff:
        for path in changed:
            name = "standard input" if path == "-" else path
            tell(f"{name} is not in the canonical format")
    elif changed and changed != ["-"]:
        tell(f"formatted {len(changed)} of {len(files)} files")
    show(found, sources)
    return 1 if found or (changed and only_check) else 0


def _difference(path: str, before: str, after: str) -> list[str]:
    if before == after:
        return []
    lines = difflib.unified_diff(
        _lines(before),
        _lines(after),
        path,
        f"{path} (formatted)",
    )
    told = []
    for line in lines:
        told += [line[:-1]] if line.endswith("\n") else [line, NO_NEWLINE]
    return told


def _lines(text: str) -> list[str]:
    """Split a text after each newline only, because a form feed does not end a line of a study."""
    *whole, last = text.split("\n")
    return [f"{line}\n" for line in whole] + [last] * bool(last)


def _rules_by_name(text: str) -> Callable[[str], str] | None:
    """Return the function that spells waivers; without a waiver the rules are not imported."""
    if "evallang:" not in text:
        return None
    from evallang.checking.waivers import canonical

    return canonical
