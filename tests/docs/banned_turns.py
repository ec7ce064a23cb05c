"""The turns of phrase that the project does not use, and where prose is found."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "evallang"
PAGES = "pages"
"""The room of what readers open first: pages written by hand, examples, templates."""

PROSE = frozenset({"page", "message", "docstring", "comment"})
WRITTEN = frozenset({"docstring", "comment"})


class Turn(NamedTuple):
    """A turn of phrase, what to write instead, and a sentence of each."""

    pattern: re.Pattern[str]
    replacement: str
    wrong: str
    right: str
    kinds: frozenset[str] = PROSE


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


TURNS = {
    "is no": Turn(
        re.compile(
            r"(?<!there )\b(?:is|are|was|were) no "
            r"(?!longer\b|more\b|less\b|fewer\b|one\b|\w+er than\b)",
            re.IGNORECASE,
        ),
        "is not a; without",
        "`alpha in` is followed by a call, which is no set of values",
        "`alpha in` is followed by a call, which is not a set of values",
    ),
    "none": Turn(
        re.compile(
            r"(?<![Tt]here )\b(?:is|are|was|were|has|have|had|gets?|gives?|names?) none\b"
            r"(?! of)",
        ),
        "has no NOUN; is not a NOUN",
        "a function that is none",
        "an object that is not callable",
    ),
    "way out": Turn(
        _words(r"ways? out"),
        "fix, suggestion",
        "a message has a reason and a way out",
        "a message has a reason and a fix",
    ),
    "mend": Turn(
        _words(r"mend(?:s|ed|ing)?"),
        "fix, correct",
        "a misspelt word is mended",
        "a misspelt word is corrected",
    ),
    "stands": Turn(
        _words(
            r"(?:stand|stands|stood|standing) (?:in|at|on|below|beside|above|after|before|behind"
            r"|under|over|there|where|first|last|alone|outside|inside|between|with|next)"
        ),
        "is, appears, comes",
        "chi-squared stands in `extra`",
        "chi-squared is in `extra`",
    ),
    "is said": Turn(
        _words(r"(?:is|are|was|were|be|been|being) said(?! to\b)|said (?:once|twice|so|too|there)"),
        "report, state",
        "an error is said once",
        "an error is reported once",
    ),
    "warned of": Turn(
        _words(r"warned of"),
        "with a warning; W123 names it",
        "pooling is warned of",
        "pooling gets a warning",
    ),
    "parted": Turn(
        _words(r"parted"), "separated", "names parted by commas", "names separated by commas"
    ),
    "left out": Turn(
        _words(r"(?:leaves|left) (?:it |them )?out"),
        "skip, omit, hold out",
        "a data set without a score is left out",
        "a data set without a score is skipped",
    ),
    "what it is given": Turn(
        _words(r"what (?:it|they) (?:is|are|was|were) (?:given|of)"),
        "its input; repeat the noun",
        "returns what it is given",
        "returns its input",
    ),
    "beside": Turn(
        _words("beside"), "next to, with", "a folder beside the study", "a folder next to the study"
    ),
    "made elsewhere": Turn(
        _words("made elsewhere"), "imported", "predictions made elsewhere", "imported predictions"
    ),
    "anew": Turn(_words("anew"), "again", "the draw is made anew", "the draw is repeated"),
    "kin": Turn(
        _words(r"(?:its|their) kin"), "similar NOUN", "F1 and its kin", "F1 and similar metrics"
    ),
    "put together": Turn(
        _words(r"puts? together"),
        "combine, aggregate",
        "how folds are put together",
        "how folds are aggregated",
    ),
    "find out": Turn(
        _words(r"find(?:s|ing)? out|found out"),
        "determine, detect",
        "the separator is found out",
        "the separator is detected",
    ),
    "no part": Turn(
        _words(r"(?:had|has|have|plays?|take|takes|taking) no part"),
        "was not used for",
        "the test parts had no part in the choice",
        "the test data were not used for the choice",
    ),
    "of our own": Turn(
        _words("of our own"),
        "custom; evallang's NOUN",
        "worst recall is a function of our own",
        "worst recall was computed with custom code",
    ),
    "finds anything": Turn(
        _words("finds? anything"),
        "learns anything",
        "whether the model finds anything in the features",
        "whether the model learns anything from the features",
    ),
    "holds 0": Turn(
        _words(r"holds? (?:0|zero)"),
        "includes 0",
        "the interval holds 0",
        "the interval includes 0",
    ),
    "2 times": Turn(
        _words(r"2 times"), "twice", "5-fold cross-validation repeated 2 times", "repeated twice"
    ),
    "compared in": Turn(
        _words(r"were compared in [a-z0-9 -]+ (?:by|using)"),
        "compared on NOUN using TEST",
        "A and B were compared in accuracy by McNemar's test",
        "A and B were compared on accuracy using McNemar's test",
    ),
    "says no more": Turn(
        _words(r"says? no more|say nothing more"),
        "adds nothing to",
        "power at the observed difference would say no more than p",
        "power at the observed difference adds nothing to p",
    ),
    "behind": Turn(
        re.compile(r"\bbehind `", re.IGNORECASE),
        "after",
        "name a column behind `within`",
        "name a column after `within`",
    ),
    "too much here": Turn(
        _words("too much here"), "unexpected", "`,` is too much here", "unexpected `,`"
    ),
    "means nothing": Turn(
        _words("means nothing here"), "unexpected", "`&` means nothing here", "unexpected `&`"
    ),
    "corrected claim": Turn(
        _words("no corrected claims?"),
        "is not adjusted for multiplicity",
        "a single line is no corrected claim",
        "individual requirements are not adjusted for multiplicity",
    ),
    "in the positive class": Turn(
        _words(r"\d+ in the positive class"),
        "N positive",
        "226 in the positive class",
        "226 positive",
    ),
    "else": Turn(
        re.compile(
            r"(?<!thing)(?<!body)(?<!one)(?<!what)(?<!where)(?<!who)(?<!\bor)(?<!much)"
            r" else(?=[.;)]|$)",
        ),
        "otherwise, by default",
        "the metric named; the first measure else.",
        "the metric named; by default the first measure.",
    ),
    "first verb": Turn(
        re.compile(
            r"\A(?:Give|Gives|Tell|Say|Word|Name(?! of)|Go through|Put|Hand|Let|Find out|Mend)\b"
        ),
        "Return, Check, Report, Write, Iterate, ...",
        "Give the models of a line.",
        "Return the models of a line.",
        frozenset({"first line"}),
    ),
    "name": Turn(
        re.compile(
            r"(?:^|_)(?:way_out|mend(?:s|ed|ing)?|said_once|strangers?|bouts?|arenas?|garbage|parted"
            r"|as_said|of_two)(?:_|$)",
            re.IGNORECASE,
        ),
        "a noun, or verb and noun, of the field",
        "way_out",
        "suggestion",
        frozenset({"name"}),
    ),
}


class Piece(NamedTuple):
    """A text with its kind, room, file and line."""

    kind: str
    room: str
    path: Path
    line: int
    text: str


class Hit(NamedTuple):
    """A banned turn where it was found."""

    turn: str
    piece: Piece
    found: str

    def __str__(self) -> str:
        """Return the place, the turn and its replacement."""
        at = f"{self.piece.path.relative_to(ROOT)}:{self.piece.line}"
        return f"{at}: `{self.found}`; write: {TURNS[self.turn].replacement}"


def hits(pieces: Iterator[Piece]) -> Iterator[Hit]:
    """Iterate over the banned turns of the pieces."""
    for piece in pieces:
        text = " ".join(piece.text.split())
        for name, turn in TURNS.items():
            if piece.kind in turn.kinds:
                for match in turn.pattern.finditer(text):
                    yield Hit(name, piece, text[max(0, match.start() - 30) : match.end() + 20])


def pages() -> Iterator[Piece]:
    """Iterate over the paragraphs of pages and templates, and the comments of examples."""
    written = [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "docs/guide").glob("*.md"),
    ]
    for path in sorted(written):
        text = path.read_text(encoding="utf-8")
        for pattern in (r"^```.*?^```$", r"^<!-- made: .*?^<!-- end -->$", r"`[^`\n]*`"):
            text = re.sub(pattern, _blank, text, flags=re.MULTILINE | re.DOTALL)
        yield from _paragraphs(path, text)
    for path in sorted((ROOT / "templates").glob("**/*.j2")):
        text = re.sub(r"<[^>]*>|\{[{%#].*?[}%#]\}", _blank, path.read_text(encoding="utf-8"))
        yield from _paragraphs(path, text)
    for path in sorted((ROOT / "examples").glob("*.eval")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if "#" in line:
                yield Piece("page", PAGES, path, number, line.partition("#")[2])


def _blank(match: re.Match[str]) -> str:
    return "".join("\n" if character == "\n" else "~" for character in match.group())


def _paragraphs(path: Path, text: str) -> Iterator[Piece]:
    line = 1
    for paragraph in re.split(r"(\n(?:\s*\n|(?=[-|#] )))", text):
        if paragraph.strip("~\n "):
            yield Piece("page", PAGES, path, line, paragraph)
        line += paragraph.count("\n")


def modules() -> Iterator[Piece]:
    """Iterate over the docstrings, comments, messages and names of the package."""
    for path in sorted(PACKAGE.rglob("*.toml")):
        lines = path.read_text(encoding="utf-8").splitlines()
        yield from (Piece("message", "data", path, at, line) for at, line in enumerate(lines, 1))
    for path in sorted(PACKAGE.rglob("*.py")):
        inside = path.relative_to(PACKAGE)
        room = inside.parts[0] if len(inside.parts) > 1 else "evallang"
        source = path.read_text(encoding="utf-8")
        yield from (Piece(kind, room, path, line, text) for kind, line, text in _texts(source))
        yield Piece("name", room, path, 1, path.stem)


def _texts(source: str) -> Iterator[tuple[str, int, str]]:
    nodes = list(ast.walk(ast.parse(source)))
    documented = set()
    for node in nodes:
        for body in (getattr(node, "body", None), getattr(node, "orelse", None)):
            for statement in body if isinstance(body, list) else ():
                match statement:
                    case ast.Expr(ast.Constant(str() as text) as constant):
                        documented.add(id(constant))
                        yield "docstring", statement.lineno, text
                        if isinstance(node, ast.FunctionDef):
                            yield "first line", statement.lineno, text.partition("\n")[0]
    for node in nodes:
        match node:
            case ast.Constant(str() as text) if id(node) not in documented and " " in text:
                yield "message", node.lineno, text
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield "name", node.lineno, re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                yield "name", node.lineno, name
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield "comment", token.start[0], token.string
