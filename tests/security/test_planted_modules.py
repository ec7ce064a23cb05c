"""Modules next to a study, its data and in the current folder are never imported."""

import sys

import pytest
from security.planting import (
    SPY,
    called,
    commands,
    environment,
    launchers,
    left,
    plant,
    program,
    repository,
    written,
)


@pytest.fixture(scope="module")
def looked_for(tmp_path_factory):
    """Return every top-level module that a command or a worker looks for, found or not."""
    folder = tmp_path_factory.mktemp("spied")
    (folder / "spy").mkdir()
    (folder / "spy" / "sitecustomize.py").write_text(SPY)
    written(folder / "here")
    repository(folder / "here")  # otherwise what reads repositories is not needed
    spied = folder / "names"
    env = environment(PYTHONPATH=str(folder / "spy"), SPIED=str(spied))
    for words in commands("study.eval", "out"):
        done = called([*launchers()["script"], *words], folder / "here", env)
        assert done.returncode == 0, done.stderr
    names = {name.partition(".")[0] for name in spied.read_text().split()}
    # the fork server and its workers are among what was watched
    assert {"polars", "sklearn", "weasyprint", "cloudpickle", "dulwich"} <= names
    return sorted((names | sys.stdlib_module_names) - {"evallang", "__main__"})


@pytest.fixture(scope="module")
def before_evallang(tmp_path_factory):
    """Return what `python -m` itself imports before it reaches evallang."""
    folder = tmp_path_factory.mktemp("early")
    (folder / "sitecustomize.py").write_text(SPY)
    env = environment(PYTHONPATH=str(folder), SPIED=str(folder / "names"))
    called([*launchers()["module"], "--version"], folder, env)
    names = (folder / "names").read_text().split()
    return {name.partition(".")[0] for name in names[: names.index("evallang")]}


@pytest.mark.parametrize("launcher", ["script", "module"])
def test_modules_beside_a_study_its_data_and_in_the_current_folder_are_not_imported(
    tmp_path, looked_for, before_evallang, launcher
):
    names = [n for n in looked_for if launcher == "script" or n not in before_evallang]
    marks, here = tmp_path / "marks", tmp_path / "here"
    study = written(here / "study")
    for folder in (here, study.parent, study.parent / "data"):
        plant(folder, names, marks)
    env = environment()
    if launcher == "script":
        started = [(words, here) for words in commands("study/study.eval", "out")]
        started.append((["run", "study.eval", "-j", "2"], study.parent))
    else:  # how it was started makes a difference until the search path is set, in any command
        started = [(["check", "study/study.eval"], here)]
    for words, folder in started:
        done = called([*launchers()[launcher], *words], folder, env)
        assert (left(marks), done.returncode) == ([], 0), (words, done.stderr)


def test_a_run_from_python_keeps_the_current_folder_out_of_its_workers(tmp_path, looked_for):
    marks = tmp_path / "marks"
    study = written(tmp_path / "here")
    plant(study.parent, looked_for, marks)
    # as a notebook does, which has the current folder first on its path
    script = (
        "import sys\n"
        "import evallang as ev\n"
        "sys.path.insert(0, '')\n"
        "study = ev.load('study.eval')\n"
        "study.plan()\n"
        "results = ev.run(study, jobs=2, out='out')\n"
        "results.render('html', folder='out')\n"
        "assert sys.path[0] == ''\n"
    )
    done = called([sys.executable, "-P", "-c", script], study.parent, environment())
    assert (left(marks), done.returncode) == ([], 0), done.stderr


def test_own_code_is_imported_with_consent_and_stands_in_for_nothing(tmp_path):
    marks, here = tmp_path / "marks", tmp_path / "here"
    study = written(here)
    plant(here, ["cloudpickle", "numpy", "json"], marks)
    (here / "ours.py").write_text(
        "from sklearn.dummy import DummyClassifier\nclass Ours(DummyClassifier):\n    pass\n"
    )
    text = study.read_text().replace("evallang 1\n", "evallang 1\nuse ours\n")
    study.write_text(text.replace("model line", "model mine = ours.Ours\nmodel line"))
    run = [*launchers()["script"], "run", "study.eval", "-j", "2"]
    assert called(run, here, environment()).returncode == 2
    done = called([*run, "--trust"], here, environment())
    assert (left(marks), done.returncode) == ([], 0), done.stderr


def test_a_module_beside_the_study_that_an_installed_one_hides_is_refused(tmp_path):
    study = written(tmp_path)
    (tmp_path / "json.py").write_text("Ours = 1\n")
    text = study.read_text().replace("evallang 1\n", "evallang 1\nuse json\n")
    study.write_text(text.replace("model line", "model mine = json.Ours\nmodel line"))
    done = called([*launchers()["script"], "run", "study.eval", "--trust"], tmp_path, environment())
    assert done.returncode == 1
    assert "error[E476]" in done.stderr and "`json`" in done.stderr


def test_a_distribution_in_the_current_folder_registers_no_estimator(tmp_path):
    study, marks = written(tmp_path), tmp_path / "marks"
    plant(tmp_path, ["evil"], marks)
    metadata = tmp_path / "evil-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: evil\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[evallang.models]\nEvilNet = evil:Net\n")
    study.write_text(study.read_text().replace("StandardScaler | LogisticRegression", "EvilNet"))
    for launcher in launchers().values():
        listed = called([*launcher, "list", "models"], tmp_path, environment())
        assert "EvilNet" not in listed.stdout
        done = called([*launcher, "run", "study.eval", "-j", "1"], tmp_path, environment())
        assert (done.returncode, left(marks)) == (1, []), done.stderr


def test_no_program_of_the_current_folder_is_run(tmp_path):
    study, marks = written(tmp_path / "here"), tmp_path / "marks"
    programs = "git lscpu fc-list gcc cc ld objdump ldconfig uname sh xdg-open latex dvipng python3"
    for name in programs.split():
        program(study.parent / name, marks)
    env = environment(MPLCONFIGDIR=str(tmp_path / "fresh"))  # fonts are looked for again
    run = [*launchers()["script"], "run", "study.eval", "-j", "2", "--format", "html,pdf"]
    done = called(run, study.parent, {**env, "PATH": f".::{env['PATH']}"})
    assert (left(marks), done.returncode) == ([], 0), done.stderr
