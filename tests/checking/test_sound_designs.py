"""Thirty sound designs of nine fields, with made data: no error, a warning in fifteen at most."""

import sys
from pathlib import Path

import pytest

from evallang.api.preparing import check_data
from evallang.api.study_file import check_text

HERE = Path(__file__).parent / "sound_designs"
sys.path.insert(0, str(HERE))
import made_data  # noqa: E402 - beside the studies

STUDIES = sorted(HERE.glob("*.eval"))
DESIGNS = 30
ONE_WARNING_IN = 15


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("made")
    made_data.write(made)
    return made


def test_sound_designs_get_no_error_and_hardly_a_warning(folder):
    found = {}
    for path in STUDIES:
        study = check_text(path.read_text(encoding="utf-8"), path.name, folder)
        found[path.stem] = [d for d in check_data(study) if d.allowed_because is None]
    errors = {n: [d.message for d in f if d.is_error] for n, f in found.items()}
    assert {n: e for n, e in errors.items() if e} == {}
    warned = {n: [d.code for d in f if d.severity == "warning"] for n, f in found.items()}
    warned = {n: w for n, w in warned.items() if w}
    assert len(STUDIES) >= DESIGNS
    assert sum(map(len, warned.values())) <= len(STUDIES) // ONE_WARNING_IN, warned
