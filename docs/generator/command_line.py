"""The page of the command line, generated from the commands."""

import inspect
from collections.abc import Iterator

import click

from docs.generator import markdown as md
from evallang.cli.main import COMMANDS, root

LEAD = """\
Text diagnostics and messages go to stderr; results, json, github, gitlab and sarif to stdout. On
a terminal, a run updates one line of progress. Elsewhere, and with `TERM=dumb`, it writes a
plain line every ten seconds. Messages are wrapped on a terminal; elsewhere each is one line.
`NO_COLOR` and `--quiet` are respected. `evallang --version` prints the version,
`evallang --debug COMMAND ...` shows the traceback of a bug, and every command has `--help`."""
EXIT_CODES = (
    ("0", "success; warnings and hints do not change it"),
    (
        "1",
        "an error (with `--strict` also a warning), also in a template of the report; "
        "`fmt --check` would change a file; or `doctor` misses what every study needs",
    ),
    ("2", "wrong use: an unknown option, a missing file, `use` without consent, a refused folder"),
    ("3", "the run failed, in a fit or for lack of disk; computed results are kept and reported"),
    ("4", "a requirement was not met; the report is written"),
    ("5", "`lock --check`, `verify` or `diff --exit-code` found a difference"),
    (
        "130",
        "interrupted (143: terminated, 129: the terminal was closed); finished fits are in the "
        "store, results are unchanged",
    ),
)


def pages() -> Iterator[tuple[str, str]]:
    """Iterate over the one page: every command, then the exit codes."""
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
    """Format one command, without click's own help, which changes with its version."""
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
