"""The formatter's promises on lines derived from the grammar, each of its productions reached.

`programs.py` makes trees and writes them in canonical form; here the forms that the formatter
does away with are met too: `compare all`, lists in brackets, commas at their end, `(a, b)`,
parts of a line in any order.
"""

import random

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from lark.grammar import Rule

from evallang.syntax.line_parser import grammar

from .derived import Derivation
from .reading import errors, formatted, read
from .test_round_trip import scattered

WIDTH = 100
LINES = 2500
RARE = (
    "analyze roc by f1",
    "model m = columns(numeric: SimpleImputer | StandardScaler, [x, y]: passthrough,)",
    "require a better than b with mcnemar on p at 90%",
    "require accuracy of a >= 0.9 within ward on p at 95%",
    "require a not worse than b by 2% in f1",
    "require a equivalent to b within 1% averaged over data on p",
    "model m = m(x in 1..3)",
    "model m = m(x in 1..300 log 5)",
    "model m = m(x in 1..9 step 2)",
    "model m = m(x in 1..9 uniform)",
    "model m = m(x in 1..9 loguniform)",
    "protocol p = time_series folds=4 by day gap=2",
    "compare a vs b, c vs x with mcnemar",
    "compare a, b, c, x with mcnemar",
    "compare [a, b, c] with mcnemar",
    "compare [a] against b with mcnemar",
    "compare [a vs b, c vs x,] with mcnemar",
    "compare [a, b,] across data with friedman then wilcoxon holm by accuracy exploratory",
)
"""Lines of which a derivation at random rarely makes one that says nothing twice."""
RARE_CLAUSES = (
    'value ratio("errors", "words") a "Label" as (e, "w") in "p.csv", b as (f, w)',
    "reader radiologist random",
    'reader "read by"',
    'value ratio("errors", "words") ["a" as (e, w), b as ("f", w)]',
)
OWNER = 'predictions p from "p.csv"'


@pytest.fixture
def reductions(monkeypatch):
    """Remember which productions of the grammar were reduced."""
    seen: set[Rule] = set()
    callbacks = grammar().parse_interactive(start="clause").parser_state.parse_conf.callbacks
    for rule, make in list(callbacks.items()):
        monkeypatch.setitem(
            callbacks, rule, lambda kids, rule=rule, make=make: (seen.add(rule), make(kids))[1]
        )
    return seen


def sound_line(derivation, start):
    """Derive lines until one reads: what a line may not hold twice is derived as well."""
    for _ in range(50):
        line = derivation.line(start)
        text = f"{line}\n" if start == "statement" else f"{OWNER}\n  {line}\n"
        if not errors(f"evallang 1\n{text}"):
            return text
    return f"{OWNER}\n"


def test_every_production_is_reached_by_lines_that_read_and_keep_their_tree(reductions):
    derivation = Derivation(random.Random(3))
    reached: set[Rule] = set()
    for number in range(LINES):
        text = sound_line(derivation, ("statement", "clause")[number % 2])
        if number < len(RARE):
            text = f"{RARE[number]}\n"
        elif number < len(RARE) + len(RARE_CLAUSES):
            text = f"{OWNER}\n  {RARE_CLAUSES[number - len(RARE)]}\n"
        reductions.clear()
        tree = read(f"evallang 1\n{text}")
        news = reductions - reached
        if not news:
            continue
        reached |= news
        assert read(formatted(f"evallang 1\n{text}")) == tree, text
    assert errors(
        "evallang 1\ncompare a, b with t with sign\n"
    )  # a second test reads and is refused
    assert [rule for rule in grammar().rules if rule not in reached | reductions] == []


def outside_quotes(line: str) -> str:
    """Give a line with its texts and its comment blanked."""
    made, quoted, escaped = "", False, False
    for character in line:
        if not quoted and character == "#":
            return made
        made += " " if quoted else character
        if character == '"' and not escaped:
            quoted = not quoted
        escaped = quoted and character == "\\" and not escaped
    return made


def could_be_broken(line: str) -> bool:
    """Tell whether a line has a bar outside brackets, or a comma in brackets that close on it."""
    commas: list[bool] = []
    for place, character in enumerate(outside_quotes(line)):
        if character in "([{":
            commas.append(False)
        elif character in ")]}" and commas:
            if commas.pop():
                return True
        elif character == "," and commas:
            commas[-1] = True
        elif character == "|" and not commas and line[:place].strip():
            return True
    return False


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(st.randoms(use_true_random=False), st.booleans())
def test_derived_programs_keep_their_tree_and_comments_and_settle(chance, comments):
    derivation = Derivation(chance)
    lines = [sound_line(derivation, chance.choice(["statement", "clause"])) for _ in range(4)]
    text = scattered("evallang 1\n" + "".join(lines), chance, comments=comments)
    before = read(text)
    once = formatted(text)
    after = read(once)
    assert after == before
    assert sorted(c.text for c in after.comments) == sorted(c.text for c in before.comments)
    assert formatted(once) == once
    long = [line for line in once.split("\n") if len(line) > WIDTH and "#" not in line]
    assert [line for line in long if could_be_broken(line)] == []
