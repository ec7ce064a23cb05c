"""What is looked at before parsing: is this our text at all, and in which version?"""

import re
from collections.abc import Iterator, Sequence

from evallang.diagnostics import Diagnostic, Edit, Fix, codes, diagnose
from evallang.printable import printable
from evallang.source import SourceFile, Span
from evallang.version import LANGUAGE

UTF_16_MARKS = ("\udcff\udcfe", "\udcfe\udcff")  # the bytes FF FE and FE FF, undecoded
ZIP_SIGNATURE = "PK\x03\x04"

MORE_THAN_SLIPS = 5  # characters

_VERSION = re.compile(r"\ufeff?(?:[ \t\r]*(?:#[^\n]*)?\n)*evallang[ \t]+([^\s#]+)")
_NOT_TEXT = re.compile(r"[\x00\ud800-\udfff]")


def read_version(source: SourceFile) -> tuple[int | None, Diagnostic | None]:
    """Read the `evallang N` that begins a file, and object to a version unknown here.

    The version is None where there is no such line or no number in it.
    """
    match = _VERSION.match(source.text)
    if match is None:
        return None, None
    word = match.group(1)
    span = Span(source.path, match.start(1), match.end(1))
    if not re.fullmatch(r"[1-9][0-9]{0,8}", word):
        message = f"`{word}` is not a version of the language"
        fix = Fix(f"write `{LANGUAGE}`", (Edit(span, str(LANGUAGE)),), safe=False)
        suggestion = f"write `evallang {LANGUAGE}`"
        return None, diagnose(codes.unknown_version, message, span, help=suggestion, fixes=[fix])
    version = int(word)
    if version > LANGUAGE:
        message = (
            f"the file is written in version {version} of the language, "
            f"but this version of evallang reads {LANGUAGE}"
        )
        return version, diagnose(codes.newer_language, message, span, help="update evallang")
    return version, None


def refusal(source: SourceFile) -> Diagnostic | None:
    """Return the reason not to parse a file at all: another format, a newer language."""
    if source.text.startswith(ZIP_SIGNATURE):
        message = "this is a log of Inspect AI (a ZIP archive), not an evallang study"
        suggestion = (
            'name it in a study: `predictions NAME from inspect "FILE"`, or draft one by `evallang '
            "new --from FILE`"
        )
        return diagnose(codes.inspect_ai_log, message, None, path=source.path, help=suggestion)
    if "\n" not in source.text and re.search(r"\S\r+\s*\S", source.text):
        message = "every line ends with a carriage return alone (U+000D), as on old Macintoshes"
        suggestion = "save the study with line ends LF or CR LF"
        return diagnose(codes.unusual_space, message, None, path=source.path, help=suggestion)
    damage = _whole_damage(source.text)
    if damage is not None:
        suggestion = "save the study as UTF-8"
        return diagnose(codes.not_text, damage, None, path=source.path, help=suggestion)
    version, objection = read_version(source)
    return objection if version is not None else None


def _whole_damage(text: str) -> str | None:
    """Return what is wrong with a file that is damaged beyond a slip: a tenth of it.

    White space does not count, so that a file is refused or not whatever its layout.
    """
    if text.startswith(UTF_16_MARKS):
        return "the file is UTF-16, and a study is UTF-8"
    damaged = len(_NOT_TEXT.findall(text))
    if damaged < MORE_THAN_SLIPS or 10 * damaged <= sum(map(len, text.split())):
        return None
    if "\0" in text:
        return "the file is not text: it contains NUL characters"
    return "many bytes of the file are not UTF-8: it is not text, or in another encoding"


def not_text(source: SourceFile) -> Diagnostic | None:
    """Report the first character that no text file holds, once for the file."""
    match = _NOT_TEXT.search(source.text)
    if match is None:
        return None
    span = Span(source.path, match.start(), match.end())
    code = ord(match.group())
    if code == 0:
        message = "the file contains a NUL character, which a text file cannot have"
        return diagnose(codes.not_text, message, span, help="delete it")
    if 0xDC80 <= code <= 0xDCFF:
        message = f"the byte 0x{code - 0xDC00:02X} is not UTF-8"
        letter = bytes([code - 0xDC00]).decode("cp1252", "replace")
        encoding = "Latin-1" if code >= 0xDCA0 else "Windows-1252"
        suggestion = "save the file as UTF-8"
        if printable(letter) == letter != "\ufffd":
            suggestion += f"; if it was saved as {encoding}, the byte is `{letter}`"
        return diagnose(codes.not_text, message, span, help=suggestion)
    message = f"the file holds half of a surrogate pair (U+{code:04X}), which is not a character"
    return diagnose(codes.not_text, message, span)


def missing_version(source: SourceFile) -> Diagnostic:
    """Advise to begin the file with `evallang 1`."""
    start = 1 if source.text.startswith("\ufeff") else 0
    place = Span(source.path, start, start)
    line = f"evallang {LANGUAGE}"
    return diagnose(
        codes.missing_version,
        "the file does not name its version of the language",
        place,
        help=f"begin it with `{line}`",
        fixes=[Fix(f"write `{line}`", (Edit(place, line + "\n"),))],
    )


def tabs(source: SourceFile, found: Sequence[Span]) -> Diagnostic:
    """Report tabs outside quotes and comments, once for the file."""
    edits = tuple(_replace_tabs(source, found))
    count = sum(source.text.count("\t", tab.start, tab.end) for tab in found)
    return diagnose(
        codes.tabs,
        f"the file contains {count} tab{'s' * (count > 1)}, which every editor shows differently",
        found[0],
        help="`evallang fmt` writes spaces",
        fixes=[Fix("write blanks", edits)],
    )


def _replace_tabs(source: SourceFile, found: Sequence[Span]) -> Iterator[Edit]:
    for tab in found:
        begins = tab.start == 0 or source.text[tab.start - 1] == "\n"
        ends = tab.end == len(source.text) or source.text[tab.end] in "\r\n"
        yield Edit(tab, "" if ends else "  " if begins else " ")
