"""Columns and pipelines: every finding is at its model, and proposes the column meant."""

import pytest

from evallang.api.checked_file import StudyError
from evallang.api.preparing import read_and_plan
from evallang.api.study_file import open_study

STUDY = """evallang 1
data iris from sklearn iris
model a = {model}
protocol cv folds=3
"""


def found_in(folder, model):
    path = folder / "study.eval"
    path.write_text(STUDY.format(model=model), encoding="utf-8")
    with pytest.raises(StudyError) as stopped:
        read_and_plan(open_study(path))
    found = [d for d in stopped.value.diagnostics if d.code.startswith("E48")]
    return path.read_text(encoding="utf-8"), found


@pytest.mark.parametrize(
    ("written", "meant"),
    [("petal_length", "petal length (cm)"), ("sepal widht (cm)", "sepal width (cm)")],
)
def test_an_unknown_column_stands_at_its_model_with_the_column_meant(tmp_path, written, meant):
    text, (found,) = found_in(tmp_path, f'columns(["{written}"]: passthrough) | GaussianNB')
    assert found.span.start == text.index("a = columns")
    assert found.help == f"did you mean `{meant}`?"


def test_nothing_is_proposed_where_two_columns_begin_alike(tmp_path):
    _, (found,) = found_in(tmp_path, "columns([petal]: passthrough) | GaussianNB")
    assert found.help is not None
    assert found.help.startswith("there are `sepal length (cm)`")
