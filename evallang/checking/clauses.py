"""The clauses of one statement by their words, and those that several statements share."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, cast

from msgspec.structs import replace

from evallang.checking import clause_values
from evallang.checking.scope import Scope, suggestion, word_meant
from evallang.data.dataset import Label, Task, Where
from evallang.data.path_patterns import PART, WORDS, path_pattern, sheet_of
from evallang.data.remote import address_objection, is_remote
from evallang.diagnostics import Related, codes
from evallang.source import Span
from evallang.spelling import listed, synonyms
from evallang.syntax import nodes as n
from evallang.syntax.formatter import format_node
from evallang.syntax.language import STATEMENTS, clause_meant, owners, word_of

ENDINGS = (".csv", ".tsv", ".jsonl", ".json", ".arff")
BUNDLED: Mapping[str, Task] = {
    "breast_cancer": "classification",
    "diabetes": "regression",
    "digits": "classification",
    "iris": "classification",
    "wine": "classification",
}
"""The data sets that scikit-learn brings along, and what is predicted with each."""
TABLE_ENDINGS = (*ENDINGS, *(f"{ending}.gz" for ending in ENDINGS), ".parquet", ".xlsx")


_MEANT = {("data", "truth"): "target", ("predictions", "target"): "truth"}
"""Clauses that mean the same of data and of predictions."""


_OUTCOMES = ("truth", "models", "range", "score", "scores", "logits", "threshold")
_RUNS = ("repeat", "reader", "seed")
_OF_CLASSES = (*("scores", "logits", "range", "threshold", "positive", "task"), *_RUNS)
EXCLUSIONS: Mapping[str, Sequence[tuple[str, Sequence[str], str]]] = {
    "predictions": (
        ("correct", (*_OUTCOMES, "value"), "the outcomes are already judged"),
        ("value", _OUTCOMES, "the outcomes are already judged"),
        (
            "judges",
            (*_OUTCOMES[1:], *("correct", "value", "fold", "event", "query"), *_RUNS),
            "a judge rates each example once",
        ),
        (
            "event",
            (*_OF_CLASSES, "query", "correct", "value"),
            "the truth is a time, and its score a risk",
        ),
        (
            "query",
            (*_OF_CLASSES, "fold", "weight", "correct", "value"),
            "the truth is a relevance, and the unit a query",
        ),
        ("reader", ("repeat", "seed", "fold"), "an example has one prediction by each reader"),
        ("seed", ("repeat", "fold"), "each seed is a network that predicts every example once"),
    ),
    "scores": (("higher", ("lower",), "a score has one direction"),),
}
"""What clauses of a statement exclude, and why."""


class Clauses:
    """The clauses of one statement, by their word; unknown and repeated ones are reported."""

    def __init__(self, scope: Scope, statement: n.StatementNode) -> None:
        self.scope = scope
        what = self.what = word_of(statement)
        allowed = self.known = STATEMENTS[what].clauses
        self.all: list[n.AnyClauseNode] = []
        self.places: dict[str, Span] = {}
        self.meant: set[str] = set()
        for clause in _each(statement):
            word = word_of(clause)
            span = clause.keyword.span if hasattr(clause, "keyword") else clause.span
            if word not in allowed:
                self._unknown(what, word, span, allowed)
                continue
            known = allowed[word]
            if word in self.places and not known.repeatable:
                scope.refuse(
                    "clause_twice",
                    span,
                    help="write one line, its items separated by commas" if known.listed else None,
                    word=word,
                    what=what,
                    related=[Related(self.places[word], "the first is here")],
                )
                continue
            self.places.setdefault(word, clause.span)
            self._place_models(word, clause)
            self.all.append(clause)

        paths = statement.paths if isinstance(statement, n.PredictionsNode) else ()
        there = {w: path.span for path in paths for w in path_pattern(path.value).words}
        named = "model" in there or (
            isinstance(statement, n.PredictionsNode) and statement.tool is not None
        )
        there |= self.places
        for one, others, why in EXCLUSIONS.get(what, ()):
            for other in others if one in there else ():
                chosen = other == "models" and ("model" in self.places or named)  # long table
                if other in there and not chosen:
                    help_ = f"keep either `{other}` or `{one}`"
                    if one in ("event", "query") and other in _OF_CLASSES:
                        help_ = f"remove `{other}`; each model has one `score MODEL = COLUMN`"
                    scope.report(
                        codes.clause_conflict,
                        f"`{one}` and `{other}` do not go together: {why}",
                        there[other],
                        help=help_,
                    )

    def _unknown(self, what: str, word: str, span: Span, allowed: Iterable[str]) -> None:
        text, fixes = suggestion(word, span, allowed, "clause")
        meant = word_meant(word, allowed, "clause") or clause_meant(word, allowed)
        if meant is not None:
            text = text or f"did you mean `{meant}`?"
            self.meant.add(meant)
        same = _MEANT.get((what, word))
        if same is not None:
            self.meant.add(same)
            text = f"`{what}` calls this column `{same}`"
        taken_by = owners(word)
        elsewhere = synonyms().advice.get((what, word))
        if elsewhere is None and taken_by and text is None:
            elsewhere = f"`{word}` is a clause of {listed(taken_by)}"
        self.scope.refuse(
            "unknown_clause",
            span,
            help=elsewhere or text,
            what=what,
            word=word,
            allowed=listed(allowed, "and"),
            fixes=fixes,
        )

    def lacks(self, *words: str) -> bool:
        """Return whether none of these clauses is written, nor one that was meant as one."""
        there = {*self.places, *self.meant, *self.scope.unread}
        return there.isdisjoint(words)

    def _place_models(self, word: str, clause: n.AnyClauseNode) -> None:
        """Enter the place of each model of a clause, as `models a` and `score a`."""
        if isinstance(clause, n.ModelSettingNode | n.RightNode):
            name = clause_values.column_name(clause.model)
            self.places.setdefault(f"{word} {name}", clause.span)
        elif isinstance(clause, n.ModelColumnsNode):
            for item in clause.items:
                name = clause_values.column_name(item.name)
                self.places.setdefault(f"{word} {name}", item.span)

    def plain(self, word: str) -> n.ClauseNode | None:
        """Find the plain clause of a word."""
        for clause in self.all:
            if isinstance(clause, n.ClauseNode) and clause.keyword.name == word:
                return clause
        return None

    def take(self, word: str) -> Any:
        """Take what a plain clause holds, as the language declares it; None after a report."""
        clause, known = self.plain(word), self.known[word]
        taken = clause_values.TAKEN.get(known.takes, clause_values.column)
        return None if clause is None else taken(self.scope, clause, known)

    def several(self, *words: str) -> dict[str, Any]:
        """Take what clauses hold by their words."""
        return {word: self.take(word) for word in words}

    def described(
        self, node: n.SourceStatement, source: n.Node | None, unit: str
    ) -> dict[str, Any]:
        """Return what every source of outcomes states: what it is called, and where."""
        word, origin = self.what, {} if source is None else {"from": source.span}
        return {
            "name": node.name.name,
            "label": node.label.value if node.label else node.name.name,
            "statement": format_node(node).split("\n")[0],
            "unit": self.take("unit") or unit or None,
            **self.several("about", "cite"),
            "places": {word: node.keyword, **origin} | self.places,
        }

    def find(self, kind: type[Any]) -> list[Any]:
        """Return the clauses of one node type."""
        return [clause for clause in self.all if isinstance(clause, kind)]


def _each(statement: n.StatementNode) -> Iterator[n.AnyClauseNode]:
    """Iterate over the clauses, `truth` on the line of judges as one of its own."""
    for clause in statement.clauses:
        yield clause
        if isinstance(clause, n.ModelColumnsNode) and clause.truth is not None:
            place = clause.truth.span
            yield n.ClauseNode(n.NameNode("truth", span=place), (clause.truth,), span=place)


def errors(scope: Scope, since: int) -> bool:
    """Return whether a statement is faulty; what only a later version can run is sound."""
    later = codes.not_in_this_version.code
    return any(d.severity == "error" and d.code != later for d in scope.diagnostics[since:])


def check_path(
    scope: Scope, location: str, node: n.Node, words: Sequence[str] = (), more: str = ""
) -> None:
    """Report a path that no table is read from; `words` are those that braces may hold.

    `more` ends the list of the endings that are read.
    """
    if isinstance(node, n.FrameNode):
        return
    pattern = path_pattern(location)
    problem = None if pattern.stray is None or not words else f"`{pattern.stray}` has no partner"
    for word in () if problem else dict.fromkeys(pattern.words):
        if word not in words and (words or word in WORDS):
            problem = f"`{{{word}}}` has no meaning"
        elif pattern.words.count(word) > 1 and words and word != PART:
            problem = f"`{{{word}}}` is written twice"
    objection = address_objection(location) if is_remote(location) else None
    if objection is not None:
        message, help_text = objection
        scope.report(codes.unknown_source, message, node.span, help=help_text)
    elif problem is not None:
        known = listed([f"{{{word}}}" for word in words], "or") if words else "no word in braces"
        scope.refuse("braces", node.span, problem=problem, known=known)
    elif not sheet_of(location)[0].lower().endswith(TABLE_ENDINGS):
        scope.report(
            codes.unknown_source,
            f"files like `{location}` are not read" if location else "the path is empty",
            node.span,
            help=f"write `from sklearn {location}`"
            if location in BUNDLED
            else f"the endings are {listed(TABLE_ENDINGS, 'and')}{more}",
        )


def check_folder(scope: Scope, node: n.ModelNode) -> None:
    """Report a folder that no former results are read from."""
    location = node.folder.value if node.folder is not None else ""
    place = node.folder.span if node.folder is not None else node.span
    if "://" in location:
        scope.refuse("results_from_network", place)
    elif not location.strip():
        scope.refuse("empty_results_path", place)


def target_column(
    scope: Scope, clauses: Clauses
) -> tuple[str | None, Literal["log", "sqrt"] | None]:
    """Take `target`: the column, and the scale on which models are fitted."""
    clause = clauses.plain("target")
    if clause is None:
        return None, None
    scale, *column = clause.values
    if not column or not isinstance(scale, n.NameNode):
        return clauses.take("target"), None
    named = replace(clause, values=tuple(column))
    return clause_values.column(scope, named), cast(Literal["log", "sqrt"], scale.name)


def time_column(clauses: Clauses) -> str | None:
    """Take `time`: the column, or an empty text where `none` keeps the order of the file."""
    clause = clauses.plain("time")
    if clause is not None and len(clause.values) == 1:
        (value,) = clause.values
        if isinstance(value, n.NameNode) and value.name == "none":
            return ""
    return cast(str | None, clauses.take("time"))


def positive_class(scope: Scope, clauses: Clauses) -> tuple[Label | None, str | None]:
    """Take `positive`: the label, and its label for readers."""
    found = clauses.find(n.PositiveNode)
    if not found:
        return None, None
    node = found[0]
    return clause_values.label(
        scope, node.value, "positive"
    ), node.label.value if node.label else None


def labels(scope: Scope, clause: n.ClauseNode | None) -> tuple[Label, ...]:
    """Take the labels of a clause, none where it is not written."""
    if clause is None:
        return ()
    found = [clause_values.label(scope, value, clause.keyword.name) for value in clause.values]
    known = [(node, str(label)) for node, label in zip(clause.values, found, strict=True)]
    nodes, texts = [node for node, _ in known], [text for _, text in known]
    clause_values.distinct(scope, nodes, texts, f" in `{clause.keyword.name}`")
    return tuple(value for value in found if value is not None)


def missing_words(scope: Scope, clauses: Clauses) -> tuple[Label, ...] | None:
    """Take the words that mean a missing value: None for the usual ones, `()` for `none`."""
    clause = clauses.plain("missing")
    if clause is None:
        return None
    alone = [v for v in clause.values if isinstance(v, n.NameNode) and v.name == "none"]
    if alone and len(clause.values) == 1:
        return ()
    if alone:
        scope.refuse("missing_none", alone[0].span)
    return labels(scope, clause)


def take_where_lines(scope: Scope, clauses: Clauses) -> tuple[Where, ...]:
    """Take the `where` lines, in order."""
    lines = []
    for node in clauses.find(n.WhereNode):
        value: Label | tuple[Label, ...] | None = None
        if node.operator == "in":
            items = node.value.items if isinstance(node.value, n.ListNode) else ()
            found = [clause_values.label(scope, item, "where") for item in items]
            value = tuple(item for item in found if item is not None)
            if not isinstance(node.value, n.ListNode) or not items:
                scope.refuse("in_without_list", node.span)
        elif node.value is not None:
            value = clause_values.label(scope, node.value, "where")
            quoted_text = isinstance(node.value, n.TextNode)
            bare = isinstance(node.value, n.NameNode) and isinstance(value, str)
            if node.operator not in ("=", "!=") and bare and not quoted_text:
                scope.refuse("order_of_words", node.value.span, node=node, value=value)
        lines.append(
            Where(
                clause_values.own_column(scope, node.column, or_target=True),
                node.operator,
                value,
                format_node(node).strip(),
                node.span,
            )
        )
    return tuple(lines)


def counts_conflict(scope: Scope, node: n.CountsNode, clauses: Clauses) -> bool:
    """Report counts that are given twice: in a file, in a table, by patterns, as shares."""
    words = ["right", "table", "pattern"]
    if "right" in clauses.places:
        words += ["count", "models"]
    elif node.path is None:
        words.append("count")  # which names a column of a file
    given = [word for word in words if word in clauses.places]
    if node.path is not None and given:
        first = "a data frame" if isinstance(node.path, n.FrameNode) else "a file"
        word, span = given[0], node.path.span
    elif len(given) > 1:
        word, first, span = given[1], f"`{given[0]}`", clauses.places[given[0]]
    elif given == ["count"]:
        word, first, span = "count", "no file", node.name.span
    else:
        return False
    scope.refuse(
        "counts_twice",
        clauses.places[word],
        help=f"remove `{word}`" if first == "no file" else None,
        node=node,
        first=first,
        word=word,
        related=[Related(span, f"{first} is here")],
    )
    return True
