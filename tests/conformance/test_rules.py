"""What every rule promises: it objects to the one study of its docstring, accepts the other."""

import pytest
from studies import checked

from evallang.checking.rules.rule import RULES, load_rules

load_rules()
every_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


def found(text):
    return checked("evallang 1\n" + text + "\n").diagnostics


def of_this_version(text):
    """Give what is found; skips where the study says what only a later version can run."""
    diagnostics = found(text)
    if any(d.code == "E901" for d in diagnostics):
        pytest.skip("its study is one of a later version")
    return diagnostics


@every_rule
def test_a_rule_objects_to_the_study_it_shows(rule):
    if rule.code.code not in [d.code for d in found(rule.code.wrong)]:
        of_this_version(rule.code.wrong)
        raise AssertionError("it does not object")


@every_rule
def test_a_rule_accepts_the_study_it_shows(rule):
    assert rule.code.code not in [d.code for d in found(rule.code.right)]
    errors = [d for d in of_this_version(rule.code.right) if d.severity == "error"]
    assert errors == []


@every_rule
def test_a_rule_names_its_reason_its_source_and_a_way_out(rule):
    assert rule.code.reason
    assert rule.code.source
    for diagnostic in found(rule.code.wrong):
        if diagnostic.code == rule.code.code:
            assert diagnostic.help
            assert diagnostic.span is not None
