"""A second look at mistakes of a line by who knows the words: names with blanks, lost commas.

The grammar takes `balanced accuracy` for two metrics without a comma, and `t test` for a test
and its correction; here each is known for the one word that it is.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

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


def reread(
    scope: Scope, found: Sequence[Diagnostic], sources: Mapping[str, SourceFile]
) -> list[Diagnostic]:
    """Report names with blanks as what they are, once, and commas that are surely lost."""
    names: list[Diagnostic] = []
    named: set[int] = set()
    for item in found:
        if item.code not in _MEANT or item.span is None or _is_part_of_name(item, names):
            continue
        twice = item.code == codes.part_given_twice.code  # the name may end at the first
        places = [item, replace(item, span=item.related[0].span)] if twice else [item]
        known = (_name_with_blanks(place, sources[item.path]) for place in places)
        name = next(filter(None, known), None)
        if name is not None:
            names.append(name)
            named.add(id(item))
    rest = [item for item in found if id(item) not in named and not _is_part_of_name(item, names)]
    models = {name for spec in scope.of(n.PredictionsNode) for name in _named(spec)}
    models |= {*scope.models, *(name for spec in scope.of(n.CountsNode) for name in _named(spec))}
    models |= {name for spec in scope.of(n.ScoresNode) for name in _named(spec)}
    return [*(_surely_lost(item, sources[item.path], models) for item in rest), *names]


def _named(source: n.StatementNode) -> Iterator[str]:
    """Iterate over the models that a source names."""
    for clause in source.clauses:
        for item in clause.items if isinstance(clause, n.ModelColumnsNode) else ():
            yield item.name.name if isinstance(item.name, n.NameNode) else item.name.value


def _surely_lost(item: Diagnostic, source: SourceFile, models: set[str]) -> Diagnostic:
    """Make the fix of a comma between two models of a comparison a sure one."""
    if item.code != codes.missing_comma.code or item.span is None or not item.fixes:
        return item
    begins = source.whole_line(item.span.start).start
    before = source.text[max(begins, item.span.start - NEAR) : item.span.start]
    first, word = _WORD.findall(before)[-1:], source.text[item.span.start : item.span.end]
    compared = source.text.startswith("compare", begins) and " with " not in before
    if not (compared and models.issuperset((word, *first))):
        return item
    return replace(item, help=None, fixes=(replace(item.fixes[0], safe=True),))


def _is_part_of_name(item: Diagnostic, names: Iterable[Diagnostic]) -> bool:
    """Return whether a finding is about a part of a name."""
    spans = [name.span for name in names if name.span is not None]
    return item.span is not None and any(
        item.path == name.path and name.start <= item.span.start and item.span.end <= name.end
        for name in spans
    )


def _name_with_blanks(item: Diagnostic, source: SourceFile) -> Diagnostic | None:
    """Read the words around an unknown one as one name, the longest that is known."""
    assert item.span is not None
    for words in _windows(item.span, source):
        texts = [word.group() for word in words]
        spelled = "_".join(text.casefold().replace("-", "_") for text in texts)
        place = Span(item.path, words[0].start(), words[-1].end())
        written = source.text[place.start : place.end]
        for kind in _MEANT[item.code]:
            if kind == "correction" and all(is_member(kind, text) for text in texts):
                continue  # `holm bonferroni` are two
            meant: str | None = spelled
            message = f"`{written}` is one word: `{spelled}`"
            if not is_member(kind, spelled):
                meant, message = meant_by(kind, spelled), f"there is no {kind} called `{written}`"
            if meant is None:
                continue
            noun = meant == "_".join(texts[:-1]) and texts[-1] in NOUNS  # as in `mcnemar test`
            fix = Fix(f"write `{meant}`", (Edit(place, meant),), safe=noun or meant == spelled)
            help_ = None if meant == spelled else f"did you mean `{meant}`?"
            return diagnose(_CODES[kind], message, place, help=help_, fixes=[fix])
    return None


def _windows(span: Span, source: SourceFile) -> Iterator[Sequence[re.Match[str]]]:
    """Iterate over the runs of words that a place is in, the longest first."""
    begins = source.whole_line(span.start).start
    low, high = max(begins, span.start - NEAR), source.whole_line(span.start).end
    high = min(high, span.start + NEAR)
    parting = connectives() - {"log"}  # as in `log loss`
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(source.text, low, high):
        apart = run and source.text[run[-1].end() : word.start()].strip(" ")
        if apart or word.group() in parting or word.start() == begins:
            if run and span.start < run[-1].end():
                break
            run = []
        if word.group() not in parting and word.start() != begins:
            run.append(word)
    at = next((i for i, word in enumerate(run) if word.start() <= span.start < word.end()), None)
    if at is None:
        return
    for size in range(min(MOST_WORDS, len(run)), 1, -1):
        for start in range(max(0, at - size + 1), min(at, len(run) - size) + 1):
            yield run[start : start + size]
