"""`evallang demo`."""

from importlib.resources import files
from pathlib import Path

import click

from evallang.cli.settings import PATH, WholeNumber
from evallang.cli.terminal import cannot, tell

FOLDER = "evallang-demo"
STUDY = "screening.eval"


@click.command("demo", epilog="Example: evallang demo")
@click.option(
    "-o",
    "--out",
    type=PATH,
    metavar="DIR",
    default=FOLDER,
    show_default=True,
    help="Where to copy it.",
)
@click.option("-j", "--jobs", type=WholeNumber(1), metavar="N", help="Processes.")
def command(out: str, jobs: int | None) -> int:
    """Copy a small study to the current folder, run it and print the path of the report."""
    from evallang.cli.run import run_study
    from evallang.results.files import write_file

    folder = Path(out)
    target = folder / STUDY
    text = files("evallang.examples").joinpath(STUDY).read_text(encoding="utf-8")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if target.exists() and not target.is_file():  # a pipe may never end
            raise click.ClickException(f"`{target}` is not a file; name another folder with -o")
        if target.exists() and target.read_text(encoding="utf-8") != text:
            raise click.ClickException(
                f"`{target}` exists and is not the demo; name another folder with -o"
            )
        write_file(target, text.encode())
    except FileExistsError as error:
        raise click.ClickException(
            f"`{out}` is a file, not a folder; name another with -o"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        said = error if isinstance(error, OSError) else OSError("it is not the demo")
        raise click.ClickException(cannot("write", target, said)) from error
    tell(f"copied {target}", f"running `evallang run {target}`")
    return run_study(str(target), jobs=jobs)
