"""Citations are where they are relevant, and `[@key]` in the authors' words is one."""

import re

import pytest

import evallang as ev
from evallang.reporting.numbering import Numbering

HEAD = "evallang 1\nstudy\n  seed 1\n"
LABELS = (
    'predictions exam from "exam.csv"\n  id id\n  truth truth\n  models a, b\n  positive 1\n{}\n'
)
N = 120
TRUTH = [(i * 7) % 3 % 2 for i in range(N)]


def wrong_every(step, n=N):
    return [t if i % step else 1 - t for i, t in enumerate(TRUTH[:n])]


TABLE = {
    "id": list(range(N)),
    "truth": TRUTH,
    "a": wrong_every(9),
    "b": wrong_every(4),
    "pa": [0.2 + 0.6 * t + (i % 5) / 25 for i, t in enumerate(wrong_every(9))],
    "pb": [0.2 + 0.6 * t + (i % 7) / 35 for i, t in enumerate(wrong_every(4))],
    "patient": [i // 3 for i in range(N)],
}
SCORES = '  score a = "pa"\n  score b = "pb"'


def cited(rest, clauses="", table=TABLE):
    """Return the works that the methods of a study cite, by the method that cites them."""
    text = HEAD + LABELS.format(clauses) + rest
    results = ev.run(ev.parse(text), data={"exam": table}, store="off").record
    return {(m.kind, m.name): set(m.references) for m in results.methods}


@pytest.mark.parametrize(
    ("rest", "clauses", "method", "works"),
    [
        # Fagerland 2013 is about the mid-p test, Edwards 1948 about the continuity correction,
        # Yang 2010 and Obuchowski 1998 about clustered pairs: by their titles.
        (
            "compare a vs b with mcnemar\n", "",
            ("test", "mcnemar"), {"mcnemar1947", "fagerland2013"},
        ),
        ("compare a vs b with mcnemar(exact)\n", "", ("test", "mcnemar"), {"mcnemar1947"}),
        (
            "compare a vs b with mcnemar(corrected)\n", "",
            ("test", "mcnemar"), {"mcnemar1947", "edwards1948"},
        ),
        (
            "compare a vs b with mcnemar\n", "  group patient",
            ("test", "mcnemar"), {"mcnemar1947", "yang2010", "obuchowski1998"},
        ),
        (
            "measure roc_auc\ncompare a vs b with delong\n", SCORES,
            ("test", "delong"), {"delong1988", "sun2014"},
        ),
        # Hand & Till 2001: more than two classes
        ("measure roc_auc\n", SCORES, ("metric", "roc_auc"), {"hanley1982"}),
        ("measure mcc\n", "", ("metric", "mcc"), {"matthews1975"}),
        # Bandos 2005: areas under ROC curves; Phipson & Smyth 2010: drawn arrangements, not all
        (
            "measure f1\ncompare a vs b with permutation\n", "",
            ("test", "permutation"), {"edgington2007"},
        ),
        (
            "measure f1\n  interval bootstrap(percentile)\n", "",
            ("interval", "bootstrap"), {"efron1994", "raschka2018"},
        ),
    ],
)  # fmt: skip
def test_a_work_about_one_form_is_cited_where_this_form_was_used(rest, clauses, method, works):
    assert cited(rest, clauses)[method] == works


def test_three_classes_cite_what_is_about_several_classes():
    table = {"id": list(range(90)), "truth": [i % 3 for i in range(90)]}
    table["a"] = [t if i % 7 else (t + 1) % 3 for i, t in enumerate(table["truth"])]
    table["b"] = [t if i % 4 else (t + 2) % 3 for i, t in enumerate(table["truth"])]
    text = (HEAD + LABELS.format("")).replace("  positive 1\n", "") + "measure mcc\n"
    results = ev.run(ev.parse(text), data={"exam": table}, store="off").record
    (found,) = [m for m in results.methods if m.name == "mcc"]
    assert set(found.references) == {"matthews1975", "gorodkin2004"}


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    """Return the report of a study whose words about itself cite the authors' works."""
    folder = tmp_path_factory.mktemp("described")
    (folder / "refs.bib").write_text(
        "@article{street1993, author = {Street, W. N. and Wolberg, W. H.}, title = {Nuclear}, "
        "journal = {SPIE}, year = 1993}\n@book{hand2012, author = {Hand, D. J.}, "
        "title = {Assessing}, publisher = {Wiley}, year = 2012}\n@book{other, title = {No}, "
        "year = 2000}\n",
        encoding="utf-8",
    )
    (folder / "study.eval").write_text(
        'evallang 1\nstudy\n  question "Do both agree [@hand2012]?"\n'
        '  about "Cells are described in [@street1993; @hand2012]. An array a[0] is no citation."\n'
        "  seed 1\ncounts trial\n  models a, b\n  table [[60, 20], [9, 11]]\n"
        '  cite "street1993"\ncompare a vs b with mcnemar\nreport html, latex\n'
        '  bibliography "refs.bib"\n',
        encoding="utf-8",
    )
    ev.run(folder / "study.eval", out=folder / "out", look=False)
    return folder / "out"


def test_a_key_in_the_authors_words_becomes_a_citation_with_an_entry(described):
    html = (described / "report.html").read_text(encoding="utf-8")
    question = re.search(r'<p class="question">(.*?)</p>', html, re.DOTALL)[1]
    numbers = re.findall(r'href="#ref-(\d+)"', question)
    assert numbers == ["1", "2", "1"] and "[@" not in question and "a[0]" in question
    entries = re.findall(r'<li id="ref-(\d+)">(.*?)</li>', html, re.DOTALL)
    assert "Hand" in entries[0][1] and "Street" in entries[1][1]
    # The data cite the same work, which is listed once
    assert sum("Nuclear" in words for _, words in entries) == 1
    assert not any("No" in words.split() for _, words in entries)


def test_an_author_finds_the_work_again_under_its_key(described):
    methods = (described / "methods.tex").read_text(encoding="utf-8")
    assert "\\cite{street1993}" in methods
    entries = (described / "references.bib").read_text(encoding="utf-8")
    assert "{street1993" in entries and "{hand2012" in entries and "{other" not in entries
    # The words that cite them come first, so that LaTeX finds no entry without a citation
    assert methods.index("Do both agree~\\cite{hand2012}?") < methods.index("We compared")


def test_the_entries_are_the_works_of_the_report_and_of_its_texts(described):
    html = (described / "report.html").read_text(encoding="utf-8")
    entries = re.findall(
        r"^@\w+\{([^,]+),", (described / "references.bib").read_text(), re.MULTILINE
    )
    texts = "".join(path.read_text(encoding="utf-8") for path in described.rglob("*.tex"))
    cited = {key for keys in re.findall(r"\\cite\{([^}]*)\}", texts) for key in keys.split(",")}
    assert set(entries) == cited
    assert len(entries) == len(re.findall(r'<li id="ref-\d+">', html))


def test_the_rule_of_one_standard_error_is_cited(tmp_path):
    text = (
        f"{HEAD}data wine from sklearn wine\n"
        "model near = KNeighborsClassifier(n_neighbors in [5, 3, 1])\n"
        "protocol nested cv outer=3 inner=2\n"
    )
    for rule, works in (("", 0), ("tune grid select one_standard_error\n", 1)):
        folder = tmp_path / str(works)
        ev.run(ev.parse(text + rule + "report markdown\n"), store="off").save(folder)
        said = (folder / "methods.md").read_text(encoding="utf-8")
        assert said.count("one standard error of the best[^breiman1984] was taken") == works
        assert said.count("[^breiman1984]: Breiman L") == works


@pytest.mark.parametrize(
    ("keys", "printed"),
    [
        ("a", "1"),
        ("ab", "1,2"),
        ("abc", "1–3"),
        ("cab", "3,1,2"),
        ("acdeg", "1,3–5,7"),
        ("abcghi", "1–3,7–9"),
    ],
)
def test_three_numbers_in_a_row_are_a_range(keys, printed):
    numbering = Numbering({}, set(), {key: n for n, key in enumerate("abcdefghi", 1)})
    assert "".join(f"{sign}{n}" for sign, n in numbering.cited(keys)) == printed
