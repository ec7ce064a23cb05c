"""What a cold start may load."""

import subprocess
import sys

import pytest

HEAVY = (
    "pandas", "polars", "scipy.stats", "sklearn", "matplotlib", "weasyprint", "jinja2",
    "joblib", "fontTools", "scipy.special",
)  # fmt: skip


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["check", "study.eval"], ""),
        (["check", "study.eval"], "analyze confusion, learning_curve, power\n"),
        (["fmt", "--check", "study.eval"], ""),
        (["list", "metrics"], ""),
        (["list", "models"], ""),
        (["doctor"], ""),
        (["--help"], ""),
    ],
)
def test_light_commands_load_nothing_heavy(tmp_path, words, line):
    from studies import TWO_MODELS

    (tmp_path / "study.eval").write_text(TWO_MODELS + line)
    # An analysis is drawn by its own module, which imports what writes and measures its words
    heavy = [name for name in HEAVY if not (line and name in ("jinja2", "fontTools"))]
    script = (
        "import atexit, sys\n"
        "from evallang.cli import start\n"
        f"sys.argv = ['evallang', *{words!r}]\n"
        f"show = lambda: print([m for m in {heavy!r} if m in sys.modules], file=sys.stderr)\n"
        "atexit.register(show)\n"
        "start()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stderr.strip().splitlines()[-1] == "[]"


def test_a_study_whose_fits_are_in_the_store_loads_nothing_that_fits_or_renders(tmp_path):
    import evallang as ev

    study = tmp_path / "study.eval"
    rows = (f"{i % 17},{i * i % 23},{'ab'[i % 3 % 2]}\n" for i in range(90))
    (tmp_path / "d.csv").write_text("u,v,y\n" + "".join(rows))
    study.write_text(
        'evallang 1\nstudy\n  seed 1\ndata d from "d.csv"\n  target y\nmodel a = GaussianNB\n'
        "model b = DummyClassifier\nprotocol cv folds=3\n"
        "measure accuracy\ncompare a, b with mcnemar\n"
    )
    ev.run(study, store=tmp_path / "store")
    script = (
        "import sys, evallang\n"
        "found = evallang.run('study.eval', jobs=2, store='store')\n"
        "found.save('out', ())\n"
        "loaded = [m for m in ('sklearn', 'scipy.stats', 'weasyprint') if m in sys.modules]\n"
        "print(found.record.provenance.fits.run, loaded)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "0 []\n"
    made = {path.name for path in (tmp_path / "out").iterdir()}
    assert made == {"results.json", "predictions.parquet", "fits.csv"}
