"""The language in one table, `language.toml`: every statement and clause, once.

A clause states its form, what it takes, what it says, how it is written and whether it may be
repeated; a statement states the same, and the clauses below it. The tree of nodes, the formatter,
error recovery, the checker, `explain` and the reference read this table. A new clause is a rule of
the grammar, an entry here and its resolver; one that lists plain values needs no rule.

**How it is written** (`written`): for each rule of the grammar the text of the line. `{field}`
stands for a field of the node, in the order of the children of the rule; `[ ... ]` is written
only when its fields have values. `{field:each}` puts a blank before every item, `{field:spaced}`
between items, `{field:joined}` a comma without ever adding brackets, `{field:plain}` brackets only
around plain values, `{field:not all}` brackets around a list that begins with `all`.
`{field:flag}` writes nothing: the field is true where this text is meant, `{field:is VALUE}`
where it has this value. In a node without fields of its own `{0}`, `{1}` are its values.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import msgspec
from msgspec import Struct, field

from evallang import spelling
from evallang.syntax import nodes as n

Takes = Literal[
    "text", "path", "texts", "integer", "share", "word", "terms", "column", "columns", "shape"
]
"""What comes after the word of a clause; a `shape` has a rule of the grammar for its own."""

ONE_VALUE = ("text", "path", "integer", "share", "word")
"""What is one value: what follows it is not an item of a list."""

Names = Literal[
    "metrics",
    "tests",
    "intervals",
    "corrections",
    "analyses",
    "protocols",
    "models",
    "bundled",
    "sections",
    "columns",
    "model",
    "protocol",
    "let",
]
"""What a name in a line refers to: a catalogue by its plural (`models` are the classes of
estimators, `bundled` the data sets of scikit-learn, `sections` those of the report that an author
may omit), the `columns` of the data, or what the
statements of this word declare in the study."""

_PLAIN = {"words": "{keyword} {values:plain}"}


class Clause(Struct, frozen=True):
    """An indented line below a statement.

    `words` are the values of a clause that takes a `word`, `bounds` those of an `integer`.
    `names` tells for fields of its node what the names there refer to. `elsewhere` lists what
    other tools call it.
    """

    word: str
    form: str
    summary: str
    takes: Takes = "shape"
    words: tuple[str, ...] = ()
    bounds: tuple[int, int] = (0, 0)
    names: Mapping[str, tuple[Names, ...]] = field(default_factory=dict)
    repeatable: bool = False
    listed: bool = False
    elsewhere: tuple[str, ...] = ()
    node: type[n.Node] = n.ClauseNode
    written: Mapping[str, str] = field(default_factory=lambda: _PLAIN)


class Statement(Struct, frozen=True):
    """A line in column 0 and the clauses that may be below it.

    `once` names, in messages, a statement that may be written only once. `lists` names the
    items of a statement that is nothing but their list; `declares` marks a statement whose first
    name is the author's own. `names` tells for fields of its node what the names there refer to,
    `words` which words of the language may be there, and `options` lists its options.
    """

    word: str
    form: str
    summary: str
    example: str
    node: type[n.StatementNode]
    written: Mapping[str, str]
    detail: str = ""
    default: str = ""
    clauses: Mapping[str, "Clause"] = field(default_factory=dict)
    names: Mapping[str, tuple[Names, ...]] = field(default_factory=dict)
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    once: str = ""
    lists: str = ""
    declares: bool = False
    elsewhere: tuple[str, ...] = ()


class _Reason(Struct, frozen=True):
    words: tuple[str, ...]
    reason: str


_TABLE = tomllib.loads((files("evallang.syntax") / "language.toml").read_text(encoding="utf-8"))


def _statement(word: str, entry: Mapping[str, Any]) -> Statement:
    """Return a statement with its clauses, whose names may end in ` of STATEMENT`."""
    below = {name.split(" of ")[0]: _TABLE["clauses"][name] for name in entry.get("clauses", ())}
    held = {name: {"word": name, **clause} for name, clause in below.items()}
    made = {"word": word, **entry, "clauses": held}
    return msgspec.convert(made, Statement, dec_hook=lambda _, node: getattr(n, node))


STATEMENTS: dict[str, Statement] = {
    word: _statement(word, entry) for word, entry in _TABLE["statements"].items()
}
"""Every statement by its first word, in the order of the manual."""

WORD_MEANINGS: Mapping[str, str] = _TABLE["meanings"]
"""Words inside lines that are neither a statement, a clause nor a member of a catalogue."""

NOT_STATED: Mapping[str, str] = {
    word: known.reason
    for known in msgspec.convert(_TABLE["not_stated"], list[_Reason])
    for word in known.words
}
"""What other tools begin a line with and a study does not state, and why."""

RESERVED = spelling.RESERVED


def clauses(word: str) -> list[tuple[str, Clause]]:
    """Return each statement that takes a clause of this word, and the clause."""
    found = ((name, known.clauses.get(word)) for name, known in STATEMENTS.items())
    return [(name, clause) for name, clause in found if clause is not None]


def clause(word: str) -> Clause | None:
    """Return the clause of this word as the first statement takes it."""
    return next((known for _, known in clauses(word)), None)


def clause_words() -> tuple[str, ...]:
    """Return the word of every clause."""
    return tuple(dict.fromkeys(w for known in STATEMENTS.values() for w in known.clauses))


def owners(word: str) -> list[str]:
    """Return the statements that take a clause of this word."""
    return [name for name, _ in clauses(word)]


def declares(word: str) -> bool:
    """Return whether the first name of a statement is the author's own, without quotes."""
    known = STATEMENTS.get(word)
    return known is not None and known.declares


def takes_one_value(word: str) -> bool:
    """Return whether a clause takes one value and no list."""
    known = clause(word)
    return known is not None and known.takes in ONE_VALUE


@cache
def _words_of_nodes() -> Mapping[type[n.Node], str]:
    found: dict[type[n.Node], str] = {}
    for statement in STATEMENTS.values():
        found[statement.node] = statement.word
        for below in statement.clauses.values():
            found.setdefault(below.node, below.word)
    return found


def word_of(node: n.StatementNode | n.AnyClauseNode) -> str:
    """Return the first word of a statement or clause."""
    keyword = getattr(node, "keyword", None)
    return keyword.name if isinstance(keyword, n.NameNode) else _words_of_nodes()[type(node)]


@cache
def rules() -> Mapping[str, tuple[type[n.Node], str]]:
    """Return what each rule of the grammar makes: its node, and how that is written."""
    found: dict[str, tuple[type[n.Node], str]] = {}
    for statement in STATEMENTS.values():
        entries: tuple[Statement | Clause, ...] = (statement, *statement.clauses.values())
        for entry in entries:
            found |= {rule: (entry.node, text) for rule, text in entry.written.items()}
    return found


def written(node: n.Node) -> Iterator[str]:
    """Iterate over the texts in which a statement or clause may be written."""
    keyword = getattr(node, "keyword", None)
    if isinstance(keyword, n.NameNode):
        for _, known in clauses(keyword.name):
            if known.node is type(node):
                yield from known.written.values()
        if isinstance(node, n.ClauseNode):
            yield from _PLAIN.values()
    else:
        yield from (text for kind, text in rules().values() if kind is type(node))


def statement_meant(word: str) -> str | None:
    """Return the statement that other languages begin with this word."""
    spelled = word.casefold()
    return next((name for name, s in STATEMENTS.items() if spelled in s.elsewhere), None)


def clause_meant(word: str, taken: Iterable[str]) -> str | None:
    """Return the one of some clauses that other tools call by this word."""
    spelled = word.casefold()
    known = ((name, clause(name)) for name in taken)
    return next((name for name, c in known if c is not None and spelled in c.elsewhere), None)
