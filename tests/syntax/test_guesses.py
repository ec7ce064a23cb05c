"""Every edit of error recovery reads its example as meant, and every habit has its advice."""

from many_cases import for_each

from evallang.source import SourceFile
from evallang.syntax import repair
from evallang.syntax.parser import parse
from evallang.syntax.slips import slips

from .reading import fixed

PREDICTIONS = 'predictions p from "p.csv"\n  '
IRIS = "data d from sklearn iris\n  "
TOO_LONG = "x" * 3_000_000

EDITS = {
    "doubled_word": ("tune by by accuracy", "tune by accuracy"),
    "misspelt_word": ("tune grid selct best", "tune grid select best"),
    "options_in_brackets": ("protocol cv(folds=10)", "protocol cv folds=10"),
    "comma_before_a_word": ("compare a, b, with mcnemar", "compare a, b with mcnemar"),
    "text_without_quotes": ("study\n  author Jane Doe", 'study\n  author "Jane Doe"'),
    "quoted_key": ('model m = SVC("C"=1)', "model m = SVC(C=1)"),
    "reserved_word": ("compare on, b with mcnemar", None),
    "clause_beside": ('study "T" seed 3', 'study "T"\n  seed 3'),
    "model_of_a_column": (f"{PREDICTIONS}model a as yhat", f"{PREDICTIONS}models a as yhat"),
    "word": ("compare a, b wiht mcnemar", "compare a, b with mcnemar"),
    "quotes_of_a_name": ('use "lab/models.py"', "use lab.models"),
    "brackets_around_one_value": ("model m = MLPClassifier(hidden_layer_sizes=(100))", None),
    "sign": (f"{PREDICTIONS}models a = yhat", f"{PREDICTIONS}models a as yhat"),
    "missing_comma": ("measure accuracy f1", "measure accuracy, f1"),
    "missing_quotes": ("include lab.eval", 'include "lab.eval"'),
    "missing_word": ("compare a, b mcnemar", "compare a, b with mcnemar"),
    "superfluous": ("measure accuracy,, f1", "measure accuracy, f1"),
}
"""A line for each edit, and the line it reads, where the author need not decide."""
MORE = (
    ("measure accuracy and f1", "measure accuracy, f1"),
    ('model "forest" = SVC', "model forest = SVC"),
    (f"{IRIS}target mean radius", f'{IRIS}target "mean radius"'),
    ("study\n  seed = 1", "study\n  seed 1"),
    ("model m = SVC(C in 1-10)", "model m = SVC(C in 1..10)"),
    ("model m = SVC(C in 1:10)", "model m = SVC(C in 1..10)"),
)


def parsed(text):
    return parse(SourceFile("study.eval", f"evallang 1\n{text}\n"))


def test_every_edit_has_its_example():
    assert set(EDITS) == {row.__name__ for row in (*repair.OF_LINES, *repair.OF_TOKENS)}


@for_each(("wrong", "right"), [*EDITS.values(), *MORE])
def test_an_edit_reads_the_wrong_line_as_the_right_one(wrong, right):
    (found,) = parsed(wrong)[1]
    if right is None:
        assert not found.fixes
        assert found.help
        return
    assert fixed(f"evallang 1\n{wrong}\n") == f"evallang 1\n{right}\n"
    if found.message.startswith("`seed` is a clause"):  # it is not read
        return
    assert parsed(wrong)[0] == parsed(right)[0]


@for_each("name", EDITS)
def test_without_the_edit_something_else_would_be_said(name, monkeypatch):
    before = parsed(EDITS[name][0])
    for table in ("OF_LINES", "OF_TOKENS"):
        others = tuple(row for row in getattr(repair, table) if row.__name__ != name)
        monkeypatch.setattr(repair, table, others)
    assert parsed(EDITS[name][0]) != before


HABITS = [*slips().habit, *slips().character, *(row for row in slips().sign if row.wrong)]


@for_each("row", HABITS, ids=lambda row: row.wrong)
def test_a_habit_of_another_language_has_advice_of_its_own(row):
    assert parsed(row.right)[1] == ()
    told = [d.help for d in parsed(row.wrong)[1]]
    assert len(told) == 1
    assert told[0].split("{")[0].startswith(row.advice.split("{")[0])


def test_a_long_line_costs_no_habit_much():
    assert len(parsed(f"measure {TOO_LONG} = (b")[1]) == 1
    assert len(parsed(f"study\n{' ' * 1_000}$ {TOO_LONG}")[1]) == 1
    assert len(parsed(f"let x = [{'a, ' * 20_000}$$ &{' &' * 20_000}]")[1]) == 1
