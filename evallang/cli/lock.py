"""`evallang lock`."""

import click

from evallang.cli.settings import PATH, limit_option, network_option, shows_errors
from evallang.cli.terminal import cannot, read_study, tell, tell_error, write

DIFFERENT = 5


@click.command("lock", epilog="Example: evallang lock study.eval")
@click.argument("files", nargs=-1, required=True, type=PATH, metavar="FILE...")
@click.option(
    "--check", "only_check", is_flag=True, help="Write nothing; exit with 5 if the lock differs."
)
@click.option(
    "--update", "reason", metavar="REASON", help="Replace a lock that differs; the reason is kept."
)
@network_option
@limit_option
def command(files: tuple[str, ...], only_check: bool, reason: str | None) -> int:
    """Fix the protocol of studies: write every setting, and what the data are, next to each.

    The file, `study.lock`, is made to be committed. It holds no name of a person or machine. A
    lock that differs is replaced with `--update REASON` only, and the reason stays in it. Changed
    labels and comments do not break a lock.
    """
    if only_check and reason is not None:
        raise click.UsageError("--check and --update exclude one another")
    if reason is not None and not reason.strip():
        raise click.UsageError("--update needs a reason, which is kept in the lock")
    codes, refused = [], []
    for file in files:
        try:
            codes.append(_lock(file, only_check=only_check, reason=reason))
        except click.ClickException as error:
            refused.append(error)
    for other in refused[:-1]:
        tell_error(other)
    if refused:
        raise refused[-1]
    return max(codes)


@shows_errors
def _lock(file: str, *, only_check: bool, reason: str | None) -> int:
    from evallang.api.locking import verify_study, write_lock
    from evallang.cli.change_text import change_lines
    from evallang.locks.lock_file import LockRefused

    study = read_study(file)
    try:
        found = verify_study(study) if only_check else write_lock(study, reason)
    except LockRefused as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(cannot("write", error.filename or file, error)) from error
    name = found.path.name
    if found.lock is None:
        raise click.ClickException(f"there is no `{name}`; `evallang lock {file}` writes it")
    if found.written:
        write(f"wrote {name}: {len(found.lock.settings)} settings; commit it next to the study")
        return 0
    if found.updated:
        write(*change_lines(found.changes, found.sources))
        write(f"updated {name}: {reason}")
        return 0
    if found.same:
        write(*change_lines(found.changes, found.sources))
        write(f"{name}: protocol and data are the locked ones ({found.lock.date})")
        return 0
    write(*change_lines(found.changes, found.sources))
    for advice in found.advice:
        tell(advice)
    if only_check:
        tell(f"{file} differs from {name}")
        return DIFFERENT
    raise click.ClickException(
        f"{name} differs and is left as it is; `--update REASON` replaces it"
    )
