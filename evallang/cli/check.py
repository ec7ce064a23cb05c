"""`evallang check`."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from evallang.api.study_file import StudyFile, check_text, open_study
from evallang.cli.power import smallest_lines
from evallang.cli.settings import PATH, layout_option, limit_option, network_option
from evallang.cli.terminal import (
    cannot,
    conclusion,
    read_study,
    show,
    show_accepted,
    study_path,
    tell,
    tell_error,
    write,
    write_format,
)
from evallang.diagnostics import Diagnostic, Severity, has_errors, sorted_by_weight
from evallang.editor.fixes import apply_safe_fixes
from evallang.source import SourceFile
from evallang.version import VERSION


@click.command("check", epilog="Example: evallang check study.eval --format json")
@click.argument("files", nargs=-1, required=True, type=PATH, metavar="FILE...")
@layout_option("How to write the findings.", "github", "gitlab", "sarif")
@click.option("--strict", is_flag=True, help="Exit with 1 on warnings too.")
@click.option("--data", "with_data", is_flag=True, help="Read the data and check them too.")
@click.option("--fix", is_flag=True, help="Apply the safe fixes and check again.")
@network_option
@limit_option
def command(files: tuple[str, ...], layout: str, strict: bool, with_data: bool, fix: bool) -> int:
    """Check the syntax, names and statistical sense of studies.

    Needs neither data nor scikit-learn. Exit code 1 if there is an error. `-` reads stdin, whose
    paths are relative to the current folder.
    """
    found: list[Diagnostic] = []
    sources: dict[str, SourceFile] = {}
    if fix and "-" in files:
        raise click.UsageError("`--fix` writes to files, and `-` is not a file")
    unread: list[click.ClickException] = []
    rows, smallest = False, list[str]()
    for path in files:
        try:
            if fix:
                _fix(path)
            if path == "-":
                text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
                study = check_text(text, "<stdin>")
            else:
                study = read_study(path)
        except click.ClickException as error:
            unread.append(error)
            continue
        diagnostics = study.diagnostics
        if with_data and not has_errors(diagnostics):
            from evallang.api.power import smallest_differences
            from evallang.api.preparing import check_and_read

            diagnostics, prepared = check_and_read(study)
            smallest += [] if prepared is None else smallest_lines(smallest_differences(prepared))
        found += diagnostics
        rows = rows or _has_rows(study)
        sources |= study.checked.sources
    if layout == "text":
        show(sorted_by_weight(found), sources)
        if sources:
            show_accepted(found, sources)
            tell(conclusion(found, read=with_data or not rows))
        write(*smallest)
    elif sources:
        write_format(_written(found, sources, layout))
    for other in unread[:-1]:
        tell_error(other)
    if unread:
        raise unread[-1]
    counted = [d for d in found if d.allowed_because is None]
    warned = any(d.severity is Severity.WARNING for d in counted)
    return 1 if has_errors(counted) or (strict and warned) else 0


def _has_rows(study: StudyFile) -> bool:
    """Return whether a study has data that a check can read; counts in the file are known."""
    from evallang.data.dataset import CountsSpec

    sources = () if study.meant is None else study.meant.sources
    return any(not isinstance(s, CountsSpec) or s.path is not None for s in sources)


def _fix(path: str) -> None:
    try:
        applied = apply_fixes(study_path(path))
    except OSError as error:
        raise click.ClickException(cannot("fix", path, error)) from error
    for title in applied:
        tell(f"{path}: fixed: {title}")


def _written(found: list[Diagnostic], sources: dict[str, SourceFile], layout: str) -> str:
    from evallang.diagnostics.formats import to_github, to_gitlab, to_json, to_sarif

    if layout == "json":
        return to_json(found, sources)
    if layout == "github":
        return to_github(found, sources)
    if layout == "gitlab":
        return to_gitlab(found, sources)
    return to_sarif(found, sources, version=VERSION)


def apply_fixes(path: Path) -> list[str]:
    """Apply every safe fix of a study file; return the titles of the applied fixes."""
    study = open_study(path)

    def check(text: str) -> Sequence[Diagnostic]:
        return check_text(text, study.path, study.folder).diagnostics

    text, applied = apply_safe_fixes(study.text, study.path, check)
    if applied:
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return applied
