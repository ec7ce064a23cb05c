"""The files for editors: highlighting and snippets, from the table of the language."""

import json
import re
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

from evallang.manual.glossary import REGISTRIES
from evallang.syntax import nodes as n
from evallang.syntax.language import (
    STATEMENTS,
    Clause,
    Statement,
    clause_words,
    clauses,
)
from evallang.syntax.line_parser import connectives
from evallang.syntax.patterns import Field, pieces

WRITTEN = "Written by `python -m docs.generator` from the table of the language: do not edit."
CONSTANTS = ("false", "none", "true")
NUMBER = r"-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?(?:%|/\d+)?"
NAME = r"[\w.-]"


def files() -> Iterator[tuple[str, str]]:
    """Return the path of each file, and its text."""
    yield "editors/vim/ftdetect/evallang.vim", _detection()
    yield "editors/vim/syntax/evallang.vim", _vim()
    folder = "editors/vscode"
    yield f"{folder}/language-configuration.json", _json(CONFIGURATION)
    yield f"{folder}/syntaxes/evallang.tmLanguage.json", _json(_grammar())
    yield f"{folder}/snippets/evallang.json", _json(dict(snippets()))


def _json(content: Any) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


# --- words -----------------------------------------------------------------------------


def statement_words() -> list[str]:
    """Return the words that begin a statement."""
    return sorted(STATEMENTS)


def value_words() -> list[str]:
    """Return the words that a clause or statement accepts as a value, and the constants."""
    found = {*CONSTANTS}
    for statement in STATEMENTS.values():
        found.update(word for words in statement.words.values() for word in words)
        found.update(word for known in statement.clauses.values() for word in known.words)
    return sorted(found)


def between_words() -> list[str]:
    """Return the words between the parts of a line."""
    return sorted(connectives() - set(value_words()))


def member_words() -> list[str]:
    """Return the words of the catalogues."""
    found = {name for registry in REGISTRIES.values() for name in registry.names()}
    found |= {word for entry in REGISTRIES["protocols"] for word in entry.declaration.words}
    return sorted(found - set(value_words()) - set(between_words()))


# --- Vim -------------------------------------------------------------------------------


def _detection() -> str:
    """Studies by their ending; a log of Inspect AI, which is a ZIP archive, is none."""
    command = "if getline(1) !~# '^PK' | setfiletype evallang | endif"
    return f'" {WRITTEN}\nautocmd BufRead,BufNewFile *.eval,*.evallang {command}\n'


def _vim() -> str:
    def choice(words: list[str]) -> str:
        return r"\%(" + r"\|".join(word.replace(".", r"\.") for word in words) + r"\)"

    first = {*statement_words(), *clause_words()}

    def inside(group: str, words: list[str]) -> Iterator[str]:
        yield f"syntax keyword evallang{group} {' '.join(w for w in words if w not in first)}"
        if both := [word for word in words if word in first]:
            yield rf"syntax match evallang{group} /\<{choice(both)}\k\@!/"

    number = r"\<-\?\d[0-9_]*\%(\.\d\+\)\?\%([eE][+-]\?\d\+\)\?\%(%\|\/\d\+\)\?"
    lines = [
        f'" {WRITTEN}',
        'if exists("b:current_syntax")',
        "  finish",
        "endif",
        "",
        "setlocal iskeyword=@,48-57,_,-,.",
        "setlocal comments=:# commentstring=#\\ %s expandtab shiftwidth=2",
        "",
        f"syntax match evallangNumber /{number}/",
        r"syntax match evallangClass /\<\u\w*\>/",
        # A keyword of Vim beats every match: words that also begin a line are matches
        *inside("Member", member_words()),
        *inside("Between", between_words()),
        *inside("Value", value_words()),
        rf"syntax match evallangStatement /^{choice(statement_words())}\k\@!/",
        rf"syntax match evallangClause /^\s\+\zs{choice(sorted(clause_words()))}\k\@!/",
        r'syntax region evallangText start=/"/ skip=/\\./ end=/"/ oneline',
        "syntax match evallangComment /#.*$/ contains=evallangWaiver,@Spell",
        r"syntax match evallangWaiver /#\s*evallang:\s*allow\>/ contained",
        "",
        "highlight default link evallangStatement Statement",
        "highlight default link evallangClause Type",
        "highlight default link evallangBetween Keyword",
        "highlight default link evallangValue Constant",
        "highlight default link evallangMember Function",
        "highlight default link evallangClass Structure",
        "highlight default link evallangNumber Number",
        "highlight default link evallangText String",
        "highlight default link evallangComment Comment",
        "highlight default link evallangWaiver Special",
        "",
        'let b:current_syntax = "evallang"',
    ]
    return "\n".join(lines) + "\n"


# --- Visual Studio Code ----------------------------------------------------------------

CONFIGURATION = {
    "comments": {"lineComment": "#"},
    "brackets": [["(", ")"], ["[", "]"], ["{", "}"]],
    "autoClosingPairs": [["(", ")"], ["[", "]"], ["{", "}"], ['"', '"']],
    "surroundingPairs": [["(", ")"], ["[", "]"], ["{", "}"], ['"', '"']],
    "wordPattern": rf"{NAME}+",
    "folding": {"offSide": True},
}


def _grammar() -> dict[str, Any]:
    def choice(words: list[str]) -> str:
        return rf"({'|'.join(map(re.escape, words))})(?!{NAME})"

    def inside(words: list[str]) -> str:
        return rf"(?<!{NAME}){choice(words)}"

    rules = [
        ("comment.line.number-sign", "#.*$"),
        ("keyword.control", f"^{choice(statement_words())}"),
        ("storage.type", rf"^\s+{choice(sorted(clause_words()))}"),
        ("constant.language", inside(value_words())),
        ("keyword.operator.word", inside(between_words())),
        ("support.function", inside(member_words())),
        ("entity.name.type", rf"(?<!{NAME})[A-Z]\w*"),
        ("constant.numeric", rf"(?:(?<!{NAME})|(?<=\.\.)){NUMBER}(?!\w)"),
        ("keyword.operator", r"<=|>=|!=|[=<>|]|\.\."),
    ]
    text = {
        "name": "string.quoted.double.evallang",
        "match": r'"(?:[^"\\]|(\\.))*"',
        "captures": {"1": {"name": "constant.character.escape.evallang"}},
    }
    patterns = [{"name": f"{scope}.evallang", "match": match} for scope, match in rules]
    return {
        "$comment": WRITTEN,
        "name": "evallang",
        "scopeName": "source.evallang",
        "patterns": [patterns[0], text, *patterns[1:]],
    }


# --- snippets --------------------------------------------------------------------------


def snippets() -> Iterator[tuple[str, dict[str, Any]]]:
    """Iterate over the snippets: one for each form of a statement and of a clause."""
    for word, statement in STATEMENTS.items():
        for rule, text in statement.written.items():
            name = word if len(statement.written) == 1 else f"{word}: {rule}"
            yield name, _snippet(word, statement, text)
    for word in clause_words():
        _, known = clauses(word)[0]
        owners = " or ".join(owner for owner, _ in clauses(word))
        for rule, text in known.written.items():
            more = "" if len(known.written) == 1 else f": {rule}"
            yield f"{word} (clause of {owners}){more}", _snippet(word, known, text)


def _snippet(word: str, known: Statement | Clause, text: str) -> dict[str, Any]:
    parts, number = [], 0
    for piece in pieces(text):
        if isinstance(piece, str):
            parts.append(piece.replace("$", r"\$"))
        elif isinstance(piece, Field) and piece.name == "keyword":
            parts.append(word)
        elif isinstance(piece, Field) and piece.holds is None:
            number += 1
            parts.append(_snippet_field(number, piece.name, known))
    return {"prefix": word, "body": "".join(parts), "description": known.summary}


def _snippet_field(number: int, field: str, known: Statement | Clause) -> str:
    words = known.words.get(field, ()) if isinstance(known, Statement) else known.words
    if len(words) > 1 and not known.names.get(field):
        return f"${{{number}|{','.join(words)}|}}"
    if isinstance(known, Clause) and field == "values":
        field = known.form.removeprefix(known.word).split(",")[0].strip(' "').lower()
    shown = f"${{{number}:{field}}}"
    kinds = {get_type_hints(known.node).get(field)}
    for _ in range(2):  # a tuple of several kinds
        kinds |= {kind for hint in kinds for kind in get_args(hint)}
    is_text = n.TextNode in kinds and n.NameNode not in kinds
    if isinstance(known, Clause) and known.takes in ("text", "path", "texts"):
        is_text = True
    return f'"{shown}"' if is_text else shown
