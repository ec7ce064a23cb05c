"""Who is called what: the names that a study declares, and where findings are collected."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from typing import TypeVar, cast

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from evallang.checking.synonyms import other_word
from evallang.diagnostics import Code, Diagnostic, Edit, Fix, Related, codes, diagnose
from evallang.models.catalogue import CATALOGUE
from evallang.models.own_code import registered
from evallang.results.settings import SOURCES, Default
from evallang.source import SourceFile, Span
from evallang.spelling import Words, closest, foreign_letter, is_sure, slip_of_term, twin
from evallang.study import Method
from evallang.syntax import nodes as n
from evallang.syntax.language import RESERVED, STATEMENTS, word_of

Statement = TypeVar("Statement", bound=n.StatementNode)


class Message(Struct, frozen=True):
    """The code of a finding, its words, and those of its suggestion, with places for facts."""

    code: Code
    says: str
    help: str | None = None


MESSAGES: Mapping[str, Message] = {
    key: Message(getattr(codes, code), *words)
    for code, messages in msgspec.toml.decode(
        (files("evallang.checking") / "messages.toml").read_bytes(),
        type=dict[str, dict[str, list[str]]],
    ).items()
    for key, words in messages.items()
}


def refusal(
    key: str,
    span: Span | None,
    /,
    *,
    help: str | None = None,  # noqa: A002 - the word of the contract
    fixes: Sequence[Fix] = (),
    related: Sequence[Related] = (),
    **facts: object,
) -> Diagnostic:
    """Return a finding with the words that `messages.toml` has for it, filled with facts.

    A `help` takes the place of the usual suggestion.
    """
    message = MESSAGES[key]
    help_ = help or (None if message.help is None else message.help.format(**facts))
    says = message.says.format(**facts)
    return diagnose(message.code, says, span, help=help_, fixes=fixes, related=related)


class Scope(Struct, eq=False, dict=True):
    """The statements of all files, their names, and what was found wrong so far.

    A checker's working table: it is filled while a study is resolved and then dropped.
    """

    path: str
    statements: tuple[n.StatementNode, ...]
    overrides: dict[str, n.ValueNode] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    defaults: list[Default] = field(default_factory=list)
    lets: dict[str, n.LetNode] = field(default_factory=dict)
    models: dict[str, n.ModelNode] = field(default_factory=dict)
    sources: dict[str, n.SourceStatement] = field(default_factory=dict)
    protocols: dict[str, n.ProtocolNode] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    used_lets: set[str] = field(default_factory=set)
    live: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    used_modules: frozenset[str] = frozenset()
    texts: Mapping[str, SourceFile] = field(default_factory=dict)
    unread: frozenset[str] = frozenset()
    syntax: Sequence[Diagnostic] = ()
    own_metrics: dict[str, Method] = field(default_factory=dict)
    _sorted_of: tuple[n.StatementNode, ...] = ()
    _by_kind: dict[type, tuple[n.StatementNode, ...]] = field(default_factory=dict)

    def report(
        self,
        code: Code,
        message: str,
        span: Span | None,
        *,
        notes: Sequence[str] = (),
        help: str | None = None,  # noqa: A002 - the word of the contract
        fixes: Sequence[Fix] = (),
        related: Sequence[Related] = (),
    ) -> None:
        """Collect one finding."""
        self.diagnostics.append(
            diagnose(
                code,
                message,
                span,
                path=self.path,
                notes=notes,
                help=help,
                fixes=fixes,
                related=related,
            )
        )

    def refuse(
        self,
        key: str,
        span: Span | None,
        /,
        *,
        help: str | None = None,  # noqa: A002 - the word of the contract
        fixes: Sequence[Fix] = (),
        related: Sequence[Related] = (),
        **facts: object,
    ) -> None:
        """Collect one finding, with the words that `messages.toml` has for it."""
        found = refusal(key, span, help=help, fixes=fixes, related=related, **facts)
        self.diagnostics.append(found if found.path else replace(found, path=self.path))

    def report_twice(self, code: Code, message: str, span: Span, first: Span | None) -> None:
        """Collect that something stands a second time, with the place of the first."""
        self.report(
            code,
            message,
            span,
            help="keep one of the two",
            related=[] if first is None else [Related(first, "the first is here")],
        )

    @cached_property
    def steps(self) -> Words:
        """Everything that a step of a pipeline may be called, once names are declared."""
        return Words((*CATALOGUE, *registered(), *self.lets, *self.models))

    @property
    def lacks_models(self) -> bool:
        """Whether a source could not be read, whose models may be any."""
        lost = self.unread & {*SOURCES} - {"data"}
        return bool(lost or self.broken & set(self.sources))

    def written(self, span: Span) -> str:
        """Return the text of a place as the author wrote it, on one line."""
        source = self.texts.get(span.path)
        return " ".join(source.text[span.start : span.end].split()) if source else ""

    def default(
        self,
        clause: str,
        value: object,
        kind: str,
        option: str | None = None,
        *,
        subject: str | None = None,
        line: int | None = None,
    ) -> None:
        """State a value that the author did not write, and where it could be written."""
        self.defaults.append(Default(clause, value, kind, option, subject, line=line))

    def of(self, kind: type[Statement]) -> tuple[Statement, ...]:
        """Return the statements of one kind, in order."""
        if self._sorted_of is not self.statements:
            found: dict[type, list[n.StatementNode]] = {}
            for statement in self.statements:
                found.setdefault(type(statement), []).append(statement)
            self._sorted_of = self.statements
            self._by_kind = {kind: tuple(of_kind) for kind, of_kind in found.items()}
        return cast(tuple[Statement, ...], self._by_kind.get(kind, ()))

    def single(self, kind: type[Statement]) -> Statement | None:
        """Return the only statement of a kind; a second one is reported."""
        found = self.of(kind)
        for second in found[1:]:
            self.report_twice(
                codes.statement_twice,
                f"`{STATEMENTS[word_of(second)].once}` is written twice",
                second.keyword,
                found[0].keyword,
            )
        return found[0] if found else None

    def declare_names(self) -> None:
        """Enter every declared name; duplicates and reserved words are reported."""
        values: dict[str, tuple[Span, str]] = {}
        data: dict[str, tuple[Span, str]] = {}
        protocols: dict[str, tuple[Span, str]] = {}
        for statement in self.statements:
            if isinstance(statement, n.LetNode):
                self._enter(statement.name, "`let`", values)
                if self.lets.setdefault(statement.name.name, statement) is not statement:
                    self.broken.add(statement.name.name)  # which of the two is meant is open
            elif isinstance(statement, n.ModelNode):
                self._enter(statement.name, "model", values)
                self.models.setdefault(statement.name.name, statement)
            elif isinstance(statement, n.SourceStatement):
                self._enter(statement.name, "data set", data)
                self.sources.setdefault(statement.name.name, statement)
            elif isinstance(statement, n.ProtocolNode) and statement.name is not None:
                self._enter(statement.name, "protocol", protocols)
                self.protocols.setdefault(statement.name.name, statement)

    def _enter(self, name: n.NameNode, what: str, taken: dict[str, tuple[Span, str]]) -> None:
        self.refuse_reserved(name, what)
        first = taken.setdefault(name.name, (name.span, what))
        if first[0] is not name.span:
            self.refuse(
                "name_taken",
                name.span,
                name=name,
                first=first,
                related=[Related(first[0], "declared here first")],
            )

    def refuse_reserved(self, name: n.NameNode, what: str) -> None:
        """Report a name that is between the parts of a line, where it could not be told."""
        if name.name in RESERVED:
            self.refuse("name_is_word", name.span, name=name, what=what)


def letters(name: str) -> str:
    """Spell a metric as a word: `exact_match` for "Exact match"."""
    return "_".join("".join(c if c.isalnum() else " " for c in name.casefold()).split())


def suggestion(
    word: str,
    span: Span,
    candidates: Iterable[str],
    what: str | None = None,
    *,
    terms: bool = False,
) -> tuple[str | None, list[Fix]]:
    """Return the help text and the fix for a word that was probably misspelled.

    The word is that of `word_meant`; another package's word has no fix.
    """
    known: Sequence[str] = candidates if isinstance(candidates, Words) else tuple(candidates)
    meant = word_meant(word, known, what, terms=terms)
    if meant is None:
        return None, []
    if meant == _latin_spelling(word, known):
        fix = Fix(f"write `{meant}` in Latin letters", (Edit(span, meant),))
        return f"write `{meant}` in Latin letters: `{word}` has {foreign_letter(word)}", [fix]
    if meant == _called_elsewhere(word, known, what):
        return f"did you mean `{meant}`?", []
    fix = Fix(f"replace `{word}` by `{meant}`", (Edit(span, meant),), is_sure(word, meant, known))
    return f"did you mean `{meant}`?", [fix]


def word_meant(
    word: str, candidates: Iterable[str], what: str | None = None, *, terms: bool = False
) -> str | None:
    """Return the candidate that a word was probably meant to be.

    A word that is right but for its case comes first, however short it is; then, for `what`
    has such words, one that others call so. With `terms`, a word near to a candidate that may
    as well be another term of the field suggests nothing.
    """
    known: Sequence[str] = candidates if isinstance(candidates, Words) else tuple(candidates)
    found = _latin_spelling(word, known) or _called_elsewhere(word, known, what)
    if found is not None:
        return found
    alike = _alike(word, known)
    near = alike[0] if len(alike) == 1 else closest(word, known)
    return None if near is None or (terms and not slip_of_term(word, near)) else near


def _latin_spelling(word: str, known: Sequence[str]) -> str | None:
    return None if word.isascii() else twin(word, known)


def _called_elsewhere(word: str, known: Sequence[str], what: str | None) -> str | None:
    return None if what is None or _alike(word, known) else other_word(what, word, known)


def _alike(word: str, known: Sequence[str]) -> Sequence[str]:
    if isinstance(known, Words):
        return known.alike(word)
    return [other for other in known if other.casefold() == word.casefold()]
