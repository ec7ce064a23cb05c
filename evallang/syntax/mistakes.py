"""A line that does not parse in, a message in the author's words out.

Each guess at what was meant is a small change of the tokens. A guess counts when the rest
of the line fits after it; the line is then read as meant, and the change is a safe fix.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from evallang.diagnostics import Code, Diagnostic, Edit, Fix, diagnose
from evallang.source import Span
from evallang.spelling import closest
from evallang.syntax import codes
from evallang.syntax.lalr import END, Run, advance, expected, run
from evallang.syntax.language import CONNECTIVES, RESERVED, clause, takes_one_value
from evallang.syntax.literals import quoted, unescaped
from evallang.syntax.lost_commas import comma_before_a_word
from evallang.syntax.past_mending import (
    clause_beside,
    given_up,
    level_of_a_test,
    nameless,
    number_alone,
    reserved_word,
    shown,
)
from evallang.syntax.protocol_options import bracketed_options
from evallang.syntax.quotes import quoted_keys, text_without_quotes
from evallang.syntax.scanner import PUNCTUATION, Token

MOST_REPAIRS = 16  # in one line
MOST_ATTEMPTS = 4  # other guesses, when one makes a line that means nothing
MOST_KINDS = 2  # with more kinds of mistakes in one line, a guess is no better than none
SEEN_AHEAD = 200  # tokens that must fit after a guess; keeps long lines linear

# what a wrong guess brings about: a guess that leads here is none
_STRUCTURE = frozenset({"E060", "E070", "E071", "E072", "E073", "E075"})
_JOINING = CONNECTIVES - {"all", "best", "true", "false", "none", "missing", "common"}
_OF_RANGES = frozenset({"log", "loguniform", "step", "uniform"})
_OF_NAMES = frozenset({"analyze", "compare", "measure", "report"})  # no ranges stand there
SAID_ELSEWHERE = {
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


class Reading(NamedTuple):
    """What a line was read as: its node, if any, and what was found in it."""

    node: Any
    diagnostics: tuple[Diagnostic, ...]


class Guess(NamedTuple):
    """Replace `removed` tokens, the one that stuck first, by `tokens`.

    `before` is what the token before it becomes, where the two belong together.
    """

    code: Code
    message: str
    tokens: tuple[Token, ...]
    removed: int
    edit: Edit | None = None
    title: str = ""
    way_out: str | None = None
    safe: bool = True
    before: Token | None = None


def read_line(path: str, start: str, tokens: Sequence[Token]) -> Reading:
    """Parse a line as a `statement` or a `clause`, mending what surely was meant."""
    first = run(path, start, tokens)
    doubled = _doubled(path, start, tokens, first)
    if doubled is not None:
        return doubled
    if first.stuck_at is None:
        return Reading(first.node, first.diagnostics)
    bracketed = bracketed_options(path, start, tokens, first.stuck_at)
    if bracketed is not None:
        return Reading(*bracketed)
    lost = comma_before_a_word(path, start, tokens, first.stuck_at)
    if lost is not None:
        return Reading(*lost)
    requoted = text_without_quotes(path, start, tokens) or quoted_keys(
        path, start, tokens, first.stuck_at
    )
    if requoted is not None:
        return Reading(*requoted)
    known = (
        nameless(path, tokens)
        or reserved_word(path, start, tokens, first.stuck_at)
        or clause_beside(path, start, tokens, first.stuck_at)
        or number_alone(path, tokens, first.stuck_at)
        or level_of_a_test(path, tokens, first.stuck_at)
    )
    if known is not None:
        return Reading(None, (known,))
    for skipped in range(MOST_ATTEMPTS):
        mended, found = _mend(path, tokens, first, skipped)
        if mended is None:
            break
        again = run(path, start, mended)
        if again.stuck_at is None and not any(d.code in _STRUCTURE for d in again.diagnostics):
            return Reading(again.node, (*found, *again.diagnostics))
    return Reading(None, (given_up(path, start, tokens, first),))


def given_a_value(path: str, tokens: Sequence[Token]) -> Reading | None:
    """Read `cnn = SVC()` and `cnn <- SVC()` as a model, so that its name is known below."""
    first, *rest = tokens
    if not rest or rest[0].text not in ("=", "<"):
        return None
    word = Token("NAME", "model", first.start, first.start)
    sign = Token("EQUAL", "=", rest[0].start, rest[0].end)
    return read_line(path, "statement", [word, first, sign, *rest[1:]])


def _mend(
    path: str, tokens: Sequence[Token], stuck: Run, skipped: int
) -> tuple[list[Token] | None, list[Diagnostic]]:
    """Guess again and again until the line fits or no guess leads on.

    The first `skipped` guesses that lead on are left out.
    """
    end = tokens[-1].end
    items = [*tokens, Token(END, "", end, end)]
    found: list[Diagnostic] = []
    at, stack = stuck.stuck_at or 0, list(stuck.stack)
    for _ in range(MOST_REPAIRS):
        best: Guess | None = None
        furthest = 0
        for guess in _guesses(path, items, at, stack):
            ahead = items[at + guess.removed : at + guess.removed + SEEN_AHEAD]
            _, taken = advance(stack, (*guess.tokens, *ahead))
            if taken == len(guess.tokens) + len(ahead):
                if skipped:
                    skipped -= 1
                    continue
                best = guess
                break
            progress = taken - max(0, len(guess.tokens) - 1)
            if progress > furthest:
                best, furthest = guess, progress
        if best is None:
            return None, found
        found.append(_told(path, best, items[at]))
        kinds = [d.code for d in found]
        if len(kinds) > MOST_KINDS and set(kinds) != {codes.MISSING_COMMA.code}:
            return None, found
        items[at : at + best.removed] = best.tokens
        if best.before is not None:
            items[at - 1] = best.before
        stack, taken = advance(stack, items[at:])
        at += taken
        if at == len(items):
            return items[:-1], found
    return None, found


def _told(path: str, guess: Guess, token: Token) -> Diagnostic:
    span = Span(path, token.start, max(token.end, token.start))
    fixes = []
    if guess.edit is not None:
        fixes.append(Fix(guess.title, (guess.edit,), guess.safe))
    return diagnose(guess.code, guess.message, span, help=guess.way_out, fixes=fixes)


# --- guesses, the likeliest first ------------------------------------------------------


def _guesses(path: str, items: Sequence[Token], at: int, stack: Sequence[int]) -> Iterator[Guess]:
    token, before = items[at], items[at - 1]
    if items[0].text == "compare" and "except" in (token.text, before.text):
        return  # `given_up` tells it
    fits = expected(stack)
    here = Span(path, token.start, token.end)
    gap = Span(path, before.end, before.end)
    if token.kind == "NAME":
        yield from _misspelt(token, fits, here)
        if token.text == "and" and "," in fits:
            comma = Token("COMMA", ",", token.start, token.end)
            edit = Edit(Span(path, before.end, token.end), ",")
            message = "the items of a list are joined by commas, not by `and`"
            yield Guess(codes.MISSING_COMMA, message, (comma,), 1, edit, "write a comma")
    if token.kind == "TEXT" and "NAME" in fits and "TEXT" not in fits:
        name = unescaped(token.text)
        if re.fullmatch(r"[^\W\d]\w*(?:-\w+)*", name):
            plain = Token("NAME", name, token.start, token.end)
            message = f"a name stands here without quotes: `{name}`"
            edit = Edit(here, name)
            yield Guess(codes.QUOTES_SUPERFLUOUS, message, (plain,), 1, edit, "remove the quotes")
    yield from _blanks_in_a_name(path, items, at)
    if token.kind == END and before.kind == "COMMA":
        return  # `_give_up` tells it
    if token.kind == "RPAR" and "," in fits:
        comma = Token("COMMA", ",", token.start, token.start)
        yield Guess(
            codes.BRACKETS_AROUND_ONE_VALUE,
            "round brackets stand around a single value",
            (comma, token),
            1,
            way_out="write `[...]` for a list, or the value alone",
        )
        return
    keyword_alone = at == 1 and token.kind == "COLON"
    if (token.kind == "EQUAL" or keyword_alone) and not {"=", ":"} & set(fits):
        message = f"`{before.text}` is followed by its value, without `{token.text}`"
        after = items[min(at + 1, len(items) - 1)]
        edit = Edit(Span(path, before.end, max(token.end, after.start)), " ")
        yield Guess(codes.SUPERFLUOUS, message, (), 1, edit, f"remove `{token.text}`")
    yield from _swapped(path, items, at, fits)
    if token.kind in ("NAME", "NUMBER", "TEXT", "LSQB", "LBRACE"):
        joining = _JOINING - _OF_RANGES if items[0].text in _OF_NAMES else _JOINING
        to_itself = token.kind == "NUMBER" and token.text[0] == "-" and before.end == token.start
        if to_itself and before.kind == "NUMBER" and ".." in fits:
            stop = Token("NUMBER", token.text[1:], token.start + 1, token.end)
            sign = Span(path, token.start, token.start + 1)
            yield Guess(
                codes.WRONG_SIGN,
                "`..` belongs here, not `-`",
                (Token("RANGE", "..", sign.start, sign.end), stop),
                1,
                Edit(sign, ".."),
                "write `..`",
            )
        if before.kind == token.kind == "NUMBER" and items[at - 2].text == "..":
            between = Token("NAME", "log", before.end, before.end)
            message = f"`step` or `log` is missing before {shown(token)}"
            yield Guess(codes.MISSING_WORD, message, (between, token), 1)
            return
        listed = not takes_one_value(items[0].text) and not _lacks_its_sign(items, at, fits)
        if "," in fits and listed and not {token.text, before.text} & joining:
            comma = Token("COMMA", ",", before.end, before.end)
            message = f"a comma is missing between {shown(before)} and {shown(token)}"
            edit = Edit(gap, ",")
            title = "write a comma"
            doubtful = items[0].text == "compare" and items[at + 1].text == "with"
            way_out = None
            if doubtful:
                way_out = "models are joined by commas, a correction stands behind the test"
            misspelt_in = "in" in fits and token.kind == "NAME" and items[at + 1].kind == "TEXT"
            safe = not (doubtful or misspelt_in) and _joins_items(items, at)
            yield Guess(codes.MISSING_COMMA, message, (comma, token), 1, edit, title, way_out, safe)
        is_text = "TEXT" in fits and "NAME" not in fits and token.text not in CONNECTIVES
        if token.kind == "NAME" and is_text:
            right = quoted(token.text)
            text = Token("TEXT", right, token.start, token.end)
            message = f"text stands in quotes: `{right}`"
            edit, safe = Edit(here, right), before.text != "from" or bool(re.search("[./]", right))
            yield Guess(codes.QUOTES_MISSING, message, (text,), 1, edit, "add quotes", safe=safe)
        for word in _WORDS_INSERTED:
            if (
                word in fits
                and (at > 1 or word in ("by", "is"))
                and token.text not in ("vs", "not")
            ):
                kind = PUNCTUATION.get(word, "NAME")
                inserted = Token(kind, word, before.end, before.end)
                message = f"`{word}` is missing before {shown(token)}"
                edit = Edit(gap, f" {word}")
                title = f"write `{word}`"
                safe = word != "by" or token.kind == "NUMBER"  # else it may be a lost comma
                safe = safe and word != "of"  # `require cnn accuracy`: they change places
                yield Guess(
                    codes.MISSING_WORD, message, (inserted, token), 1, edit, title, safe=safe
                )
    negates = items[0].text in ("where", "features") and "not" in (token.text, before.text)
    if token.kind != END and not negates:
        twice = token.text == before.text and token.kind == before.kind
        message = f"{shown(token)} is too much here"
        if twice:
            message = f"{shown(token)} stands here twice"
        edit = Edit(Span(path, before.end, token.end), "")
        safe = twice or (token.kind == "COMMA" and items[0].text != "compare")
        title, way_out = f"remove {shown(token)}", None
        if token.kind == "COMMA" and items[0].text == "compare":
            way_out = "a line has one test, and one behind `then`: write a line for each"
        yield Guess(codes.SUPERFLUOUS, message, (), 1, edit, title, way_out, safe)


def _joins_items(items: Sequence[Token], at: int) -> bool:
    """Tell whether a comma is all that is lost: in a call an argument has its name too."""
    if items[0].text not in ("let", "model") or items[at + 1].text in ("=", "in"):
        return True
    depth = 0
    for token in reversed(items[:at]):
        depth += (token.text in (")", "]", "}")) - (token.text in ("(", "[", "{"))
        if depth < 0:
            return token.text != "("
    return True


def _lacks_its_sign(items: Sequence[Token], at: int, fits: Sequence[str]) -> bool:
    """Tell whether `C 1` in a call is a parameter and its value."""
    named = items[at - 1].kind == "NAME" and items[at].kind in ("NUMBER", "TEXT")
    return "=" in fits and named and not _joins_items(items, at)


def _swapped(path: str, items: Sequence[Token], at: int, fits: Sequence[str]) -> Iterator[Guess]:
    """`models a = yhat`, `C in 1:10`: one sign, or one small word, for another."""
    token, before = items[at], items[at - 1]
    alike = [sign for sign in _SIGNS_SWAPPED if sign in fits]
    if token.kind not in ("EQUAL", "COLON"):
        alike = [s for s in alike if s not in _FOR_A_SIGN or (s, token.text) == ("from", "in")]
        if items[0].text == "compare" and token.kind == "OPERATOR":
            alike = []  # `a > b` says more than `a, b`
        if token.kind != "OPERATOR" and token.text != "in":
            alike = []
    bounds = before.kind == "NUMBER" and items[min(at + 1, len(items) - 1)].kind == "NUMBER"
    if ".." in fits and bounds and (token.kind == "COLON" or token.text == "to"):
        alike = [".."]
    for sign in alike:
        swapped = Token(PUNCTUATION.get(sign, "NAME"), sign, token.start, token.end)
        message = f"`{sign}` belongs here, not `{token.text}`"
        left = " " * (sign.isalpha() and before.end == token.start)
        right = " " * (sign.isalpha() and items[at + 1].start == token.end)
        if sign == "=" and before.end == token.start < token.end < items[at + 1].start:
            left = " "  # `model a: SVC`
        edit = Edit(Span(path, token.start, token.end), f"{left}{sign}{right}")
        yield Guess(codes.WRONG_SIGN, message, (swapped,), 1, edit, f"write `{sign}`")


def _misspelt(token: Token, fits: Sequence[str], here: Span) -> Iterator[Guess]:
    keywords = [word for word in fits if word.isalpha() and word.islower()]
    other = SAID_ELSEWHERE.get(token.text)
    meant = other if other in keywords else closest(token.text, keywords)
    if meant is None and "with" in keywords and closest(token.text, ("then",)):
        meant = "with"
    if meant is not None:
        right = Token("NAME", meant, token.start, token.end)
        message = f"`{token.text}` is not known here, did you mean `{meant}`?"
        title = f"write `{meant}`"
        yield Guess(codes.MISSPELT_WORD, message, (right,), 1, Edit(here, meant), title)


def _blanks_in_a_name(path: str, items: Sequence[Token], at: int) -> Iterator[Guess]:
    """`target mean radius`: the clause takes one column, so these are one name."""
    names = items[1:-1]
    known = clause(items[0].text) if at == 2 else None
    if known is None or known.takes != "column" or items[1].text in RESERVED:
        return
    if all(item.kind == "NAME" and item.text not in ("as", "in") for item in names):
        whole = Span(path, names[0].start, names[-1].end)
        right = quoted(" ".join(item.text for item in names))
        message = f"a column with a blank in its name stands in quotes: `{right}`"
        edit = Edit(whole, right)
        text = Token("TEXT", right, whole.start, whole.end)
        yield Guess(
            codes.QUOTES_MISSING, message, (), len(items) - 1 - at, edit, "add quotes", before=text
        )


# --- the same word twice ---------------------------------------------


def _doubled(path: str, start: str, tokens: Sequence[Token], first: Run) -> Reading | None:
    """Read `with with mcnemar` with one of the two."""
    faulty = first.stuck_at is not None or first.diagnostics
    for at in range(1, len(tokens)) if faulty else ():
        before, token = tokens[at - 1 : at + 1]
        if token.text not in RESERVED or (token.kind, token.text) != (before.kind, before.text):
            continue
        again = run(path, start, [*tokens[:at], *tokens[at + 1 :]])
        if again.stuck_at is None and not again.diagnostics:
            edit = Edit(Span(path, before.end, token.end), "")
            found = diagnose(
                codes.SUPERFLUOUS,
                f"{shown(token)} stands here twice",
                Span(path, token.start, token.end),
                fixes=[Fix(f"remove {shown(token)}", (edit,))],
            )
            return Reading(again.node, (found,))
    return None
