"""Logs of language-model evaluations, written by the real packages with made models.

The right values in `logs/truth.json` are by numpy, scipy and statsmodels: inspect-ai 0.3.285 and
lm-eval 0.4.13, whose samples are kept without what is not read.
"""

import gzip
import json
import re
import shutil
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

import evallang as ev
from evallang.data import logs
from evallang.limits import limits

LOGS = Path(__file__).parent / "logs"
TRUTH = json.loads((LOGS / "truth.json").read_text())
HEAD = "evallang 1\n\nstudy\n  seed 1\n\n"
VALUES = ("number", "rubric.relevance", "rubric.length", "output tokens")
OF_INSPECT = (
    'predictions quiz from inspect "{}/inspect/*.eval"\n'
    '  models small as "mockllm/small", large as "mockllm/large"\n'
)


def run(folder: Path, body: str) -> Any:
    (folder / "s.eval").write_text(HEAD + body)
    return ev.run(folder / "s.eval").record


def refused(folder: Path, body: str) -> str:
    (folder / "s.eval").write_text(HEAD + body)
    with pytest.raises(ev.StudyError) as caught:
        ev.run(folder / "s.eval")
    return " ".join(f"{d.code} {d.message} {d.help}" for d in caught.value.diagnostics)


@pytest.mark.parametrize("scorer", TRUTH["inspect"])
def test_scorers_of_inspect_have_the_right_means_and_paired_differences(
    scorer: str, tmp_path: Path
) -> None:
    true = TRUTH["inspect"][scorer]
    body = OF_INSPECT.format(LOGS)
    body += f"  scorer {'match' if scorer == 'output tokens' else scorer}\n"
    body += f'  value "{scorer}" all\n  higher is better\n\n' if scorer in VALUES else "\n"
    found = run(tmp_path, body + "compare large vs small with t\n")
    values = {one.model: (one.value, one.n) for one in found.estimates}
    assert values["small"] == pytest.approx((true["small"]["mean"], true["small"]["questions"]))
    assert values["large"] == pytest.approx((true["large"]["mean"], true["large"]["questions"]))
    ((pair,),) = (line.pairwise for line in found.comparisons)
    pairs = true["large - small"]
    assert pair.estimate.value == pytest.approx(pairs["difference"])
    assert pair.extra["standard_error"] == pytest.approx(pairs["se"])
    if pairs["t"] is not None:
        assert pair.p == pytest.approx(pairs["p_t"])


@pytest.mark.parametrize(
    ("metric", "filters", "group"),
    [("acc", "", "doc.passage"), ("exact_match", "  filter strict-match\n", "doc.template")],
)
def test_tasks_of_lm_eval_are_data_sets_with_the_right_values(
    metric: str, filters: str, group: str, tmp_path: Path
) -> None:
    body = (
        f'predictions bench from lm_eval "{LOGS}/lm_eval"\n  metric {metric}\n{filters}'
        '  models small as "org/small-1b", large as "org/large-7b"\n{group}\nmeasure accuracy\n'
        "compare large vs small with {test}\n"
    )
    plain = run(tmp_path, body.format(group="", test="mcnemar"))
    grouped = run(tmp_path, body.format(group=f"  group {group}\n", test="t"))
    names = {"small": "org/small-1b", "large": "org/large-7b"}
    seen = set()
    for name, true in TRUTH["lm_eval"].items():
        task = name.partition("/")[0]
        for one in plain.estimates:
            if one.data == f"bench/{task}":
                own = true[names[one.model]]
                assert one.value == pytest.approx(own["mean"])
                assert [one.interval.low, one.interval.high] == pytest.approx(own["wilson"])
                seen.add(task)
        for line in plain.comparisons:
            if line.data == f"bench/{task}":
                table = [count for row in line.pairwise[0].table for count in row]
                words = ("both", "only_first", "only_second", "neither")
                assert table == [true["pair"]["mcnemar"][word] for word in words]
                assert line.pairwise[0].p == pytest.approx(true["pair"]["mcnemar"]["p_midp"])
        for line in grouped.comparisons:
            if line.data == f"bench/{task}":
                pair = line.pairwise[0]
                assert pair.extra["standard_error"] == pytest.approx(true["pair"]["se_clustered"])
                assert pair.p == pytest.approx(true["pair"]["p_clustered_t"])
    assert seen == ({"made_law", "made_physics"} if metric == "acc" else {"made_arith"})


def inspect_log(*samples: dict[str, Any], model: str = "m/a", **facts: Any) -> str:
    own = {"task": "quiz", "model": model, **facts}
    return json.dumps({"status": "success", "eval": own, "samples": list(samples)})


def sample(number: int, value: Any, **more: Any) -> dict[str, Any]:
    return {"id": number, "scores": {"s": {"value": value}}, **more}


RIGHT = [sample(number, "C") for number in range(10)]


def test_samples_that_failed_are_dropped_as_inspect_does_or_wrong(tmp_path: Path) -> None:
    failed = [
        {"id": 90, "error": {"message": "reset"}},
        sample(91, float("nan")),
        sample(92, "I", limit="time"),
        sample(93, "N"),
    ]
    (tmp_path / "a.json").write_text(inspect_log(*RIGHT, *failed))
    body = 'predictions quiz from inspect "a.json"\n{}'
    for clause, right, n in (
        ("", 10, 12),
        ("  samples errored wrong\n", 10, 13),
        ("  samples errored wrong, unscored wrong\n", 10, 14),
        ("  samples limited dropped\n", 10, 11),
    ):
        (one,) = run(tmp_path, body.format(clause)).estimates
        assert (one.n, one.value) == (n, pytest.approx(right / n))


def test_verdicts_and_numbers_are_read_as_inspect_reads_them(tmp_path: Path) -> None:
    values = ["C", "I", "P", "N", 0.25, True, "yes", "no", "0.75", "1"]
    found = [sample(number, value) for number, value in enumerate(values)]
    (tmp_path / "a.json").write_text(inspect_log(*found))
    body = 'predictions quiz from inspect "a.json"\n  value "grade" all\n  higher is better\n'
    (one,) = run(tmp_path, body).estimates
    assert one.value == pytest.approx((1 + 0 + 0.5 + 0 + 0.25 + 1 + 1 + 0 + 0.75 + 1) / 10)


def test_epochs_are_repeats_without_a_clause_and_absent_ones_are_not(tmp_path: Path) -> None:
    body = 'predictions quiz from inspect "*.json"\n\nmeasure accuracy, pass_at(k=2)\n'
    answers = [sample(i, "CI"[(i + e) % 3 > 0], epoch=e) for i in range(12) for e in (1, 2)]
    (tmp_path / "a.json").write_text(inspect_log(*answers))
    found = {one.metric: (one.n, one.value) for one in run(tmp_path, body).estimates}
    # of three questions one has its first answer right, one its second, and one neither
    assert found == {"accuracy": (12, 1 / 3), "pass_at(k=2)": (12, pytest.approx(2 / 3))}
    compared = body.replace(", pass_at(k=2)", "") + 'compare "m/a" vs "m/b" with {}\n'
    (tmp_path / "b.json").write_text(inspect_log(*answers[::-1], model="m/b"))
    assert "E201" in refused(tmp_path, compared.format("mcnemar"))
    for model in "ab":
        log = inspect_log(*(one for one in answers if one["epoch"] == 1), model=f"m/{model}")
        (tmp_path / f"{model}.json").write_text(log)
    assert "E131" in refused(tmp_path, body)
    assert "E207" in refused(tmp_path, compared.format("t"))
    assert run(tmp_path, compared.format("mcnemar")).comparisons


def test_two_runs_of_a_model_are_told_apart_by_their_arguments(tmp_path: Path) -> None:
    wrong = [sample(number, "I") for number in range(10)]
    for arguments in ("model_generate_config", "plan"):  # of `get_model`, and of `eval`
        for name, effort, samples in (("a", "low", wrong), ("b", "high", RIGHT)):
            facts = {"reasoning_effort": effort, "seed": 1}
            log = json.loads(inspect_log(*samples, model_generate_config=facts))
            if arguments == "plan":
                log["plan"] = {"config": log["eval"].pop("model_generate_config")}
            (tmp_path / f"{name}.json").write_text(json.dumps(log))
        found = run(tmp_path, 'predictions quiz from inspect "*.json"\n')
        assert {one.model: one.value for one in found.estimates} == {
            "m/a (reasoning_effort=low)": 0,
            "m/a (reasoning_effort=high)": 1,
        }


def test_runs_of_one_model_in_two_places_are_two_models(tmp_path: Path) -> None:
    tasks = {"quiz": 10, "law": 20}
    for place, value in (("before", "I"), ("after", "C")):
        (tmp_path / place).mkdir()
        for task, n in tasks.items():
            samples = [sample(number, value) for number in range(n)]
            facts = {"task": task, "task_args": {"prompt": place}}
            (tmp_path / place / f"{task}.json").write_text(inspect_log(*samples, **facts))
    body = 'predictions quiz from inspect "before/*.json", "after/*.json"\n  models {}\n'
    places = 'old as "m/a" in "before/*.json", new as "m/a" in "after/*.json"'
    found = run(tmp_path, body.format(places))
    assert {(one.data, one.model): (one.n, one.value) for one in found.estimates} == {
        (f"quiz/{task}", model): (n, value)
        for task, n in tasks.items()
        for model, value in (("old", 0), ("new", 1))
    }
    one = run(tmp_path, body.format('old as "m/a (prompt=before)" in "before/*.json"'))
    assert {(one.data, one.value) for one in one.estimates} == {("quiz/quiz", 0), ("quiz/law", 0)}
    assert "E401" in refused(tmp_path, body.format('old as "m/a" in "later/*.json"'))


def test_the_only_model_in_a_place_needs_no_name(tmp_path: Path) -> None:
    for place, model, value in (("before", "m/a", "I"), ("after", "m/b", "C")):
        (tmp_path / place).mkdir()
        samples = [sample(number, value) for number in range(10)]
        (tmp_path / place / "quiz.json").write_text(inspect_log(*samples, model=model))
    body = 'predictions quiz from inspect "before/*.json", "after/*.json"\n'
    body += '  models old in "before/*.json", new in "after/*.json"\n'
    found = run(tmp_path, body).estimates
    assert {one.model: one.value for one in found} == {"old": 0, "new": 1}
    (tmp_path / "after" / "other.json").write_text(inspect_log(*RIGHT, model="m/c"))
    assert "E489 `after/*.json` holds 2 models, and the study does not say which" in refused(
        tmp_path, body
    )
    (tmp_path / "after" / "other.json").write_text(inspect_log(*RIGHT, model="m/b"))
    assert "hold the same model `m/b` on the task `quiz`" in refused(tmp_path, body)


def test_a_pattern_skips_the_study_beside_the_logs(tmp_path: Path) -> None:
    written_log(tmp_path / "a.eval", {"header.json": HEADER, "summaries.json": json.dumps(RIGHT)})
    (one,) = run(tmp_path, 'predictions quiz from inspect "*.eval"\n').estimates
    assert (one.n, one.value) == (10, 1)
    (tmp_path / "b.eval").write_bytes(b"")
    assert "E601" in refused(tmp_path, 'predictions quiz from inspect "*.eval"\n')
    (tmp_path / "b.eval").unlink()
    (tmp_path / "a.eval").unlink()
    assert "no log matches" in refused(tmp_path, 'predictions quiz from inspect "*.eval"\n')


def test_a_member_beyond_the_limit_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    shutil.copy(LOGS / "inspect" / "arith_small.eval", tmp_path / "a.eval")
    with limits(bytes=50_000):
        found = refused(tmp_path, 'predictions quiz from inspect "a.eval"\n  scorer match\n')
    assert "E404" in found
    assert "summaries.json" in found


def test_without_zstandard_the_extra_is_proposed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "find_spec", lambda name: None)
    shutil.copy(LOGS / "inspect" / "arith_small.eval", tmp_path / "a.eval")
    found = refused(tmp_path, 'predictions quiz from inspect "a.eval"\n  scorer match\n')
    assert "pip install 'evallang[logs]'" in found


def test_an_archive_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    content = (LOGS / "inspect" / "arith_small.eval").read_bytes()
    for size in (10, 1_000, len(content) // 2):
        (tmp_path / "a.eval").write_bytes(content[:size])
        assert "E601" in refused(tmp_path, 'predictions quiz from inspect "a.eval"\n')


def written_log(path: Path, members: dict[str, str]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


EVALUATION = {"task": "q", "model": "m"}
HEADER = json.dumps({"version": 9, "status": "success", "new": [1], "eval": EVALUATION})


def test_a_log_of_a_later_version_is_read_by_the_fields_that_are_known(tmp_path: Path) -> None:
    samples = [{**one, "invented": {"by": "a later version"}} for one in RIGHT]
    members = {"header.json": HEADER, "summaries.json": json.dumps(samples)}
    written_log(tmp_path / "a.eval", {**members, "../../outside.json": "{}"})
    (one,) = run(tmp_path, 'predictions quiz from inspect "a.eval"\n').estimates
    assert (one.n, one.value) == (10, 1)
    assert not (tmp_path.parent.parent / "outside.json").exists()


def test_a_member_that_is_larger_than_it_states_is_refused(tmp_path: Path) -> None:
    spaces = " " * 3_000_000
    written_log(tmp_path / "a.eval", {"header.json": HEADER, "summaries.json": f"[{spaces}]"})
    content = (tmp_path / "a.eval").read_bytes()
    size = len(spaces) + 2
    forged = content.replace(size.to_bytes(4, "little"), (40).to_bytes(4, "little"))
    assert forged != content
    (tmp_path / "a.eval").write_bytes(forged)
    with limits(bytes=50_000):
        assert "E601" in refused(tmp_path, 'predictions quiz from inspect "a.eval"\n')


@pytest.mark.parametrize("text", ['{"status": "success", "eval"', "[]", '{"status": 3}', ""])
def test_json_that_is_cut_off_or_not_a_log_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(text)
    assert "E601" in refused(tmp_path, 'predictions quiz from inspect "a.json"\n')


def test_a_log_that_did_not_end_is_read_where_that_is_stated(tmp_path: Path) -> None:
    pytest.importorskip("backports.zstd")
    from backports.zstd import zipfile as with_zstandard

    whole = with_zstandard.ZipFile(LOGS / "inspect" / "arith_small.eval")
    with with_zstandard.ZipFile(tmp_path / "a.eval", "w") as archive:
        for name in ("_journal/start.json", "_journal/summaries/1.json"):
            archive.writestr(name, whole.read(name))
    body = 'predictions quiz from inspect "a.eval"\n  scorer match\n'
    assert "E602" in refused(tmp_path, body)
    found = run(tmp_path, body + "  unfinished read\n")
    assert "`a.eval` is not complete: its status is `started`" in found.data[0].notes
    (one,) = found.estimates
    assert one.value == pytest.approx(TRUTH["inspect"]["match"]["small"]["mean"])


def test_every_eval_ever_gives_models_tasks_and_tokens(tmp_path: Path) -> None:
    lines = [
        {
            "model_id": f"org/{model}",
            "evaluation_name": task,
            "sample_id": f"{task}-{i}",
            "evaluation": {"score": float(i % step == 0), "is_correct": i % step == 0},
            "token_usage": {"input_tokens": 5, "output_tokens": i, "total_tokens": 5 + i},
            "error": None,
        }
        for model, step in (("a", 2), ("b", 3))
        for task, n in (("qa", 30), ("math", 12))
        for i in range(n)
    ]
    (tmp_path / "all.jsonl").write_text("\n".join(map(json.dumps, lines)))
    body = 'predictions b from every_eval_ever "*.jsonl"\n{}'
    found = run(tmp_path, body.format('  models first as "org/a", second as "org/b"\n'))
    assert {(one.data, one.model): one.value for one in found.estimates} == pytest.approx(
        {("b/qa", "first"): 1 / 2, ("b/qa", "second"): 1 / 3, ("b/math", "first"): 1 / 2,
         ("b/math", "second"): 1 / 3}
    )  # fmt: skip
    value = '  value "output tokens" all\n  lower is better\n  where task = qa\n'
    tokens = run(tmp_path, body.format(value)).estimates
    assert [one.value for one in tokens] == [14.5, 14.5]


def test_samples_of_every_eval_ever_have_epochs_metrics_and_times(tmp_path: Path) -> None:
    """As its converters of Inspect AI (epochs) and of HELM (a line for each metric) write them."""
    lines = [
        {
            "model_id": "org/a",
            "evaluation_name": "qa",
            "evaluation_result_id": metric,
            "sample_id": f"q{i}",
            "evaluation": {"score": float(i % step == 0 and epoch < 3), "is_correct": True},
            "performance": {"latency_ms": 1.0, "generation_time_ms": 16.0},
            "metadata": {"stop_reason": "stop", "epoch": str(epoch)},
        }
        for metric, step in (("exact_match:test", 2), ("quasi_exact_match:test", 1))
        for epoch in (1, 2, 3)
        for i in range(12)
    ]
    (tmp_path / "all.jsonl").write_text("\n".join(map(json.dumps, lines)))
    body = 'predictions b from every_eval_ever "*.jsonl"\n'
    assert "`qa` in `all.jsonl` has 2 metrics" in refused(tmp_path, body)
    body += '  metric "exact_match:test"\n'
    (one,) = run(tmp_path, body).estimates
    assert (one.n, one.value) == (12, pytest.approx(1 / 3))
    (spent,) = run(tmp_path, body + '  value "seconds" all\n  lower is better\n').estimates
    assert spent.value == pytest.approx(0.016)
    assert "`exact_match:test`" in refused(tmp_path, body.replace("exact_match:test", "f1"))
    lines[3]["model_id"] = None
    (tmp_path / "all.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert "line 4" in refused(tmp_path, body)
    for name in ("all", "other"):  # HELM's scenarios of two subjects have one name
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines[:3])))
    assert "`all.jsonl`, `other.jsonl` hold the same model" in refused(tmp_path, body)


@pytest.mark.parametrize(("epochs", "test"), [(1, "mcnemar"), (2, "t")])
def test_models_are_paired_where_both_are_scored(epochs: int, test: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    scores: dict[str, dict[int, list[float]]] = {"a": {}, "b": {}, "c": {}}
    for model, chance in (("a", 0.5), ("b", 0.7), ("c", 0.6)):
        samples = []
        for number, epoch in np.ndindex(60, epochs):
            right, failed = rng.random() < chance, rng.random() < 0.15
            more = {"error": {"message": "reset"}} if failed else {}
            samples.append(sample(number, "CI"[not right], epoch=epoch + 1, **more))
            if not failed:
                scores[model].setdefault(number, []).append(float(right))
        (tmp_path / f"{model}.json").write_text(inspect_log(*samples, model=model))
    body = 'predictions quiz from inspect "*.json"\n'
    found = run(tmp_path, body + f"compare a vs b, a vs c with {test} holm\n")
    for one in found.estimates:
        own = scores[one.model]
        assert (one.n, one.value) == (
            len(own),
            pytest.approx(np.mean([*map(np.mean, own.values())])),
        )
    for pair in found.comparisons[0].pairwise:
        first, second = (scores[model] for model in pair.models)
        both = sorted({*first} & {*second})
        apart = [np.mean(first[number]) - np.mean(second[number]) for number in both]
        if test == "t":
            assert pair.p == pytest.approx(scipy.stats.ttest_1samp(apart, 0).pvalue)
        else:
            assert [pair.table[0][1], pair.table[1][0]] == [apart.count(1), apart.count(-1)]
            assert sum(map(sum, pair.table)) == len(both)


def test_models_are_compared_on_the_questions_that_both_answered(tmp_path: Path) -> None:
    whole = [sample(number, "CI"[number % 3 == 0]) for number in range(30)]
    (tmp_path / "a.json").write_text(inspect_log(*whole))
    body = 'predictions quiz from inspect "*.json"\n{}\ncompare "m/a" vs "m/b" with mcnemar\n'
    for start, shared in ((20, 10), (30, 0)):
        other = [sample(number, "CI"[number % 2]) for number in range(start, start + 20)]
        (tmp_path / "b.json").write_text(inspect_log(*other, model="m/b"))
        (tmp_path / "s.eval").write_text(HEAD + body.format(""))
        found = ev.run(tmp_path / "s.eval")
        (warning,) = [d for d in found.diagnostics if d.code == "W601"]
        assert f"{shared} of {start + 20} samples" in warning.message
        ((pair,),) = (line.pairwise for line in found.record.comparisons)
        if shared:
            assert pair.table == ((4, 3), (1, 2))
            assert pair.n_common == shared
            found.render("html", folder=tmp_path)
            page = (tmp_path / "report.html").read_text()
            text = " ".join(re.sub("<[^>]+>", "", page).replace("\u00a0", " ").split())
            assert f"({shared} examples)" in text
            assert "20 to 30 of 40 examples" in text
            common = run(tmp_path, body.format("  rows common\n")).estimates
            assert {(one.model, one.n) for one in common} == {("m/a", shared), ("m/b", shared)}
        else:
            assert (pair.p, pair.lacking.kind) == (None, "refused")


def test_infinity_is_read_unless_it_is_the_score(tmp_path: Path) -> None:
    body = 'predictions quiz from inspect "a.json"\n'
    far = sample(90, "I", metadata={"logprob": float("-inf")})
    (tmp_path / "a.json").write_text(inspect_log(*RIGHT, far))
    (one,) = run(tmp_path, body).estimates
    assert (one.n, one.value) == (11, pytest.approx(10 / 11))
    for value in (float("inf"), 10**400):
        (tmp_path / "a.json").write_text(inspect_log(*RIGHT, sample(90, value)))
        assert "E603" in refused(tmp_path, body)


def test_a_log_without_scores_says_how_to_get_them(tmp_path: Path) -> None:
    body = 'predictions quiz from inspect "a.json"\n'
    (tmp_path / "a.json").write_text(inspect_log())
    assert "inspect score" in refused(tmp_path, body)


def test_members_of_one_name_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.eval", "w") as archive:
        for content in (json.dumps(RIGHT), "[]"):
            with warnings.catch_warnings(action="ignore"):
                archive.writestr("summaries.json", content)
    assert "several members" in refused(tmp_path, 'predictions quiz from inspect "a.eval"\n')


def helm(folder: Path) -> None:
    for run in ("mmlu:model=a", "mmlu:model=b"):
        (folder / "suite" / run).mkdir(parents=True)
        for name in ("run_spec.json", "scenario_state.json", "per_instance_stats.json"):
            (folder / "suite" / run / name).write_text('[{"stats": []}]')


def test_logs_of_another_tool_are_recognised_whichever_word_the_study_has(tmp_path: Path) -> None:
    shutil.copytree(LOGS / "lm_eval" / "org__large-7b", tmp_path / "runs" / "org__large-7b")
    shutil.copytree(LOGS / "inspect", tmp_path / "logs")
    helm(tmp_path)
    line = {"model_id": "m", "evaluation_name": "t", "sample_id": "1", "evaluation": {"score": 1}}
    (tmp_path / "eee").mkdir()
    (tmp_path / "eee" / "a.jsonl").write_text(json.dumps(line))
    fixes = {
        "runs": 'holds samples of lm-evaluation-harness write `from lm_eval "runs/org__large-7b"`',
        "logs": 'holds logs of Inspect AI write `from inspect "logs/*.eval"`',
        "eee": "holds samples in the format of Every Eval Ever write `from every_eval_ever "
        '"eee/a.jsonl"`',
        "suite": "holds runs of HELM run `every_eval_ever convert helm --log_path ",
    }
    own = {"runs": "lm_eval", "logs": "inspect", "eee": "every_eval_ever", "suite": None}
    body = 'predictions q from {} "{}"\n'
    for place, fix in fixes.items():
        for tool in {"lm_eval", "inspect", "every_eval_ever"} - {own[place]}:
            for location in (place, f"{place}/**/*.*"):
                assert f"E601 `{location}` {fix}" in refused(tmp_path, body.format(tool, location))
    for place in ("logs", "eee"):
        assert f"E601 `{place}` {fixes[place]}" in refused(tmp_path, body.format(own[place], place))
    (tmp_path / "logs" / "settings.json").write_text('{"a": 1}')
    found = refused(tmp_path, body.format("inspect", "logs/*"))
    assert "E601 `logs/settings.json` is not a log of this tool" in found


def test_versions_of_lm_eval_before_dates_and_names_of_filters_are_read(tmp_path: Path) -> None:
    """As `lm_eval/__main__.py` of 0.4.0 to 0.4.2 and the evaluation tracker of 0.4.3 write them."""
    samples = [
        {"doc_id": number, "doc": {}, "exact_match": float(number % step == 0)}
        for step in (2, 5)
        for number in range(20)
    ]
    facts = {
        "results": {
            "gsm8k": {"exact_match,strict-match": 0.5, "exact_match,flexible-extract": 0.2}
        },
        "configs": {"gsm8k": {}},
        "config": {"model": "hf", "model_args": "pretrained=org/small,dtype=float"},
    }
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "results.json").write_text(json.dumps(facts, indent=2))
    name = "pretrained__org__small,dtype__float_gsm8k.jsonl"
    (tmp_path / "old" / name).write_text(json.dumps(samples, indent=2))
    date = "2024-07-01T12-00-00.123456"
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / f"results_{date}.json").write_text(json.dumps(facts))
    text = "\n".join(map(json.dumps, samples))
    (tmp_path / "new" / f"samples_gsm8k_{date}.jsonl").write_text(text)
    for place in ("old", "old/results.json", "new"):
        for how, mean in (("strict-match", 0.5), ("flexible-extract", 0.2)):
            body = f'predictions q from lm_eval "{place}"\n  filter {how}\n'
            (one,) = run(tmp_path, body).estimates
            assert (one.model, one.n, one.value) == ("org/small", 20, mean)


def test_the_single_score_of_the_first_logs_of_inspect_is_read(tmp_path: Path) -> None:
    """As version 0.3.10 writes a log: `score` of a sample, `results.scorer` with its name."""
    samples = [{"id": i, "epoch": 1, "score": {"value": "CI"[i % 4 == 0]}} for i in range(20)]
    log = json.loads(inspect_log(*samples))
    log |= {"version": 1, "results": {"scorer": {"name": "match"}, "metrics": {}}}
    (tmp_path / "a.json").write_text(json.dumps(log))
    (one,) = run(tmp_path, 'predictions q from inspect "a.json"\n  scorer match\n').estimates
    assert (one.n, one.value) == (20, 0.75)


def test_compressed_logs_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(inspect_log(*RIGHT).encode()))
    (one,) = run(tmp_path, 'predictions q from inspect "*.json.gz"\n').estimates
    assert (one.n, one.value) == (10, 1)
    (tmp_path / "b.json.gz").write_bytes(gzip.compress(inspect_log(*RIGHT).encode())[:-20])
    assert "E405" in refused(tmp_path, 'predictions q from inspect "b.json.gz"\n')
    with limits(bytes=500):
        assert "E404" in refused(tmp_path, 'predictions q from inspect "a.json.gz"\n')


@pytest.mark.parametrize(
    "facts",
    [{"results": []}, {"results": {"t": 1}}, {"config": [1]}, {"configs": [1]}, {"model_name": 1}],
)
def test_results_that_are_not_of_lm_eval_are_refused(facts: Any, tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(json.dumps(facts))
    assert "E601" in refused(tmp_path, 'predictions q from lm_eval "results.json"\n')


def test_what_was_dropped_is_in_the_results_and_in_the_report(tmp_path: Path) -> None:
    failed = [{"id": 90, "error": {"message": "reset"}}, sample(91, "C", limit="time")]
    (tmp_path / "a.json").write_text(inspect_log(*RIGHT, *failed))
    (tmp_path / "s.eval").write_text(HEAD + 'predictions quiz from inspect "a.json"\n')
    results = ev.run(tmp_path / "s.eval")
    told = ("m/a: 1 sample errored, dropped", "m/a: 1 sample limited, scored")
    assert results.record.data[0].notes == told
    results.render("html", folder=tmp_path)
    report = (tmp_path / "report.html").read_text()
    assert f'Reading: quiz/quiz</th><td class="left">{"; ".join(told)}</td>' in report


def test_an_object_of_tasks_is_proposed_and_none_of_its_tasks(tmp_path: Path) -> None:
    tasks = {f"HumanEval/{i}": [{"base_status": "pass"}] for i in range(3)}
    (tmp_path / "a.json").write_text(json.dumps({"date": "x", "eval": tasks}))
    body = 'predictions code from "a.json"\n  id key\n  correct a as base_status = pass\n'
    assert refused(tmp_path, body).endswith("name one: `a.json#eval`")
    assert "E601 `a.json` is not a log of this tool" in refused(
        tmp_path, 'predictions code from lm_eval "a.json"\n'
    )


def test_the_text_of_an_object_is_told_from_an_object(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": 1, "metrics": "{'acc': 1}"}) + "\n")
    body = 'predictions q from "a.jsonl"\n  id id\n  correct a as metrics.acc\n'
    assert "`metrics` has no values inside" in refused(tmp_path, body)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("results.json", '{"results": {"t": {"acc,none": 1}}, "configs": {"../../t": {}}}'),
        ("a.json.gz", "not compressed"),
        ("a.jsonl.gz", "not compressed"),
    ],
)
def test_folders_of_odd_files_are_refused_by_every_tool(
    name: str, content: str, tmp_path: Path
) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / name).write_text(content)
    (tmp_path / "t.jsonl").write_text('{"doc_id": 1, "acc": 1}\n')  # outside the folder
    for tool in ("lm_eval", "inspect", "every_eval_ever"):
        for location in ("logs", "logs/*"):
            assert refused(tmp_path, f'predictions q from {tool} "{location}"\n')
