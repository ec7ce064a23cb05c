"""A line that does not parse in, a message in the author's words out.

What people write for what is one table of edits in two parts. An edit `OF_LINES` counts when the
whole line then parses. An edit `OF_TOKENS` changes the token where lark's parser stuck to what
the parser accepts there, and counts when the rest of the line fits after it; the line is then read
as meant, and the edit is a safe fix. The first that counts is taken, so the likeliest come first.
Habits of other languages, which no edit corrects, have advice in `slips.toml`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Any, NamedTuple

from msgspec import Struct

from evallang.diagnostics import Code, Diagnostic, Edit, Fix, codes, diagnose
from evallang.source import Span
from evallang.spelling import closest
from evallang.syntax.language import RESERVED, STATEMENTS, clause, takes_one_value
from evallang.syntax.line_parser import END, Prefix, Reading, connectives, prefix, run
from evallang.syntax.literals import quoted, unescaped
from evallang.syntax.scanner import PUNCTUATION, Token
from evallang.syntax.slips import Habit, advice_on_column, habit, slips

MOST_REPAIRS = 16  # in one line
MOST_ATTEMPTS = 4  # other edits, when one makes a line that means nothing
MOST_KINDS = 2  # with more kinds of mistakes in one line, an edit is no better than none
SEEN_AHEAD = 200  # tokens that must fit after an edit; keeps long lines linear

# what a wrong edit brings about: an edit that leads here is wrong
_STRUCTURE = frozenset({"E060", "E070", "E071", "E072", "E073", "E075"})
_NOT_JOINING = frozenset({"all", "best", "true", "false", "none", "missing"})
_OF_RANGES = frozenset({"log", "loguniform", "step", "uniform"})
_OF_NAMES = frozenset({"analyze", "compare", "measure", "report"})  # no ranges are there
_SIGNS = ("=", ":", "as", "from", "in", ",", "|")
_WORDS_INSERTED = ("=", "with", "from", "of", "as", "by", "in", "than", "to", "is", ":", "log")
_QUOTE, _UNQUOTE = "add quotes", "remove the quotes"
_KINDS = {
    "NAME": "a name",
    "NUMBER": "a number",
    "TEXT": "text in quotes",
    "OPERATOR": "a comparison",
    END: "the end",
}


class Place(Struct, frozen=True):
    """A token of a line that does not fit, what is before it, and what would fit."""

    path: str
    start: str
    items: Sequence[Token]
    at: int
    before_it: Prefix
    fits: Sequence[str]

    @property
    def first(self) -> Token:
        """The first token of the line."""
        return self.items[0]

    @property
    def before(self) -> Token:
        """The token before it."""
        return self.items[self.at - 1]

    @property
    def token(self) -> Token:
        """The token that does not fit."""
        return self.items[self.at]

    @property
    def after(self) -> Token:
        """The token after it, or the end."""
        return self.items[min(self.at + 1, len(self.items) - 1)]

    def span(self, first: Token, last: Token | None = None) -> Span:
        """Return the place of a token, or of all from one to another."""
        return Span(self.path, first.start, (last or first).end)


class Change(NamedTuple):
    """An edit: replace the tokens from `begin` to `end` by others.

    `edits` are those of the fix, none where the author must decide. A line that is not `read`
    gets the message and no node.
    """

    code: Code
    message: str
    place: Span
    begin: int
    end: int
    tokens: tuple[Token, ...] = ()
    edits: tuple[Edit, ...] = ()
    title: str = ""
    advice: str | None = None
    safe: bool = True
    read: bool = True

    @property
    def told(self) -> Diagnostic:
        """The message with its fix."""
        fixes = [Fix(self.title, self.edits, self.safe)] if self.edits else []
        return diagnose(self.code, self.message, self.place, help=self.advice, fixes=fixes)


Row = Callable[[Place], Iterator[Change]]


ParseLine = Callable[[str, str, Sequence[Token]], Reading]
"""Parses the tokens of a line of a file, by its path, as a `statement` or a `clause`."""


def read_line(path: str, start: str, tokens: Sequence[Token]) -> Reading:
    """Parse a line as a `statement` or a `clause`, correcting what surely was meant."""
    first = run(path, start, tokens)
    is_read = first.stuck_at is None
    if is_read and not first.diagnostics:
        return Reading(first.node, ())
    end = tokens[-1].end
    items = [*tokens, Token(END, "", end, end)]
    place = _place(path, start, items, first.stuck_at or 0, prefix(start))
    for row in OF_LINES[:2] if is_read else OF_LINES:
        for change in islice(row(place), MOST_REPAIRS):
            again = run(
                path, start, [*tokens[: change.begin], *change.tokens, *tokens[change.end :]]
            )
            if again.stuck_at is None and not (is_read and again.diagnostics):
                rest = again.diagnostics if change.read else ()
                return Reading(again.node if change.read else None, (change.told, *rest))
    if is_read:
        return Reading(first.node, first.diagnostics)
    known = _habit(place)
    if known is not None:
        return Reading(None, (_unexpected(place, known.advice, known.message, known.word),))
    for skipped in range(MOST_ATTEMPTS):
        changed, found = _changed(place, skipped)
        if changed is None:
            break
        again = run(path, start, changed)
        if again.stuck_at is None and not any(d.code in _STRUCTURE for d in again.diagnostics):
            return Reading(again.node, (*found, *again.diagnostics))
    return Reading(None, (_given_up(place),))


def _place(path: str, start: str, items: Sequence[Token], at: int, reached: Prefix) -> Place:
    """Return the first place at which tokens do not fit, from one up to which they do."""
    before, _ = reached.advance(items[:at])
    return Place(path, start, items, at, before, before.expected())


def _changed(place: Place, skipped: int) -> tuple[list[Token] | None, list[Diagnostic]]:
    """Edit again and again until the line fits or no edit leads on.

    The first `skipped` edits that lead on are not taken.
    """
    found: list[Diagnostic] = []
    items = list(place.items)
    for _ in range(MOST_REPAIRS):
        best: Change | None = None
        furthest = 0
        for change in (change for row in OF_TOKENS for change in row(place)):
            ahead = items[change.end : change.end + SEEN_AHEAD]
            _, taken = place.before_it.advance((*change.tokens, *ahead))
            if taken == len(change.tokens) + len(ahead):
                if skipped:
                    skipped -= 1
                    continue
                best = change
                break
            progress = taken - max(0, len(change.tokens) - 1)
            if progress > furthest:
                best, furthest = change, progress
        if best is None:
            return None, found
        found.append(best.told)
        kinds = [d.code for d in found]
        if len(kinds) > MOST_KINDS and set(kinds) != {codes.missing_comma.code}:
            return None, found
        items[best.begin : best.end] = best.tokens
        reached, taken = place.before_it.advance(items[place.at :])
        at = place.at + taken
        if at == len(items):
            return items[:-1], found
        place = Place(place.path, place.start, items, at, reached, reached.expected())
    return None, found


# --- edits of a token ------------------------------------------------------------------


def _rewritten(
    place: Place, code: Code, message: str, begin: int, end: int, right: str, **more: Any
) -> Change:
    """Return the edit that writes something for the tokens from `begin` to `end`, or nothing."""
    first, last, after = place.items[begin], place.items[end - 1], place.items[end : end + 1]
    kind = "TEXT" if right.startswith('"') else PUNCTUATION.get(right, "NAME")
    span, written = place.span(first, last), right
    tokens = (Token(kind, right, span.start, span.end),) if right else ()
    before = place.items[begin - 1].end if begin else 0
    edited = Span(place.path, before, last.end) if right in ("", ",") else span
    if edited is span and first.kind in ("EQUAL", "COLON", "OPERATOR"):
        apart = right.isalpha() or (right == "=" and after[0].start > last.end)
        left = " " if apart and before == first.start else ""
        written = f"{left}{right}{' ' if right.isalpha() and after[0].start == last.end else ''}"
    title = f"write `{right}`" if right else f"remove {shown(first)}"
    what = {"edits": (Edit(edited, written),), "title": title, **more}
    return Change(code, message, span, begin, end, tokens, **what)


def _instead(place: Place, code: Code, right: str, message: str, **more: Any) -> Change:
    """Return the edit that writes something else for the token, or nothing."""
    return _rewritten(place, code, message, place.at, place.at + 1, right, **more)


def _inserted(place: Place, code: Code, right: str, message: str, **more: Any) -> Change:
    """Return the edit that writes something before the token."""
    gap = Span(place.path, place.before.end, place.before.end)
    new = Token(PUNCTUATION.get(right, "NAME"), right, gap.start, gap.end)
    edits = (Edit(gap, right if right == "," else f" {right}"),)
    title = "write a comma" if right == "," else f"write `{right}`"
    here = (place.span(place.token), place.at, place.at + 1)
    return Change(code, message, *here, (new, place.token), edits, title, **more)


def word(place: Place) -> Iterator[Change]:
    """Read `wiht` as `with`, `versus` as `vs`."""
    token = place.token
    if token.kind != "NAME":
        return
    keywords = [word for word in place.fits if word.isalpha() and word.islower()]
    other = slips().words.get(token.text)
    meant = other if other in keywords else closest(token.text, keywords)
    if meant is None and "with" in keywords and closest(token.text, ("then",)):
        meant = "with"
    if meant is not None:
        message = f"`{token.text}` is not known here, did you mean `{meant}`?"
        yield _instead(place, codes.misspelt_word, meant, message)
    if token.text == "and" and "," in place.fits:
        message = "the items of a list are joined by commas, not by `and`"
        yield _instead(place, codes.missing_comma, ",", message, title="write a comma")


def quotes_of_a_name(place: Place) -> Iterator[Change]:
    """Read `model "forest" = ...` and `use "lab/models.py"` without the quotes."""
    token = place.token
    if token.kind != "TEXT" or "NAME" not in place.fits or "TEXT" in place.fits:
        return
    name = unescaped(token.text)
    if place.first.text == "use":
        name = name.replace("\\", "/").removeprefix("./")
        name = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    if re.fullmatch(r"[^\W\d]\w*(?:[-.]\w+)*", name):
        message = f"a name is written without quotes here: `{name}`"
        yield _instead(place, codes.quotes_superfluous, name, message, title=_UNQUOTE)


def brackets_around_one_value(place: Place) -> Iterator[Change]:
    """Read `(100)` as the list `(100,)`."""
    if place.token.kind == "RPAR" and "," in place.fits:
        message = "round brackets enclose a single value"
        change = _inserted(place, codes.brackets_around_one_value, ",", message)
        yield change._replace(edits=(), advice="write `[...]` for a list, or the value alone")


def sign(place: Place) -> Iterator[Change]:
    """Read `seed = 1` as `seed 1`, `models a = yhat` as `a as yhat`, and `C in 1:10` as `1..10`."""
    token, before, after = place.token, place.before, place.after
    signs = {"=", ":"} & set(place.fits)
    if not signs and (token.kind == "EQUAL" or (place.at == 1 and token.kind == "COLON")):
        message = f"`{before.text}` is followed by its value, without `{token.text}`"
        edit = Edit(Span(place.path, before.end, max(token.end, after.start)), " ")
        yield _instead(place, codes.superfluous_word, "", message)._replace(edits=(edit,))
    offered: tuple[str, ...] = ()
    if ".." in place.fits and before.kind == after.kind == "NUMBER" and token.text in (":", "to"):
        offered = ("..",)
    elif token.kind in ("EQUAL", "COLON"):
        offered = _SIGNS
    elif token.text == "in":
        offered = ("=", ":", "from", ",", "|")
    elif token.kind == "OPERATOR":
        offered = ("=", ":", "in", ",", "|")
    for right in offered:
        if right in place.fits:
            message = f"`{right}` belongs here, not `{token.text}`"
            yield _instead(place, codes.wrong_sign, right, message)
    to_itself = token.text[:1] == "-" and before.end == token.start
    if token.kind == before.kind == "NUMBER" and to_itself and ".." in place.fits:
        dash = Token("RANGE", "..", token.start, token.start + 1)
        change = _instead(place, codes.wrong_sign, "..", "`..` belongs here, not `-`")
        stop = Token("NUMBER", token.text[1:], dash.end, token.end)
        yield change._replace(tokens=(dash, stop), edits=(Edit(place.span(dash), ".."),))


def missing_comma(place: Place) -> Iterator[Change]:
    """Read `accuracy f1` as `accuracy, f1`."""
    token, before, first = place.token, place.before, place.first.text
    joining = connectives() - _NOT_JOINING - (_OF_RANGES if first in _OF_NAMES else set())
    named = "=" in place.fits and before.kind == "NAME" and token.kind in ("NUMBER", "TEXT")
    points = before.kind == token.kind == "NUMBER" and place.items[place.at - 2].text == ".."
    if {token.text, before.text} & joining or takes_one_value(first) or named or points:
        return
    if not _begins_an_item(token) or "," not in place.fits:
        return
    doubtful = first == "compare" and place.after.text == "with"
    called = ")" in place.fits and place.after.text not in ("=", "in")
    label = "in" in place.fits and token.kind == "NAME" and place.after.kind == "TEXT"
    yield _inserted(
        place,
        codes.missing_comma,
        ",",
        f"a comma is missing between {shown(before)} and {shown(token)}",
        advice="models are joined by commas, a correction comes after the test"
        if doubtful
        else None,
        safe=not (doubtful or called or label),
    )


def missing_quotes(place: Place) -> Iterator[Change]:
    """Read `from visits` as `from "visits"`."""
    token = place.token
    is_text = "TEXT" in place.fits and "NAME" not in place.fits
    if token.kind == "NAME" and is_text and token.text not in connectives():
        right = quoted(token.text)
        safe = place.before.text != "from" or bool(re.search("[./]", right))
        message = f"write text in quotes: `{right}`"
        yield _instead(place, codes.quotes_missing, right, message, title=_QUOTE, safe=safe)


def missing_word(place: Place) -> Iterator[Change]:
    """Read `compare a, b mcnemar` with `with`, `C 1` with `=`."""
    token = place.token
    if not _begins_an_item(token) or token.text in ("vs", "not"):
        return
    for right in _WORDS_INSERTED:
        if right not in place.fits or (place.at == 1 and right not in ("by", "is")):
            continue
        message = f"`{right}` is missing before {shown(token)}"
        safe = right != "of" and (right != "by" or token.kind == "NUMBER")  # or a comma is lost
        change = _inserted(place, codes.missing_word, right, message, safe=safe)
        if right == "log":
            change = change._replace(message=f"`step` or {message}", edits=())
        yield change


def superfluous(place: Place) -> Iterator[Change]:
    """Read the line without the token."""
    token, before, first = place.token, place.before, place.first
    if token.kind == END:
        return
    twice = token.text == before.text and token.kind == before.kind
    safe = twice or (token.kind == "COMMA" and first.text != "compare")
    suggestion = None
    if token.kind == "COMMA" and not safe:
        suggestion = "a line has one test, and one after `then`: write a line for each"
    elif token.kind == "TEXT":
        suggestion = 'write a label after a name, as in `model NAME "LABEL" = ...`'
    elif token.text.endswith("%"):
        suggestion = "the level of all intervals is written once: `confidence 95%` below `study`"
    elif not safe:
        suggestion = _form(place)
    message = f"{shown(token)} is written twice" if twice else f"unexpected {shown(token)}"
    yield _instead(place, codes.superfluous_word, "", message, advice=suggestion, safe=safe)


def _begins_an_item(token: Token) -> bool:
    return token.kind in ("NAME", "NUMBER", "TEXT", "LSQB", "LBRACE")


OF_TOKENS: tuple[Row, ...] = (
    word,
    quotes_of_a_name,
    brackets_around_one_value,
    sign,
    missing_comma,
    missing_quotes,
    missing_word,
    superfluous,
)
"""The edits of the token where a line stuck, the likeliest first."""


# --- edits of a line -------------------------------------------------------------------


def doubled_word(place: Place) -> Iterator[Change]:
    """Read `with with mcnemar` with one of the two."""
    for at in range(1, len(place.items)):
        before, token = place.items[at - 1 : at + 1]
        if token.text in RESERVED and (token.kind, token.text) == (before.kind, before.text):
            message = f"{shown(token)} is written twice"
            yield _rewritten(place, codes.superfluous_word, message, at, at + 1, "")


def misspelt_word(place: Place) -> Iterator[Change]:
    """Read `with cochran thne mcnemar` and `colunms(a: b)`, which parse as something else."""
    for at, token in enumerate(() if place.at else place.items):
        known = {*connectives(), "columns"}
        others = {w for w in known if len(w) == len(token.text) > len("by")} - {token.text}
        candidates = others if token.text in known else known
        meant = closest(token.text, sorted(candidates)) if token.kind == "NAME" else None
        if meant is not None:
            message = f"`{token.text}` is not known here, did you mean `{meant}`?"
            yield _rewritten(place, codes.misspelt_word, message, at, at + 1, meant)


def comma_before_a_word(place: Place) -> Iterator[Change]:
    """Read `compare a, b, with mcnemar` without its last comma."""
    for at in (place.at - 1, place.at - 2):
        if at > 0 and place.items[at].kind == "COMMA" and place.items[at + 1].text in connectives():
            yield _rewritten(place, codes.superfluous_word, "unexpected `,`", at, at + 1, "")


def options_in_brackets(place: Place) -> Iterator[Change]:
    """Read `protocol cv(folds=10)` as `cv folds=10`."""
    if place.first.text != "protocol" or place.token.kind != "LPAR" or place.at < 2:
        return
    *inside, last, _ = place.items[place.at :]
    if last.kind != "RPAR":
        return
    signs = [t for t in (*inside, last) if t.kind in ("LPAR", "COMMA", "RPAR")]
    touched = {t.end for t in place.items} & {t.start for t in place.items}
    gaps = ["" if t is last or t.start not in touched else " " for t in signs]
    edits = tuple(Edit(place.span(t), gap) for t, gap in zip(signs, gaps, strict=True))
    yield Change(
        codes.superfluous_word,
        "the options of a protocol come after it without brackets",
        place.span(place.token, last),
        place.at,
        len(place.items) - 1,
        tuple(t for t in inside if t not in signs),
        edits,
        "remove the brackets",
        "write them as in `cv folds=10`",
    )


def text_without_quotes(place: Place) -> Iterator[Change]:
    """Read `author Jane Doe` as `author "Jane Doe"`, `target mean radius` with quotes likewise."""
    head, *words, _ = place.items
    known = clause(head.text) if place.start == "clause" else None
    takes_text = head.text == "study" if known is None else known.takes == "text"
    a_column = known is not None and known.takes == "column" and place.at == 2
    if a_column:
        a_column = all(w.kind == "NAME" and w.text not in ("as", "in", *RESERVED) for w in words)
    if len(words) < 2 or not (a_column or takes_text) or any(w.kind == "TEXT" for w in words):
        return
    right = quoted(_spelled(words))
    message = f"write text in quotes: `{right}`"
    if a_column:
        message = f"a column with a space in its name is written in quotes: `{right}`"
    end = len(place.items) - 1
    change = _rewritten(place, codes.quotes_missing, message, 1, end, right, title=_QUOTE)
    yield change._replace(place=place.span(place.token)) if a_column else change


def quoted_key(place: Place) -> Iterator[Change]:
    """Read `SVC("C"=1)` as `SVC(C=1)`."""
    key = place.before
    name = unescaped(key.text) if key.kind == "TEXT" else ""
    if place.token.kind == "EQUAL" and name.isidentifier():
        code, message = codes.quotes_superfluous, f"a name is written without quotes here: `{name}`"
        yield _rewritten(place, code, message, place.at - 1, place.at, name, title=_UNQUOTE)


def model_of_a_column(place: Place) -> Iterator[Change]:
    """Read `model a as yhat` below `predictions` or `scores` as `models a as yhat`."""
    if place.start == "clause" and place.first.text == "model":
        message = "`model` names a column of models, and `models` the models with their columns"
        yield _rewritten(place, codes.misspelt_clause, message, 0, 1, "models")


def reserved_word(place: Place) -> Iterator[Change]:
    """Report a word of the language if the line is right with a name in its place."""
    for at in (place.at - 1, place.at):
        word = place.items[at]
        if at > 0 and word.text in RESERVED:
            suggestion = "choose another name; a column of this name is written in quotes"
            if place.first.text == "features" and word.text == "all":
                suggestion = "without this clause all columns are features; "
                suggestion += "`features all except A` skips some"
            code, message = (
                codes.reserved_word,
                f"`{word.text}` is a word of the language and cannot",
            )
            message += " be a name"
            more = {"edits": (), "advice": suggestion, "read": False}
            yield _rewritten(place, code, message, at, at + 1, "\x00", **more)


def clause_beside(place: Place) -> Iterator[Change]:
    """Report a clause that is on the line of its statement: `study "T" seed 3`."""
    head, token = place.first.text, place.token
    if place.start != "statement" or token.text not in getattr(STATEMENTS.get(head), "clauses", ()):
        return
    if run(place.path, "clause", place.items[place.at : -1]).stuck_at is None:
        yield Change(
            codes.unexpected_text,
            f"`{token.text}` is a clause of `{head}`; write it on an indented line below",
            place.span(token),
            place.at,
            len(place.items) - 1,
            (),
            (Edit(Span(place.path, place.before.end, token.start), "\n  "),),
            "begin a line",
            read=False,
        )


OF_LINES: tuple[Row, ...] = (
    doubled_word,
    misspelt_word,
    options_in_brackets,
    comma_before_a_word,
    text_without_quotes,
    quoted_key,
    reserved_word,
    clause_beside,
    model_of_a_column,
)
"""The edits after which the whole line must fit, the likeliest first.

The first two are for lines too that parse and are faulty.
"""


# --- lines that no edit corrects -------------------------------------------------------


def _spelled(tokens: Sequence[Token]) -> str:
    """Return the text of a line as written, from its first token on."""
    text = tokens[0].text
    for before, token in pairwise(tokens):
        text += " " * (token.start > before.end) + token.text
    return text


def _habit(place: Place) -> Habit | None:
    """Return what is known of a habit of another language."""
    near = place.items[max(0, place.at - SEEN_AHEAD) : place.at + SEEN_AHEAD]
    tokens = (place.first, *near) if near[0] is not place.first else near
    line, text = _spelled(tokens), place.token.text
    at = len(_spelled((*tokens[: tokens.index(place.token)], place.token))) - len(text)
    found = habit(line, at, at + len(text), slips().habit)
    if found is not None:
        return found
    if takes_one_value(place.first.text) and clause(text) is not None:
        return Habit("", f"`{text}` begins a line of its own")
    column = advice_on_column(line, at) if place.token.kind in ("LPAR", "LSQB") else None
    return None if column is None else Habit("", column)


def _given_up(place: Place) -> Diagnostic:
    """Report the word in the way, and the form of the whole."""
    if place.token.kind == END:
        return _incomplete(place)
    token, before = place.token, place.before
    if ".." in (before.text, token.text) and "NAME" in (before.kind, token.kind):
        name = before if before.kind == "NAME" else token
        message = f"a range takes numbers, not `{name.text}`"
        suggestion = "write the number itself"
        return diagnose(codes.range_of_names, message, place.span(name), help=suggestion)
    return _unexpected(place, _suggestion(place))


def _unexpected(
    place: Place, suggestion: str | None, message: str = "", word: str = ""
) -> Diagnostic:
    message, token = message or f"{shown(place.token)} does not fit here", place.token
    if token.kind == END:
        token = next((one for one in place.items if one.text == word), token)
    return diagnose(codes.unexpected_text, message, place.span(token), help=suggestion)


def _incomplete(place: Place) -> Diagnostic:
    last = place.before
    if last.kind == "COMMA" and run(place.path, place.start, place.items[:-2]).stuck_at is None:
        fix = Fix("remove the comma", (Edit(place.span(last), ""),))
        message = "a comma ends the line"
        suggestion = "a list continues over several lines only inside brackets"
        return diagnose(
            codes.superfluous_word, message, place.span(last), help=suggestion, fixes=[fix]
        )
    if place.first.text == "compare" and place.start == "statement" and "with" in place.fits:
        message = "this comparison names no test"
        suggestion = (
            "write `with TEST`, such as `mcnemar` for right and wrong answers or `permutation` for "
            "other values; `evallang list tests` lists the tests"
        )
        return diagnose(codes.missing_part, message, place.span(place.token), help=suggestion)
    if "from" in place.fits and last.kind == "TEXT" and re.search("[./]", last.text):
        gap = Span(place.path, place.items[-3].end, place.items[-3].end)
        fix = Fix("write `from`", (Edit(gap, " from"),))
        message = f"`from` is missing before {shown(last)}"
        return diagnose(codes.missing_word, message, place.span(last), fixes=[fix])
    message = f"the line ends after {shown(last)} before it is complete"
    told = _suggestion(place)
    if last.kind == "VBAR":
        told = "a `|` that goes on begins the next line, indented"
    return diagnose(codes.incomplete_line, message, place.span(place.token), help=told)


def _form(place: Place) -> str | None:
    word = place.first.text
    known = STATEMENTS.get(word) if place.start == "statement" else clause(word)
    return None if known is None else f"the form is `{known.form}`"


def _suggestion(place: Place) -> str | None:
    """List what fits, where that is little, and the form of the whole."""
    silent = {"(", "="} if "OPERATOR" in place.fits else {"("}
    silent |= {","} if takes_one_value(place.first.text) else set()
    worth_telling = sorted(set(place.fits) - silent, key=lambda s: (s == END, not s.isupper(), s))
    parts = [_KINDS.get(item, f"`{item}`") for item in worth_telling]
    told = list(filter(None, [_form(place)]))
    if 0 < len(parts) <= 5:
        told.insert(0, "expected " + " or ".join(filter(None, [", ".join(parts[:-1]), parts[-1]])))
    return "; ".join(told) or None


def shown(token: Token) -> str:
    """Show a token in a sentence."""
    if token.kind == END:
        return "the end"
    text = token.text if len(token.text) <= 40 else token.text[:39] + "…"
    return f"`{text}`"
