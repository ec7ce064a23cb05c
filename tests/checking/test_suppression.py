"""Each cause drops the findings that it explains, and nothing else."""

import pytest
from studies import codes

from evallang.checking.rules.rule import load_codes
from evallang.diagnostics import CODES, PHASES, Phase

HEAD = """\
evallang 1
study
  seed 1
data iris from sklearn iris
model tree = DecisionTreeClassifier(max_depth=3)
model bayes = GaussianNB
"""


@pytest.mark.parametrize(
    ("text", "told", "untold"),
    [
        pytest.param(
            HEAD + "protocol cv folds=\nmeasure accuracy\n", "E045", "E143", id="text-of-a-clause"
        ),
        pytest.param(
            HEAD + "let depth 3\nmodel deep = DecisionTreeClassifier(max_depth=depth)\n"
            "protocol cv\nmeasure accuracy\n",
            "E047",
            "E112",
            id="a-name-of-an-unread-line",
        ),
        pytest.param(
            HEAD + "protocol repeated cv\nmeasure accuracy\ncompare tree, bayse with mcnemar\n",
            "E101",
            "E201",
            id="sense-of-a-wrong-word",
        ),
        pytest.param(
            HEAD + "protocol cv\nmeasure acuracy\n", "E120", "W353", id="hints-beside-an-error"
        ),
    ],
)
def test_what_an_error_causes_is_not_reported(text, told, untold):
    found = codes(text)
    assert told in found
    assert untold not in found


def test_every_code_has_a_phase_and_every_cause_a_reason():
    load_codes()
    assert {phase for _, phase in PHASES} | {Phase.REFERENCES, Phase.CLAUSES, Phase.SPLITS} == set(
        Phase
    )
    assert CODES["E101"].phase is Phase.REFERENCES
    assert CODES["E450"].phase is Phase.SPLITS
