"""`evallang run`."""

import os
import shlex
import tempfile
from contextlib import closing
from pathlib import Path

import click

from evallang.activity import Activity, watched
from evallang.api.folder import Reserved
from evallang.api.results import Results as RunResults
from evallang.api.sharding import Shard
from evallang.cli.ci_files import CiFiles
from evallang.cli.lock import DIFFERENT
from evallang.cli.progress import Progress
from evallang.cli.settings import (
    PATH,
    Number,
    Size,
    WholeNumber,
    formats_option,
    limit_option,
    max_fits_option,
    network_option,
    set_option,
    store_option,
)
from evallang.cli.shard import ShardType, run_shard
from evallang.cli.summary_text import text_lines
from evallang.cli.terminal import Failed, cannot, read_study, show, study_path, tell, write
from evallang.diagnostics import Severity, has_errors
from evallang.engine.backends.cluster import Tls
from evallang.engine.backends.workers import Workers
from evallang.limits import changed_limits
from evallang.printable import ISOLATES
from evallang.results.records import Failure
from evallang.spelling import listed


@click.command("run", epilog="Example: evallang run study.eval -o results -j 4")
@click.argument("file", type=PATH, metavar="FILE")
@click.option(
    "-o", "--out", type=PATH, metavar="DIR", help="Output folder [default: FILE-results]."
)
@click.option(
    "-j", "--jobs", type=WholeNumber(1), metavar="N", help="Processes [default: all cores]."
)
@click.option(
    "--dask",
    metavar="ADDRESS",
    help="Fit on a Dask cluster: tcp://HOST:PORT, tls://HOST:PORT, or local:N for N processes.",
)
@click.option(
    "--dask-tls-ca", type=PATH, metavar="FILE", help="Certificate authority of the cluster, PEM."
)
@click.option("--dask-tls-cert", type=PATH, metavar="FILE", help="Certificate of this client, PEM.")
@click.option("--dask-tls-key", type=PATH, metavar="FILE", help="Private key of this client, PEM.")
@click.option(
    "--shard",
    type=ShardType(),
    metavar="K/N",
    help="Run share K of N of the fits and keep them in the store; a last run without this option "
    "writes the results.",
)
@click.option(
    "--fit-timeout",
    type=Number(),
    metavar="SECONDS",
    help="Fail each fit that takes longer; the other fits continue.",
)
@click.option(
    "--memory",
    type=Size(),
    metavar="SIZE",
    help="Fail each fit whose process needs more memory than this (500M, 2G), and refuse each file "
    "that needs more while it is read; the others continue.",
)
@set_option
@formats_option
@click.option("--fresh", is_flag=True, help="Run every fit again and replace what the store has.")
@store_option
@click.option(
    "--trust", is_flag=True, help="Allow the study to run its author's code and query servers."
)
@click.option(
    "--no-fast-paths",
    is_flag=True,
    hidden=True,
    expose_value=False,
    help="Ignored: there are no shortcuts since 0.2.",
)
@click.option(
    "--no-look",
    is_flag=True,
    help="Print the record of this look at the test data instead of keeping it next to the study.",
)
@click.option(
    "--locked",
    is_flag=True,
    help="Fit nothing and exit with 5 if protocol or data differ from the study's lock.",
)
@click.option("--junit", type=PATH, metavar="FILE", help="Write the requirements as JUnit XML.")
@click.option(
    "--summary", type=PATH, metavar="FILE", help="Append a summary in Markdown to a file."
)
@click.option(
    "--annotate",
    is_flag=True,
    help="Write requirements that are not met as annotations of GitHub Actions too.",
)
@click.option(
    "--quiet", is_flag=True, help="Print only errors and whether each requirement was met."
)
@click.option("--open", "open_report", is_flag=True, help="Open the report in a browser.")
@network_option
@limit_option
@max_fits_option
def command(
    file: str,
    out: str | None,
    jobs: int | None,
    dask: str | None,
    dask_tls_ca: str | None,
    dask_tls_cert: str | None,
    dask_tls_key: str | None,
    shard: Shard | None,
    fit_timeout: float | None,
    memory: int | None,
    settings: tuple[str, ...],
    formats: str | None,
    fresh: bool,
    store: str | None,
    trust: bool,
    no_look: bool,
    locked: bool,
    junit: str | None,
    summary: str | None,
    annotate: bool,
    quiet: bool,
    open_report: bool,
) -> int:
    """Run a study and write results.json, predictions and the report.

    Fits of past runs are taken from the store (see `evallang cache`): an interrupted run
    continues where it stopped, and a changed `compare` line needs no new fits.

    Exit code 1: the study or its data have errors, and no model was fitted, or its template failed
    (the report is written without it); 3: a fit failed; 4: a requirement was not met (the report
    is written); 5: with --locked, the study or its data are not the locked ones, and no model was
    fitted.
    """
    from evallang.engine.backends.backend import FitLimits

    objection = FitLimits(fit_timeout, memory).objection
    if objection is not None:
        raise click.UsageError(objection)
    cluster = _dask(dask, jobs, dask_tls_ca, dask_tls_cert, dask_tls_key, fit_timeout, memory)
    if shard is not None:
        meant = {
            "-o": out,
            "--format": formats,
            "--junit": junit,
            "--summary": summary,
            "--annotate": annotate,
            "--open": open_report,
            "--dask": dask,
            "--locked": locked,
        }
        for option, given in meant.items():
            if given:
                raise click.UsageError(
                    f"`{option}` and `--shard`, which only keeps fits, exclude one another"
                )
        from evallang.engine.backends.workers import Workers

        return run_shard(
            file,
            shard,
            Workers(jobs or cores(), FitLimits(fit_timeout, memory)),
            settings=settings,
            fresh=fresh,
            store=store,
            trust=trust,
            quiet=quiet,
        )
    return run_study(
        file,
        out=out,
        jobs=jobs,
        dask=cluster,
        fit_timeout=fit_timeout,
        memory=memory,
        settings=settings,
        formats=report_formats(formats),
        fresh=fresh,
        store=store,
        trust=trust,
        look=not no_look,
        locked=locked,
        ci_files=CiFiles(junit, summary, annotate),
        quiet=quiet,
        open_report=open_report,
    )


def _dask(
    address: str | None,
    jobs: int | None,
    authority: str | None,
    certificate: str | None,
    key: str | None,
    fit_timeout: float | None,
    memory: int | None,
) -> tuple[str, Tls] | None:
    """Return the address of a cluster and the files of its encryption; refuse wrong options."""
    if address is None:
        if authority or certificate or key:
            raise click.UsageError("`--dask-tls-...` is used without `--dask`")
        return None
    from evallang.api.running import cluster_error
    from evallang.engine.backends.backend import FitLimits
    from evallang.engine.backends.cluster import Tls

    if jobs is not None:
        raise click.UsageError(
            "`-j` and `--dask` exclude one another: the cluster decides how many fits run at once"
        )
    if fit_timeout is not None or memory is not None:
        raise click.UsageError("`--fit-timeout` and `--memory` cannot be kept with `--dask`")
    tls = Tls(authority, certificate, key)
    reason = cluster_error(address, tls, FitLimits())
    if reason is not None:
        raise click.UsageError(f"--dask: {reason}")
    return address, tls


def report_formats(text: str | None) -> tuple[str, ...] | None:
    """Split a list of formats; raise `click.ClickException` for an unknown format."""
    if text is None:
        return None
    from evallang.syntax.language import STATEMENTS

    found = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    known = STATEMENTS["report"].words["formats"]
    unknown = [part for part in found if part not in known]
    if unknown or not found:
        raise click.ClickException(
            f"there is no report format `{', '.join(unknown) or text}`; write {listed(known, 'or')}"
        )
    return found


def run_study(
    file: str,
    *,
    out: str | None = None,
    jobs: int | None = None,
    dask: tuple[str, Tls] | None = None,
    fit_timeout: float | None = None,
    memory: int | None = None,
    settings: tuple[str, ...] = (),
    formats: tuple[str, ...] | None = None,
    fresh: bool = False,
    store: str | None = None,
    trust: bool = False,
    look: bool = False,
    locked: bool = False,
    ci_files: CiFiles | None = None,
    quiet: bool = False,
    open_report: bool = False,
) -> int:
    """Run one study from a terminal; return the exit code."""
    place = study_path(file)
    ci_files = ci_files or CiFiles()
    ci_files.refuse_wrong_places()
    code = 0
    with Progress(shown=not quiet) as bar, watched(bar.update):
        from evallang.api import FolderRefused, NotTrusted, RunFailed, StudyError, WorkersLost, run
        from evallang.api.folder import reserved
        from evallang.api.locking import NotLocked
        from evallang.api.models import refuse_leading_out
        from evallang.api.results import prepare_report
        from evallang.cli.change_text import change_lines
        from evallang.cli.settings import overrides, remind
        from evallang.engine.backends.workers import Workers
        from evallang.locks.lock_file import LockRefused

        study = read_study(file, overrides(settings))
        try:
            if has_errors(study.diagnostics) or study.meant is None:
                raise StudyError(study.diagnostics, study.checked.sources)
            folder = study.results_folder if out is None else Path(out)
            command_line = f"evallang run {place.name}" + "".join(f" --set {s}" for s in settings)
            command_line += " --trust" if trust else ""
            command_line += "" if fit_timeout is None else f" --fit-timeout {fit_timeout:g}"
            command_line += "" if memory is None else f" --memory {memory}"
            command_line += "".join(
                f" --limit {key}={value}" for key, value in changed_limits().items()
            )
            if out is None:
                refuse_leading_out(study.meant.report_folder or folder.name, folder, place.parent)
            n_jobs = jobs or cores()
            with reserved(folder) as place_of_results, closing(Workers(n_jobs)) as drawing:
                # a core is idle while the first fits wait for their imports
                prepare_report(drawing, formats or study.meant.report.formats)
                try:
                    results = run(
                        study,
                        jobs=n_jobs,
                        fit_timeout=fit_timeout,
                        memory=memory,
                        command=command_line,
                        trust=trust,
                        store=store,
                        fresh=fresh,
                        look=look,
                        locked=locked,
                        dask=None if dask is None else dask[0],
                        tls=None if dask is None else dask[1],
                        warn=lambda text: tell(f"warning: {text}"),
                    )
                except RunFailed as error:
                    results, code = error.results, Failed.exit_code
                bar.update(Activity("rendering", "the report"))
                messages = _save(results, place_of_results, formats, drawing)
        except (StudyError, NotLocked) as error:
            refused: StudyError | NotLocked | None = error
        except WorkersLost as error:
            raise Failed(str(error)) from error
        except (FolderRefused, NotTrusted, LockRefused) as error:
            raise click.ClickException(str(error)) from error
        else:
            refused = None
    if isinstance(refused, NotLocked):
        verdict = refused.verdict
        lines = [*change_lines(verdict.changes, verdict.sources), *verdict.advice]
        write(*lines)
        tell(f"{refused}; nothing was fitted")
        ci_files.write_errors(file, [f"{refused}: {'; '.join(line.strip() for line in lines)}"])
        return DIFFERENT
    if refused is not None:
        errors = [d for d in refused.diagnostics if d.severity is Severity.ERROR]
        show(errors if quiet else refused.diagnostics, refused.sources)
        remind(settings)
        ci_files.write_errors(file, [f"{d.code} {d.name}: {d.message}" for d in errors])
        return 1
    for note in () if quiet else place_of_results.notes:
        tell(note)
    if not quiet:
        show(results.diagnostics, study.checked.sources)
    for message in (*results.notes, *messages):
        tell(message)
    lock = results.record.provenance.lock
    if lock is not None and lock.same and not quiet:
        tell(f"protocol and data are those locked on {lock.date}")
    looks = results.record.provenance.looks or 0
    if looks > 1 and not quiet:
        tell(f"this is one of {looks:,} recorded evaluations of the same test data")
    fits = results.record.provenance.fits
    if fits.cached and not quiet:
        tell(f"{fits.cached:,} of {fits.planned:,} fits from the store")
    if code:
        _failures(results.record.failures)
    from evallang.cli.verdicts import requirement_lines

    if not quiet:
        from evallang.reporting.summary import summary as summary_of

        write(*text_lines(summary_of(results.record)), "", keep=ISOLATES)
    write(*requirement_lines(results.record))
    ci_files.write_results(file, results.record, study)
    from evallang.reporting.authors_template import TemplateFault

    if not code and any(isinstance(message, TemplateFault) for message in messages):
        code = 1
    if not code and not all(r.met for r in results.record.requirements):
        code = 4
    if not quiet:
        from evallang.reporting.output_files import listed_files

        for export in results.record.exports:
            write(f"model: {place.parent / export.path} ({export.model})")
        if results.record.analyses:
            tell(f"`{shlex.join(['evallang', 'show', str(folder)])}` prints the analyses")
        written = [f for f in ("report.pdf", "report.html") if (folder / f).exists()]
        found = folder / (written[0] if written else "results.json")
        write(f"report: {folder if not written and listed_files(folder) else found}")
    if open_report and (folder / "report.html").exists():
        click.launch(str(folder / "report.html"))
    return code


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _save(
    results: RunResults, folder: Reserved, formats: tuple[str, ...] | None, jobs: Workers
) -> tuple[str, ...]:
    from evallang.api import FolderRefused
    from evallang.api.models import ModelNotWritten

    try:
        return results.save(folder, formats, jobs=jobs)
    except ModelNotWritten as error:
        raise Failed(str(error)) from error
    except (FolderRefused, OSError) as error:
        said = (
            str(error) if isinstance(error, FolderRefused) else cannot("write", folder.named, error)
        )
        raise Failed(f"{said}; {_kept_elsewhere(results)}") from error


def _kept_elsewhere(results: RunResults) -> str:
    """Save the results in a temporary folder, so that hours of fits are not lost; return where."""
    from evallang.results import codec

    try:
        place = Path(tempfile.mkdtemp(prefix="evallang-results-")) / "results.json"
        place.write_text(codec.dumps(results.record), encoding="utf-8", newline="\n")
    except OSError as error:
        return f"{cannot('keep', 'the results in the folder for temporary files', error)} either"
    return f"the results are kept in `{place}`, which `evallang report` renders"


SHOWN_FAILURES = 5


def _failures(failures: tuple[Failure, ...]) -> None:
    outer = [f for f in failures if f.stage != "inner"]
    for one in outer[:SHOWN_FAILURES]:
        what = f"a fit failed ({one.model}, fold {one.fold})"
        if one.stage == "export":
            what = f"a fit failed (export {one.model})"
        elif one.stage == "measure":
            what = f"`{one.metric}` failed ({one.model})"
        tell(f"{what}: {one.error}: {one.message}")
    if len(outer) > SHOWN_FAILURES:
        tell(f"... and {len(outer) - SHOWN_FAILURES} more; see results.json")
