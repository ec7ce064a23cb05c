"""Names that are read from the right: kept apart from their line, drawn as another library does."""

import json
import re

import arabic_reshaper
import pytest
from bidi.algorithm import get_display
from calling import call
from many_cases import for_each

from evallang.printable import ISOLATE, POP_ISOLATE, isolated, without_isolates
from evallang.reporting import fonts
from evallang.reporting.figures.figure import SIZE, Canvas, visual

pytestmark = pytest.mark.pdf

NAMES = (
    "الانحدار اللوجستي",
    "الغابة العشوائية",
    "شجرة القرار 3",
    "نموذج 4.1",
    "نموذج GPT 4.1",
    "GPT عربي",
    "رגרסיה",
    "רגרסיה לוגיסטית",
    "מודל 12 (חדש)",
    "لا إله",
    "model",
    "آلات ناقلات متجهة",
)


def ordered(text):
    """Return a line in visual order, with Arabic forms, by python-bidi and arabic-reshaper."""
    return get_display(arabic_reshaper.reshape(text))


@for_each("name", NAMES)
def test_a_name_is_drawn_as_python_bidi_orders_and_joins_it(name):
    assert visual(isolated(name)) == ordered(name)


@for_each("name", NAMES)
def test_what_follows_a_name_keeps_its_order(name):
    line = f"{isolated(name)}\u2002[\u22120.7, 12.9] (90.0%)"
    assert visual(line).endswith("\u2002[\u22120.7, 12.9] (90.0%)")
    assert visual(f"\u2212 {isolated(name)}").startswith("\u2212 ")


def test_a_printed_drawing_has_its_texts_from_the_left():
    canvas = Canvas(20, 100)
    canvas.words(90, 5, isolated("قرار"), "right")
    canvas.words(50, 15, "90 [1, 2]", "center")
    name, numbers = canvas.printed().marks
    assert name.text == ordered("قرار") and ISOLATE not in canvas.printed().svg()
    assert name.points[0][0] == pytest.approx(90 - fonts.width(name.text, SIZE))
    assert numbers.points[0][0] == pytest.approx(50 - fonts.width("90 [1, 2]", SIZE) / 2)
    assert "text-anchor" not in canvas.printed().svg()


def test_a_name_that_is_cut_keeps_its_signs_in_pairs():
    name = isolated("الانحدار اللوجستي متعدد الحدود")
    for line in (fonts.shorten(name, 7.5, 40), *fonts.wrap(name, 7.5, 50, 2)):
        assert line.count(ISOLATE) == line.count(POP_ISOLATE) == 1
    assert fonts.width(name, 7.5) == fonts.width(without_isolates(name), 7.5)


def test_only_names_with_letters_from_the_right_get_signs():
    assert isolated("Random forest 3") == "Random forest 3"
    assert isolated("逻辑回归") == "逻辑回归"
    once = isolated("قرار")
    assert once == f"{ISOLATE}قرار{POP_ISOLATE}" == isolated(once)


# --- on a page, on a terminal, in files for programs -----------------------------------------


@pytest.fixture(scope="module")
def arabic(tmp_path_factory):
    import numpy as np

    import evallang as ev

    rng = np.random.default_rng(4)
    truth = (rng.random(300) < 0.4).astype(int)
    table = {"id": np.arange(300), "truth": truth}
    for i, share in enumerate((0.95, 0.85, 0.8)):
        table[f"m{i}"] = np.where(rng.random(300) < share, truth, 1 - truth)
    text = """evallang 1

study "Names"
  seed 7

predictions exam "امتحان 2" from "exam.csv"
  id id
  truth truth
  models m0 "الغابة العشوائية", m1 "شجرة القرار 3", m2 "Logistic"
  positive 1

measure accuracy
compare with mcnemar holm
"""
    results = ev.run(ev.parse(text), data={"exam": table}, store="off")
    folder = tmp_path_factory.mktemp("arabic")
    results.save(folder)
    results.render("html", folder=folder)
    return folder


def test_a_page_isolates_names_by_an_element(arabic):
    page = (arabic / "report.html").read_text(encoding="utf-8")
    assert "<bdi>الغابة العشوائية</bdi>" in page and "<bdi>شجرة القرار 3</bdi>" in page
    drawings = re.findall(r"<svg.*?</svg>", page, re.S)
    assert any(ISOLATE in drawing for drawing in drawings)  # browsers order the text of drawings
    assert not any("<bdi>" in drawing for drawing in drawings)
    text = re.sub(r"<svg.*?</svg>|<title>.*?</title>|<[^>]*>", "", page, flags=re.S)
    assert ISOLATE not in text and POP_ISOLATE not in text  # nor what the buttons copy


def test_a_terminal_gets_the_signs_and_programs_do_not(arabic):
    def shown(form):
        done = call("show", str(arabic), "--format", form)
        assert done.returncode == 0
        return done.stdout

    for form in ("text", "markdown"):
        out = shown(form)
        assert f"{ISOLATE}الغابة" in out and "\\u2068" not in out
        assert out.count(ISOLATE) == out.count(POP_ISOLATE)
    assert ISOLATE not in shown("csv")
    document = json.dumps(json.loads(shown("json")), ensure_ascii=False)
    assert ISOLATE not in document and "\\u2068" not in document and "الغابة" in document
