"""Logs of two models with 100,000 samples each, from the log to the report.

Inspect AI's `.eval` files with their summaries, and lm-evaluation-harness's JSON Lines with the
documents, arguments and responses that it writes. There is no peer that does the same work.

    python -m benchmarks.logs
"""

import json
import tempfile
import zipfile
from pathlib import Path

import numpy as np

from benchmarks._processes import measured, ours
from benchmarks._rows import Kind, Row, report
from benchmarks._whole_commands import OFF, SEED

SAMPLES, MODELS, DATE = 100_000, {"small": 0.6, "large": 0.62}, "2026-11-28T19-11-16.905382"
LIMITS = {"inspect": 20.0, "lm_eval": 15.0}  # seconds
MOST_MEMORY = 1.0  # GB
STUDY = """\
evallang 1
predictions quiz from {tool} {paths}
  {score}
measure accuracy
compare with mcnemar
report html
"""
NAMED = {
    "inspect": ('"small.eval", "large.eval"', "scorer match"),
    "lm_eval": ('"small", "large"', "metric acc"),
}


def write_inspect(folder: Path) -> None:
    """Write a log of each model: header and summaries, as version 0.3 of Inspect AI does."""
    rng = np.random.default_rng(SEED)
    for model, chance in MODELS.items():
        samples = [
            {"id": i, "epoch": 1, "input": f"Question {i}: what is it?", "target": "x",
             "metadata": {"passage": i // 10}, "total_time": 0.5,
             "scores": {"match": {"value": "CI"[wrong], "answer": "x", "explanation": "y" * 80}},
             "model_usage": {model: {"input_tokens": 30, "output_tokens": 17}}}
            for i, wrong in enumerate((rng.random(SAMPLES) > chance).tolist())
        ]  # fmt: skip
        header = {"version": 2, "status": "success", "eval": {"task": "quiz", "model": model}}
        with zipfile.ZipFile(folder / f"{model}.eval", "w", zipfile.ZIP_DEFLATED) as log:
            log.writestr("header.json", json.dumps(header))
            log.writestr("summaries.json", json.dumps(samples))


def write_lm_eval(folder: Path) -> None:
    """Write a folder of each model: results, and samples of a task with four choices."""
    rng = np.random.default_rng(SEED)
    for model, chance in MODELS.items():
        place = folder / model
        place.mkdir()
        facts = {"model_name": model, "results": {"quiz": {"acc,none": chance}}}
        (place / f"results_{DATE}.json").write_text(json.dumps(facts))
        with (place / f"samples_quiz_{DATE}.jsonl").open("w") as file:
            for i, right in enumerate((rng.random(SAMPLES) < chance).tolist()):
                asked = [{"arg_0": f"Question {i}?\nAnswer:", "arg_1": f" {c}"} for c in "abcd"]
                answers = [[["-7.298599920542383", "False"]]] * 4
                record = {
                    "doc_id": i, "doc": {"question": f"Question {i}?", "choices": [*"abcd"]},
                    "target": "2", "arguments": dict(enumerate(asked)), "resps": answers,
                    "filtered_resps": answers, "filter": "none", "metrics": ["acc"],
                    "doc_hash": "42154b55" * 8, "prompt_hash": "7e2fe8dd" * 8,
                    "target_hash": "d4735e3a" * 8, "acc": float(right),
                }  # fmt: skip
                file.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    for tool, write in (("inspect", write_inspect), ("lm_eval", write_lm_eval)):
        paths, score = NAMED[tool]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write(folder)
            (folder / "study.eval").write_text(STUDY.format(tool=tool, paths=paths, score=score))
            found = measured(ours("run", "study.eval", "--quiet", "--out", "out"), folder, **OFF)
        work = f"logs of {tool}, 2 x {SAMPLES:,} samples, report included"
        note = f"{found.processor:.1f} s of the processors"
        report(Row(work, found.seconds, kind=Kind.MOST, limit=LIMITS[tool], note=note))
        memory = found.memory / 1e9
        report(Row(f"{work}, memory", memory, "GB", kind=Kind.MOST, limit=MOST_MEMORY))
