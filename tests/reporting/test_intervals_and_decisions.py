"""A printed interval never contradicts a decision without a sentence that says so."""

import random
import re
from html import unescape

import pytest

import evallang as ev

# Chi-squared is 4 here, which rejects at .05, and Newcombe's interval holds 0.
UNCORRECTED = (
    'evallang 1\nstudy\n  seed 1\ncounts trial\n  models a "Alder", b "Birch", c "Cedar"\n'
    "  pattern [1, 1, 1]: 50\n  pattern [0, 0, 0]: 30\n  pattern [1, 0, 1]: 4\n"
    "compare a vs b, a vs c with mcnemar(chi2, interval=newcombe) uncorrected\n"
)
CORRECTIONS = ("holm", "bonferroni", "hochberg", "fdr_bh", "fdr_by", "uncorrected")
VARIANTS = ("midp", "exact", "corrected", "chi2")
INTERVALS = ("tango", "wald", "newcombe", "agresti_min")
PATTERNS = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1))
HEAD = "evallang 1\nstudy\n  seed 1\ncounts trial\n"
NAMES = {"a": "Alder", "b": "Birch", "c": "Cedar"}


def single(draw):
    b, c = draw.randint(4, 20), draw.randint(0, 8)
    return (
        f'{HEAD}  models a "Alder", b "Birch"\n  table [[50, {b}], [{c}, 30]]\n'
        f"compare a vs b with mcnemar({draw.choice(VARIANTS)}, interval={draw.choice(INTERVALS)})\n"
    )


def family(draw):
    counts = "".join(f"  pattern {list(p)}: {draw.randint(0, 14)}\n" for p in PATTERNS)
    return (
        f'{HEAD}  models a "Alder", b "Birch", c "Cedar"\n{counts}  pattern [1, 1, 1]: 60\n'
        f"compare with mcnemar({draw.choice(VARIANTS)}, interval={draw.choice(INTERVALS)}) "
        f"{draw.choice(CORRECTIONS)}\n"
    )


def words(html):
    return " ".join(unescape(re.sub(r"<[^>]+>", "", html)).split())


def contradictions(pair):
    """Return the intervals of a pair that a reader holds against the decision.

    A pair that a family rejects is read by its simultaneous interval, if it has one.
    """
    printed = [pair.estimate, pair.simultaneous]
    if pair.reject and pair.simultaneous is not None:
        printed = [pair.simultaneous]
    known = [i for i in printed if i is not None and i.low is not None and i.high is not None]
    return [i for i in known if (i.low > 0 or i.high < 0) != bool(pair.reject)]


@pytest.mark.parametrize("made", [single, family], ids=["single pairs", "families"])
def test_an_interval_that_contradicts_its_test_has_a_sentence(made, tmp_path):
    draw, found = random.Random(20261125), 0
    for number in range(30):
        results = ev.run(ev.parse(made(draw)), store="off")
        pairs = [p for p in results.record.comparisons[0].pairwise if contradictions(p)]
        if not pairs:
            continue
        folder = tmp_path / str(number)
        results.render("html", folder=folder)
        page = (folder / "report.html").read_text(encoding="utf-8")
        limits = map(words, re.findall(r'<div class="caution.*?</div>', page, re.DOTALL))
        of_zero = [text for text in limits if "zero" in text]
        notes = map(words, re.findall(r'<li id="finding-.*?</li>', page, re.DOTALL))
        decided = any(
            re.search("interval and the test use different methods", text) for text in notes
        )
        for pair in pairs:
            found += 1
            labels = [NAMES[name] for name in pair.models]
            named = any(all(label in text for label in labels) for text in of_zero)
            assert named or (made is single and decided), (number, pair)
    assert found >= 3


def test_a_pair_without_correction_is_not_said_to_have_an_adjusted_p(tmp_path):
    results = ev.run(ev.parse(UNCORRECTED), store="off")
    (pair,) = [p for p in results.record.comparisons[0].pairwise if contradictions(p)]
    assert pair.reject and pair.p_adjusted is None
    results.render("html", folder=tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    limits = map(words, re.findall(r'<div class="caution.*?</div>', page, re.DOTALL))
    (text,) = [text for text in limits if "W501" in text]
    assert "Alder − Birch" in text and "The decision follows p." in text
    assert "adjusted" not in text
