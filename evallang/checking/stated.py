"""What the author wrote, statement by statement, as records for the report."""

from collections import Counter
from collections.abc import Iterable, Iterator

from evallang.results.settings import Stated
from evallang.source import Span
from evallang.study import Protocol
from evallang.syntax import nodes as n
from evallang.syntax.formatter import format_node
from evallang.syntax.language import word_of


def stated_settings(
    statements: Iterable[n.StatementNode], protocols: Iterable[Protocol]
) -> tuple[Stated, ...]:
    """List the statements and clauses of a study and its includes, in the order written."""
    names = {protocol.span: protocol.name for protocol in protocols}
    return tuple(_stated(statements, names))


def _stated(
    statements: Iterable[n.StatementNode], protocols: dict[Span | None, str]
) -> Iterator[Stated]:
    numbers: Counter[str] = Counter()
    for statement in statements:
        if isinstance(statement, n.EvallangNode):
            continue
        word = word_of(statement)
        number, name = numbers[word], _name(statement) or protocols.get(statement.span)
        numbers[word] += 1
        yield Stated(word, number, None, name, _value(statement, word))
        for clause in statement.clauses:
            below = word_of(clause)
            yield Stated(word, number, below, name, _value(clause, below))


def _name(statement: n.StatementNode) -> str | None:
    name = getattr(statement, "name", None)
    return name.name if isinstance(name, n.NameNode) else None


def _value(node: n.StatementNode | n.AnyClauseNode, word: str) -> str:
    """Return what follows the keyword; a single text is returned without its quotes."""
    value = format_node(node).removeprefix(word).strip()
    return next((text.value for text in _texts(node) if text.literal == value), value)


def _texts(node: n.Node) -> Iterator[n.TextNode]:
    for name in node.__struct_fields__:
        value = getattr(node, name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, n.TextNode):
                yield part
