"""`evallang new --from FOLDER`: a study of the logs of several models."""

import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from calling import call

DATE = "2024-08-0{}T10-11-12.123456"


def write_samples(folder, model, task, metrics, *, day=1, filters=("none",), n=60, doc=None):
    """Write samples as lm-evaluation-harness 0.4 does: `EvaluationTracker.save_results_samples`."""
    place = folder / model
    place.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(sum(map(ord, model + task)) + day)
    date = DATE.format(day)
    lines = []
    for i in range(n):
        for name in filters:
            row = {
                "doc_id": i, "doc": {"question": f"what is {i}?", **(doc or {}).get(i, {})},
                "target": str(i), "arguments": {"gen_args_0": {"arg_0": "Q", "arg_1": {}}},
                "resps": [["x"]], "filtered_resps": ["x"], "filter": name,
                "metrics": list(metrics), "doc_hash": f"{i:064d}", "prompt_hash": "a",
                "target_hash": "b",
            }  # fmt: skip
            for metric, whole in metrics.items():
                row[metric] = float(rng.integers(2)) if whole else float(rng.beta(4, 2))
            lines.append(json.dumps(row))
    (place / f"samples_{task}_{date}.jsonl").write_text("\n".join(lines) + "\n")
    results = place / f"results_{date}.json"
    aggregated = json.loads(results.read_text()) if results.exists() else {"results": {}}
    measured = {f"{metric},{name}": 0.5 for metric in metrics for name in filters}
    aggregated["results"][task] = {"alias": task, **measured}
    aggregated |= {"higher_is_better": {task: {"loss": False}}}
    aggregated |= {"model_name": model.replace("__", "/"), "model_name_sanitized": model}
    results.write_text(json.dumps(aggregated))


def drafted(folder, *words):
    """Write a study from the folder `logs`, which must check; returns its text."""
    made = call("new", "--from", "logs", *words, folder=folder)
    assert made.returncode == 0, made.stderr
    text = (folder / "study.eval").read_text()
    assert call("fmt", "--check", "study.eval", folder=folder).returncode == 0
    assert call("check", "--data", "study.eval", folder=folder).returncode == 0
    return text


def ran(folder):
    """Run the study; returns its estimates by data, model and metric."""
    done = call("run", "study.eval", "--format", "html", "--no-look", folder=folder)
    assert done.returncode in (0, 4), done.stderr
    results = json.loads((folder / "study-results" / "results.json").read_text())
    assert results["failures"] == []
    return {(e["data"], e["model"], e["metric"]): e["value"] for e in results["estimates"]}


def test_samples_of_two_models_are_joined_by_the_example_and_run(tmp_path):
    logs = tmp_path / "logs"
    both = ("strict-match", "flexible-extract")
    for model in ("Qwen__Qwen2.5-7B", "meta-llama__Llama-3.1-8B"):
        write_samples(logs, model, "gsm8k", {"exact_match": True}, filters=both)
        write_samples(logs, model, "arc_easy", {"acc": True, "acc_norm": True})
    text = drafted(tmp_path)
    assert 'models qwen2_5_7b "Qwen/Qwen2.5-7B" as "Qwen/Qwen2.5-7B"' in text
    assert '  # Also logged: `flexible-extract`\n  filter "strict-match"\n' in text
    values = ran(tmp_path)
    path = logs / "Qwen__Qwen2.5-7B" / f"samples_gsm8k_{DATE.format(1)}.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    right = [row["exact_match"] for row in rows if row["filter"] == "strict-match"]
    assert values["bench/gsm8k", "qwen2_5_7b", "accuracy"] == pytest.approx(np.mean(right))
    assert len(values) == 6  # four, and the average of each model


def test_numbers_are_measured_by_their_mean_in_the_direction_that_the_results_state(tmp_path):
    for model in ("a", "b", "c"):
        write_samples(tmp_path / "logs", model, "wiki", {"loss": False})
    text = drafted(tmp_path)
    assert '  value "loss" all\n' in text
    assert "lower is better" in text
    assert "compare with permutation holm by loss" in text
    assert {metric for _, _, metric in ran(tmp_path)} == {"loss"}


def test_the_newest_run_counts_and_tasks_that_a_model_lacks_are_named(tmp_path):
    logs = tmp_path / "logs"
    for model in ("a", "b"):
        write_samples(logs, model, "quiz", {"acc": True}, day=1)
        write_samples(logs, model, "quiz", {"acc": True}, day=2)
    write_samples(logs, "a", "other", {"acc": True}, day=3)
    write_samples(logs, "a", "prose", {"score": False}, day=3)
    write_samples(logs, "b", "prose", {"score": False}, day=3)
    text = drafted(tmp_path, "--goal", "gate")
    assert f"results_{DATE.format(2)}" in text and DATE.format(1) not in text
    assert "# Of tasks that were run several times, the newest run" in text
    assert "# Not here, since not all models have them: `other`" in text
    assert "# Not here, since they have another measure: `prose`" in text
    assert "require a not worse than b by 5% in accuracy" in text
    assert len(ran(tmp_path)) == 2


def test_tasks_are_averaged_and_metrics_of_a_corpus_are_noted(tmp_path):
    logs = tmp_path / "logs"
    for model in ("a", "b"):
        write_samples(logs, model, "quiz", {"acc": True})
        write_samples(logs, model, "law", {"acc": True}, n=90)
        write_samples(logs, model, "prose", {"perplexity": False})
        samples = logs / model / f"samples_prose_{DATE.format(1)}.jsonl"
        rows = [json.loads(line) | {"perplexity": [-12.5, 30]} for line in samples.open()]
        samples.write_text("\n".join(map(json.dumps, rows)))
    text = drafted(tmp_path)
    assert "# Not here, since no example has a number of its own: `perplexity of prose`" in text
    assert "measure accuracy averaged over data" in text
    assert "compare averaged over data by accuracy" in text
    assert len(ran(tmp_path)) == 6
    results = json.loads((tmp_path / "study-results" / "results.json").read_text())
    noted = "a: skipped `perplexity`, computed on a whole corpus, in `prose`"
    assert any(noted in note for data in results["data"] for note in data["notes"])
    (tmp_path / "study.eval").write_text(text.replace('"logs/*"', '"logs/*"\n  metric perplexity'))
    assert "E603" in call("check", "--data", "study.eval", folder=tmp_path).stderr
    again = call("new", "-", "--from", "logs", "--from", "logs", folder=tmp_path)
    assert again.returncode == 2 and "--from is given twice" in again.stderr


def test_a_unit_of_several_examples_is_their_group(tmp_path):
    passages = {i: {"passage_id": i // 4} for i in range(60)}
    for model in ("a", "b"):
        write_samples(tmp_path / "logs", model, "quiz", {"acc": True}, doc=passages)
    assert "group doc.passage_id" in drafted(tmp_path).replace('"', "")
    ran(tmp_path)


def test_one_model_gets_an_estimate_without_a_comparison(tmp_path):
    write_samples(tmp_path / "logs", "a", "quiz", {"acc": True})
    text = drafted(tmp_path)
    assert "compare" not in text.replace("# ", "")
    assert len(ran(tmp_path)) == 1


def test_models_without_a_common_example_are_not_compared(tmp_path):
    for model in ("a", "b"):
        write_samples(tmp_path / "logs", model, "quiz", {"acc": True})
    (path,) = (tmp_path / "logs" / "b").glob("samples*")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    text = [json.dumps({**row, "doc_id": row["doc_id"] + 1000}) for row in rows]
    path.write_text("\n".join(text))
    text = " ".join(drafted(tmp_path).replace("\n# ", " ").split())
    assert "No comparison: no two models have a score of the same example of `quiz`." in text
    assert "compare" not in text.rpartition("measure accuracy")[2].replace("to compare them", "")
    assert "No comparison" not in drafted(tmp_path, "--goal", "estimate", "--force")


def test_models_without_a_common_task_are_refused(tmp_path):
    write_samples(tmp_path / "logs", "a", "quiz", {"acc": True})
    write_samples(tmp_path / "logs", "b", "prose", {"acc": True})
    made = call("new", "--from", "logs", folder=tmp_path)
    assert made.returncode == 2
    assert "no task in common; they have `quiz`, `prose`" in made.stderr.replace("\n", " ")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_tables_with_the_truth_are_joined_by_their_id(tmp_path, ending):
    rng = np.random.default_rng(0)
    truth = rng.choice(["cat", "cow", "dog"], 90)
    (tmp_path / "logs").mkdir()
    shares = {}
    for model, right in (("cnn", 0.9), ("old net", 0.7)):
        made = np.where(rng.random(90) < right, truth, "cat")
        shares[model] = np.mean(made == truth)
        table = pl.DataFrame({"image_id": np.arange(90), "truth": truth, "pred": made})
        table = table.sample(fraction=1, shuffle=True, seed=1)
        getattr(table, f"write_{ending}")(tmp_path / "logs" / f"{model}.{ending}")
    text = drafted(tmp_path)
    assert 'models old_net "old net" as pred in' in text
    values = ran(tmp_path)
    assert values["given", "cnn", "accuracy"] == pytest.approx(shares["cnn"])
    assert values["given", "old_net", "accuracy"] == pytest.approx(shares["old net"])


def test_two_classes_have_a_positive_one_and_the_measure_keeps_its_own_reason(tmp_path):
    rng = np.random.default_rng(1)
    (tmp_path / "logs").mkdir()
    truth = rng.choice(["no", "yes"], 90, p=[0.4, 0.6])
    for model in ("cnn", "rnn"):
        made = np.where(rng.random(90) < 0.8, truth, "no")
        table = pl.DataFrame({"image_id": np.arange(90), "truth": truth, "pred": made})
        table.write_csv(tmp_path / "logs" / f"{model}.csv")
    text = drafted(tmp_path)
    assert '  positive "yes"\n' in text
    assert text.count("recall and precision are about it") == 1
    assert "# The share of right predictions\nmeasure accuracy\n" in text


def test_numbers_beside_their_truth_and_outcomes_without_one(tmp_path):
    rng = np.random.default_rng(0)
    (tmp_path / "logs").mkdir()
    truth = rng.normal(size=80)
    for model in ("ridge", "trees"):
        cells = {"id": np.arange(80), "y_true": truth, "prediction": truth + rng.normal(size=80)}
        pl.DataFrame(cells).write_csv(tmp_path / "logs" / f"{model}.csv")
    assert "measure mae" in drafted(tmp_path)
    for model in ("ridge", "trees"):
        (tmp_path / "logs" / f"{model}.csv").unlink()
        (tmp_path / "logs" / model).mkdir()
        rows = [{"id": i, "correct": bool(rng.integers(2))} for i in range(80)]
        lines = "\n".join(map(json.dumps, rows))
        (tmp_path / "logs" / model / "out.jsonl").write_text(lines)
    text = drafted(tmp_path, "--force")
    assert 'correct ridge as correct in "logs/ridge/out.jsonl"' in text
    assert len(ran(tmp_path)) == 2


def test_rows_of_a_question_that_a_column_tells_apart_are_no_repeats(tmp_path):
    (tmp_path / "logs").mkdir()
    rng = np.random.default_rng(0)
    for model in ("small", "large"):
        rows = [
            {"doc_id": i, "filter": name, "exact_match": int(rng.integers(2))}
            for i in range(80)
            for name in ("strict-match", "flexible-extract")
        ]
        lines = "\n".join(map(json.dumps, rows))
        (tmp_path / "logs" / f"{model}.jsonl").write_text(lines)
    text = drafted(tmp_path)
    assert 'where filter = "flexible-extract"  # or "strict-match"' in text
    assert "repeat" not in text
    assert "with mcnemar" in text
    assert len(ran(tmp_path)) == 2


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"2024.eval": b"PK\x03\x04rest"}, "is damaged or incomplete"),
        ({"a.json": b'{"status": "success", "eval": {}}'}, "missing required field `model`"),
        ({"per_instance_stats.json": b"[]"}, "every_eval_ever convert helm"),
        ({}, "has no log or table"),
        ({"notes.txt": b"x"}, "has no log or table"),
        ({"a.csv": b"x,y\n1,2\n3,4\n", "b.csv": b"z,w\n1,2\n3,4\n"}, "no id in common"),
        ({"a.csv": b"x,y\n1.5,2.5\n3,4\n"}, "are not the logs of models"),
        ({"a.jsonl": b"{'x': 1}\n"}, "json.dumps"),
    ],
)
def test_what_is_no_log_is_refused_with_what_to_do(tmp_path, files, told):
    (tmp_path / "logs").mkdir()
    for name, content in files.items():
        (tmp_path / "logs" / name).write_bytes(content)
    made = call("new", "--from", "logs", folder=tmp_path)
    assert made.returncode in (1, 2)
    assert told in made.stderr.replace("\n", " ")
    assert not (tmp_path / "study.eval").exists()
    made = call("new", "--from", "logs", "--target", "x", folder=tmp_path)
    assert "--target names a column of a table" in made.stderr.replace("\n", " ")


@pytest.mark.parametrize("source", ["logs", "logs/arith_small.eval"])
def test_logs_of_inspect_are_a_study_of_a_scorer_with_right_and_wrong(tmp_path, source):
    kept = Path(__file__).parents[1] / "data" / "logs" / "inspect"
    shutil.copytree(kept, tmp_path / "logs")
    made = call("new", "--from", source, folder=tmp_path)
    assert made.returncode == 0, made.stderr
    text = (tmp_path / "study.eval").read_text()
    assert "  scorer match\n" in text and "several epochs" in text
    assert '  models small "mockllm/small" as "mockllm/small"\n' in text
    assert call("fmt", "--check", "study.eval", folder=tmp_path).returncode == 0
    checked = call("check", "--data", "study.eval", folder=tmp_path)
    assert checked.returncode == 0, checked.stdout
    assert ("compare with" in text) == (source == "logs")


def test_a_log_of_inspect_that_is_damaged_or_absent_is_refused(tmp_path):
    (tmp_path / "2024.eval").write_bytes(b"PK\x03\x04rest")
    made = call("new", "--from", "2024.eval", folder=tmp_path)
    assert made.returncode == 1 and "E601" in made.stderr
    absent = call("new", "--from", "none.eval", folder=tmp_path)
    assert absent.returncode == 1 and "E401" in absent.stderr


def test_one_file_of_samples_is_a_study_of_one_model(tmp_path):
    write_samples(tmp_path, "llama", "arc", {"acc": True})
    (file,) = (tmp_path / "llama").glob("samples_*.jsonl")
    made = call("new", "--from", f"llama/{file.name}", folder=tmp_path)
    assert made.returncode == 0, made.stderr
    text = (tmp_path / "study.eval").read_text()
    assert "# Samples of lm-evaluation-harness: one model\n" in text
    assert call("check", "--data", "study.eval", folder=tmp_path).returncode == 0
    found = ran(tmp_path)
    right = [json.loads(line)["acc"] for line in file.read_text().splitlines()]
    assert found["bench/arc", "llama", "accuracy"] == pytest.approx(sum(right) / len(right))


def write_ever(folder, model, right, task="quiz"):
    """Write samples in the format of Every Eval Ever, version 0.3.0."""
    rows = [
        {"schema_version": "instance_level_eval_0.3.0", "evaluation_id": "e", "model_id": model,
         "evaluation_name": task, "sample_id": str(i), "interaction_type": "single_turn",
         "evaluation": {"score": float(one), "is_correct": one}}
        for i, one in enumerate(right)
    ]  # fmt: skip
    folder.mkdir(exist_ok=True)
    file = folder / f"{model.replace('/', '_')}_{task}.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))


@pytest.mark.parametrize("source", ["logs", "logs/org_a_quiz.jsonl"])
def test_samples_of_every_eval_ever_are_a_study_of_their_scores(tmp_path, source):
    rng = np.random.default_rng(2)
    right = {model: rng.integers(2, size=40).astype(bool).tolist() for model in ("org/a", "org/b")}
    for model, some in right.items():
        write_ever(tmp_path / "logs", model, some)
    write_ever(tmp_path / "logs", "org/a", right["org/a"][:30], task="alone")
    made = call("new", "--from", source, folder=tmp_path)
    assert made.returncode == 0, made.stderr
    text = (tmp_path / "study.eval").read_text()
    assert call("check", "--data", "study.eval", folder=tmp_path).returncode == 0
    assert ("compare with mcnemar" in text) == (source == "logs")
    values = ran(tmp_path)
    assert values["bench/quiz", "a", "accuracy"] == pytest.approx(np.mean(right["org/a"]))
    if source == "logs":
        assert "# Not here, since not all models have them: `alone`" in text
        assert values["bench/quiz", "b", "accuracy"] == pytest.approx(np.mean(right["org/b"]))


def test_logs_of_several_tasks_and_one_that_did_not_end(tmp_path):
    def log(name, model, task, scorer, status="success"):
        samples = [
            {"id": i, "scores": {scorer: {"value": "CI"[(i * len(name)) % 3 > 0]}}}
            for i in range(30)
        ]
        whole = {"status": status, "eval": {"task": task, "model": model}, "samples": samples}
        (tmp_path / "logs" / f"{name}.json").write_text(json.dumps(whole))

    (tmp_path / "logs").mkdir()
    for model in ("m/a", "m/b"):
        log(f"{model[2]}-sums", model, "sums", "match")
        log(f"{model[2]}-choice", model, "choice", "choice")
    log("c-sums", "m/c", "sums", "match", status="error")
    text = drafted(tmp_path)
    assert "# Not here, since they did not end: `logs/c-sums.json`" in text
    assert text.count("\npredictions ") == 2
    assert "Also logged" not in text  # each task has one score, and lacks none
    assert "has a number of its own" not in text
    assert {(data, model) for data, model, _ in ran(tmp_path)} == {
        ("bench/choice", "a"), ("bench/choice", "b"), ("match/sums", "a"), ("match/sums", "b"),
        (None, "a"), (None, "b"),
    }  # fmt: skip
