"""Rules about families of hypotheses, asked again of the data sets and models that were found.

A pattern of files, a column of data sets and a file that names its models itself leave open
how many hypotheses a line has; once they are read, it is known.
"""

from collections.abc import Collection

from evallang.checking.rules.primary import OF_CLASSES, depends_on_classes
from evallang.checking.rules.rule import RULES, diagnostic_of, load_rules
from evallang.diagnostics import Diagnostic
from evallang.hypotheses import is_open
from evallang.study import Study

OF_FAMILIES = (
    "many_comparisons_without_correction",
    "same_pair_tested_twice",
    "step_up_correction_of_dependent_pairs",
    "too_few_data_sets",
    "fold_test_with_few_splits",
)
"""The rules that read the families of a study."""


def advise_on_families(study: Study, read: Study) -> list[Diagnostic]:
    """Ask the rules about families of what was read; what the check said is not said again."""
    if not is_open(study):
        return []
    load_rules()
    found: list[Diagnostic] = []
    for name in OF_FAMILIES:
        rule = RULES[name]
        said = {objection.span for objection in rule.find(study)}
        found += [
            diagnostic_of(rule.code, objection, study.path)
            for objection in rule.find(read)
            if objection.span not in said
        ]
    return found


def asked_again(study: Study) -> Collection[str]:
    """Name the rules that the check has to leave to the data."""
    of_families = OF_FAMILIES if is_open(study) else ()
    return (*of_families, *([OF_CLASSES] if depends_on_classes(study) else []))
