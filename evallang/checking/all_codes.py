"""Loading every code that is declared: each room keeps its own in a module called `codes`."""

import importlib
import pkgutil
from functools import cache
from importlib.util import find_spec

import evallang.checking as here
from evallang.checking.rules.rule import load_rules
from evallang.data.row_rules.row_rule import load_row_rules


@cache
def load_codes() -> None:
    """Import the `codes` of every room, so that `CODES` is complete."""
    root = here.__name__.rpartition(".")[0]
    package = importlib.import_module(root)
    for room in pkgutil.iter_modules(package.__path__):
        name = f"{root}.{room.name}.codes"
        if room.ispkg and find_spec(name) is not None:
            importlib.import_module(name)
    load_rules()
    load_row_rules()
