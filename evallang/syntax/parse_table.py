"""The parse table: compiled from `grammar/evallang.lark` by lark, kept as plain JSON.

The package ships the table, so that reading a study does not import lark (about a third
of a cold start). A missing or stale table is compiled in memory: length and checksum of
the grammar, and `FORMAT`, are in the file.

`python -m evallang.syntax.parse_table` writes the table next to the grammar.
"""

import json
import pkgutil
import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

FORMAT = 1
"""Changes with the shape of the saved table."""

STARTS = ("statement", "clause")
MISSING = -1  # in a rule's template: nothing was written for an optional part
SPLICE = 1000  # added to the number of a child whose items join its parent's children


class Rule(NamedTuple):
    """A reduction: `size` symbols become one `origin`.

    `template` picks the children that count, `action` names the node they make (empty: a
    bare sequence); an only child of a `transparent` rule stands for itself.
    """

    origin: str
    size: int
    action: str
    transparent: bool
    template: tuple[int, ...]


class ParseTable(Struct, frozen=True):
    """States with their actions: a state to go to (>= 0) or ~rule to reduce by (< 0).

    `words` maps keywords and punctuation to their terminals.
    """

    words: Mapping[str, str]
    starts: Mapping[str, int]
    ends: Mapping[str, int]
    states: tuple[Mapping[str, int], ...]
    rules: tuple[Rule, ...]


@cache
def parse_table() -> ParseTable:
    """Return the shipped table, or a freshly compiled one where that is missing or stale."""
    grammar = pkgutil.get_data("evallang.grammar", "evallang.lark")
    if grammar is None:
        raise FileNotFoundError("evallang.lark is missing from the installed package")
    try:
        saved = pkgutil.get_data("evallang.grammar", "evallang.table")
    except FileNotFoundError:
        saved = None
    if saved is not None:
        content = json.loads(saved)
        if content["grammar"] == _fingerprint(grammar):
            return _table(content)
    return _table(compiled(grammar))


def compiled(grammar: bytes) -> dict[str, Any]:
    """Compile a grammar to the content of a saved table.

    Raises lark's `GrammarError` on any conflict: nothing is resolved silently.
    """
    from lark import Lark
    from lark.grammar import Rule as LarkRule
    from lark.lexer import Lexer, TerminalDef, Token

    class NoLexer(Lexer):  # the tokens are ours: lark shall not compare their patterns
        def __init__(self, conf: object) -> None: ...
        def lex(self, *_: object) -> Iterator[Token]:
            return iter(())

    lark = Lark(grammar.decode(), parser="lalr", lexer=NoLexer, start=list(STARTS), strict=True)
    data, memo = lark.memo_serialize([LarkRule, TerminalDef])
    machine = data["parser"]["parser"]
    rules = sorted(
        (key for key, item in memo.items() if item["__type__"] == "Rule"),
        key=lambda key: json.dumps(memo[key], sort_keys=True),
    )
    words = {
        item["pattern"]["value"]: item["name"]
        for item in memo.values()
        if item["__type__"] == "TerminalDef" and item["pattern"]["__type__"] == "PatternStr"
    }
    states, numbers = _numbered(machine, {key: ~number for number, key in enumerate(rules)})
    return {
        "grammar": _fingerprint(grammar),
        "words": dict(sorted(words.items())),
        "starts": {name: numbers[machine["start_states"][name]] for name in STARTS},
        "ends": {name: numbers[machine["end_states"][name]] for name in STARTS},
        "states": states,
        "rules": [_rule(memo[key]) for key in rules],
    }


def write(folder: Path) -> Path:
    """Compile the grammar in a folder and save its table there."""
    path = folder / "evallang.table"
    content = compiled((folder / "evallang.lark").read_bytes())
    path.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")
    return path


def _numbered(
    machine: Mapping[str, Any], reductions: Mapping[int, int]
) -> tuple[list[dict[str, int]], dict[int, int]]:
    """Number the states in the order in which they are reached, the same in every build."""
    symbols = machine["tokens"]
    order = [machine["start_states"][name] for name in STARTS]
    numbers = {state: number for number, state in enumerate(order)}
    rows = []
    for state in order:  # grows on the way
        row = {}
        actions = {symbols[key]: action for key, action in machine["states"][state].items()}
        for symbol, (reduces, argument) in sorted(actions.items()):
            if reduces:
                row[symbol] = reductions[argument["@"]]
                continue
            if argument not in numbers:
                numbers[argument] = len(order)
                order.append(argument)
            row[symbol] = numbers[argument]
        rows.append(row)
    return rows, numbers


def _fingerprint(grammar: bytes) -> str:
    return f"{FORMAT}:{len(grammar)}:{zlib.crc32(grammar):08x}"  # hashlib costs 5 ms to import


def _rule(rule: Mapping[str, Any]) -> dict[str, Any]:
    """Reduce one of lark's rules to what building the tree needs."""
    options = rule["options"]
    empty = options["empty_indices"] or [False] * len(rule["expansion"])
    template: list[int] = []
    position = 0
    for is_empty in empty:
        if is_empty:
            template.append(MISSING)
            continue
        symbol = rule["expansion"][position]
        if symbol["__type__"] == "NonTerminal":
            template.append(position + SPLICE * symbol["name"].startswith("_"))
        elif options["keep_all_tokens"] or not symbol["filter_out"]:
            template.append(position)
        position += 1
    origin = rule["origin"]["name"]
    return {
        "origin": origin,
        "size": len(rule["expansion"]),
        "action": "" if origin.startswith("_") else rule["alias"] or origin,
        "transparent": options["expand1"] and not rule["alias"],
        "template": template,
    }


def _table(content: Mapping[str, Any]) -> ParseTable:
    rules = tuple(
        Rule(r["origin"], r["size"], r["action"], r["transparent"], tuple(r["template"]))
        for r in content["rules"]
    )
    return ParseTable(
        content["words"], content["starts"], content["ends"], tuple(content["states"]), rules
    )


if __name__ == "__main__":
    from importlib.resources import files

    print(write(Path(str(files("evallang.grammar")))))
