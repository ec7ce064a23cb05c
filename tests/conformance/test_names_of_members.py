"""Nothing outside its module asks what a member is called: declarations carry what it is."""

import ast
from pathlib import Path

import evallang
from evallang.analysis import ANALYSES
from evallang.metrics.metric import METRICS
from evallang.protocols.protocol import PROTOCOLS
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.effect_sizes.effect_size import EFFECT_SIZES
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS

HOMES = ("analyses", "metrics", "protocols", "stats", "checking/synonyms.py")
REGISTRIES = {
    "METRICS": METRICS, "PROTOCOLS": PROTOCOLS, "ANALYSES": ANALYSES, "CORRECTIONS": CORRECTIONS,
    "EFFECT_SIZES": EFFECT_SIZES, "HYPOTHESIS_TESTS": HYPOTHESIS_TESTS, "INTERVALS": INTERVALS,
}  # fmt: skip
NAMES = {name for registry in REGISTRIES.values() for name in registry.names()}
ROOT = Path(evallang.__file__).parent


def files():
    for path in sorted(ROOT.rglob("*.py")):
        if not path.relative_to(ROOT).as_posix().startswith(HOMES) or path.name == "power.py":
            yield path


def named(node):
    """Return the names of members that a constant, or a row of constants, is."""
    parts = node.elts if isinstance(node, ast.Tuple | ast.Set | ast.List) else [node]
    return {p.value for p in parts if isinstance(p, ast.Constant)} & NAMES


def compared(tree):
    """Find names that something is compared with, matched by, or that choose from a registry."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = node.comparators
            if isinstance(node.ops[0], ast.Eq | ast.NotEq):
                sides = [node.left, *sides]
            for side in sides:
                yield from ((node.lineno, name) for name in named(side))
        elif isinstance(node, ast.MatchValue):
            yield from ((node.lineno, name) for name in named(node.value))
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) in REGISTRIES:
            yield from ((node.lineno, name) for name in named(node.slice))


def test_no_name_of_a_member_is_compared_outside_its_module():
    """The scanner calls a character `sign`, which is not the test of that name."""
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{line} {name}"
        for path in files()
        for line, name in compared(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert [one for one in found if not one.startswith("syntax/scanner.py:")] == []


def test_a_comparison_is_found():
    texts = {
        'a.name == "mcnemar"': "mcnemar", '"5x2cv_t" != b': "5x2cv_t", 'a in ("f1", "x")': "f1",
        'INTERVALS["bootstrap"]': "bootstrap",
    }  # fmt: skip
    for text, name in texts.items():
        assert list(compared(ast.parse(text))) == [(1, name)]
    assert not list(compared(ast.parse('"seeds" in extra')))
