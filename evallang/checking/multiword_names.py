"""A second look at mistakes of a line by who knows the words: names with blanks, lost commas.

The grammar takes `balanced accuracy` for two metrics without a comma, and `t test` for a test
and its correction; here each is known for the one word that it is.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from evallang.checking.scope import Scope
from evallang.checking.synonyms import NOUNS, is_member, meant_by
from evallang.diagnostics import Code, Diagnostic, Edit, Fix, codes, diagnose
from evallang.source import SourceFile, Span
from evallang.syntax import nodes as n
from evallang.syntax.line_parser import connectives

NEAR = 80  # characters to either side of a word
MOST_WORDS = 4  # of a name from elsewhere, as in `Wilcoxon signed rank test`

_CODES: Mapping[str, Code] = {
    "metric": codes.unknown_metric,
    "test": codes.unknown_test,
    "interval": codes.unknown_interval,
    "correction": codes.unknown_correction,
    "analysis": codes.unknown_analysis,
}
_MEANT: Mapping[str, tuple[str, ...]] = {
    codes.unknown_metric.code: ("metric",),
    codes.unknown_test.code: ("test",),
    codes.unknown_interval.code: ("interval",),
    codes.unknown_correction.code: ("test", "correction"),
    codes.unknown_analysis.code: ("analysis",),
    codes.part_given_twice.code: ("test", "correction"),
}
_WORD = re.compile(r"[\w-]+")


class _Word(Struct, frozen=True):
    text: str
    start: int
    end: int


def reread(
    scope: Scope, found: Sequence[Diagnostic], sources: Mapping[str, SourceFile]
) -> list[Diagnostic]:
    """Report names with blanks as what they are, once, and correct the reports of lost commas."""
    models = _model_names(scope)
    names: list[Diagnostic] = []
    named: set[int] = set()
    taken: list[Span] = []
    for item in found:
        if item.code in _MEANT and item.span is not None and not _is_part_of_name(item, taken):
            name = _name_with_blanks(item, sources[item.path])
            if name is None and item.code == codes.part_given_twice.code:
                first = replace(item, span=item.related[0].span)  # the name may end there
                name = _name_with_blanks(first, sources[item.path])
                named |= {id(item)} if name is not None else set()
            if name is not None and name.span is not None:
                names.append(name)
                taken.append(name.span)
    rest = [item for item in found if id(item) not in named and not _is_part_of_name(item, taken)]
    known = [_known(item, sources, models) for item in rest]
    told = {new.span for old, new in zip(rest, known, strict=True) if new.code != old.code}
    return [
        new for old, new in zip(rest, known, strict=True) if new is not old or new.span not in told
    ] + names


def _is_part_of_name(item: Diagnostic, taken: Iterable[Span]) -> bool:
    """Return whether a finding is about a part of a name."""
    span = item.span
    return span is not None and any(
        span.path == name.path and name.start <= span.start and span.end <= name.end
        for name in taken
    )


def _name_with_blanks(item: Diagnostic, source: SourceFile) -> Diagnostic | None:
    """Read the words around an unknown one as one name, the longest that is known."""
    assert item.span is not None
    for words in _windows(item.span, source):
        spelled = "_".join(word.text.casefold().replace("-", "_") for word in words)
        written = source.text[words[0].start : words[-1].end]
        place = Span(item.path, words[0].start, words[-1].end)
        for kind in _MEANT[item.code]:
            code = _CODES[kind]
            if kind == "correction" and all(is_member(kind, word.text) for word in words):
                continue  # `holm bonferroni` are two
            if is_member(kind, spelled):
                fix = Fix(f"write `{spelled}`", (Edit(place, spelled),))
                message = f"`{written}` is one word: `{spelled}`"
                return diagnose(code, message, place, fixes=[fix])
            meant = meant_by(kind, spelled)
            if meant is not None:
                message = f"there is no {kind} called `{written}`"
                fix = Fix(f"write `{meant}`", (Edit(place, meant),), safe=_is_part(meant, words))
                help_ = f"did you mean `{meant}`?"
                return diagnose(code, message, place, help=help_, fixes=[fix])
    return None


def _is_part(meant: str, words: Sequence[_Word]) -> bool:
    """Return whether a name is there, with nothing but a noun behind it: `mcnemar test`."""
    return meant == "_".join(w.text for w in words[:-1]) and words[-1].text in NOUNS


def _windows(span: Span, source: SourceFile) -> Iterator[Sequence[_Word]]:
    """Iterate over the runs of words separated by blanks that a place is in, the longest first."""
    begins = span.start - source.position(span.start).column + 1
    low = max(begins, span.start - NEAR)
    text = source.text[low : span.start + NEAR].partition("\n")[0]
    words = [_Word(m.group(), low + m.start(), low + m.end()) for m in _WORD.finditer(text)]
    at = next((i for i, word in enumerate(words) if word.start <= span.start < word.end), None)
    if at is None:
        return

    def joins(i: int) -> bool:
        between = source.text[words[i].end : words[i + 1].start]
        parts = {words[i].text, words[i + 1].text} & (connectives() - {"log"})  # `log loss`
        return not between.strip(" ") and not parts and words[i].start > begins

    first, last = at, at
    while first > 0 and joins(first - 1):
        first -= 1
    while last + 1 < len(words) and joins(last):
        last += 1
    for size in range(min(MOST_WORDS, last - first + 1), 1, -1):
        for start in range(max(first, at - size + 1), min(at, last - size + 1) + 1):
            yield words[start : start + size]


# --- lost commas -----------------------------------------------------------------------


def _known(
    item: Diagnostic, sources: Mapping[str, SourceFile], models: frozenset[str]
) -> Diagnostic:
    """Report whether a comma is surely missing between two models of a comparison."""
    if item.code != codes.missing_comma.code or item.span is None or not item.fixes:
        return item
    source = sources[item.path]
    begins = item.span.start - source.position(item.span.start).column + 1
    before = source.text[max(begins, item.span.start - NEAR) : item.span.start]
    word, first = source.text[item.span.start : item.span.end], _WORD.findall(before)
    of_models = word in models and first and first[-1] in models and " with " not in before
    if source.text.startswith("compare", begins) and of_models:
        return replace(item, help=None, fixes=(replace(item.fixes[0], safe=True),))
    return item


def _model_names(scope: Scope) -> frozenset[str]:
    """Return every model that the study declares, and that its tables name."""
    named = [
        column.name.name if isinstance(column.name, n.NameNode) else column.name.value
        for statement in scope.statements
        for clause in statement.clauses
        if isinstance(clause, n.ModelColumnsNode)
        for column in clause.items
    ]
    return frozenset((*scope.models, *named))
