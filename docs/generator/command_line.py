"""The page of the command line, from the commands themselves."""

from collections.abc import Iterator

import click

from docs.generator import markdown as md
from evallang.cli.main import COMMANDS, root

LEAD = """\
Text diagnostics and messages go to stderr; results, json, github and sarif to stdout. Progress is
shown on a terminal only; `NO_COLOR` and `--quiet` are respected."""
EXIT_CODES = (
    ("0", "good; warnings and hints alone are good"),
    ("1", "at least one error (with `--strict`: or warning), or `fmt --check` would change a file"),
    (
        "2",
        "wrong use: unknown option, file not found, `use` without consent, output folder refused",
    ),
    ("3", "the run failed: a fit raised, data unreadable; what was computed is kept and reported"),
    ("4", "a `require` was not met; the report is written"),
    ("130", "interrupted; finished tasks are kept"),
)


def pages() -> Iterator[tuple[str, str]]:
    """Give the page: every command with its help, then the exit codes."""
    context = click.Context(root, info_name="evallang", max_content_width=88, terminal_width=88)
    blocks = [md.code(root.get_help(context).splitlines(), "text")]
    for name in COMMANDS:
        command = root.get_command(context, name)
        assert command is not None
        own = click.Context(
            command, info_name=name, parent=context, max_content_width=88, terminal_width=88
        )
        own.help_option_names = context.help_option_names
        blocks.append(f"## evallang {name}")
        blocks.append(md.code(command.get_help(own).splitlines(), "text"))
    blocks.append("## Exit codes")
    blocks.append(md.table(("code", "means"), EXIT_CODES))
    yield "command-line", md.page("The command line", LEAD, *blocks)
