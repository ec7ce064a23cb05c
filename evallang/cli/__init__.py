"""The command line; the module of a command is imported when the command is called."""

from typing import NoReturn

from evallang.cli.first_signals import answer_first_signals


def main() -> NoReturn:
    """Run the command; a signal ends it from here on."""
    answer_first_signals()
    from evallang.cli.main import main as run

    run()
