"""`evallang verify`."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from evallang.cli.lock import DIFFERENT
from evallang.cli.settings import PATH, limit_option, network_option, shows_errors
from evallang.cli.terminal import Failed, cannot, columns, read_study, tell, write
from evallang.locks.documents import Difference
from evallang.printable import wrapped


@click.command("verify", epilog="Example: evallang verify study-results")
@click.argument("place", type=PATH, metavar="FILE|DIR|report.pdf")
@click.option(
    "--study",
    type=PATH,
    metavar="FILE",
    help="The study of a results folder [default: next to it].",
)
@click.option("--trust", is_flag=True, help="Allow the study to run its author's code.")
@network_option
@limit_option
@shows_errors
def command(place: str, study: str | None, trust: bool) -> int:
    """Check a study against its lock, results against their study and data, a report against both.

    A study is compared with the lock next to it, setting by setting. Results are computed again,
    from the store where it has the fits, and compared number by number with results.json, with
    predictions.parquet and with the pages next to them. A PDF is compared with the results inside
    it. Exit code 5: something differs in more than words.
    """
    path = Path(place)
    if not path.exists():
        raise click.ClickException(f"there is no file or folder `{place}`")
    if path.is_dir() or path.name == "results.json":
        return _results(path, study, trust)
    if path.suffix in (".pdf", ".html"):
        return _report(path)
    return _study(place)


def _study(place: str) -> int:
    from evallang.api.locking import verify_study
    from evallang.cli.change_text import change_lines
    from evallang.locks.lock_file import LockRefused

    study = read_study(place)
    try:
        found = verify_study(study)
    except LockRefused as error:
        raise click.ClickException(str(error)) from error
    if found.lock is None:
        raise click.ClickException(
            f"there is no `{found.path.name}`; `evallang lock {place}` writes it"
        )
    write(*change_lines(found.changes, found.sources))
    for amendment in found.lock.amendments:
        write(f"amended on {amendment.date}: {amendment.reason}")
    if found.same:
        write(f"protocol and data are those locked on {found.lock.date}")
        return 0
    write(*found.advice)
    write(f"{place} differs from the protocol locked on {found.lock.date}")
    return DIFFERENT


def _results(path: Path, study: str | None, trust: bool) -> int:
    from evallang.api import NotTrusted, RunFailed
    from evallang.api.verifying import CannotVerify, verify_results
    from evallang.cli.run import cores

    try:
        found = verify_results(path, Path(study) if study else None, jobs=cores(), trust=trust)
    except (CannotVerify, NotTrusted) as error:
        raise click.ClickException(str(error)) from error
    except RunFailed as error:
        raise Failed(f"the study cannot be run again: {error}") from error
    except OSError as error:
        raise click.ClickException(cannot("read", error.filename or path, error)) from error
    return _told(found.compared, found.differences, found.notes)


def _report(path: Path) -> int:
    from evallang.api.verifying import CannotVerify, verify_report

    try:
        found = verify_report(path)
    except CannotVerify as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(cannot("read", path, error)) from error
    return _told(found.compared, found.differences, found.notes)


def _told(
    compared: Sequence[str], differences: Sequence["Difference"], notes: Sequence[str]
) -> int:
    from evallang.effect import Effect

    tell(*notes)
    write(*difference_lines(differences))
    grave = any(one.effect is not Effect.WORDS for one in differences)
    line = f"compared: {', '.join(compared)}: {'different' if grave else 'no difference'}"
    write(*(wrapped(line, columns(), later="  ") if sys.stdout.isatty() else [line]))
    return DIFFERENT if grave else 0


def difference_lines(found: Sequence["Difference"]) -> Iterator[str]:
    """Iterate over the lines that name differences, grouped by effect, the gravest first."""
    from evallang.cli.change_text import shown
    from evallang.effect import Effect
    from evallang.locks.settings import plain

    for effect in reversed(Effect):
        of_effect = [one for one in found if one.effect is effect]
        if of_effect:
            yield f"{effect}:"
        for one in of_effect:
            yield f"  {one.place}: {shown(plain(one.before))} -> {shown(plain(one.after))}"
