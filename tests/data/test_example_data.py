"""The data of the examples: made by their generator, read without a finding."""

import importlib.util
from importlib.resources import files
from pathlib import Path

EXAMPLES = Path(str(files("evallang.examples")))


def test_the_generator_makes_the_committed_files(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("make", EXAMPLES / "data" / "make.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    monkeypatch.setattr(make, "HERE", tmp_path)
    make.main()
    made = sorted(path.name for path in tmp_path.iterdir())
    assert made == [
        "alarms_models.csv",
        "alarms_rule.csv",
        "answers.csv",
        "attempts.csv",
        "battles.jsonl",
        "benchmark.csv",
        "clinics.csv",
        "houses.csv",
        "load.csv",
        "load_ranges.csv",
        "quiz_large.jsonl",
        "quiz_small.jsonl",
        "ratings.csv",
        "readings.csv",
        "reviews_predictions.csv",
        "search.csv",
        *(f"sorting_{number}.csv" for number in range(1, 9)),
        "suite_auc.csv",
        "survey.csv",
        "survival.csv",
        "transcripts.csv",
        "visits.csv",
    ]
    for name in made:
        assert (tmp_path / name).read_bytes() == (EXAMPLES / "data" / name).read_bytes()
