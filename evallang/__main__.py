"""`python -m evallang`."""

from evallang.cli import start

start()
