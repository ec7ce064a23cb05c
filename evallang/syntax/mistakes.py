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
from evallang.syntax import codes, text_codes
from evallang.syntax.keywords import (
    CLAUSES,
    CONNECTIVES,
    RESERVED,
    SINGLE_COLUMN_CLAUSES,
    STATEMENTS,
)
from evallang.syntax.literals import quoted, unescaped
from evallang.syntax.machine import END, Run, advance, expected, run
from evallang.syntax.tokens import PUNCTUATION, Token

MOST_REPAIRS = 16  # in one line
MOST_ATTEMPTS = 4  # other guesses, when one makes a line that means nothing
MOST_KINDS = 2  # with more kinds of mistakes in one line, a guess is no better than none
SEEN_AHEAD = 200  # tokens that must fit after a guess; keeps long lines linear

# what a wrong guess brings about: a guess that leads here is none
_STRUCTURE = frozenset({"E060", "E070", "E071", "E072", "E073", "E075"})
_KINDS = {
    "NAME": "a name",
    "NUMBER": "a number",
    "TEXT": "text in quotes",
    "OPERATOR": "a comparison",
    END: "the end",
}
_JOINING = CONNECTIVES - {"all", "best", "true", "false", "none", "missing", "common"}
SAID_ELSEWHERE = {"versus": "vs", "v": "vs", "using": "with", "via": "with"}
"""Words that stand for a keyword elsewhere, and are not near it in letters."""
_SIGNS_SWAPPED = ("=", ":", "in", ",", "|")
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
    if first.stuck_at is None:
        return Reading(first.node, first.diagnostics)
    reserved = _reserved(path, start, tokens, first.stuck_at)
    if reserved is not None:
        return Reading(None, (reserved,))
    clause = _clause_beside(path, start, tokens, first.stuck_at)
    if clause is not None:
        return Reading(None, (clause,))
    bracketed = _bracketed_options(path, start, tokens, first.stuck_at)
    if bracketed is not None:
        return bracketed
    for skipped in range(MOST_ATTEMPTS):
        mended, found = _mend(path, tokens, first, skipped)
        if mended is None:
            break
        again = run(path, start, mended)
        if again.stuck_at is None and not any(d.code in _STRUCTURE for d in again.diagnostics):
            return Reading(again.node, (*found, *again.diagnostics))
    return Reading(None, (_give_up(path, start, tokens, first),))


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
            text_codes.BRACKETS_AROUND_ONE_VALUE,
            "round brackets stand around a single value",
            (comma, token),
            1,
            way_out="write `[...]` for a list, or the value alone",
        )
        return
    if token.kind == "EQUAL" and not {"=", ":"} & set(fits):
        message = f"`{before.text}` is followed by its value, without `=`"
        edit = Edit(here, "")
        yield Guess(codes.SUPERFLUOUS, message, (), 1, edit, "remove `=`")
    for sign in _SIGNS_SWAPPED:
        if sign in fits and (token.kind in ("EQUAL", "COLON", "OPERATOR") or token.text == "in"):
            swapped = Token(PUNCTUATION.get(sign, "NAME"), sign, token.start, token.end)
            message = f"`{sign}` belongs here, not `{token.text}`"
            edit = Edit(here, f" {sign} " if sign == "in" else sign)
            yield Guess(codes.WRONG_SIGN, message, (swapped,), 1, edit, f"write `{sign}`")
    if token.kind in ("NAME", "NUMBER", "TEXT", "LSQB", "LBRACE"):
        if "," in fits and not {token.text, before.text} & _JOINING:
            comma = Token("COMMA", ",", before.end, before.end)
            message = f"a comma is missing between {_shown(before)} and {_shown(token)}"
            edit = Edit(gap, ",")
            title = "write a comma"
            doubtful = items[0].text == "compare" and items[at + 1].text == "with"
            way_out = "a correction stands behind the test" if doubtful else None
            misspelt_in = "in" in fits and token.kind == "NAME" and items[at + 1].kind == "TEXT"
            safe = not (doubtful or misspelt_in)
            yield Guess(codes.MISSING_COMMA, message, (comma, token), 1, edit, title, way_out, safe)
        if token.kind == "NAME" and "TEXT" in fits and "NAME" not in fits:
            right = quoted(token.text)
            text = Token("TEXT", right, token.start, token.end)
            message = f"text stands in quotes: `{right}`"
            yield Guess(codes.QUOTES_MISSING, message, (text,), 1, Edit(here, right), "add quotes")
        for word in _WORDS_INSERTED:
            if word in fits and at > 1:
                kind = PUNCTUATION.get(word, "NAME")
                inserted = Token(kind, word, before.end, before.end)
                message = f"`{word}` is missing before {_shown(token)}"
                edit = Edit(gap, f" {word}")
                title = f"write `{word}`"
                yield Guess(codes.MISSING_WORD, message, (inserted, token), 1, edit, title)
    if token.kind != END:
        twice = token.text == before.text and token.kind == before.kind
        message = f"{_shown(token)} is too much here"
        if twice:
            message = f"{_shown(token)} stands here twice"
        edit = Edit(Span(path, before.end, token.end), "")
        safe = twice or token.kind == "COMMA"
        title = f"remove {_shown(token)}"
        yield Guess(codes.SUPERFLUOUS, message, (), 1, edit, title, safe=safe)


def _misspelt(token: Token, fits: Sequence[str], here: Span) -> Iterator[Guess]:
    keywords = [word for word in fits if word.isalpha() and word.islower()]
    other = SAID_ELSEWHERE.get(token.text)
    meant = other if other in keywords else closest(token.text, keywords)
    if meant is not None:
        right = Token("NAME", meant, token.start, token.end)
        message = f"`{token.text}` is not known here, did you mean `{meant}`?"
        title = f"write `{meant}`"
        yield Guess(codes.MISSPELT_WORD, message, (right,), 1, Edit(here, meant), title)


def _blanks_in_a_name(path: str, items: Sequence[Token], at: int) -> Iterator[Guess]:
    """`target mean radius`: the clause takes one column, so these are one name."""
    names = items[1:-1]
    if at != 2 or items[0].text not in SINGLE_COLUMN_CLAUSES or items[1].text in RESERVED:
        return
    if all(item.kind == "NAME" for item in names):
        whole = Span(path, names[0].start, names[-1].end)
        right = quoted(" ".join(item.text for item in names))
        message = f"a column with a blank in its name stands in quotes: `{right}`"
        edit = Edit(whole, right)
        text = Token("TEXT", right, whole.start, whole.end)
        yield Guess(
            codes.QUOTES_MISSING, message, (), len(items) - 1 - at, edit, "add quotes", before=text
        )


# --- no guess leads on -----------------------------------------------------------------


def _reserved(path: str, start: str, tokens: Sequence[Token], at: int) -> Diagnostic | None:
    """Blame a word of the language if the line is right with a name in its place."""
    for index in (at - 1, at):
        if not 0 < index < len(tokens) or tokens[index].text not in RESERVED:
            continue
        word = tokens[index]
        renamed = Token("NAME", "\x00", word.start, word.end)
        if run(path, start, [*tokens[:index], renamed, *tokens[index + 1 :]]).stuck_at is None:
            return diagnose(
                codes.RESERVED_WORD,
                f"`{word.text}` is a word of the language and names nothing else",
                Span(path, word.start, word.end),
                help="choose another name; a column so called is put in quotes",
            )
    return None


def _clause_beside(path: str, start: str, tokens: Sequence[Token], at: int) -> Diagnostic | None:
    """Blame a clause that stands on the line of its statement: `study "T" seed 3`."""
    if start != "statement" or not 0 < at < len(tokens):
        return None
    head, token = tokens[0].text, tokens[at]
    if head not in STATEMENTS or token.text not in STATEMENTS[head].clauses:
        return None
    if any(run(path, *part).stuck_at is not None for part in _parted(tokens, at)):
        return None
    return diagnose(
        codes.UNEXPECTED_TEXT,
        f"`{token.text}` is a clause of `{head}` and stands on an indented line below it",
        Span(path, token.start, token.end),
        fixes=[Fix("begin a line", (Edit(Span(path, tokens[at - 1].end, token.start), "\n  "),))],
    )


def _bracketed_options(path: str, start: str, tokens: Sequence[Token], at: int) -> Reading | None:
    """Read `protocol cv(folds=10)` as `protocol cv folds=10`."""
    inside = tokens[0].text == "protocol" and 1 < at < len(tokens) and tokens[at].kind == "LPAR"
    if not inside or tokens[-1].kind != "RPAR" or len(tokens) - at < 2:
        return None
    between = [t for t in tokens[at + 1 : -1] if t.kind != "COMMA"]
    again = run(path, start, [*tokens[:at], *between])
    if again.stuck_at is not None:
        return None
    opening, closing = tokens[at], tokens[-1]
    edits = []
    for before, sign, after in zip(tokens[at - 1 :], tokens[at:], tokens[at + 1 :], strict=False):
        if sign.kind in ("COMMA", "LPAR"):
            apart = before.end < sign.start or sign.end < after.start
            edits.append(Edit(Span(path, sign.start, sign.end), "" if apart else " "))
    edits.append(Edit(Span(path, closing.start, closing.end), ""))
    found = diagnose(
        codes.SUPERFLUOUS,
        "the options of a protocol stand behind it without brackets",
        Span(path, opening.start, closing.end),
        help="write them as in `cv folds=10`",
        fixes=[Fix("remove the brackets", tuple(edits))],
    )
    return Reading(again.node, (found, *again.diagnostics))


def _parted(tokens: Sequence[Token], at: int) -> tuple[tuple[str, Sequence[Token]], ...]:
    return (("statement", tokens[:at]), ("clause", tokens[at:]))


def _give_up(path: str, start: str, tokens: Sequence[Token], stuck: Run) -> Diagnostic:
    at = stuck.stuck_at or 0
    fits = expected(stuck.stack)
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
        )
    message = f"{_shown(token)} does not fit here"
    return diagnose(codes.UNEXPECTED_TEXT, message, span, help=_way_out(start, tokens, fits))


def _incomplete(path: str, start: str, tokens: Sequence[Token], fits: Sequence[str]) -> Diagnostic:
    last = tokens[-1]
    if last.kind == "COMMA":
        span = Span(path, last.start, last.end)
        if run(path, start, tokens[:-1]).stuck_at is None:
            fix = Fix("remove the comma", (Edit(span, ""),))
            message = "a comma ends the line"
            way_out = "a list goes on over several lines inside brackets only"
            return diagnose(codes.SUPERFLUOUS, message, span, help=way_out, fixes=[fix])
    span = Span(path, last.end, last.end)
    if tokens[0].text == "compare" and start == "statement" and "with" in fits:
        message = "this comparison names no test"
        way_out = "write `with TEST`, as in `compare a, b with mcnemar`"
        return diagnose(codes.MISSING_PART, message, span, help=way_out)
    message = f"the line ends after {_shown(last)} before it is complete"
    return diagnose(codes.INCOMPLETE_LINE, message, span, help=_way_out(start, tokens, fits))


def _way_out(start: str, tokens: Sequence[Token], fits: Sequence[str]) -> str | None:
    """Name what fits, where that is little, and the form of the whole."""
    word = tokens[0].text
    form = CLAUSES.get(word)
    if start == "statement":
        form = STATEMENTS[word].form if word in STATEMENTS else None
    silent = {"(", "="} if "OPERATOR" in fits else {"("}
    worth_telling = sorted(set(fits) - silent, key=_by_weight)
    parts = [_KINDS.get(item, f"`{item}`") for item in worth_telling]
    told = []
    if 0 < len(parts) <= 5:
        told.append(
            "expected " + (" or ".join([", ".join(parts[:-1])] * (len(parts) > 1) + parts[-1:]))
        )
    if form is not None:
        told.append(f"the form is `{form}`")
    return "; ".join(told) or None


def _by_weight(symbol: str) -> tuple[bool, bool, str]:
    return (symbol == END, not symbol.isupper(), symbol)


def _shown(token: Token) -> str:
    if token.kind == END:
        return "the end"
    text = token.text if len(token.text) <= 40 else token.text[:39] + "…"
    return f"`{text}`"
