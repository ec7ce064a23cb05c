"""What every rule promises: it objects to the one study of its docstring, accepts the other."""

from many_cases import for_each
from studies import checked

from evallang.checking.rules.rule import RULES, Stage, load_rules

load_rules()
every_rule = for_each("rule", RULES.values(), ids=RULES)


def found(text):
    return checked("evallang 1\n" + text + "\n").diagnostics


@every_rule
def test_a_rule_objects_to_the_study_it_shows(rule):
    assert rule.code.code in [d.code for d in found(rule.code.words.wrong)]


@every_rule
def test_a_rule_accepts_the_study_it_shows(rule):
    diagnostics = found(rule.code.words.right)
    assert rule.code.code not in [d.code for d in diagnostics]
    assert [d for d in diagnostics if d.severity == "error"] == []


@every_rule
def test_a_rule_names_its_reason_its_source_and_a_way_out(rule):
    assert rule.code.words.reason
    assert rule.code.words.source
    for diagnostic in found(rule.code.words.wrong):
        if diagnostic.code == rule.code.code:
            assert diagnostic.help
            assert diagnostic.span is not None


def test_a_rule_that_runs_later_declares_its_stage():
    load_rules()
    stages = {name: set(rule.at) for name, rule in RULES.items()}
    assert stages["too_few_discordant_pairs"] == {Stage.DATA, Stage.PLAN}
    assert stages["many_comparisons_without_correction"] == {Stage.DATA}
    assert stages["fold_test_with_few_splits"] == {Stage.DATA, Stage.PLAN}
    assert stages["no_baseline"] == set()
