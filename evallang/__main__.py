"""`python -m evallang`."""

from evallang.cli import main

main()
