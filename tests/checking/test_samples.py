"""The design's sample programs: every name resolves; what cannot run yet is refused by name."""

from pathlib import Path

import pytest

from evallang.api.study_file import open_study

SAMPLES = Path(__file__).parents[1] / "samples"
RUNNABLE = {
    "01_nested_cv",
    "02_three_way_holdout",
    "03_repeated_cv",
    "04_bootstrap",
    "05_predictions",
    "06_scores",
    "07_many_data_sets",
    "08_gate",
    "09_own_code",
    "10_regression_time",
    "11_counts",
    "12_llm_logs",
}


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.eval")), ids=lambda path: path.stem)
def test_a_sample_has_no_error_but_what_this_version_cannot_run(path):
    found = open_study(path).diagnostics
    errors = {d.code for d in found if d.severity == "error"}
    assert errors <= {"E901", "E902"}, [d.message for d in found if d.severity == "error"]
    assert (errors == set()) == (path.stem in RUNNABLE)
