"""`evallang power`."""

import click

from evallang.cli.settings import layout_option, limit_option, network_option, set_option
from evallang.cli.terminal import read_study, show, write, write_json


@click.command("power", epilog="Example: evallang power study.eval")
@click.argument("file", metavar="FILE")
@layout_option("How to write it.")
@set_option
@network_option
@limit_option
def command(file: str, layout: str, settings: tuple[str, ...]) -> int:
    """Show which differences the tests of a study can detect, at their corrected level.

    Uses `analyze power(...)` of the study, or its defaults. Reads the data and fits no model; if
    the data are missing, shows the parts that do not depend on them.
    """
    from evallang.api import StudyError
    from evallang.api.power import SCHEMA, power_of
    from evallang.cli.power_text import power_lines
    from evallang.cli.settings import overrides, remind
    from evallang.results.codec import to_plain

    study = read_study(file, overrides(settings))
    try:
        found, diagnostics = power_of(study)
    except StudyError as error:
        show(error.diagnostics, error.sources)
        remind(settings)
        return 1
    show(diagnostics, study.checked.sources)
    if layout == "json":
        document = {"schema": SCHEMA, "analyses": to_plain(found)}
        write_json(document)
    else:
        write(*power_lines(found))
    return 0
