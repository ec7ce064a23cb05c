"""What a help says to write, written: the study of a finding with its help applied.

A help names pieces of the language in backquotes; those before the first `or` are one change. A
piece goes where the language has it: `with` into the line of the finding, a statement in place of
the one of its kind, a clause below the statement of the finding.
"""

import re

from evallang.syntax.language import STATEMENTS

OUTSIDE_QUOTES = re.compile(r"(?:,? or |; )(?=(?:[^`]*`[^`]*`)*[^`]*$)")
TO_BE_NAMED = re.compile(r"\.\.\.|…|\b[A-Z]{3,}\b|\bN\b|package\.module|^\w+$")
"""In a piece that an author must complete: `fold COLUMN`, `score a = [...]`."""
ADVICE = re.compile(r"(?:write|add|did you mean|end it in|leave|remove) ")


WRITTEN_OFTEN = ("data", "model", "use", "compare", "study")


class NotWritten(Exception):
    """A help that tells what to do without saying what to write."""


def pieces(words):
    """Return the pieces of the language that the first way of a help says to write."""
    first = OUTSIDE_QUOTES.split(words)[0]
    found = ADVICE.search(first)
    if found is None or found[0].startswith(("leave", "remove")):
        raise NotWritten
    way = first[found.end() :]
    written = re.findall(r"`([^`]*)`", way)
    guess = found[0].startswith("did")
    if not written or any(TO_BE_NAMED.search(piece) for piece in written if not guess):
        raise NotWritten
    return written, way


def applied(text, found):
    """Return a study with the help of a finding written into it."""
    sure = next((fix for fix in found.fixes if fix.edits), None)
    if sure is not None:
        for edit in sorted(sure.edits, key=lambda e: e.span.start, reverse=True):
            text = text[: edit.span.start] + edit.text + text[edit.span.end :]
        return text
    if found.help is None or found.span is None:
        raise NotWritten
    written, way = pieces(found.help)
    line = text.count("\n", 0, found.span.start)
    if " in place of this line" in way:
        lines = text.split("\n")
        first, end = _block(lines, line)
        *before, instead = written
        text = "\n".join([*lines[:first], instead, *lines[end:]])
        for piece in before:
            text = _written(text, first, piece)
        return text
    if " in place of " in way:
        return _in_place(text, line, written, way)
    if way.startswith("`") and found.help.startswith("did you mean"):
        span, told = found.span, text[found.span.start : found.span.end]
        names = re.findall(r"`([^`]*)`", found.message)
        if not any(name in told for name in names[1:] or names) and names:
            lines = text.split("\n")
            first, end = _block(lines, line)
            block = "\n".join(lines[first:end])
            return text.replace(block, _corrected(block, names, written[0]), 1)
        return text[: span.start] + _corrected(told, names, written[0]) + text[span.end :]
    for piece in written:
        text = _written(text, line, piece)
    return text


def _corrected(told, names, meant):
    """Return the words of a place with the wrong name corrected: a text, a word, or a part."""
    bare = meant.strip('"')
    if told.strip() in names:
        return told.replace(told.strip(), meant)
    for form in (r"\"{0}\"", r"(?<![\w\"-]){0}(?![\w\"-])"):
        for wrong in names:
            quote = form.startswith(r"\"") or not re.fullmatch(r"[\w.+-]+", bare)
            again, n = re.subn(
                form.format(re.escape(wrong)), lambda _, q=quote: f'"{bare}"' if q else bare, told
            )
            if n and wrong != bare:
                return again
    wrong = max((name for name in names if name in told), key=len, default=told)
    return told.replace(wrong, bare)


def _in_place(text, line, written, way):
    """Write pieces, of which those before `in place of` replace the one behind it."""
    also = re.findall(r", also in place of `([^`]*)`", way)
    if also:
        way = re.sub(r", also in place of `[^`]*`", "", way)
        own = re.findall(r"`(with [^`]*)`", way)[0]
        for piece in [piece for piece in written if piece not in also]:
            text = _written(text, line, piece)
        for old in also:
            text = text.replace(old, own)
        return text
    replaced = [old for old, _ in re.findall(r"in place of `([^`]*)`()", way)]
    left = [piece for piece in written if piece not in replaced]
    pairs = dict(re.findall(r"`([^`]*)` in place of `([^`]*)`", way))
    for piece in left:
        if piece not in pairs:
            text = _written(text, line, piece)
    for new, old in pairs.items():
        lines = text.split("\n")
        first, end = _block(lines, min(line, len(lines) - 1))
        if old not in "\n".join(lines[first:end]):
            if old not in text:
                raise NotWritten
            text = text.replace(old, new)
        else:
            text = _replaced(text, line, old, new)
    return text


def _block(lines, line):
    """Return the first and the last line, exclusive, of the statement around a line."""
    first = line
    while first and not re.match(r"\w", lines[first]):
        first -= 1
    end = first + 1
    while end < len(lines) and lines[end].startswith((" ", "\t")):
        end += 1
    return first, end


def _replaced(text, line, old, new):
    lines = text.split("\n")
    first, end = _block(lines, line)
    block = "\n".join(lines[first:end])
    if old not in block:
        raise NotWritten
    return "\n".join([*lines[:first], block.replace(old, new, 1), *lines[end:]])


def _written(text, line, piece):
    lines = text.split("\n")
    first, end = _block(lines, line)
    keyword, word = lines[first].split()[0], piece.split()[0]
    if word == "with":
        for i in range(first, end):
            if " with " in lines[i]:
                lines[i] = re.sub(r"with .*?(?= by | on | exploratory|$)", piece, lines[i])
                return "\n".join(lines)
        raise NotWritten
    if word in ("by", "on") or (word == "in" and keyword == "require"):
        before, there, _ = lines[first].partition(f" {word} ")
        lines[first] = f"{before} {piece}" if there else f"{lines[first]} {piece}"
        return "\n".join(lines)
    option = re.fullmatch(r"(\w+)(=| in )\S.*", piece)
    if option:
        old = r"[^,\s)]+" if option[2] == "=" else r"(?:\[[^\]]*\]|[^,)]+)"
        changed = re.sub(rf"\b{option[1]}{option[2]}{old}", lambda _: piece, text, count=1)
        if changed == text:
            raise NotWritten
        return changed
    clauses = STATEMENTS[keyword].clauses if keyword in STATEMENTS else {}
    if (
        word in STATEMENTS
        and word not in clauses
        and word not in ("data", "model", "use", "compare", "study")
    ):
        same = [i for i, found in enumerate(lines) if found.split()[:1] == [word]]
        named = re.match(rf"{word} (\S+) = ", piece)
        of_name = [i for i in same if named and lines[i].startswith(f"{word} {named[1]} = ")]
        place = first if keyword == word and not of_name else (of_name or same or [None])[0]
        if place is not None:
            lines[place] = piece
            return "\n".join(lines)
        return text.rstrip("\n") + f"\n{piece}\n"
    if word in ("model", "use"):
        return text.rstrip("\n") + f"\n{piece}\n"
    if word == "families":
        place = next(i for i, found in enumerate(lines) if found.split()[:1] == ["study"])
        return "\n".join([*lines[: place + 1], f"  {piece}", *lines[place + 1 :]])
    if word not in clauses:
        raise NotWritten
    for i in range(first + 1, end):
        if lines[i].split()[:1] == [word] and word != "where":
            lines[i] = f"  {piece}"
            return "\n".join(lines)
    return "\n".join([*lines[: first + 1], f"  {piece}", *lines[first + 1 :]])
