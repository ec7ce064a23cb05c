"""The rates of false alarms that `explain` states with a rule: written here, and shipped."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

RATES = Path(__file__).parents[1] / "evallang" / "manual" / "false_alarms.json"


class Tally:
    """Objections of each rule to sound and to flawed tables or studies."""

    def __init__(self, of: str) -> None:
        self.of = of
        self.sound = 0
        self.objected: Counter[str] = Counter()
        self.flawed: Counter[str] = Counter()
        self.found: Counter[str] = Counter()

    def add_sound(self, objected: Counter[str], n: int) -> None:
        """Add sound cases of a kind, with the number to which each rule objected."""
        self.sound += n
        self.objected.update(objected)

    def add_flawed(self, rule: str, found: int, n: int) -> None:
        """Add flawed cases of a kind, with the number that the rule found."""
        self.flawed[rule] += n
        self.found[rule] += found

    def write(self) -> None:
        """Replace what is recorded of the rules that were measured."""
        known = json.loads(RATES.read_text(encoding="utf-8")) if RATES.exists() else {}
        for rule in self.flawed:
            known[rule] = {
                "of": self.of,
                "sound": self.sound,
                "objected": self.objected[rule],
                "flawed": self.flawed[rule],
                "found": self.found[rule],
            }
        ordered = {rule: known[rule] for rule in sorted(known)}
        RATES.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


def total(counters: Iterable[Counter[str]]) -> Counter[str]:
    """Add up what each rule objected to."""
    made: Counter[str] = Counter()
    for counter in counters:
        made.update(counter)
    return made
