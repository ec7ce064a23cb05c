"""What every registered word tells an author: when, when not, how, and a study that runs."""

import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from many_cases import for_each
from member import OnlyMember, entries_named, lacking
from msgspec.structs import replace
from studies import checked, study
from worked_examples import at

import evallang as ev
from docs.generator import pictures
from evallang.checking.rules.rule import load_codes
from evallang.diagnostics import CODES, Severity
from evallang.manual.compatibility_table import settings
from evallang.manual.explanations import explain_code, illustration, python_call
from evallang.manual.glossary import REGISTRIES, explain, nearest, words
from evallang.models.catalogue import CATALOGUE
from evallang.reporting.letter_case import mid_sentence
from evallang.results import codec
from evallang.source import SourceFile
from evallang.syntax.formatter import format_source
from evallang.syntax.language import STATEMENTS, clause_words
from evallang.syntax.line_parser import connectives

EXAMPLES = Path(__file__).parents[2] / "examples"
ENTRIES = [
    pytest.param(entry, id=f"{entry.kind}-{entry.name}")
    for registry in REGISTRIES.values()
    for entry in registry
]
SHOWN = [case for case in ENTRIES if illustration(case.values[0]) is not None]
CALLED = [case for case in ENTRIES if python_call(case.values[0]) is not None]
OWN_MODEL = """\
from sklearn.neighbors import KNeighborsClassifier


class Nearest(KNeighborsClassifier):
    def __init__(self, k=3):
        super().__init__(n_neighbors=k)
        self.k = k
"""
load_codes()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder as the examples of the manual find it."""
    made = tmp_path_factory.mktemp("manual")
    shutil.copytree(EXAMPLES / "data", made / "data")
    (made / "lab_models.py").write_text(OWN_MODEL)
    (made / "lab").mkdir()
    (made / "lab" / "protocol.eval").write_text("protocol cv folds=5\nmeasure accuracy\n")
    return made


@for_each("entry", ENTRIES)
def test_a_member_is_shown_by_a_study_or_a_call(entry):
    assert illustration(entry) or python_call(entry)


@for_each("entry", ENTRIES)
def test_a_member_lacks_nothing_that_others_have(entry):
    works = [one for one in lacking(entry) if one.startswith("`references`")]
    assert list(lacking(entry)) == (works if entry.name == "uncorrected" else [])


def test_a_member_without_guidance_is_told_what_it_lacks():
    (holm,) = entries_named("holm")
    bare = replace(holm, references=(), worked=(), declaration=replace(holm.declaration, when=""))
    assert [one.split()[0] for one in lacking(replace(bare, name="hollow"))] == [
        "`references`:",
        "`examples`:",
        "`when`",
        "its",
        "a",
    ]


def test_only_the_cases_of_one_member_are_tried():
    cases = [pytest.param(entry, id=entry.name) for entry in REGISTRIES["corrections"]]
    tried = for_each("entry", cases)(lambda entry: None)
    items = [SimpleNamespace(function=tried), SimpleNamespace(function=entries_named)]
    OnlyMember("holm").pytest_collection_modifyitems(items)
    assert [name for name, _ in tried.cases] == ["holm"]
    assert [item.function for item in items] == [tried]


@for_each("entry", ENTRIES)
def test_explain_tells_everything_that_is_known(entry):
    (told,) = [e for e in explain(entry.name) if e.kind == entry.kind]
    headings = {part.heading for part in told.parts}
    assert {"when to use it", "when not to use it"} <= headings
    assert "sources" in headings or entry.name == "uncorrected"
    assert "an example" in headings or "from Python" in headings
    assert {f"why it differs from {other}" for other in entry.declaration.differs} <= headings


@for_each("entry", SHOWN)
def test_the_study_of_a_member_is_sound_and_in_canonical_format(entry):
    """What is warned of by name is shown all the same; its example then shows the warning."""
    text = illustration(entry)
    for diagnostic in checked(text).diagnostics:
        assert diagnostic.severity is not Severity.ERROR, (
            f"declare `example` of {entry.name}, or what it needs: {diagnostic.message}"
        )
        about_it = f"`{entry.name}`" in diagnostic.message or entry.name == "uncorrected"
        assert about_it, diagnostic.message
    assert format_source(SourceFile("study.eval", text)) == text


def test_a_test_of_data_sets_is_shown_across_them():
    """Also where it can rank the losses of single examples, which is not what it is for."""
    for name in ("wilcoxon", "sign", "friedman"):
        assert " across data with " in illustration(REGISTRIES["tests"][name])


@pytest.mark.parametrize("entry", SHOWN)
def test_the_study_of_a_member_runs_and_uses_it(entry, folder):
    record = ev.run(study(illustration(entry), folder)).record
    assert record.failures == ()
    assert codec.to_plain(codec.loads(codec.dumps(record))) == codec.to_plain(record)
    if entry.kind in ("metric", "analysis"):
        is_pictured_on_its_page(entry, record)
    if entry.kind == "metric":
        used = {e.metric.partition("(")[0] for e in record.estimates if e.value is not None}
    elif entry.kind == "interval":
        used = {e.interval.method for e in record.estimates if e.interval is not None}
        pairs = [t for c in record.comparisons for t in c.pairwise]
        used |= {t.estimate.method for t in pairs if t.estimate is not None}
    elif entry.kind == "protocol":
        used = {p.kind for p in record.protocols}
    elif entry.kind == "analysis":
        used = {a.kind for a in record.analyses}
    elif entry.kind == "correction":
        used = {c.family.correction or "uncorrected" for c in record.comparisons}
    else:
        performed = [c for c in record.comparisons if c.performed or c.omnibus]
        used = {t.test for c in performed for t in (c.omnibus, *c.pairwise) if t is not None}
    assert {word.partition("(")[0] for word in used} >= {entry.name}


NUMBER = re.compile(r"\d+(?:\.\d+)?")


def is_pictured_on_its_page(entry, record):
    """Check that the picture of a page shows the run: the same words, and nearly the numbers.

    Versions of scikit-learn other than that of the picture may differ in the last digits.
    """
    plural = next(plural for plural, registry in REGISTRIES.items() if entry in list(registry))
    kept = pictures.records().get(pictures.key_of(plural, entry))
    assert kept is not None, "its page has no picture yet: run `make docs`"
    svg, found = pictures.picture(record, plural)
    redraw = f"write `{pictures.COMMAND} {entry.name}`"
    assert (svg is not None) == kept["picture"] == found["picture"], redraw
    for drawn, shown in zip(
        (found["alt"], *found["tables"]), (kept["alt"], *kept["tables"]), strict=True
    ):
        assert NUMBER.sub("0", drawn) == NUMBER.sub("0", shown), redraw
        numbers = [[float(n) for n in NUMBER.findall(text)] for text in (drawn, shown)]
        assert numbers[0] == pytest.approx(numbers[1], rel=0.02, abs=0.02), redraw


@for_each("entry", CALLED)
def test_the_call_of_a_member_gives_what_stands_beside_it(entry):
    call = python_call(entry)
    space = {}
    exec("\n".join(call.lines[:2]), space)
    example = next(e for e in entry.examples if e.source == call.source)
    for path, expected in example.expected.items():
        assert at(space["found"], path) == pytest.approx(expected, rel=0, abs=example.tolerance)
    for line in call.lines[2:]:
        shown = line.partition("  # ")[2]
        assert eval(line, space) == pytest.approx(float(shown), rel=0, abs=5e-3)


@for_each("code", [c for c in CODES.values() if c.code[:2] in ("E2", "W3")])
def test_a_finding_about_statistics_shows_both_studies_and_a_rule_its_source(code):
    assert code.words.wrong
    assert code.words.right
    assert code.words.source or code.code.startswith("E")


FRAMES = ("{}", 'data d from "d.csv"\n{}', 'predictions p from "p.csv"\n{}', "counts c\n{}",
          'scores s from "s.csv"\n{}')  # fmt: skip
ABOUT_DATA = [c for c in CODES.values() if c.code[:2] in ("E4", "E6", "W4") and c.words.right]


@for_each("code", ABOUT_DATA, ids=[c.code for c in ABOUT_DATA])
def test_the_remedy_of_a_finding_about_data_is_written_in_the_language(code):
    """Some show a clause, which is below a statement; some the lines of a data file."""
    if next(p for p in explain_code(code).parts if p.heading == "right").language == "text":
        return
    indented = "\n".join(f"  {line.strip()}" for line in code.words.right.split("\n"))
    found = []
    for frame in FRAMES:
        text = frame.format(code.words.right if frame == "{}" else indented)
        diagnostics = checked(f"evallang 1\n{text}\n").diagnostics
        found.append({d.code for d in diagnostics if d.code < "E101"})
    assert set() in found, found


def test_a_word_of_many_options_is_a_short_list():
    (told,) = explain("macro")
    assert "`average` of the metric `f1`" in told.parts[0].lines


@pytest.mark.parametrize("word", STATEMENTS)
def test_the_study_of_a_statement_runs(word, folder):
    text = STATEMENTS[word].example + "\n"
    assert f"\n{word}" in text or text.startswith(word)
    assert format_source(SourceFile("study.eval", text)) == text
    files = {"lab/protocol.eval": (folder / "lab" / "protocol.eval").read_text()}
    found = checked(text, files).diagnostics
    errors = {d.name for d in found if d.severity is Severity.ERROR}
    if errors == {"not_in_this_version"}:
        return
    assert [d.message for d in found] == []
    assert ev.run(study(text, folder), trust=word == "use").record.estimates


@for_each("word", sorted({*STATEMENTS, *clause_words(), *connectives()}))
def test_every_word_of_the_language_is_explained(word):
    assert all(e.parts for e in explain(word))
    assert explain(word)


def test_every_word_that_can_be_suggested_can_be_asked_for():
    shown_by_other_tests = {*CATALOGUE, *CODES}
    for word in set(words()) - shown_by_other_tests:
        assert explain(word), word
    assert explain("SVC")


def test_one_name_with_three_meanings_is_answered_three_times():
    assert [e.kind for e in explain("bootstrap")] == ["hypothesis test", "interval", "protocol"]


def test_an_unknown_word_gets_the_nearest_in_any_catalogue():
    assert nearest("mcnemr") == "mcnemar"
    assert nearest("holms") == "holm"
    assert nearest("MCNEMAR") == "mcnemar"
    assert nearest("logisticregression") == "LogisticRegression"
    assert nearest("comapre") == "compare"
    assert nearest("xyzzyx") is None


def test_every_protocol_is_a_column_of_what_goes_with_what():
    columns = {setting.words for setting in settings()}
    assert {" ".join(p.declaration.words) for p in REGISTRIES["protocols"]} <= columns


# Persons whose name has no genitive in a title, and the adjective that a person gave.
NAMES = (
    *(
        "Agresti",
        "Bayesian",
        "Benjamini",
        "Bergmann",
        "Bonett",
        "Bradley",
        "Bonferroni",
        "Brier",
        "Clopper",
    ),
    *("DeLong", "Diebold", "Holm", "Jaccard", "Jeffreys", "Lang", "Matthews"),
    *(
        "Newey",
        "Obuchowski",
        "Tango",
        "Troendle",
        "Wald",
        "Westfall,",
        "Wilcoxon",
        "Wilson",
        "Šidák",
    ),
)


@for_each("entry", [case for case in ENTRIES if case.values[0].kind != "effect size"])
def test_a_title_inside_a_sentence_begins_small_unless_it_begins_with_a_name(entry):
    first = re.split("[ –-]", mid_sentence(entry.title))[0]
    sign = not first.isalpha() or first.isupper()  # F1, R², ROC, 5x2cv
    assert first.islower() or sign or first in NAMES or re.search("['’]s?$", first), (
        f"add `{first.lower()}` to `common` of reporting/titles.toml, or begin the title of "
        f"{entry.name} with a word that it has; if it is a person's, to NAMES of this test"
    )
