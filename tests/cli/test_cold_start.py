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
        "import sys\n"
        "from evallang.cli import main\n"
        f"sys.argv = ['evallang', *{words!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stderr.strip().splitlines()[-1] == "[]"
