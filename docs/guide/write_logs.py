"""Write the logs of the page "Comparing language models" here: `python write_logs.py`.

The models and questions are invented. The files have the names and the fields of those that
lm-evaluation-harness and Inspect AI write; each value is drawn by Python's `random.random()` from a
stated seed.
"""

import json
import math
import random
import zipfile
from pathlib import Path

TASKS = {"law": 160, "physics": 80, "history": 240, "arithmetic": 120}
PASSAGE = 4  # questions of one passage
DATE = "2026-01-02T03-04-05.678901"


def main() -> None:
    """Write the logs of a benchmark, of a prompt before and after its change, and of an agent."""
    skills = {"org/base-7b": 0.3, "org/tuned-7b": 0.48}
    folders = {model: f"runs/{model.replace('/', '__')}" for model in skills}
    benchmark({folders[model]: (model, skill) for model, skill in skills.items()}, seed=1)
    prompts = {"evals/base": ("org/tuned-7b", 0.65), "evals/change": ("org/tuned-7b", 0.72)}
    benchmark(prompts, seed=2)
    agents({"org/base-7b": (0.2, 400), "org/tuned-7b": (0.8, 900)}, seed=3)


def benchmark(runs: dict[str, tuple[str, float]], seed: int) -> None:
    """Write a folder of lm-evaluation-harness for each run of a model with its skill."""
    rng = random.Random(seed)
    samples: dict[tuple[str, str], list[dict[str, object]]] = {}
    for task, n in TASKS.items():
        for number in range(n):
            if number % PASSAGE == 0:
                passage = normal(rng)
            hard = 0.7 * passage + normal(rng)
            for folder, (_, skill) in runs.items():
                right = float(skill + 0.5 * normal(rng) > hard)
                doc = {"passage": f"{task}-{number // PASSAGE}"}
                row = {"doc_id": number, "doc": doc, "filter": "none", "acc": right}
                samples.setdefault((folder, task), []).append(row)
    for folder, (model, _) in runs.items():
        results = {}
        for task, n in TASKS.items():
            rows = samples[folder, task]
            mean = sum(float(row["acc"]) for row in rows) / n
            error = math.sqrt(mean * (1 - mean) / (n - 1))
            results[task] = {"acc,none": mean, "acc_stderr,none": error}
            write(f"{folder}/samples_{task}_{DATE}.jsonl", "\n".join(map(json.dumps, rows)) + "\n")
        facts = {"results": results, "model_name": model, "config": {"model_args": {}}}
        write(f"{folder}/results_{DATE}.json", json.dumps(facts))


def agents(models: dict[str, tuple[float, int]], seed: int) -> None:
    """Write a log of Inspect AI for each model: 60 samples, of which each has five epochs."""
    rng = random.Random(seed)
    samples: dict[str, list[dict[str, object]]] = {model: [] for model in models}
    for number in range(60):
        hard = normal(rng)
        for model, (skill, tokens) in models.items():
            chance = 1 / (1 + math.exp(1.5 * hard - skill - 0.5 * normal(rng)))
            for epoch in range(1, 6):
                spent = round(tokens * math.exp(0.2 * hard + 0.3 * normal(rng)))
                verdict = "C" if rng.random() < chance else "I"
                samples[model].append(
                    {
                        "id": f"ticket-{number}", "epoch": epoch,
                        "scores": {"resolved": {"value": verdict}},
                        "model_usage": {model: {"input_tokens": 250, "output_tokens": spent}},
                    }
                )  # fmt: skip
    for model, rows in samples.items():
        path = Path(f"logs/{DATE}_tickets_{model.replace('/', '_')}.eval")
        path.parent.mkdir(exist_ok=True)
        header = {"status": "success", "eval": {"task": "tickets", "model": model}}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as log:
            log.writestr("header.json", json.dumps(header))
            log.writestr("summaries.json", json.dumps(rows))


def write(path: str, text: str) -> None:
    """Write a file and the folders above it."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")


def normal(rng: random.Random) -> float:
    """Draw from the standard normal distribution (Box and Muller 1958)."""
    return math.sqrt(-2 * math.log(1 - rng.random())) * math.cos(2 * math.pi * rng.random())


if __name__ == "__main__":
    main()
