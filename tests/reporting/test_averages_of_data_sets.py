"""What a report says of averages over data sets, and of further data sets."""

import re
from html import unescape
from pathlib import Path

import pytest

import evallang as ev

EXAMPLE = Path(__file__).parents[2] / "examples" / "benchmark.eval"


@pytest.fixture(scope="module")
def words(tmp_path_factory) -> str:
    """The words of the report of the example, without spaces that repeat."""
    folder = tmp_path_factory.mktemp("benchmark")
    text = EXAMPLE.read_text(encoding="utf-8").replace("report html, pdf", "report html")
    text = text.replace('"data/', f'"{EXAMPLE.parent}/data/')
    (folder / "s.eval").write_text(text, encoding="utf-8")
    ev.run(folder / "s.eval").save(folder / "found")
    page = (folder / "found" / "report.html").read_text(encoding="utf-8")
    page = re.sub(r"(?s)<(style|script|svg|pre).*?</\1>", "", page)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", page))).replace(" ,", ",")


@pytest.mark.parametrize(
    "sentence",
    [
        "Averaged over eight data sets, the highest observed accuracy was that of Alder",
        "Averaged over eight data sets, Alder had a higher accuracy than Cedar, Elm and Oak",
        "Across the data sets, Alder was not shown to differ in accuracy from Cedar",
        "The estimates apply to these models on new questions of these data sets. ",
        "across the data sets, to further data sets like these.",
        "Performance of five models on 500 questions (averaged over eight data sets).",
        "Alder better than Cedar in accuracy averaged over eight data sets: +11.5 points",
        "Accuracy was also averaged over eight data sets, each with the same weight;",
        "Pairs of models were compared on accuracy averaged over eight data sets using the paired",
        "Alder and Cedar were compared on accuracy across the data sets using the Wilcoxon",
        "Comparison 1: test",
        "Rank 1 is the best of Alder and Cedar; ties share their mean rank.",
    ],
)
def test_the_report_separates_these_data_sets_from_further_ones(words, sentence):
    assert sentence in words
