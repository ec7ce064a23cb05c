"""The command line; the module of a command is imported when the command is called."""

from typing import NoReturn

from evallang.cli import signals


def start() -> NoReturn:
    """Run the command; a signal ends it from here on."""
    signals.answer_first()
    from evallang.cli.main import main as run

    run()
