"""What a cold start may load."""

import subprocess
import sys

import pytest

HEAVY = (
    "numpy", "pandas", "polars", "scipy", "sklearn", "matplotlib", "weasyprint", "jinja2",
    "joblib", "fontTools",
)  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [
        ["check", "study.eval"],
        ["fmt", "--check", "study.eval"],
        ["explain", "mcnemar"],
        ["list", "metrics"],
        ["list", "models"],
        ["--help"],
    ],
    ids=" ".join,
)
def test_light_commands_load_nothing_heavy(tmp_path, words):
    from studies import TWO_MODELS

    (tmp_path / "study.eval").write_text(TWO_MODELS)
    script = (
        "import atexit, sys\n"
        "from evallang.cli import main\n"
        f"sys.argv = ['evallang', *{words!r}]\n"
        f"show = lambda: print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)\n"
        "atexit.register(show)\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stderr.strip().splitlines()[-1] == "[]"


def test_a_check_compiles_little_source_and_few_regular_expressions(tmp_path):
    """What `dataclass` and `re.compile` cost at import: each compiled thing takes 0.1 to 0.5 ms."""
    from studies import TWO_MODELS

    (tmp_path / "study.eval").write_text(TWO_MODELS)
    script = (
        "import atexit, click, collections, re, sys\n"
        "counts = collections.Counter()\n"
        "sys.addaudithook(lambda event, _: counts.update([event] if event == 'compile' else []))\n"
        "compiled = re._compiler.compile\n"
        "def counted(*words):\n"
        "    counts['pattern'] += 1\n"
        "    return compiled(*words)\n"
        "re._compiler.compile = counted\n"
        "from evallang.cli import main\n"
        "sys.argv = ['evallang', 'check', 'study.eval']\n"
        "show = lambda: print(counts['compile'], counts['pattern'], file=sys.stderr)\n"
        "atexit.register(show)\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    source, patterns = map(int, done.stderr.split()[-2:])
    assert 0 < source < 60
    assert 0 < patterns < 35


def test_a_study_whose_fits_are_in_the_store_loads_nothing_that_fits_or_renders(tmp_path):
    import evallang as ev

    study = tmp_path / "study.eval"
    study.write_text(
        "evallang 1\nstudy\n  seed 1\ndata wine from sklearn wine\nmodel a = GaussianNB\n"
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
