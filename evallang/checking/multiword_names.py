"""A second look at mistakes of a line by who knows the words: names with blanks, lost commas.

The grammar takes `balanced accuracy` for two metrics without a comma, and `t test` for a test
and its correction; here each is known for the one word that it is.
"""

import re
from bisect import bisect_right, insort
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from evallang.checking import codes
from evallang.checking.scope import Scope
from evallang.checking.synonyms import NOUNS, is_member, meant_by
from evallang.diagnostics import Code, Diagnostic, Edit, Fix, diagnose
from evallang.source import SourceFile, Span
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.syntax import codes as syntax_codes, nodes as n
from evallang.syntax.line_parser import connectives

NEAR = 80  # characters to either side of a word
MOST_WORDS = 4  # of a name from elsewhere, as in `Wilcoxon signed rank test`

_CODES: Mapping[str, Code] = {
    "metric": codes.UNKNOWN_METRIC,
    "test": codes.UNKNOWN_TEST,
    "interval": codes.UNKNOWN_INTERVAL,
    "correction": codes.UNKNOWN_CORRECTION,
    "analysis": codes.UNKNOWN_ANALYSIS,
}
_MEANT: Mapping[str, tuple[str, ...]] = {
    codes.UNKNOWN_METRIC.code: ("metric",),
    codes.UNKNOWN_TEST.code: ("test",),
    codes.UNKNOWN_INTERVAL.code: ("interval",),
    codes.UNKNOWN_CORRECTION.code: ("test", "correction"),
    codes.UNKNOWN_ANALYSIS.code: ("analysis",),
    syntax_codes.PART_GIVEN_TWICE.code: ("test", "correction"),
}
_WORD = re.compile(r"[\w-]+")
_JOINING = ("and", "or", "plus")


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
    taken: dict[str, list[tuple[int, int]]] = {}
    for item in found:
        if item.code in _MEANT and item.span is not None and not _is_part_of_name(item, taken):
            name = _name_with_blanks(item, sources[item.path])
            if name is None and item.code == syntax_codes.PART_GIVEN_TWICE.code:
                first = replace(item, span=item.related[0].span)  # the name may end there
                name = _name_with_blanks(first, sources[item.path])
                named |= {id(item)} if name is not None else set()
            if name is not None and name.span is not None:
                names.append(name)
                insort(taken.setdefault(name.path, []), (name.span.start, name.span.end))
    rest = [item for item in found if id(item) not in named and not _is_part_of_name(item, taken)]
    known = [_known(item, sources, models) for item in rest]
    told = {new.span for old, new in zip(rest, known, strict=True) if new.code != old.code}
    return [
        new for old, new in zip(rest, known, strict=True) if new is not old or new.span not in told
    ] + names


def _is_part_of_name(item: Diagnostic, taken: Mapping[str, Sequence[tuple[int, int]]]) -> bool:
    """Return whether a finding is about a part of a name; names do not overlap."""
    if item.span is None or item.path not in taken:
        return False
    places = taken[item.path]
    i = bisect_right(places, item.span.start, key=lambda place: place[0]) - 1
    return i >= 0 and item.span.end <= places[i][1]


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
    """Report whether a comma is surely missing between two words of a comparison."""
    if item.code == syntax_codes.PART_GIVEN_TWICE.code:
        return _two_behind_the_test(item, sources[item.path])
    if item.code != syntax_codes.MISSING_COMMA.code or item.span is None or not item.fixes:
        return item
    source = sources[item.path]
    begins = item.span.start - source.position(item.span.start).column + 1
    before = source.text[max(begins, item.span.start - NEAR) : item.span.start]
    if not source.text.startswith("compare", begins) or " with " in before:
        return item
    word = source.text[item.span.start : item.span.end]
    first = _WORD.findall(before)
    if word in models and first and first[-1] in models:
        return replace(item, help=None, fixes=(replace(item.fixes[0], safe=True),))
    if word in CORRECTIONS and word not in models:
        return replace(
            item,
            code=codes.UNKNOWN_NAME.code,
            name=codes.UNKNOWN_NAME.name,
            message=f"`{word}` is a correction, which comes after the test",
            help=f"write `with TEST {word}`",
            fixes=(),
        )
    return item


def _two_behind_the_test(item: Diagnostic, source: SourceFile) -> Diagnostic:
    """Report two words behind a test that are not two corrections."""
    if item.span is None or item.part != "correction":
        return item
    places = [related.span for related in item.related] + [item.span]
    words = [_WORD.match(source.text, place.start, place.end) for place in places]
    first, second = ("" if word is None else word.group().replace("-", "_") for word in words)
    joined = first in _JOINING and not is_member("correction", second)
    if joined or is_member("test", second):
        return replace(
            item,
            message=f"a line has one test, and `{second}` would be another",
            help="write a line for each test",
            related=(),
        )
    if is_member("correction", first) and is_member("correction", second):
        return item
    return replace(
        item,
        message="more than one word comes after the test",
        help="write one correction after the test, such as `holm`",
    )


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
