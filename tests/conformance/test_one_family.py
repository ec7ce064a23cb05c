"""One number of hypotheses: checker, plan, power, results and report speak of the same families.

The sizes are counted by hand from the rules of the language: pairs by metrics by data sets; of a
joint family the omnibus tests too; exploratory lines, posteriors and requirements apart.
"""

import re
from dataclasses import dataclass, field

import pytest
from studies import study, write_rows

from evallang.api import run
from evallang.api.power import power_of
from evallang.api.preparing import read_and_plan
from evallang.cli.plan_text import plan_lines
from evallang.hypotheses import families_of
from evallang.reporting import html
from evallang.reporting.context import Context
from evallang.reporting.section import build

TOGETHER = 'study "S"\n  seed 1\n  families together\n'
COUNTS = """counts one
  models x, y, z
  pattern [1, 1, 1]: 300
  pattern [1, 0, 1]: 40
  pattern [0, 1, 1]: 12
  pattern [1, 1, 0]: 9
  pattern [0, 0, 0]: 39
"""
SECOND = COUNTS.replace("counts one", "counts two").replace(": 40", ": 35")
OTHER_MODELS = COUNTS.replace("counts one", "counts two").replace("x, y, z", "u, v, w")
PREDICTIONS = 'predictions p from "p.csv"\n  truth truth\n  positive 1\n'
SCORES = 'scores s from "s.csv"\n  dataset name\n  models x, y, z\n  metric "AUC"\n'
FOLDS = 'scores f from "f.csv"\n  fold fold\n  folds of cv\n  models x, y, z\n  metric "AUC"\n'
FITTED = """model a = GaussianNB
model b = LogisticRegression
model c = DummyClassifier
"""
SUITE = 'data d from "d*.csv"\n  target y\n  positive 1\n' + FITTED
TABLES = SUITE.replace("d*", "d1") + SUITE.replace("data d", "data e").replace("d*", "d2").replace(
    FITTED, ""
)
JUDGED = "protocol cv folds=5\nmeasure accuracy\n"
REPEATED = "protocol repeated cv folds=3 times=10\nmeasure accuracy\n"
HOLM, NONE, ALL = "holm", None, "uncorrected"


@dataclass(frozen=True)
class Case:
    """A study, and for each of its lines the size and correction of its family."""

    text: str
    lines: tuple[tuple[int, str | None], ...]
    left_open: bool = field(default=False)


CASES = {
    "all pairs": Case(COUNTS + "compare with mcnemar\n", ((3, HOLM),)),
    "several lines": Case(
        COUNTS + "compare with mcnemar bonferroni\ncompare x, y with mcnemar(exact)\n",
        ((3, "bonferroni"), (1, NONE)),
    ),
    "planned pairs": Case(COUNTS + "compare x vs y, y vs z with mcnemar sidak\n", ((2, "sidak"),)),
    "uncorrected": Case(COUNTS + "compare with mcnemar uncorrected\n", ((3, ALL),)),
    "post hoc": Case(COUNTS + "compare with cochran then mcnemar\n", ((3, HOLM),)),
    "two data sets": Case(COUNTS + SECOND + "compare with mcnemar fdr_by\n", ((6, "fdr_by"),)),
    "data sets of other models": Case(
        COUNTS + OTHER_MODELS + "compare x, y, z with mcnemar shaffer\n", ((3, "shaffer"),)
    ),
    "joint": Case(
        TOGETHER + COUNTS + "compare with cochran then mcnemar\ncompare x, y with mcnemar(exact)\n",
        ((5, HOLM), (5, HOLM)),
    ),
    "joint but exploratory": Case(
        TOGETHER + COUNTS + "compare x, y with mcnemar\ncompare y, z with mcnemar\n"
        "compare with mcnemar exploratory\n",
        ((2, HOLM), (2, HOLM), (3, HOLM)),
    ),
    "a requirement": Case(
        TOGETHER + COUNTS + "compare x, y with mcnemar\nrequire x better than y with mcnemar\n",
        ((1, NONE),),
    ),
    "two metrics": Case(
        PREDICTIONS + "  models x, y, z\nmeasure accuracy, f1\n"
        "compare with permutation(rounds=100) by accuracy, f1\n",
        ((6, HOLM),),
    ),
    "a default that a file settles": Case(
        PREDICTIONS + "measure accuracy\ncompare with mcnemar\n", ((3, HOLM),), True
    ),
    "a table of scores": Case(
        SCORES + "compare across data with friedman then wilcoxon\n", ((3, HOLM),), True
    ),
    "self-correcting": Case(
        SCORES + "compare across data with friedman then nemenyi\n", ((3, NONE),), True
    ),
    "posteriors": Case(
        SCORES + "compare across data with bayes_sign(rope=0.01)\n", ((3, NONE),), True
    ),
    "joint without posteriors": Case(
        TOGETHER + SCORES + "compare across data with bayes_sign(rope=0.01)\n"
        "compare x, y across data with wilcoxon\ncompare across data with friedman then wilcoxon\n",
        ((3, NONE), (5, HOLM), (5, HOLM)),
        True,
    ),
    "metrics measured elsewhere": Case(
        FOLDS
        + FOLDS.replace("scores f", "scores g").replace("AUC", "F1")
        + "compare with corrected_t uncorrected\n",
        ((6, ALL),),
    ),
    "all pairs on a pattern of files": Case(
        SUITE + REPEATED + "compare with corrected_t uncorrected\n", ((6, ALL),), True
    ),
    "sources of several kinds": Case(
        COUNTS
        + SUITE.replace("d*", "d1")
        + REPEATED
        + "compare x, y, z with mcnemar\ncompare a, b with corrected_t\n",
        ((3, HOLM), (1, NONE)),
    ),
    "joint over folds": Case(
        TOGETHER + TABLES + JUDGED + "compare with cochran then mcnemar\n"
        "compare a, b with corrected_t\n",
        ((10, HOLM), (10, HOLM)),
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("families")
    rows = [(i % 2, i % 2 if i % 5 else 0, i % 2 if i % 3 else 1, i % 4 // 2) for i in range(80)]
    write_rows(made, "p.csv", "truth,x,y,z", rows)
    for name, shift in (("s", 0), ("t", 1)):
        scores = [
            (f"d{i}", 0.7 + i / 50, 0.6 + (i * 7 + shift) % 11 / 40, 0.5 + i * 3 % 7 / 20)
            for i in range(9)
        ]
        write_rows(made, f"{name}.csv", "name,x,y,z", scores)
    folds = [(k, 0.7 + k % 3 / 20, 0.8 + k % 2 / 30, 0.6 + k / 90) for k in range(10)]
    write_rows(made, "f.csv", "fold,x,y,z", folds)
    for n in (1, 2):
        rows = [((i * 37 + n) % 101, (i * 53) % 89, int((i * 37 + n) % 101 > 50 + i % 9)) for i in
                range(90)]  # fmt: skip
        write_rows(made, f"d{n}.csv", "v,w,y", rows)
    return made


@pytest.fixture(scope="module", params=CASES)
def case(request):
    return CASES[request.param]


@pytest.fixture(scope="module")
def prepared(case, folder):
    return read_and_plan(study("evallang 1\n" + case.text, folder))


@pytest.fixture(scope="module")
def results(case, folder):
    return run(study("evallang 1\n" + case.text, folder)).record


def test_results_hold_the_families(case, results):
    found = {(c.index, c.family.size, c.family.correction) for c in results.comparisons}
    assert found == {(at, *expected) for at, expected in enumerate(case.lines)}


def test_the_check_counts_what_the_run_decides(case, folder, prepared):
    """A number in a message is that of the results, or "or more" where the data decide."""
    sizes = {size for size, _ in case.lines}
    uncorrected = {size for size, correction in case.lines if correction == ALL}
    before = study("evallang 1\n" + case.text, folder).diagnostics
    stated = [
        re.fullmatch(r"(\d+) hypotheses( or more)? are tested without a correction", d.message)
        for d in (*before, *prepared.diagnostics)
        if d.name == "many_comparisons_without_correction"
    ]
    assert bool(stated) == bool(uncorrected)
    for words in stated:
        if words[2]:
            assert case.left_open
            assert int(words[1]) <= max(sizes)
        else:
            assert int(words[1]) in sizes
    for item in prepared.diagnostics:
        if item.name == "fold_test_with_few_splits":
            level = float(re.search(r"at a level of ([\d.]+)", item.notes[0])[1])
            corrected = {0.05 / (1 if c in (None, ALL) else size) for size, c in case.lines}
            assert any(level == pytest.approx(one, rel=1e-2) for one in corrected)


def test_the_plan_prints_the_families(case, prepared):
    text = "\n".join(plan_lines(prepared))
    block = text.partition("\nComparisons\n")[2].partition("\n\n")[0]
    found, waiting = {}, []
    for line in block.partition("\n  smallest difference")[0].splitlines():
        if line.startswith("    "):
            size = int(re.search(r"(\d+) tests?", line)[1])
            correction = re.search(r"corrected by (\w+)|(without a correction)$", line)
            word = None if correction is None else correction[1] or ALL
            found |= dict.fromkeys(waiting, (size, None if "probabilities" in line else word))
            waiting = []
        else:
            waiting.append(line.strip())
    sources = [line.source for line in prepared.study.comparisons]
    assert [found[source] for source in sources] == list(case.lines)
    assert "at least" not in block


def test_the_default_correction_is_stated_where_it_corrects(case, results):
    stated = {d.clause for d in results.study.defaults if d.clause.endswith(" correction")}
    joint = results.study.families == "together"
    for index, (size, correction) in enumerate(case.lines):
        (source,) = {c.source for c in results.comparisons if c.index == index}
        exploratory = source.endswith("exploratory")
        unwritten = correction == HOLM and size > 1 and not (joint and not exploratory)
        assert (f"compare line {index + 1} correction" in stated) == unwritten


def test_power_is_at_the_level_of_the_family(case, folder):
    found, _ = power_of(study("evallang 1\n" + case.text, folder))
    of_pairs = [item.values for item in found if not item.values["omnibus"]]
    for values in of_pairs:
        assert (values["family_size"], values["correction"]) == case.lines[values["line"]]
    gates = [item.values for item in found if item.values["omnibus"]]
    joint = "together" in case.text
    for values in gates:
        assert values["family_size"] == (case.lines[values["line"]][0] if joint else 1)


def test_the_report_prints_the_sizes(case, results):
    text = html.render(build(Context(results)), "screen").html
    words = re.sub(r"<[^>]*>", " ", text)
    stated = {int(size) for size in re.findall(r"a family of (\d+) tests", words)}
    several = {
        c.family.size
        for c in results.comparisons
        if c.family.size > 1 and not any(test.test.startswith("bayes") for test in c.pairwise)
    }
    assert stated == several


def test_what_is_read_settles_the_families(case, prepared):
    after, before = prepared.planned.families, families_of(prepared.study)
    for line, (size, _) in zip(prepared.study.comparisons, case.lines, strict=True):
        family = after.by_line[line.index]
        assert max(family.size, 1) == size
        assert len(set(family.members)) == family.size
        assert before.by_line[line.index].size <= family.size
        if not case.left_open:
            assert before.by_line[line.index].members == family.members
