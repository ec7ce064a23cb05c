"""What is found in the history of a study (W418, W454)."""

from evallang.diagnostics import declare

MANY_LOOKS = declare("W418", "many_looks")
MORE_LOOKS_THAN_STATED = declare("W454", "more_looks_than_stated")
