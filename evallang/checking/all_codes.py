"""Loading the rules, which declare codes in addition to those of `codes.toml`."""

from evallang.checking.rules.rule import load_rules
from evallang.data.row_rules.row_rule import load_row_rules


def load_codes() -> None:
    """Import every rule, so that `CODES` is complete."""
    load_rules()
    load_row_rules()
