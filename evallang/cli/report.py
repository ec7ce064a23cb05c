"""`evallang report`."""

from pathlib import Path

import click

from evallang.cli.run import report_formats
from evallang.cli.settings import limit_option
from evallang.cli.terminal import cannot, tell, write
from evallang.limits import OverLimit


@click.command("report", epilog="Example: evallang report study-results --format pdf")
@click.argument("place", metavar="DIR|results.json")
@click.option(
    "--format", "formats", metavar="FORMAT,...", help="Report formats [default: the study's]."
)
@limit_option
def command(place: str, formats: str | None) -> int:
    """Render the report again next to its results, without computing or reading data."""
    from evallang.api import FolderRefused, Results
    from evallang.api.folder import held_for_report
    from evallang.reporting.report import write_report

    path = Path(place)
    if not path.exists():
        raise click.ClickException(f"there is no file or folder `{place}`")
    if not path.is_dir() and not path.is_file():
        raise click.ClickException(f"`{place}` is not a regular file; name a results.json")
    wanted = report_formats(formats)
    try:
        results = Results.load(path)
    except FileNotFoundError as error:
        raise click.ClickException(f"`{place}` does not contain a results.json") from error
    except OSError as error:
        raise click.ClickException(cannot("read", place, error)) from error
    except OverLimit as error:
        raise click.ClickException(f"{error}; {error.help}") from error
    except ValueError as error:
        raise click.ClickException(f"cannot read `{place}`: {error}") from error
    folder = path if path.is_dir() else path.parent
    try:
        with held_for_report(folder) as notes:
            formats_of_it = wanted or results.record.report.formats
            written, messages = write_report(results.record, folder, formats_of_it)
    except FolderRefused as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(cannot("write", folder, error)) from error
    tell(*notes, *messages)
    for file in written:
        write(str(file))
    return 0
