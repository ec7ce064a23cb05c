"""Words that the language states and this version cannot run yet: refused by E901, never ignored.

A word leaves this list on the day its method is registered; a test compares the two.
"""

METRICS: frozenset[str] = frozenset()
OPTIONS: dict[str, frozenset[str]] = {}
"""Options that a member of a catalogue does not take yet, by the member's name."""
ANALYSES: frozenset[str] = frozenset()
MEMBERS = {"metric": METRICS, "analysis": ANALYSES}
"""Words of the catalogues that have any left."""
