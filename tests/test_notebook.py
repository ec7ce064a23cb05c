"""`%%eval`: a study in a cell reads the frames, estimators and functions of its notebook."""

import re
from pathlib import Path

import nbformat
import numpy as np
import polars as pl
import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from nbclient import NotebookClient
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from studies import study as parsed

import evallang as ev
from evallang.notebook import CellError

NOTEBOOK = Path("examples/notebook.ipynb")
STUDY = """\
evallang 1

study "A cell"
  seed 1

data points from frame table
  target y
  positive 1

model scaled = scaler | net
model bayes = GaussianNB
protocol cv folds=4

measure accuracy, right
compare scaled vs bayes with permutation
"""


def right(truth, prediction):
    """The share of right answers."""
    return np.mean(truth == prediction)


def objects():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(120, 2))
    y = (x[:, 0] + rng.normal(size=120) > 0).astype(int)
    table = pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": y})
    return {
        "table": table,
        "net": LogisticRegression(C=2.0),
        "scaler": StandardScaler(),
        "right": right,
    }


@pytest.fixture
def shell():
    made = InteractiveShell.instance()
    made.run_line_magic("load_ext", "evallang")
    made.user_ns.update(objects())
    yield made
    InteractiveShell.clear_instance()


def evaluate(shell, line="", text=STUDY):
    return shell.run_cell_magic("eval", f"--store off -j 1 {line}", text)


def test_a_cell_gives_what_the_same_study_gives_from_python(shell):
    found = evaluate(shell, "--name r")
    given = objects()
    models = {name: given[name] for name in ("net", "scaler")}
    study = ev.parse(STUDY, models=models, metrics={"right": right})
    expected = ev.run(study, data={"table": given["table"]}, store="off")
    assert shell.user_ns["r"] is found
    assert found.estimates.to_frame().equals(expected.estimates.to_frame())
    assert [model.pipeline for model in found.record.models] == [
        "StandardScaler() | LogisticRegression(C=2.0)",
        "GaussianNB",
    ]


def test_a_function_measures_what_the_metric_of_this_meaning_does(shell):
    folds = evaluate(shell).folds.to_frame()
    assert shell.user_ns["results"] is not None
    ours, theirs = (
        folds.filter(metric=name).sort("model", "fold")["value"].to_list()
        for name in ("right", "accuracy")
    )
    assert len(ours) == 8
    assert ours == pytest.approx(theirs)


def test_an_error_is_shown_without_a_traceback_at_the_line_of_the_cell(shell, capsys):
    shell.run_cell(f"%%eval\n{STUDY.replace('GaussianNB', 'GausianNB')}")
    printed = re.sub("\x1b\\[[0-9;]*m", "", capsys.readouterr().out)
    assert "error[E110]" in printed and "cell:12:15" in printed
    assert "Traceback" not in printed
    assert "results" not in shell.user_ns


def test_a_function_is_known_where_another_metric_is_misspelt(shell):
    with pytest.raises(CellError, match="acuracy") as found:
        evaluate(shell, text=STUDY.replace("accuracy", "acuracy"))
    assert "`right`" not in str(found.value)


def test_a_missing_frame_is_reported(shell):
    del shell.user_ns["table"]
    with pytest.raises(CellError, match=r"no data frame `table` is given"):
        evaluate(shell)


GIVEN = {
    "predictions": (
        "  truth y\n  positive 1\n  models A, B\nmeasure accuracy\ncompare A vs B with mcnemar\n",
        {"y": [0, 1] * 30, "A": [0, 1, 0, 1, 1, 1] * 10, "B": [0, 0, 1, 1, 0, 1] * 10},
    ),
    "scores": (
        '  dataset set\n  models A, B, C\n  metric "AUC"\ncompare across data with friedman\n',
        {
            "set": [f"set {i}" for i in range(9)],
            "A": [0.7 + i % 4 / 20 for i in range(9)],
            "B": [0.6 + i % 5 / 20 for i in range(9)],
            "C": [0.65 + i % 3 / 20 for i in range(9)],
        },
    ),
    "counts": (
        "  models A, B\n  count n\nmeasure accuracy\ncompare A vs B with mcnemar\n",
        {"A": [1, 1, 0, 0], "B": [1, 0, 1, 0], "n": [50, 20, 5, 25]},
    ),
    "battles": (
        "  first a\n  second b\n  winner w\nmeasure bradley_terry\ncompare with bradley_terry\n",
        {
            "a": ["A", "B", "C"] * 12,
            "b": ["B", "C", "A"] * 12,
            "w": ["model_a", "model_b", "model_a", "tie"] * 9,
        },
    ),
}
HEAD = "evallang 1\nstudy\n  seed 1\n"


@pytest.mark.parametrize("word", GIVEN)
def test_every_source_from_a_frame_gives_what_its_file_gives(shell, word, tmp_path):
    clauses, columns = GIVEN[word]
    frame = shell.user_ns["given"] = pl.DataFrame(columns)
    frame.write_csv(tmp_path / "given.csv")
    of_file = ev.run(parsed(f'{HEAD}{word} s from "given.csv"\n{clauses}', tmp_path))
    of_frame = evaluate(shell, text=f"{HEAD}{word} s from frame given\n{clauses}")
    assert of_frame.record.comparisons
    assert of_frame.record.comparisons == of_file.record.comparisons
    assert of_frame.record.estimates == of_file.record.estimates
    assert of_frame.record.data[0].sha256 == of_file.record.data[0].sha256
    assert [file.path for file in of_frame.record.spec.files] == ["cell"]
    del shell.user_ns["given"]
    with pytest.raises(CellError, match=r"`given` is given\n  --> cell:5:\d+\nThe .* `table`"):
        evaluate(shell, text=f"{HEAD}{word} s from frame given\n{clauses}")


@pytest.mark.parametrize("word", GIVEN)
def test_a_file_that_names_a_frame_has_the_error_of_a_missing_frame(word):
    study = parsed(f"{HEAD}{word} s from frame given\n{GIVEN[word][0]}")
    with pytest.raises(ev.StudyError, match=r"no data frame `given` is given") as error:
        ev.run(study)
    (found,) = error.value.diagnostics
    assert found.span is not None
    assert study.text[found.span.start : found.span.end] == "frame given"


def test_data_that_are_no_frame_are_reported_at_their_line(shell):
    shell.user_ns["table"] = 3
    with pytest.raises(CellError, match=r"'table' are an int, [^\n]*\n  --> cell:7:18"):
        evaluate(shell)


def test_a_fitted_estimator_is_refused_and_its_clone_is_not(shell):
    net = shell.user_ns["net"]
    net.fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(CellError, match=r"`net` is fitted already[^\n]*\n  --> cell:11:25"):
        evaluate(shell)
    shell.user_ns["net"] = clone(net)
    assert evaluate(shell).record.provenance.fits.failed == 0


def test_an_interrupted_cell_ends_without_a_traceback(shell, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt("1 of 8 fits is kept for the next run")

    monkeypatch.setattr("evallang.notebook.run", stop)
    with pytest.raises(CellError, match=r"^interrupted: 1 of 8 fits is kept"):
        evaluate(shell)
    assert "results" not in shell.user_ns


def test_an_estimator_without_state_is_not_taken_for_a_fitted_one(shell):
    shell.user_ns["scaler"] = make_pipeline(StandardScaler(), FunctionTransformer(np.tanh))
    assert evaluate(shell, "--plan").n_fits == 8
    shell.user_ns["scaler"] = FunctionTransformer(np.tanh)
    assert evaluate(shell, "--plan").n_fits == 8


def test_an_estimator_with_a_part_that_stays_fitted_is_refused(shell):
    frozen = FrozenEstimator(LogisticRegression().fit([[0.0], [1.0]], [0, 1]))
    shell.user_ns["net"] = CalibratedClassifierCV(frozen)
    with pytest.raises(CellError, match=r"`net` is fitted already"):
        evaluate(shell)


def test_only_a_plan_fits_nothing(shell):
    plan = evaluate(shell, "--plan")
    assert plan.n_fits == 8
    assert "results" not in shell.user_ns


def test_a_name_that_is_no_variable_is_refused(shell):
    for name in ("2r", "class"):
        with pytest.raises(UsageError, match="not the name of a variable"):
            evaluate(shell, f"--name {name}")


def test_a_quotation_without_end_is_reported_without_a_traceback(shell):
    with pytest.raises(UsageError, match="No closing quotation"):
        evaluate(shell, "--name 'r")


def test_a_model_may_have_the_name_of_its_estimator(shell):
    text = STUDY.replace("model scaled = scaler | net", 'model net "Net" = scaler | net')
    found = evaluate(shell, text=text.replace("scaled vs", "net vs"))
    assert found.record.models[0].pipeline == "StandardScaler() | LogisticRegression(C=2.0)"
    named = text.replace('model net "Net" = scaler | net\n', "").replace("scaled vs", "net vs")
    assert {m.name for m in evaluate(shell, text=named).record.models} == {"net", "bayes"}


def test_the_notebook_of_the_examples_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("EVALLANG_STORE", "off")
    made = nbformat.read(NOTEBOOK, 4)
    assert not any(cell.get("outputs") for cell in made.cells)
    NotebookClient(made, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    pages = [
        output.data["text/html"]
        for cell in made.cells
        for output in cell.get("outputs", ())
        if output.output_type == "execute_result"
    ]
    results, frame, _, figure = pages
    assert "Random forest" in results and "<svg" in results and "worst_recall" in frame
    for page in (results, figure):
        assert "light-dark(" in page and "var(--ink)" in page and "<script" not in page
