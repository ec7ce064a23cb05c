"""Studies of pairwise judgements, against choix, evalica, statsmodels and numpy.

The battles are drawn by a hash, so that they are the same everywhere. Expected strengths were
computed once by choix.ilsr_pairwise (ties dropped), evalica.bradley_terry (ties half) and a
likelihood of Davidson's model with an order effect; their errors, clustered by question, by
statsmodels and by numpy.
"""

import hashlib
import json
import math
import re

import pytest
from studies import study

import evallang as ev
from evallang.api.preparing import read_and_plan
from evallang.api.study_file import check_text
from evallang.reporting.letter_case import written_options
from evallang.study import Method

MODELS = {"alpha-70b": 0.9, "bravo-7b": 0.1, "charlie-v2": 0.5, "delta-13b": -0.2, "echo-3b": -1.0}
DROPPED = {
    "alpha-70b": 137.49450881047798,
    "bravo-7b": 14.27165159324291,
    "charlie-v2": 72.0088363815742,
    "delta-13b": -33.497128466145284,
    "echo-3b": -190.2778683191498,
}
HALF = {
    "alpha-70b": 100.88106903042427,
    "bravo-7b": 8.469935391822935,
    "charlie-v2": 50.87205444046582,
    "delta-13b": -24.163824410383327,
    "echo-3b": -136.0592344523297,
}
DAVIDSON = {
    "alpha-70b": 146.5584632882122,
    "bravo-7b": 10.555587570082961,
    "charlie-v2": 71.528800828386,
    "delta-13b": -33.938901996885335,
    "echo-3b": -194.70394968979576,
}
BY_QUESTION = {  # standard errors of DAVIDSON
    "alpha-70b": 25.512818006027103,
    "bravo-7b": 22.56829575555923,
    "charlie-v2": 26.87110045463811,
    "delta-13b": 21.6739774782016,
    "echo-3b": 26.35779372300686,
}
WON = {"alpha-70b": 0.6731517509727627, "echo-3b": 0.27530364372469635}
ORDER = 0.25416650486471964  # log odds


def hashed(*parts):
    return int(hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest()[:12], 16) / 16**12


def arena():
    """Draw 600 battles in the form of the Chatbot Arena."""
    names = list(MODELS)
    for i in range(600):
        q, a = int(120 * hashed("q", i)), int(5 * hashed("a", i))
        first, second = names[a], names[(a + 1 + int(4 * hashed("b", i))) % 5]
        alike = 0.8 * (hashed("qa", q, first) - hashed("qa", q, second))
        d = MODELS[first] - MODELS[second] + 0.25 + alike
        won, lost, tied = math.exp(d / 2), math.exp(-d / 2), 0.7
        x = hashed("w", i) * (won + lost + tied)
        tie = "Tie" if hashed("t", i) < 0.6 else "tie (bothbad)"
        winner = "model_a" if x < won else "model_b" if x < won + lost else tie
        judge = f"user_{int(40 * hashed('j', i))}"
        yield {
            "question_id": f"q{q:03d}", "model_a": first, "model_b": second, "winner": winner,
            "judge": judge, "turn": 1,
        }  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("arena")
    lines = "".join(json.dumps(row) + "\n" for row in arena())
    (folder / "arena.jsonl").write_text(lines, encoding="utf-8")
    return folder


HEAD = 'evallang 1\n\nstudy\n  seed 1\n\nbattles votes from "arena.jsonl"\n'


def run(folder, lines):
    return ev.run(study(HEAD + lines, folder)).record


def test_strengths_are_those_of_choix_evalica_and_davidson(folder):
    metrics = {
        "bradley_terry(ties=drop, order=none)": DROPPED,
        "bradley_terry(ties=half, order=none)": HALF,
        "bradley_terry": DAVIDSON,
    }
    record = run(folder, f"  judge turn\n\nmeasure {', '.join(metrics)}, win_rate\n")
    for estimate in record.estimates:
        if estimate.metric == "win_rate":
            if estimate.model in WON:
                assert estimate.value == pytest.approx(WON[estimate.model], abs=1e-12)
            continue
        assert estimate.value == pytest.approx(metrics[estimate.metric][estimate.model], abs=1e-6)
        if estimate.metric == "bradley_terry":
            error = estimate.extra["standard_error"]
            assert error == pytest.approx(BY_QUESTION[estimate.model], abs=1e-6)
            place = estimate.extra["first_place"]
            assert place == pytest.approx(ORDER * 400 / math.log(10), abs=1e-6)
    (data,) = record.data
    assert (data.kind, data.n, data.clusters) == ("battles", 600, {"prompts": 120})
    assert any("fewer than 6" in note for note in data.notes)  # one value of `turn`


def test_pairs_and_requirements_rest_on_the_joint_covariance(folder):
    lines = (
        "\nmeasure bradley_terry(anchor=bravo-7b, at=1000)\n"
        "compare with bradley_terry\n"
        "require alpha-70b better than delta-13b\n"
        "require alpha-70b not worse than charlie-v2 by 500\n"
        "require bradley_terry of echo-3b >= 0\n"
    )
    record = run(folder, lines)
    values = {e.model: e.value for e in record.estimates}
    assert values["bravo-7b"] == 1000
    gap = DAVIDSON["alpha-70b"] - DAVIDSON["bravo-7b"]
    assert values["alpha-70b"] == pytest.approx(1000 + gap, abs=1e-6)
    pairs = {test.models: test for test in record.comparisons[0].pairwise}
    assert len(pairs) == 10
    test = pairs["alpha-70b", "bravo-7b"]
    assert test.estimate.value == pytest.approx(gap, abs=1e-6)
    assert test.df == (39,)  # the fewer are the 40 judges
    # A difference to the anchor is the anchored strength, so both errors are one
    anchored = next(e for e in record.estimates if e.model == "alpha-70b")
    assert test.extra["standard_error"] == pytest.approx(anchored.extra["standard_error"])
    assert [r.met for r in record.requirements] == [True, True, False]


FILES = {
    "mt_bench.jsonl": [
        {"question_id": 81, "model_1": "x", "model_2": "y", "g1_winner": "model_1",
         "g2_winner": "tie", "judge": ["gpt-4", "pair-v2"]},
        {"question_id": 82, "model_1": "x", "model_2": "y", "g1_winner": "model_2",
         "g2_winner": "error", "judge": ["gpt-4", "pair-v2"]},
    ],
    "arena_hard.jsonl": (HARD := [
        {"uid": "1", "model": "y", "judge": "gpt", "games": [{"score": "A>>B"}, {"score": "A=B"}]},
        {"uid": "2", "model": "y", "judge": "gpt", "games": [{"score": "B>A"}, {"score": None}]},
    ]),
    "arena_hard_2.jsonl": [{**row, "baseline": "x"} for row in HARD],
    "alpaca.json": [
        {"instruction": "a", "generator_1": "x", "generator_2": "y", "preference": 1.0,
         "annotator": "judge"},
        {"instruction": "b", "generator_1": "x", "generator_2": "y", "preference": 1.75,
         "annotator": "judge"},
        {"instruction": "c", "generator_1": "x", "generator_2": "y", "preference": None,
         "annotator": "judge"},
    ],
}  # fmt: skip
SHARES = {
    "mt_bench.jsonl": ("x", 3, (1 + 0.5 + 0) / 3),
    "arena_hard.jsonl": ("x", 3, (3 * 1 + 0.5 + 0) / 5),  # `A>>B` counts three times
    "arena_hard_2.jsonl": ("x", 3, (3 * 1 + 0.5 + 0) / 5),
    "alpaca.json": ("x", 2, (1 + 0.25) / 2),
}


@pytest.mark.parametrize("name", FILES)
def test_files_of_tools_are_recognised_and_errors_counted(name, tmp_path):
    rows = FILES[name]
    text = json.dumps(rows) if name.endswith(".json") else "\n".join(map(json.dumps, rows))
    (tmp_path / name).write_text(text + "\n", encoding="utf-8")
    lines = HEAD.replace("arena.jsonl", name)
    lines += '  baseline "x"\n' if name == "arena_hard.jsonl" else ""
    record = ev.run(study(f"{lines}\nmeasure win_rate\n", tmp_path)).record
    model, n, share = SHARES[name]
    assert record.data[0].n == n
    assert any(note.startswith("1 game was excluded") for note in record.data[0].notes)
    found = {e.model: e.value for e in record.estimates}
    assert found == {model: pytest.approx(share), "y": pytest.approx(1 - share)}
    read = {d.option for d in record.study.defaults if d.clause.startswith("battles votes")}
    stated = {"first"} if name == "arena_hard.jsonl" else set()
    assert {"first", "second", "winner", "group", "judge"} - stated <= read


def found_in(path):
    study = check_text(path.read_text(), path.name, path.parent)
    return read_and_plan(study, errors_are_fine=True).diagnostics


@pytest.mark.parametrize(
    ("lines", "code", "right"),
    [
        (['measure bradley_terry(anchor="alpha on")'], "E493",
         ['measure bradley_terry(anchor={the models are `})']),
        (["measure bradley_terry", 'require "alpha on" better than "beta two"'], "E493",
         ["measure bradley_terry", 'require {did you mean `} better than "beta two"']),
        (['measure bradley_terry(anchor="alpha one", at=1000)',
          'require "alpha one" better than "beta two" in bradley_terry'], "W467",
         ['measure bradley_terry(anchor="alpha one", at=1000)',
          'require "alpha one" better than "beta two" in {write `}']),
    ],
)  # fmt: skip
def test_proposals_of_names_with_blanks_can_be_written(lines, code, right, tmp_path):
    rows = [
        {"model_a": a, "model_b": b, "winner": ("model_a", "model_b", "tie")[i % 3]}
        for i in range(30)
        for pair in (("alpha one", "beta two"), ("beta two", "gamma, the (third)"))
        for a, b in (pair, pair[::-1])
    ]
    (tmp_path / "b.jsonl").write_text("\n".join(map(json.dumps, rows)))
    path = tmp_path / "s.eval"
    head = ["evallang 1", "study", "  seed 1", 'battles votes from "b.jsonl"']
    path.write_text("\n".join([*head, *lines, ""]))
    (found,) = (one for one in found_in(path) if one.code == code)
    lead = re.search(r"\{(.*)\}", "".join(right))[1]
    proposed = found.help.partition(lead)[2].partition("`")[0]
    path.write_text("\n".join([*head, *right, ""]).replace("{" + lead + "}", proposed))
    assert not [one.code for one in found_in(path)]


def test_the_options_of_a_metric_are_read_as_they_are_written():
    anchor = 'gamma, the "(third)"'
    metric = Method("bradley_terry", (("anchor", anchor), ("order", "none"), ("at", 1000)))
    written = r'bradley_terry(anchor="gamma, the \"(third)\"", order=none, at=1000)'
    assert metric.written == written
    assert written_options(written.removeprefix("bradley_terry")).startswith(
        f"anchor\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{anchor}, "
    )
