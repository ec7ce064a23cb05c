"""Words of the command line in, exit codes out; each command is loaded when it is called."""

from evallang.cli.main import main

__all__ = ["main"]
