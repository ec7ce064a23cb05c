"""A line that does not parse in, a message in the author's words out.

A guess at what was meant is a small function in one of two tuples, with an example. Guesses
`OF_LINES` read the line again or tell what is wrong with it; guesses `OF_TOKENS` change the tokens
where the line stuck. Such a change counts when the rest of the line fits after it; the line is
then read as meant, and the change is a safe fix. The first that leads on is taken, so the
likeliest come first. A guess stays as long as somebody makes that slip: the tests run every
example, with the guess and without it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct

from evallang.diagnostics import Code, Diagnostic, Edit, Fix, diagnose
from evallang.source import Span
from evallang.spelling import closest
from evallang.syntax import codes
from evallang.syntax.language import (
    RESERVED,
    STATEMENTS,
    clause,
    declares,
    takes_one_value,
)
from evallang.syntax.line_parser import END, Prefix, Reading, Run, connectives, prefix, run
from evallang.syntax.literals import quoted, unescaped
from evallang.syntax.scanner import PUNCTUATION, Token, protocol_of_counts
from evallang.syntax.unexpected_characters import column_in_quotes

MOST_REPAIRS = 16  # in one line
MOST_ATTEMPTS = 4  # other guesses, when one makes a line that means nothing
MOST_KINDS = 2  # with more kinds of mistakes in one line, a guess is no better than none
SEEN_AHEAD = 200  # tokens that must fit after a guess; keeps long lines linear

# what a wrong guess brings about: a guess that leads here is wrong
_STRUCTURE = frozenset({"E060", "E070", "E071", "E072", "E073", "E075"})
_NOT_JOINING = frozenset({"all", "best", "true", "false", "none", "missing"})
_OF_RANGES = frozenset({"log", "loguniform", "step", "uniform"})
_OF_NAMES = frozenset({"analyze", "compare", "measure", "report"})  # no ranges are there
WORDS_ELSEWHERE = {
    "versus": "vs",
    "v": "vs",
    "using": "with",
    "via": "with",
    "to": "vs",
    "from": "in",
    "by": "step",
    **dict.fromkeys(("but", "without", "excluding", "excl", "minus"), "except"),
    **dict.fromkeys(("null", "na", "NA", "nan", "NaN", "empty"), "missing"),
}
"""Words that stand for a keyword elsewhere, and are not near it in letters."""
_SIGNS_SWAPPED = ("=", ":", "as", "from", "in", ",", "|")
_FOR_A_SIGN = ("as", "from")  # words that only `=` and `:` are mistaken for
_WORDS_INSERTED = ("=", "with", "from", "of", "as", "by", "in", "than", "to", "is", ":")


_KINDS = {
    "NAME": "a name",
    "NUMBER": "a number",
    "TEXT": "text in quotes",
    "OPERATOR": "a comparison",
    END: "the end",
}
_OF_ALL = ("pairs", "models", "classifiers", "algorithms", "methods", "learners")
_EACH = ("each", "every")
_UNNAMED = ("corrected", "adjusted", "correction")
_OPTIONS = ("folds", "inner", "outer", "rounds", "test", "times")
_LEVELS = ("at", "alpha", "level", "confidence")
_OF_CONDITIONS = {
    "not": "a negation is written `!=`, a line for each value, or `is not missing`",
    "and": "write one `where` line for each condition",
    "or": "one of several values is written `where COLUMN in [a, b]`",
    "between": "write one `where` line for each bound: `where age >= 18`, `where age <= 65`",
}


class Line(NamedTuple):
    """A line that does not parse; `at` is the token that does not fit."""

    path: str
    start: str
    tokens: Sequence[Token]
    at: int

    def run(self, tokens: Sequence[Token]) -> Run:
        """Parse other tokens in its place."""
        return run(self.path, self.start, tokens)

    def span(self, first: Token, last: Token | None = None) -> Span:
        """Return the place of a token, or of all from one to another."""
        return Span(self.path, first.start, (last or first).end)


class Change(NamedTuple):
    """Replace `removed` tokens, the one that stuck first, by `tokens`.

    `previous` is what the token before it becomes, where the two belong together.
    """

    code: Code
    message: str
    tokens: tuple[Token, ...]
    removed: int
    edit: Edit | None = None
    title: str = ""
    suggestion: str | None = None
    safe: bool = True
    previous: Token | None = None


class Place(Struct, frozen=True):
    """A token that does not fit, and what would fit (`fits`)."""

    path: str
    items: Sequence[Token]
    at: int
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

    @property
    def here(self) -> Span:
        """The place of the token."""
        return Span(self.path, self.token.start, self.token.end)

    @property
    def gap(self) -> Span:
        """The end of the token before it."""
        return Span(self.path, self.before.end, self.before.end)

    @property
    def begins_an_item(self) -> bool:
        """Whether the token may begin an item or a value."""
        return self.token.kind in ("NAME", "NUMBER", "TEXT", "LSQB", "LBRACE")


class LineGuess(NamedTuple):
    """A guess at a whole line, and a line that it reads: as written, and as it should be.

    Those `of_read_lines` look at a line too that parses and is faulty.
    """

    guess: Callable[[Line], Reading | None]
    wrong: str
    right: str
    of_read_lines: bool = False


class TokenGuess(NamedTuple):
    """A guess at a token, and a line that it corrects; behind a `final` one no other is tried."""

    guess: Callable[[Place], Iterator[Change]]
    wrong: str
    right: str
    final: bool = False


def repair_line(path: str, start: str, tokens: Sequence[Token], first: Run) -> Reading:
    """Read again a line of which `first` came, correcting what surely was meant."""
    line = Line(path, start, tokens, first.stuck_at or 0)
    is_read = first.stuck_at is None
    for known in OF_LINES:
        reading = known.guess(line) if known.of_read_lines or not is_read else None
        if reading is not None:
            return reading
    if is_read:
        return Reading(first.node, first.diagnostics)
    for skipped in range(MOST_ATTEMPTS):
        changed, found = _changed(path, start, tokens, first, skipped)
        if changed is None:
            break
        run_again = run(path, start, changed)
        if run_again.stuck_at is None and not any(
            d.code in _STRUCTURE for d in run_again.diagnostics
        ):
            return Reading(run_again.node, (*found, *run_again.diagnostics))
    return Reading(None, (_given_up(path, start, tokens, first),))


def as_model(tokens: Sequence[Token]) -> list[Token] | None:
    """Return `cnn = SVC()` and `cnn <- SVC()` as a model, so that its name is known below."""
    first, *rest = tokens
    if not rest or rest[0].text not in ("=", "<"):
        return None
    word = Token("NAME", "model", first.start, first.start)
    sign = Token("EQUAL", "=", rest[0].start, rest[0].end)
    return [word, first, sign, *rest[1:]]


def _changed(
    path: str, start: str, tokens: Sequence[Token], stuck: Run, skipped: int
) -> tuple[list[Token] | None, list[Diagnostic]]:
    """Guess again and again until the line fits or no change leads on.

    The first `skipped` changes that lead on are not taken.
    """
    end = tokens[-1].end
    items = [*tokens, Token(END, "", end, end)]
    found: list[Diagnostic] = []
    at = stuck.stuck_at or 0
    before = prefix(start, tokens[:at])
    for _ in range(MOST_REPAIRS):
        best: Change | None = None
        furthest = 0
        for change in _changes(path, items, at, before):
            ahead = items[at + change.removed : at + change.removed + SEEN_AHEAD]
            _, taken = before.advance((*change.tokens, *ahead))
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
        found.append(_told(path, best, items[at]))
        kinds = [d.code for d in found]
        if len(kinds) > MOST_KINDS and set(kinds) != {codes.MISSING_COMMA.code}:
            return None, found
        items[at : at + best.removed] = best.tokens
        if best.previous is not None:
            items[at - 1] = best.previous
        before, taken = before.advance(items[at:])
        at += taken
        if at == len(items):
            return items[:-1], found
    return None, found


def _told(path: str, change: Change, token: Token) -> Diagnostic:
    span = Span(path, token.start, max(token.end, token.start))
    fixes = []
    if change.edit is not None:
        fixes.append(Fix(change.title, (change.edit,), change.safe))
    return diagnose(change.code, change.message, span, help=change.suggestion, fixes=fixes)


def _changes(path: str, items: Sequence[Token], at: int, before: Prefix) -> Iterator[Change]:
    place = Place(path, items, at, before.expected())
    if place.first.text == "compare" and "except" in (place.token.text, place.before.text):
        return  # there the whole line has a message of its own
    for known in OF_TOKENS:
        made = False
        for change in known.guess(place):
            made = True
            yield change
        if made and known.final:
            return


# --- guesses at a token ----------------------------------------------------------------


def misspelt_word(place: Place) -> Iterator[Change]:
    """Read `wiht` as `with`, `versus` as `vs`."""
    token = place.token
    if token.kind != "NAME":
        return
    keywords = [word for word in place.fits if word.isalpha() and word.islower()]
    other = WORDS_ELSEWHERE.get(token.text)
    meant = other if other in keywords else closest(token.text, keywords)
    if meant is None and "with" in keywords and closest(token.text, ("then",)):
        meant = "with"
    if meant is not None:
        right = Token("NAME", meant, token.start, token.end)
        message = f"`{token.text}` is not known here, did you mean `{meant}`?"
        edit = Edit(place.here, meant)
        yield Change(codes.MISSPELT_WORD, message, (right,), 1, edit, f"write `{meant}`")


def and_for_comma(place: Place) -> Iterator[Change]:
    """Read `a and b` as `a, b`."""
    token = place.token
    if token.kind == "NAME" and token.text == "and" and "," in place.fits:
        comma = Token("COMMA", ",", token.start, token.end)
        edit = Edit(Span(place.path, place.before.end, token.end), ",")
        message = "the items of a list are joined by commas, not by `and`"
        yield Change(codes.MISSING_COMMA, message, (comma,), 1, edit, "write a comma")


def name_in_quotes(place: Place) -> Iterator[Change]:
    """Read `model "forest" = ...` without the quotes."""
    token = place.token
    if token.kind == "TEXT" and "NAME" in place.fits and "TEXT" not in place.fits:
        name = unescaped(token.text)
        if re.fullmatch(r"[^\W\d]\w*(?:-\w+)*", name):
            plain = Token("NAME", name, token.start, token.end)
            message = f"a name is written without quotes here: `{name}`"
            edit = Edit(place.here, name)
            yield Change(codes.QUOTES_SUPERFLUOUS, message, (plain,), 1, edit, "remove the quotes")


def module_as_a_path(place: Place) -> Iterator[Change]:
    """Read `use "lab/models.py"` as `use lab.models`."""
    token = place.token
    if place.first.text == "use" and place.at == 1 and token.kind == "TEXT":
        path = unescaped(token.text).replace("\\", "/").removeprefix("./")
        name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        if all(part.isidentifier() for part in name.split(".")):
            plain = Token("NAME", name, token.start, token.end)
            message = f"a module is written as Python imports it, without quotes: `{name}`"
            edit = Edit(place.here, name)
            yield Change(codes.QUOTES_SUPERFLUOUS, message, (plain,), 1, edit, f"write `{name}`")


def blanks_in_a_name(place: Place) -> Iterator[Change]:
    """Read `target mean radius` as one column: the clause takes no other."""
    names = place.items[1:-1]
    known = clause(place.first.text) if place.at == 2 else None
    if known is None or known.takes != "column" or place.before.text in RESERVED:
        return
    if all(item.kind == "NAME" and item.text not in ("as", "in") for item in names):
        whole = Span(place.path, names[0].start, names[-1].end)
        right = quoted(" ".join(item.text for item in names))
        message = f"a column with a space in its name is written in quotes: `{right}`"
        text = Token("TEXT", right, whole.start, whole.end)
        yield Change(
            codes.QUOTES_MISSING,
            message,
            (),
            len(names) - 1,
            Edit(whole, right),
            "add quotes",
            previous=text,
        )


def brackets_around_one_value(place: Place) -> Iterator[Change]:
    """Read `(100)` as the list `(100,)`."""
    token = place.token
    if token.kind == "RPAR" and "," in place.fits:
        comma = Token("COMMA", ",", token.start, token.start)
        yield Change(
            codes.BRACKETS_AROUND_ONE_VALUE,
            "round brackets enclose a single value",
            (comma, token),
            1,
            suggestion="write `[...]` for a list, or the value alone",
        )


def sign_before_value(place: Place) -> Iterator[Change]:
    """Read `seed = 1` and `seed: 1` as `seed 1`."""
    token, before = place.token, place.before
    keyword_alone = place.at == 1 and token.kind == "COLON"
    if (token.kind == "EQUAL" or keyword_alone) and not {"=", ":"} & set(place.fits):
        message = f"`{before.text}` is followed by its value, without `{token.text}`"
        edit = Edit(Span(place.path, before.end, max(token.end, place.after.start)), " ")
        yield Change(codes.SUPERFLUOUS, message, (), 1, edit, f"remove `{token.text}`")


def swapped_sign(place: Place) -> Iterator[Change]:
    """Read `models a = yhat` and `C in 1:10`: one sign, or one small word, for another."""
    token, before, after = place.token, place.before, place.after
    alike = [sign for sign in _SIGNS_SWAPPED if sign in place.fits]
    if token.kind not in ("EQUAL", "COLON"):
        alike = [s for s in alike if s not in _FOR_A_SIGN or (s, token.text) == ("from", "in")]
        if place.first.text == "compare" and token.kind == "OPERATOR":
            alike = []  # `a > b` says more than `a, b`
        if token.kind != "OPERATOR" and token.text != "in":
            alike = []
    bounds = before.kind == after.kind == "NUMBER"
    if ".." in place.fits and bounds and (token.kind == "COLON" or token.text == "to"):
        alike = [".."]
    for sign in alike:
        swapped = Token(PUNCTUATION.get(sign, "NAME"), sign, token.start, token.end)
        message = f"`{sign}` belongs here, not `{token.text}`"
        left = " " * (sign.isalpha() and before.end == token.start)
        right = " " * (sign.isalpha() and after.start == token.end)
        if sign == "=" and before.end == token.start < token.end < after.start:
            left = " "  # `model a: SVC`
        edit = Edit(place.here, f"{left}{sign}{right}")
        yield Change(codes.WRONG_SIGN, message, (swapped,), 1, edit, f"write `{sign}`")


def minus_for_range(place: Place) -> Iterator[Change]:
    """Read `C in 1-10` as `1..10`."""
    token, before = place.token, place.before
    to_itself = token.kind == "NUMBER" and token.text[0] == "-" and before.end == token.start
    if to_itself and before.kind == "NUMBER" and ".." in place.fits:
        stop = Token("NUMBER", token.text[1:], token.start + 1, token.end)
        sign = Span(place.path, token.start, token.start + 1)
        yield Change(
            codes.WRONG_SIGN,
            "`..` belongs here, not `-`",
            (Token("RANGE", "..", sign.start, sign.end), stop),
            1,
            Edit(sign, ".."),
            "write `..`",
        )


def step_or_log_missing(place: Place) -> Iterator[Change]:
    """Read `1..10 7` with one of the words that may be before the last number."""
    token, before = place.token, place.before
    if before.kind == token.kind == "NUMBER" and place.items[place.at - 2].text == "..":
        between = Token("NAME", "log", before.end, before.end)
        message = f"`step` or `log` is missing before {shown(token)}"
        yield Change(codes.MISSING_WORD, message, (between, token), 1)


def comma_missing(place: Place) -> Iterator[Change]:
    """Read `accuracy f1` as `accuracy, f1`."""
    token, before, first = place.token, place.before, place.first
    joining = connectives() - _NOT_JOINING
    if first.text in _OF_NAMES:
        joining -= _OF_RANGES
    if not place.begins_an_item or "," not in place.fits or {token.text, before.text} & joining:
        return
    if takes_one_value(first.text) or _lacks_its_sign(place):
        return
    comma = Token("COMMA", ",", before.end, before.end)
    message = f"a comma is missing between {shown(before)} and {shown(token)}"
    doubtful = first.text == "compare" and place.after.text == "with"
    suggestion = None
    if doubtful:
        suggestion = "models are joined by commas, a correction comes after the test"
    misspelt_in = "in" in place.fits and token.kind == "NAME" and place.after.kind == "TEXT"
    safe = not (doubtful or misspelt_in) and _joins_items(place)
    edit = Edit(place.gap, ",")
    yield Change(
        codes.MISSING_COMMA, message, (comma, token), 1, edit, "write a comma", suggestion, safe
    )


def quotes_missing(place: Place) -> Iterator[Change]:
    """Read `from visits` as `from "visits"`."""
    token = place.token
    is_text = "TEXT" in place.fits and "NAME" not in place.fits
    if token.kind == "NAME" and is_text and token.text not in connectives():
        right = quoted(token.text)
        text = Token("TEXT", right, token.start, token.end)
        message = f"write text in quotes: `{right}`"
        safe = place.before.text != "from" or bool(re.search("[./]", right))
        edit = Edit(place.here, right)
        yield Change(codes.QUOTES_MISSING, message, (text,), 1, edit, "add quotes", safe=safe)


def word_missing(place: Place) -> Iterator[Change]:
    """Read `compare a, b mcnemar` with `with`, `C 1` with `=`."""
    token, before = place.token, place.before
    if not place.begins_an_item or token.text in ("vs", "not"):
        return
    for word in _WORDS_INSERTED:
        if word in place.fits and (place.at > 1 or word in ("by", "is")):
            kind = PUNCTUATION.get(word, "NAME")
            inserted = Token(kind, word, before.end, before.end)
            message = f"`{word}` is missing before {shown(token)}"
            edit = Edit(place.gap, f" {word}")
            safe = word != "by" or token.kind == "NUMBER"  # else it may be a lost comma
            safe = safe and word != "of"  # `require cnn accuracy`: they change places
            title = f"write `{word}`"
            yield Change(codes.MISSING_WORD, message, (inserted, token), 1, edit, title, safe=safe)


LABELS = (
    'write a label after a name, as in `model NAME "LABEL" = ...` or `data NAME "LABEL" from ...`; '
    "other lines have no label"
)


def superfluous_token(place: Place) -> Iterator[Change]:
    """Read the line without the token."""
    token, before, first = place.token, place.before, place.first
    negates = first.text in ("where", "features") and "not" in (token.text, before.text)
    if token.kind == END or negates:
        return
    twice = token.text == before.text and token.kind == before.kind
    message = f"{shown(token)} is written twice" if twice else f"unexpected {shown(token)}"
    edit = Edit(Span(place.path, before.end, token.end), "")
    of_comparison = token.kind == "COMMA" and first.text == "compare"
    suggestion = None
    if of_comparison:
        suggestion = "a line has one test, and one after `then`: write a line for each"
    elif token.kind == "TEXT":
        suggestion = LABELS
    elif token.text.endswith("%"):
        suggestion = "the level of all intervals is written once: `confidence 95%` below `study`"
    safe = twice or (token.kind == "COMMA" and not of_comparison)
    known = STATEMENTS.get(first.text) or clause(first.text)
    if suggestion is None and known is not None and not safe:
        suggestion = f"the form is `{known.form}`"
    title = f"remove {shown(token)}"
    yield Change(codes.SUPERFLUOUS, message, (), 1, edit, title, suggestion, safe)


def _joins_items(place: Place) -> bool:
    """Return whether a comma is all that is lost: in a call an argument has its name too."""
    if place.first.text not in ("let", "model") or place.after.text in ("=", "in"):
        return True
    depth = 0
    for token in reversed(place.items[: place.at]):
        depth += (token.text in (")", "]", "}")) - (token.text in ("(", "[", "{"))
        if depth < 0:
            return token.text != "("
    return True


def _lacks_its_sign(place: Place) -> bool:
    """Return whether `C 1` in a call is a parameter and its value."""
    named = place.before.kind == "NAME" and place.token.kind in ("NUMBER", "TEXT")
    return "=" in place.fits and named and not _joins_items(place)


OF_TOKENS = (
    TokenGuess(misspelt_word, "compare a, b wiht mcnemar", "compare a, b with mcnemar"),
    TokenGuess(and_for_comma, "measure accuracy and f1", "measure accuracy, f1"),
    TokenGuess(name_in_quotes, 'model "forest" = SVC', "model forest = SVC"),
    TokenGuess(module_as_a_path, 'use "lab/models.py"', "use lab.models"),
    TokenGuess(
        blanks_in_a_name,
        "data d from sklearn iris\n  target mean radius",
        'data d from sklearn iris\n  target "mean radius"',
    ),
    TokenGuess(
        brackets_around_one_value,
        "model m = MLPClassifier(hidden_layer_sizes=(100))",
        "model m = MLPClassifier(hidden_layer_sizes=[100])",
        final=True,
    ),
    TokenGuess(sign_before_value, "study\n  seed = 1", "study\n  seed 1"),
    TokenGuess(
        swapped_sign,
        'predictions p from "p.csv"\n  models a = yhat',
        'predictions p from "p.csv"\n  models a as yhat',
    ),
    TokenGuess(minus_for_range, "model m = SVC(C in 1-10)", "model m = SVC(C in 1..10)"),
    TokenGuess(
        step_or_log_missing,
        "model m = SVC(C in 1..10 7)",
        "model m = SVC(C in 1..10 log 7)",
        final=True,
    ),
    TokenGuess(comma_missing, "measure accuracy f1", "measure accuracy, f1"),
    TokenGuess(quotes_missing, "include lab.eval", 'include "lab.eval"'),
    TokenGuess(word_missing, "compare a, b mcnemar", "compare a, b with mcnemar"),
    TokenGuess(superfluous_token, "measure accuracy,, f1", "measure accuracy, f1"),
)
"""The guesses at a token, the likeliest first."""


# --- guesses at a line -----------------------------------------------------------------


def doubled_word(line: Line) -> Reading | None:
    """Read `with with mcnemar` with one of the two."""
    for at in range(1, len(line.tokens)):
        before, token = line.tokens[at - 1 : at + 1]
        if token.text not in RESERVED or (token.kind, token.text) != (before.kind, before.text):
            continue
        again = line.run([*line.tokens[:at], *line.tokens[at + 1 :]])
        if again.stuck_at is None and not again.diagnostics:
            edit = Edit(Span(line.path, before.end, token.end), "")
            found = diagnose(
                codes.SUPERFLUOUS,
                f"{shown(token)} is written twice",
                line.span(token),
                fixes=[Fix(f"remove {shown(token)}", (edit,))],
            )
            return Reading(again.node, (found,))
    return None


def bracketed_options(line: Line) -> Reading | None:
    """Read `protocol cv(folds=10)` as `protocol cv folds=10`."""
    path, tokens, at = line.path, line.tokens, line.at
    inside = tokens[0].text == "protocol" and 1 < at < len(tokens) and tokens[at].kind == "LPAR"
    if not inside or tokens[-1].kind != "RPAR" or len(tokens) - at < 2:
        return None
    again = line.run([*tokens[:at], *(t for t in tokens[at + 1 : -1] if t.kind != "COMMA")])
    if again.stuck_at is not None:
        return None
    edits = []
    for before, sign, after in zip(tokens[at - 1 :], tokens[at:], tokens[at + 1 :], strict=False):
        if sign.kind in ("COMMA", "LPAR"):
            apart = before.end < sign.start or sign.end < after.start
            edits.append(Edit(line.span(sign), "" if apart else " "))
    edits.append(Edit(line.span(tokens[-1]), ""))
    found = diagnose(
        codes.SUPERFLUOUS,
        "the options of a protocol come after it without brackets",
        Span(path, tokens[at].start, tokens[-1].end),
        help="write them as in `cv folds=10`",
        fixes=[Fix("remove the brackets", tuple(edits))],
    )
    return Reading(again.node, (found, *again.diagnostics))


def options_beside(line: Line) -> Reading | None:
    """Read `model m = SVC C=1` as `model m = SVC(C=1)`."""
    tokens, at = line.tokens, line.at
    if tokens[0].text not in ("model", "let") or not 0 < at < len(tokens) - 1:
        return None
    owner, first, sign = tokens[at - 1 : at + 2]
    if owner.kind != "NAME" or first.kind != "NAME" or not {sign.text} & {"=", "in"}:
        return None
    end = next((i for i in range(at, len(tokens)) if tokens[i].kind == "VBAR"), len(tokens))
    inside, last = tokens[at:end], tokens[end - 1]
    opening = Token("LPAR", "(", owner.end, owner.end)
    closing = Token("RPAR", ")", last.end, last.end)
    again = line.run([*tokens[:at], opening, *inside, closing, *tokens[end:]])
    if again.stuck_at is not None:
        return None
    edits = (
        Edit(Span(line.path, owner.end, first.start), "("),
        Edit(Span(line.path, last.end, last.end), ")"),
    )
    found = diagnose(
        codes.UNEXPECTED_TEXT,
        f"options are written in brackets: `{owner.text}({_spelled(inside)})`",
        line.span(first, last),
        fixes=[Fix("add the brackets", edits)],
    )
    return Reading(again.node, (found, *again.diagnostics))


def comma_before_a_word(line: Line) -> Reading | None:
    """Read `compare a, b, with mcnemar` without its last comma."""
    tokens = line.tokens
    for index in (line.at - 1, line.at - 2):
        if index < 1 or index + 1 >= len(tokens) or tokens[index].kind != "COMMA":
            continue
        if tokens[index + 1].text not in connectives():
            continue
        again = line.run([*tokens[:index], *tokens[index + 1 :]])
        if again.stuck_at is None:
            edit = Edit(Span(line.path, tokens[index - 1].end, tokens[index].end), "")
            found = diagnose(
                codes.SUPERFLUOUS,
                "unexpected `,`",
                line.span(tokens[index]),
                fixes=[Fix("remove `,`", (edit,))],
            )
            return Reading(again.node, (found, *again.diagnostics))
    return None


def text_without_quotes(line: Line) -> Reading | None:
    """Read `author Jane Doe` as `author "Jane Doe"`."""
    head, *words = line.tokens
    takes_text = head.text == "study"
    if line.start == "clause":
        known = clause(head.text)
        takes_text = known is not None and known.takes == "text"
    if not takes_text or len(words) < 2 or any(word.kind == "TEXT" for word in words):
        return None
    text = words[0].text
    for before, word in pairwise(words):
        text += " " * (word.start > before.end) + word.text
    right = quoted(text)
    place = line.span(words[0], words[-1])
    again = line.run([head, Token("TEXT", right, place.start, place.end)])
    fix = Fix("add quotes", (Edit(place, right),))
    message = f"write text in quotes: `{right}`"
    return Reading(again.node, (diagnose(codes.QUOTES_MISSING, message, place, fixes=[fix]),))


def quoted_keys(line: Line) -> Reading | None:
    """Read `SVC("C"=1)` as `SVC(C=1)`."""
    tokens, at = line.tokens, line.at
    if at >= len(tokens) or tokens[at].kind != "EQUAL" or tokens[at - 1].kind != "TEXT":
        return None
    plain, found = list(tokens), []
    for place, (key, sign) in enumerate(pairwise(tokens)):
        name = unescaped(key.text) if key.kind == "TEXT" else ""
        if sign.kind != "EQUAL" or not name.isidentifier():
            continue
        plain[place] = Token("NAME", name, key.start, key.end)
        message = f"a name is written without quotes here: `{name}`"
        fix = Fix("remove the quotes", (Edit(line.span(key), name),))
        found.append(diagnose(codes.QUOTES_SUPERFLUOUS, message, line.span(key), fixes=[fix]))
    again = line.run(plain)
    return Reading(again.node, (*found, *again.diagnostics)) if again.stuck_at is None else None


def name_missing(line: Line) -> Reading | None:
    """Report the lack of a name in `data from "d.csv"`."""
    tokens = line.tokens
    if not declares(tokens[0].text) or [t.text for t in tokens[1:2]] != ["from"]:
        return None
    if len(tokens) > 2 and tokens[2].text == "from":
        return None
    suggestion = f"the form is `{STATEMENTS[tokens[0].text].form}`"
    return _unread(line.span(tokens[1]), "a name is missing before `from`", suggestion)


def reserved_word(line: Line) -> Reading | None:
    """Report a word of the language if the line is right with a name in its place."""
    tokens = line.tokens
    for index in (line.at - 1, line.at):
        if not 0 < index < len(tokens) or tokens[index].text not in RESERVED:
            continue
        word = tokens[index]
        renamed = Token("NAME", "\x00", word.start, word.end)
        if line.run([*tokens[:index], renamed, *tokens[index + 1 :]]).stuck_at is None:
            suggestion = "choose another name; a column of this name is written in quotes"
            if tokens[0].text == "features" and word.text == "all":
                suggestion = (
                    "without this clause all columns are features; `features all except A` "
                )
                suggestion += "skips some"
            message = f"`{word.text}` is a word of the language and cannot be a name"
            found = diagnose(codes.RESERVED_WORD, message, line.span(word), help=suggestion)
            return Reading(None, (found,))
    return None


def clause_beside(line: Line) -> Reading | None:
    """Report a clause that is on the line of its statement: `study "T" seed 3`."""
    tokens, at = line.tokens, line.at
    if line.start != "statement" or not 0 < at < len(tokens):
        return None
    head, token = tokens[0].text, tokens[at]
    if head not in STATEMENTS or token.text not in STATEMENTS[head].clauses:
        return None
    parts = (("statement", tokens[:at]), ("clause", tokens[at:]))
    if any(run(line.path, *part).stuck_at is not None for part in parts):
        return None
    edit = Edit(Span(line.path, tokens[at - 1].end, token.start), "\n  ")
    found = diagnose(
        codes.UNEXPECTED_TEXT,
        f"`{token.text}` is a clause of `{head}`; write it on an indented line below",
        line.span(token),
        fixes=[Fix("begin a line", (edit,))],
    )
    return Reading(None, (found,))


def number_alone(line: Line) -> Reading | None:
    """Report the number in `protocol cv 10`, `10 fold cv` and `cv(10)`."""
    tokens, at = line.tokens, line.at
    if tokens[0].text != "protocol" or at >= len(tokens):
        return None
    token = tokens[at + 1] if tokens[at].kind == "LPAR" else tokens[at]
    if token.kind != "NUMBER":
        return None
    suggestion = "write it as in `cv folds=10` or `repeated holdout times=50 test=1/3`"
    words, counts = [one.text for one in tokens[1:at]], token.text.isdecimal()
    if not words:
        if counts and tokens[at + 1 : at + 2] and tokens[at + 1].text.startswith("fold"):
            suggestion = f"write `cv folds={token.text}`"
    elif "=" not in words:
        if counts and words[-1] == "cv":
            meant = protocol_of_counts(words, *_counts_joined(tokens[tokens.index(token) :]))
        elif words[-1] in _OPTIONS:
            meant = f"{' '.join(words)}={token.text}"
        else:
            meant = f"{' '.join(words)} {'OPTION' if counts else 'test'}={_test_share(token.text)}"
        suggestion = f"write `{meant}`"
        if "OPTION" in meant:
            suggestion += "; `evallang list protocols` shows the options"
    message = f"{shown(token)} lacks the name of its option"
    return _unread(line.span(token), message, suggestion)


def _counts_joined(tokens: Sequence[Token]) -> list[str]:
    """Return the first number, and the second of `5 by 2`, `5 x 2` and `5, 2`."""
    first, *rest = (one.text for one in tokens[:3])
    two = len(rest) == 2 and rest[0] in ("by", "x", "times", ",") and rest[1].isdecimal()
    return [first, rest[1]] if two else [first]


def _test_share(number: str) -> str:
    """Return the share that is tested of the one in `holdout 80/20`; another number as it is."""
    train, _, test = number.partition("/")
    return f"{test}%" if test and int(train) + int(test) == 100 else number


def pairs_of_all(line: Line) -> Reading | None:
    """Report the noun in `compare all pairs`, and a correction without a name."""
    tokens, at = line.tokens, line.at
    if tokens[0].text != "compare" or not 0 < at < len(tokens):
        return None
    token, words = tokens[at], [one.text for one in tokens]
    if token.text in _UNNAMED and "with" not in words:
        suggestion = "name test and correction, as in `with mcnemar holm`"
        return _unread(line.span(token), f"`{token.text}` names no correction", suggestion)
    each = words[1] in _EACH
    if at != 2 or not (each or words[1] == "all") or token.text.rstrip("s") + "s" not in _OF_ALL:
        return None
    message = (
        f"`{words[1]} {token.text}` is written `all`"
        if each
        else f"`all` is all {token.text} already"
        if token.text != "pairs"
        else "`all` compares all pairs already"
    )
    rest = " ".join(words[3:]) or "with TEST"
    return _unread(line.span(token), message, f"write `compare all {rest}`")


def level_of_a_test(line: Line) -> Reading | None:
    """Report the level in `compare a, b with mcnemar at 95%`."""
    tokens, at = line.tokens, line.at
    at += at < len(tokens) and tokens[at].text in _LEVELS
    if tokens[0].text != "compare" or at >= len(tokens):
        return None
    before, token = tokens[at - 1 : at + 1]
    if token.kind != "NUMBER" or before.text not in _LEVELS:
        return None
    suggestion = (
        "the level of all tests is written once, as in `alpha 0.05` below `study`; `at` belongs "
    )
    suggestion += "to `require`"
    message = f"a comparison takes no level, and here is `{before.text} {token.text}`"
    return _unread(line.span(before, token), message, suggestion)


def model_of_a_column(line: Line) -> Reading | None:
    """Read `model a as yhat` below `predictions` or `scores` as `models a as yhat`."""
    first, *rest = line.tokens
    if line.start != "clause" or first.text != "model" or "as" not in (t.text for t in rest):
        return None
    again = line.run([Token(first.kind, "models", first.start, first.end), *rest])
    if again.stuck_at is not None:
        return None
    message = "`model` names a column of models, and `models` the models with their columns"
    fix = Fix("write `models`", (Edit(line.span(first), "models"),))
    found = diagnose(codes.MISSPELT_CLAUSE, message, line.span(first), fixes=[fix])
    return Reading(again.node, (found, *again.diagnostics))


def compared_outcomes(line: Line) -> Reading | None:
    """Report the comparison in `correct a as answer = "C"`."""
    tokens, at = line.tokens, line.at
    if tokens[0].text != "correct" or not 2 < at < len(tokens):
        return None
    if tokens[at].kind not in ("EQUAL", "OPERATOR") or tokens[at - 2].text != "as":
        return None
    column = tokens[at - 1].text
    suggestion = f"write a column into the file that is 1 where `{column}` is right and 0 elsewhere"
    suggestion += f", and name it; if `{column}` has answers, write `truth COLUMN` and `models`"
    message = "`correct` takes a column of right and wrong, not a comparison"
    found = _unread(line.span(tokens[at], tokens[-1]), message, suggestion)
    return Reading(line.run(tokens[:at]).node, found.diagnostics)


def _unread(span: Span, message: str, suggestion: str) -> Reading:
    return Reading(None, (diagnose(codes.UNEXPECTED_TEXT, message, span, help=suggestion),))


OF_LINES = (
    LineGuess(doubled_word, "tune by by accuracy", "tune by accuracy", of_read_lines=True),
    LineGuess(bracketed_options, "protocol cv(folds=10)", "protocol cv folds=10"),
    LineGuess(options_beside, "model m = SVC C=1, tol=0.1", "model m = SVC(C=1, tol=0.1)"),
    LineGuess(comma_before_a_word, "compare a, b, with mcnemar", "compare a, b with mcnemar"),
    LineGuess(text_without_quotes, "study\n  author Jane Doe", 'study\n  author "Jane Doe"'),
    LineGuess(quoted_keys, 'model m = SVC("C"=1)', "model m = SVC(C=1)"),
    LineGuess(name_missing, 'data from "d.csv"', 'data d from "d.csv"'),
    LineGuess(reserved_word, "compare on, b with mcnemar", "compare online, b with mcnemar"),
    LineGuess(clause_beside, 'study "T" seed 3', 'study "T"\n  seed 3'),
    LineGuess(number_alone, "protocol cv 10", "protocol cv folds=10"),
    LineGuess(pairs_of_all, "compare all pairs with mcnemar", "compare all with mcnemar"),
    LineGuess(
        level_of_a_test,
        "compare a, b with mcnemar at 95%",
        "study\n  alpha 0.05\n\ncompare a, b with mcnemar",
    ),
    LineGuess(
        model_of_a_column,
        'predictions p from "p.csv"\n  truth y\n  model a as yhat',
        'predictions p from "p.csv"\n  truth y\n  models a as yhat',
    ),
    LineGuess(
        compared_outcomes,
        'predictions p from "p.csv"\n  correct a as answer = "C"',
        'predictions p from "p.csv"\n  correct a as a_is_right',
    ),
)
"""The guesses at a whole line, the likeliest first."""


# --- lines that no guess corrects ------------------------------------------------------


def _given_up(path: str, start: str, tokens: Sequence[Token], stuck: Run) -> Diagnostic:
    """Report the word in the way, and the form of the whole."""
    at = stuck.stuck_at or 0
    fits = prefix(start, tokens[:at]).expected()
    before = tokens[at - 1]
    if at == len(tokens):
        return _incomplete(path, start, tokens, fits)
    token = tokens[at]
    span = Span(path, token.start, token.end)
    if ".." in (before.text, token.text) and "NAME" in (before.kind, token.kind):
        name = before if before.kind == "NAME" else token
        return diagnose(
            codes.RANGE_OF_NAMES,
            f"a range takes numbers, not `{name.text}`",
            Span(path, name.start, name.end),
            help="write the number itself",
        )
    message = f"{shown(token)} does not fit here"
    advice = (habit.advice(Misfit(tokens, at)) for habit in HABITS)
    known = next((text for text in advice if text is not None), None)
    suggestion = known or _suggestion(start, tokens, fits)
    return diagnose(codes.UNEXPECTED_TEXT, message, span, help=suggestion)


class Misfit(NamedTuple):
    """The token of a line that does not fit, with its neighbours."""

    tokens: Sequence[Token]
    at: int

    @property
    def word(self) -> str:
        """The first word of the line."""
        return self.tokens[0].text

    @property
    def before(self) -> Token:
        """The token before it."""
        return self.tokens[self.at - 1]

    @property
    def token(self) -> Token:
        """The token that does not fit."""
        return self.tokens[self.at]

    @property
    def after(self) -> Token:
        """The token after it, or itself where it is the last."""
        return self.tokens[min(self.at + 1, len(self.tokens) - 1)]


def _spelled(tokens: Sequence[Token]) -> str:
    """Return the text of a line as written, from its first token on."""
    text = ""
    for token in tokens:
        text += " " * (token.start - tokens[0].start - len(text)) + token.text
    return text


class Habit(NamedTuple):
    """What to write for what is right in other languages, and a line: as written, as meant."""

    advice: Callable[[Misfit], str | None]
    wrong: str
    right: str


def column_with_brackets(misfit: Misfit) -> str | None:
    """Advise on `features CRP (mg)`."""
    tokens, token = misfit.tokens, misfit.token
    if token.kind not in ("LPAR", "LSQB"):
        return None
    column = column_in_quotes(_spelled(tokens), token.start - tokens[0].start)
    if column is None:
        return None
    return f"a column name with special characters is written in quotes: `{column}`"


def condition(misfit: Misfit) -> str | None:
    """Advise on `where a = 1 and b = 2`, `or`, `not` and `between`."""
    if misfit.word != "where":
        return None
    negated = misfit.before.text == "not"
    return _OF_CONDITIONS.get("not" if negated else misfit.token.text, "")


def second_clause(misfit: Misfit) -> str | None:
    """Advise on `seed 1 alpha 0.05`."""
    if takes_one_value(misfit.word) and clause(misfit.token.text) is not None:
        return f"`{misfit.token.text}` begins a line of its own"
    return None


def features_not(misfit: Misfit) -> str | None:
    """Advise on `features not a`."""
    if misfit.word == "features" and misfit.before.text == "not":
        return f"write `features all except {misfit.token.text}`"
    return None


def directed_comparison(misfit: Misfit) -> str | None:
    """Advise on `compare a > b`."""
    if misfit.word == "compare" and misfit.token.kind == "OPERATOR":
        return "write `vs`; a direction is an option of the test: `mcnemar(alternative=greater)`"
    return None


def claim_by_a_sign(misfit: Misfit) -> str | None:
    """Advise on `require a > b` and `require accuracy >= 80%`."""
    if misfit.word != "require" or misfit.at != 2:
        return None
    if misfit.token.kind not in ("OPERATOR", "EQUAL"):
        return None
    first, other = misfit.before.text, misfit.after
    if other.kind == "NAME":
        return f"write `require {first} better than {other.text}`, or the other way round"
    return f"write `require METRIC of MODEL >= {other.text}`"


def worse_than(misfit: Misfit) -> str | None:
    """Advise on `require a worse than b`."""
    if misfit.word == "require" and misfit.token.text == "worse":
        return "write `not worse than`, or say which one is better"
    return None


def decimal_comma(misfit: Misfit) -> str | None:
    """Advise on `0,05` and `1,000`."""
    before, token, after = misfit.before, misfit.token, misfit.after
    touching = before.end == token.start and token.end == after.start
    if token.kind != "COMMA" or not before.kind == after.kind == "NUMBER" or not touching:
        return None
    grouped = f", thousands are grouped by `_`: `{before.text}_{after.text}`"
    suggestion = f"decimals come after a point: `{before.text}.{after.text}`"
    return suggestion + grouped * (len(after.text) == 3)


def list_in_round_brackets(misfit: Misfit) -> str | None:
    """Advise on `measure (accuracy, f1)`."""
    lists = misfit.word in ("compare", "measure", "report")
    if lists and misfit.token.kind == "LPAR" and misfit.at == 1:
        return f"the names after `{misfit.word}` are separated by commas, or in `[ ]`"
    return None


def models_except(misfit: Misfit) -> str | None:
    """Advise on `compare all except a`."""
    if misfit.word == "compare" and "except" in (misfit.before.text, misfit.token.text):
        return "name the models that are compared: `compare a, b with TEST`"
    return None


def chained_pairs(misfit: Misfit) -> str | None:
    """Advise on `compare a vs b vs c`."""
    if misfit.word == "compare" and misfit.token.text == "vs":
        return "pairs are joined by commas, as in `a vs b, b vs c`"
    return None


def option_without_brackets(misfit: Misfit) -> str | None:
    """Advise on `compare a, b with permutation rounds=500`."""
    if misfit.word not in ("compare", "measure", "analyze") or misfit.token.kind != "EQUAL":
        return None
    if misfit.before.text in _LEVELS:
        return "the level is written once for the study: `alpha 0.05` below `study`"
    return "options are written in brackets after their word, as in `mcnemar(exact)`"


HABITS = (
    Habit(
        column_with_brackets,
        'data d from "d.csv"\n  features age, CRP (mg)',
        'data d from "d.csv"\n  features age, "CRP (mg)"',
    ),
    Habit(
        condition,
        'data d from "d.csv"\n  where a = 1 and b = 2',
        'data d from "d.csv"\n  where a = 1\n  where b = 2',
    ),
    Habit(second_clause, "study\n  seed 1 alpha 0.05", "study\n  seed 1\n  alpha 0.05"),
    Habit(
        features_not,
        'data d from "d.csv"\n  features not a',
        'data d from "d.csv"\n  features all except a',
    ),
    Habit(directed_comparison, "compare a > b with mcnemar", "compare a vs b with mcnemar"),
    Habit(claim_by_a_sign, "require a > b", "require a better than b"),
    Habit(worse_than, "require a worse than b by 2%", "require b not worse than a by 2%"),
    Habit(decimal_comma, "require accuracy of a >= 0,85", "require accuracy of a >= 0.85"),
    Habit(list_in_round_brackets, "measure (accuracy, f1)", "measure accuracy, f1"),
    Habit(models_except, "compare all except a with mcnemar", "compare b, c with mcnemar"),
    Habit(chained_pairs, "compare a vs b vs c with mcnemar", "compare a vs b, b vs c with mcnemar"),
    Habit(
        option_without_brackets,
        "compare a, b with permutation rounds=500",
        "compare a, b with permutation(rounds=500)",
    ),
)
"""The habits of other languages, the most special first."""


def _incomplete(path: str, start: str, tokens: Sequence[Token], fits: Sequence[str]) -> Diagnostic:
    last = tokens[-1]
    if last.kind == "COMMA":
        span = Span(path, last.start, last.end)
        if run(path, start, tokens[:-1]).stuck_at is None:
            fix = Fix("remove the comma", (Edit(span, ""),))
            message = "a comma ends the line"
            suggestion = "a list continues over several lines only inside brackets"
            return diagnose(codes.SUPERFLUOUS, message, span, help=suggestion, fixes=[fix])
    span = Span(path, last.end, last.end)
    if tokens[0].text == "compare" and start == "statement" and "with" in fits:
        message = "this comparison names no test"
        suggestion = "write `with TEST`; `evallang list tests` lists the tests"
        return diagnose(codes.MISSING_PART, message, span, help=suggestion)
    if "from" in fits and last.kind == "TEXT" and re.search("[./]", last.text):
        gap = Span(path, tokens[-2].end, tokens[-2].end)
        fix = Fix("write `from`", (Edit(gap, " from"),))
        message = f"`from` is missing before {shown(last)}"
        place = Span(path, last.start, last.end)
        return diagnose(codes.MISSING_WORD, message, place, fixes=[fix])
    message = f"the line ends after {shown(last)} before it is complete"
    if last.kind == "VBAR":
        suggestion = "a `|` that goes on begins the next line, indented"
        return diagnose(codes.INCOMPLETE_LINE, message, span, help=suggestion)
    return diagnose(codes.INCOMPLETE_LINE, message, span, help=_suggestion(start, tokens, fits))


def _suggestion(start: str, tokens: Sequence[Token], fits: Sequence[str]) -> str | None:
    """List what fits, where that is little, and the form of the whole."""
    word = tokens[0].text
    known = STATEMENTS.get(word) if start == "statement" else clause(word)
    form = None if known is None else known.form
    silent = {"(", "="} if "OPERATOR" in fits else {"("}
    silent |= {","} if takes_one_value(word) else set()
    worth_telling = sorted(set(fits) - silent, key=_weight_of)
    parts = [_KINDS.get(item, f"`{item}`") for item in worth_telling]
    told = []
    if 0 < len(parts) <= 5:
        told.append(
            "expected " + (" or ".join([", ".join(parts[:-1])] * (len(parts) > 1) + parts[-1:]))
        )
    if form is not None:
        told.append(f"the form is `{form}`")
    return "; ".join(told) or None


def _weight_of(symbol: str) -> tuple[bool, bool, str]:
    return (symbol == END, not symbol.isupper(), symbol)


def shown(token: Token) -> str:
    """Show a token in a sentence."""
    if token.kind == END:
        return "the end"
    text = token.text if len(token.text) <= 40 else token.text[:39] + "…"
    return f"`{text}`"
