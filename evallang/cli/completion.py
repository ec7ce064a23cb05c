"""`evallang completion`."""

import click
from click.shell_completion import get_completion_class

from evallang.cli.terminal import write

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_EVALLANG_COMPLETE"
"""The variable by which click is asked for completions."""


@click.command("completion", epilog="Example: evallang completion bash")
@click.argument("shell", type=click.Choice(SHELLS), metavar="bash|zsh|fish")
@click.pass_context
def command(ctx: click.Context, shell: str) -> int:
    """Write the script by which a shell completes commands, files and names.

    For bash and zsh add `eval "$(evallang completion SHELL)"` to ~/.bashrc or ~/.zshrc, in zsh
    below `autoload -Uz compinit && compinit`; for fish write the script to
    ~/.config/fish/completions/evallang.fish.
    """
    kind = get_completion_class(shell)
    assert kind is not None  # click has these shells
    write(*kind(ctx.find_root().command, {}, "evallang", VARIABLE).source().splitlines())
    return 0
