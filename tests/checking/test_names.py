"""`let`, names that stand for names, and `--set`."""

import pytest
from studies import checked
from test_long_studies import calls

from evallang.checking import resolve_models

STUDY = """evallang 1
study
  seed 1
data iris from sklearn iris
let depth = 3
model tree = DecisionTreeClassifier(max_depth=depth)
model prior = DummyClassifier
protocol cv
"""


def said(text=STUDY, **given):
    return [(d.code, d.message) for d in checked(text, **given).diagnostics]


def test_a_value_set_on_the_command_line_replaces_the_one_written():
    found = checked(STUDY, depth="4")
    assert found.diagnostics == ()
    assert found.study.models[0].pipeline.steps[0].parameters == (("max_depth", 4),)
    assert found.study.overrides == {"depth": "4"}


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("", "E045"),
        ("4 5", "E050"),
        ("[4", "E030"),
        ("4\nmodel x = SVC", "E131"),
        ("depth", "E106"),
    ],
)
def test_a_value_that_is_none_is_refused_once(value, code):
    assert [c for c, _ in said(depth=value)] == [code]


def test_a_name_that_no_let_has_is_refused_with_the_one_meant():
    (found,) = [d for d in checked(STUDY, dept="4").diagnostics if d.severity == "error"]
    assert (found.code, found.help) == ("E101", "did you mean `depth`?")


def chain(length):
    links = "".join(f"let a{i} = a{i + 1}\n" for i in range(length))
    return f"{STUDY}{links}let a{length} = 3\nmodel m = SVC(C=a0)\n"


def test_names_may_lead_to_one_another_as_deep_as_brackets_may_and_no_deeper():
    assert said(chain(20)) == []
    assert [code for code, _ in said(chain(resolve_models.DEEPEST + 1))] == ["E118"]
    assert [code for code, _ in said(chain(1_000))] == ["E118"]


@pytest.mark.parametrize(
    ("link", "last", "use"),
    [
        ("let a{i} = a{j} | a{j}", "let a{i} = StandardScaler", "model m = a0 | SVC"),
        (
            "let a{i} = [a{j}, a{j}]",
            "let a{i} = 3",
            "model m = MLPClassifier(hidden_layer_sizes=a0)",
        ),
        (
            "model a{i} = VotingClassifier(estimators=[a{j}, a{j}])",
            "model a{i} = SVC",
            "model m = a0",
        ),
    ],
)
def test_a_few_lines_that_stand_for_millions_are_refused_at_once(link, last, use):
    lines = [link.format(i=i, j=i + 1) for i in range(40)]
    found = said(f"{STUDY}" + "\n".join([*lines, last.format(i=40), use, ""]))
    assert [code for code, _ in found] == ["E118"]


def test_an_unknown_name_that_many_steps_stand_for_is_looked_for_once():
    def nested(depth):
        lines = [f"let a{i} = a{i + 1} | a{i + 1}" for i in range(depth)]
        last = f"let a{depth} = StandardScalr\nmodel m = a0 | SVC\n"
        return STUDY + "\n".join([*lines, last])

    assert [code for code, _ in said(nested(12))] == ["E110"]
    assert calls(checked, nested(12)) < 3 * calls(checked, nested(4))
