"""The gallery shows the examples as they are, and the README one of its pictures."""

import re

from docs.generator import gallery
from evallang.api.running import run

PICTURE = re.compile(r"!\[((?:\\.|[^\]\\])*)\]\(([^)]*\.svg)\)")
QUICK = "gate"  # an example of predictions, without fits


def test_no_picture_is_of_another_study():
    assert gallery.stale() == [], f"run `{gallery.COMMAND}`"


def test_the_page_is_what_the_records_give():
    assert gallery.PAGE.read_text(encoding="utf-8") == gallery.page()


def test_every_picture_of_the_page_is_there_and_no_other():
    found = PICTURE.findall(gallery.PAGE.read_text(encoding="utf-8"))
    assert {gallery.DOCS / path for _, path in found} == set(gallery.PICTURES.glob("*.svg"))
    assert all(len(alt) > 20 for alt, _ in found)


def test_the_picture_of_the_readme_is_of_the_gallery_and_states_its_numbers():
    text = (gallery.ROOT / "README.md").read_text(encoding="utf-8")
    ((alt, path),) = PICTURE.findall(text)
    found = gallery.ROOT / path
    assert found.parent == gallery.PICTURES and found.is_file()
    example, figure = found.stem.split("-", 1)
    words = gallery.records()[example]["figures"][figure]["alt"]
    assert re.sub(r"\\([\[\]])", r"\1", alt) == words


def test_the_readme_prints_what_the_run_of_its_study_prints():
    text = (gallery.ROOT / "README.md").read_text(encoding="utf-8")
    shown = text.partition("$ evallang run screening.eval\n")[2].partition("\n...\n")[0]
    printed = "\n".join(gallery.records()["screening"]["printed"])
    assert shown and printed.startswith(shown)


def test_a_picture_has_the_numbers_that_its_study_gives(tmp_path, monkeypatch):
    monkeypatch.setattr(gallery, "PICTURES", tmp_path)
    before = gallery.records()[QUICK]
    results = run(gallery.ROOT / "examples" / f"{QUICK}.eval", trust=True).record
    assert gallery.drawn(results, QUICK) == before
