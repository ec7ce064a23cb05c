"""What a check finds, in short form, kept as golden files beside the faulty studies.

`UPDATE_MESSAGES=1 pytest tests/checking/test_messages.py` writes them anew; read the diff.
"""

import ast
import os
import re
from pathlib import Path
from string import Formatter

from many_cases import for_each
from short_form import short
from studies import checked, codes

import evallang
import evallang.checking
from evallang.checking.rules.rule import load_codes
from evallang.checking.scope import MESSAGES
from evallang.diagnostics import CODES, Phase

FOLDER = Path(__file__).parents[1] / "messages" / "checking"
STUDIES = sorted(FOLDER.glob("*.eval"))
load_codes()


@for_each("path", STUDIES, ids=lambda path: path.stem)
def test_what_is_found_is_as_agreed_in_lower_case_without_a_stop(path):
    found = checked(path.read_text(encoding="utf-8"))
    for told in found.diagnostics:
        assert not told.message.endswith((".", "!")), told.message
        assert told.message[0] == "`" or told.message[0].islower() or told.message[0].isdigit()
        assert "invalid" not in told.message and "please" not in told.message
    shown = "".join(short(d, found.sources) for d in found.diagnostics)
    golden = path.with_suffix(".txt")
    if os.environ.get("UPDATE_MESSAGES"):
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")


WITHOUT_EXAMPLES = {
    "E002": "a ZIP archive is not text",
    "E003": "a NUL character is nothing that a page shows",
    "E032": "brackets more than 64 deep fill a page",
    "E118": "names that stand for a million values fill a page",
    "E901": "what is not in this version yet is another word in the next",
}


def test_every_code_has_a_wrong_and_a_right_example():
    lacking = {c for c, code in CODES.items() if not (code.words.wrong and code.words.right)}
    assert lacking == set(WITHOUT_EXAMPLES)


# Those of rules are executed in conformance/test_rules.py, of data in test_data_examples.py.
BY_DATA = {c for c in CODES if CODES[c].phase is Phase.DATA}
OF_A_CHECK = sorted(c for c in CODES if c[1] in "012" and c not in {*WITHOUT_EXAMPLES, *BY_DATA})
INCLUDED = {"protocol.eval": "protocol cv\n", "lab/protocol.eval": "protocol cv\n"}


@for_each("code", OF_A_CHECK)
def test_the_right_example_of_a_code_is_free_of_it(code):
    found = codes(CODES[code].words.right + "\n", INCLUDED)
    assert code not in found
    unfinished = {"E101", "E105", "E151"}  # a few lines of a study lack its data and models
    assert {c for c in found if c.startswith("E")} <= unfinished


@for_each("code", OF_A_CHECK)
def test_the_wrong_example_of_a_code_meets_it(code):
    assert code in codes(CODES[code].words.wrong + "\n", INCLUDED)


def calls_of_messages():
    """Iterate over the calls that name a message, each with the facts that it passes."""
    for path in Path(evallang.checking.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func
            name = name.id if isinstance(name, ast.Name) else name
            if name in ("refuse", "refusal"):
                yield node.args[0], {keyword.arg for keyword in node.keywords}


def test_every_message_is_used_and_has_its_facts():
    used = set()
    for key, facts in calls_of_messages():
        named = {n.value for n in ast.walk(key) if isinstance(n, ast.Constant)} & set(MESSAGES)
        used |= named
        assert named or not isinstance(key, ast.Constant), key.value
        for message in (MESSAGES[name] for name in named):
            fields = (f for _, f, _, _ in Formatter().parse(f"{message.says}{message.help}"))
            asked = {re.split(r"[.[]", field)[0] for field in fields if field is not None}
            assert asked <= facts or None in facts, message
    chosen = {
        node.value
        for path in Path(evallang.checking.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
    }
    assert set(MESSAGES) <= used | chosen


def test_every_code_that_the_package_names_is_declared():
    """`codes.NAME` is looked up at run time, so a misspelled name would fail there only."""
    of_arrays = {"max", "reshape", "shrink_dtype"}  # of variables of this name in functions
    declared = {code.name for code in CODES.values()} | of_arrays
    for path in Path(evallang.__file__).parent.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        imports = (
            alias for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names
        )
        if any(alias.name == "codes" for alias in imports):
            named = {
                node.attr
                for node in nodes
                if isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == "codes"
            }
            assert named <= declared, f"{path}: {named - declared}"
