"""What a report says of judges, and of the scale of strengths in pairwise judgements."""

from pathlib import Path

from studies import study, write_rows
from test_careful_words import Page

from evallang.api import run

SOURCE = """evallang 1
predictions answers "Answers" from "v.csv"
  judges a "Alder", b "Birch" truth human
  positive yes
  unit "answers"
measure corrected_rate, accuracy
"""


def page(folder, *lines):
    words = "no", "yes"
    rows = [(words[i % 2], words[i % 2 or i % 9 == 0], words[i % 2] if i < 90 else "")
            for i in range(300)]  # fmt: skip
    write_rows(folder, "v.csv", "a,b,human", rows)
    return Page(run(study(SOURCE + "\n".join(lines) + "\n", folder)).record)


def test_no_judge_is_the_best_by_a_rate_of_the_examples(tmp_path):
    found = page(tmp_path).findings()
    assert found[0].startswith("The corrected rate of Alder was 50.0% (95% CI [")
    assert "and that of Birch" in found[0]
    assert not any("highest" in words for words in found)


def test_methods_state_how_many_examples_humans_labelled(tmp_path):
    assert "on Answers: 300 answers, 90 labelled by humans." in page(tmp_path).methods()


def test_a_rate_that_a_requirement_states_is_stated_once(tmp_path):
    found = page(tmp_path, "require corrected_rate of a >= 20%").findings()
    assert found[1].startswith("The corrected rate of Birch was")
    assert sum("Alder" in words for words in found) == 1


def test_agreement_that_a_person_gave_a_name_has_no_article(tmp_path):
    write_rows(tmp_path, "r.csv", "a,b", [(i % 3, i % 3 if i % 5 else 0) for i in range(60)])
    text = 'evallang 1\npredictions p from "r.csv"\n  judges a, b\nmeasure krippendorff_alpha\n'
    (first, *_) = Page(run(study(text, tmp_path)).record).findings()
    assert first.startswith("Krippendorff’s alpha of a and b was ")


BATTLES = Path(__file__).parents[2] / "examples" / "data" / "battles.jsonl"


def test_the_anchor_of_strengths_is_in_a_note_and_not_in_the_heads():
    text = f'evallang 1\nbattles votes from "{BATTLES}"\n  group question_id\n'
    text += "measure bradley_terry(anchor=oak, at=1000)\n"
    words = Page(run(study(text)).record).words("estimates")
    assert "Strength: Bradley–Terry strength (anchor = oak, at = 1000)." in words
    assert "Strength of oak: no interval, undefined: it is the anchor." in words
