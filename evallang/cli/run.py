"""`evallang run`."""

import os
import sys
import time
from pathlib import Path

import click

from evallang.cli.terminal import show, study_path
from evallang.diagnostics import has_errors

FORMATS = ("html", "pdf")


@click.command("run", epilog="Example: evallang run study.eval -o results -j 4")
@click.argument("file", metavar="FILE")
@click.option("-o", "--out", metavar="DIR", help="Output folder [default: FILE-results].")
@click.option(
    "-j", "--jobs", type=click.IntRange(1), metavar="N", help="Processes [default: all cores]."
)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Set a `let`.")
@click.option(
    "--format", "formats", metavar="FORMAT,...", help="Report formats [default: the study's]."
)
@click.option("--quiet", is_flag=True, help="Print errors only.")
@click.option("--open", "open_report", is_flag=True, help="Open the report in a browser.")
def command(
    file: str,
    out: str | None,
    jobs: int | None,
    settings: tuple[str, ...],
    formats: str | None,
    quiet: bool,
    open_report: bool,
) -> int:
    """Run a study and write results.json, tables and the report.

    Exit code 1: the study or its data are faulty, nothing was fitted; 3: a fit failed.
    """
    return run_study(
        file,
        out=out,
        jobs=jobs,
        settings=settings,
        formats=report_formats(formats),
        quiet=quiet,
        open_report=open_report,
    )


def report_formats(text: str | None) -> tuple[str, ...] | None:
    """Split a list of formats; raises `click.ClickException` on an unknown one."""
    if text is None:
        return None
    found = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    unknown = [part for part in found if part not in FORMATS]
    if unknown or not found:
        raise click.ClickException(
            f"there is no report format `{', '.join(unknown) or text}`; there are html and pdf"
        )
    return found


def run_study(
    file: str,
    *,
    out: str | None = None,
    jobs: int | None = None,
    settings: tuple[str, ...] = (),
    formats: tuple[str, ...] | None = None,
    quiet: bool = False,
    open_report: bool = False,
) -> int:
    """Run one study for a person at a terminal; gives the exit code."""
    from evallang.api import FolderRefused, RunFailed, StudyError, open_study, run
    from evallang.api.folder import check_folder
    from evallang.cli.settings import overrides

    place = study_path(file)
    study = open_study(place, overrides(settings))
    if has_errors(study.diagnostics) or study.meant is None:
        show(study.diagnostics, study.checked.sources)
        return 1
    folder = _folder(place, out, study.meant.report_folder)
    try:
        check_folder(folder)
    except FolderRefused as error:
        raise click.ClickException(str(error)) from error
    bar = Progress(shown=sys.stderr.isatty() and not quiet)
    code = 0
    command_line = f"evallang run {place.name}" + "".join(f" --set {s}" for s in settings)
    try:
        results = run(
            study, jobs=jobs or os.cpu_count() or 1, progress=bar.update, command=command_line
        )
    except StudyError as error:
        show(error.diagnostics, error.sources)
        return 1
    except RunFailed as error:
        results, code = error.results, 3
    finally:
        bar.close()
    if not quiet:
        show(results.diagnostics, study.checked.sources)
    messages = results.save(folder, formats)
    for message in messages:
        click.echo(message, err=True)
    if code:
        _failures(results.record.failures)
    if not quiet:
        written = [f for f in ("report.pdf", "report.html") if (folder / f).exists()]
        click.echo(f"report: {folder / (written[0] if written else 'results.json')}")
    if open_report and (folder / "report.html").exists():
        click.launch(str(folder / "report.html"))
    return code


def _folder(place: Path, out: str | None, written: str | None) -> Path:
    if out is not None:
        return Path(out)
    if written is not None:
        return place.parent / written
    return place.parent / f"{place.stem}-results"


SHOWN_FAILURES = 5


def _failures(failures: tuple[object, ...]) -> None:
    outer = [f for f in failures if getattr(f, "stage", "") == "outer"]
    for failure in outer[:SHOWN_FAILURES]:
        place = f"{getattr(failure, 'model', '')}, fold {getattr(failure, 'fold', '')}"
        click.echo(
            f"a fit failed ({place}): {getattr(failure, 'error', '')}: "
            f"{getattr(failure, 'message', '')}",
            err=True,
        )
    if len(outer) > SHOWN_FAILURES:
        click.echo(f"... and {len(outer) - SHOWN_FAILURES} more; see results.json", err=True)


class Progress:
    """One line on a terminal: fits done, rate, time left."""

    WIDTH = 24
    EVERY = 0.1  # seconds between redraws

    def __init__(self, *, shown: bool) -> None:
        self.shown = shown
        self.started = time.monotonic()
        self.drawn = 0.0

    def update(self, done: int, total: int) -> None:
        """Redraw, at most ten times a second."""
        now = time.monotonic()
        if not self.shown or total == 0 or (now - self.drawn < self.EVERY and done < total):
            return
        self.drawn = now
        elapsed = now - self.started
        rate = done / elapsed if elapsed > 0 else 0.0
        left = f"{_duration((total - done) / rate)} left" if rate > 0 else ""
        filled = self.WIDTH * done // total
        bar = "━" * filled + " " * (self.WIDTH - filled)
        line = f"\r{bar} {done:,} of {total:,} fits  {rate:,.0f}/s  {left}"
        sys.stderr.write(f"{line}\x1b[K")
        sys.stderr.flush()

    def close(self) -> None:
        """Clear the line."""
        if self.shown and self.drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
