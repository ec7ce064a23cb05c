"""The page of the command line, from the commands themselves."""

import inspect
from collections.abc import Iterator

import click

from docs.generator import markdown as md
from evallang.cli.main import COMMANDS, root

LEAD = """\
Text diagnostics and messages go to stderr; results, json, github and sarif to stdout. Progress is
shown on a terminal only; `NO_COLOR` and `--quiet` are respected. `evallang --version` tells the
version, `evallang --debug COMMAND ...` shows the traceback of a bug, and every command has
`--help`."""
EXIT_CODES = (
    ("0", "good; warnings and hints alone are good"),
    ("1", "at least one error (with `--strict`: or warning), or `fmt --check` would change a file"),
    ("2", "wrong use: unknown option, file not found, `use` without consent, folder refused"),
    ("3", "the run failed: a fit raised, say; what was computed is kept and reported"),
    ("4", "a `require` was not met; the report is written"),
    ("130", "interrupted; nothing is written, and the former results stay as they were"),
)


def pages() -> Iterator[tuple[str, str]]:
    """Give the page: every command, then the exit codes."""
    context = click.Context(root, info_name="evallang")
    commands = {name: root.get_command(context, name) for name in COMMANDS}
    rows = [
        (f"[`evallang {name}`](#{md.anchor(f'evallang {name}')})", about)
        for name, (_, about) in COMMANDS.items()
    ]
    blocks = [md.table(("command", "does"), rows)]
    for name, command in commands.items():
        assert command is not None, name
        blocks += _command(name, command)
    blocks.append("## Exit codes")
    blocks.append(md.table(("code", "means"), EXIT_CODES))
    yield "command-line", md.page("The command line", LEAD, *blocks)


def _command(name: str, command: click.Command) -> Iterator[str]:
    """Lay out one command; not by click's own help, which changes with its version."""
    yield f"## evallang {name}"
    arguments = [p for p in command.params if isinstance(p, click.Argument)]
    options = [p for p in command.params if isinstance(p, click.Option)]
    words = ["evallang", name, *(["[OPTIONS]"] if options else [])]
    words += [_argument(a) for a in arguments]
    yield md.code([" ".join(words)], "text")
    yield " ".join(inspect.cleandoc(command.help or "").split())
    if options:
        yield md.table(("option", "what it does"), [(_spelt(o), o.help or "") for o in options])
    if command.epilog:
        yield md.code([f"$ {command.epilog.removeprefix('Example: ')}"], "sh")


def _argument(argument: click.Argument) -> str:
    word = argument.metavar or str(argument.name).upper()
    return f"{word}..." if argument.nargs == -1 and not word.endswith("...") else word


def _spelt(option: click.Option) -> str:
    value = ""
    if not option.is_flag:
        choices = option.type.choices if isinstance(option.type, click.Choice) else ()
        value = " " + (option.metavar or "|".join(choices) or option.type.name.upper())
    return ", ".join(f"`{spelling}{value}`" for spelling in option.opts)
