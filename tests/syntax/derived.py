"""Lines derived from the grammar itself, in every way it allows, with words that are sound."""

import random
from collections import Counter

from fuzzing.derivation import rules
from lark.grammar import NonTerminal, Symbol, Terminal

DEEPEST = 9  # expansions inside one another; then only the shortest way out is taken
NAMES = ("x", "forest", "gpt-4", "Sepal.Length", "größe", "data_2", "mypkg.Net", "cv", "mcnemar",
         "roc_auc", "a_name_of_some_length", "columns", "model", "report")  # fmt: skip
NUMBERS = ("0", "3", "-1", "1_000", "0.05", ".5", "1e-3", "95%", "1/3")
TEXTS = ('"a"', '"a, b"', '"x.csv"', '"with a \\"quote\\" and # no comment"', '"mean radius"')
OPERATORS = ("=", "!=", "<", "<=", ">", ">=")


class Derivation:
    """Derives lines; every other time a rule takes the expansion it took least."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.taken: Counter[tuple[str, tuple[Symbol, ...]]] = Counter()

    def line(self, start: str) -> str:
        """Derive one line from `statement` or `clause`."""
        return " ".join(self._derive(NonTerminal(start), 0))

    def _derive(self, symbol: Symbol, depth: int) -> list[str]:
        found, depths, words = rules()
        if isinstance(symbol, Terminal):
            return [self._word(symbol.name, words)]
        name = symbol.name
        ways = [tuple(e) for e in found[name]]
        if depth > DEEPEST:
            least = min(self._depth(e, depths) for e in ways)
            ways = [e for e in ways if self._depth(e, depths) == least]
        rarest = min(self.taken[name, way] for way in ways)
        if self.chance.random() < 0.5:  # always the rarest would be the same turns each time
            ways = [way for way in ways if self.taken[name, way] == rarest]
        way = self.chance.choice(ways)
        self.taken[name, way] += 1
        return [token for part in way for token in self._derive(part, depth + 1)]

    def _depth(self, way: tuple[Symbol, ...], depths: dict[str, int]) -> int:
        return 1 + max((depths[s.name] for s in way if isinstance(s, NonTerminal)), default=0)

    def _word(self, name: str, words: dict[str, str]) -> str:
        pools = {"NAME": NAMES, "NUMBER": NUMBERS, "TEXT": TEXTS, "OPERATOR": OPERATORS}
        return self.chance.choice(pools[name]) if name in pools else words[name]
