"""`evallang report`."""

import os
from pathlib import Path

import click

from evallang.cli.run import report_formats
from evallang.cli.settings import PATH, formats_option, limit_option
from evallang.cli.terminal import cannot, read_results, tell, write


@click.command("report", epilog="Example: evallang report study-results --format pdf")
@click.argument("place", type=PATH, metavar="DIR|results.json")
@formats_option
@limit_option
def command(place: str, formats: str | None) -> int:
    """Render the report again next to its results, without computing or reading data."""
    from evallang.api import FolderRefused
    from evallang.api.folder import held_for_report
    from evallang.reporting.report import write_report

    path = Path(place)
    wanted = report_formats(formats)
    results = read_results(place)
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
        if file.parent == folder:
            write(str(file))
    for parent in dict.fromkeys(file.parent for file in written if file.parent != folder):
        write(f"{parent}{os.sep}")
    return 0
