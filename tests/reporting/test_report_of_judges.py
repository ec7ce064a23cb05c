"""What a report says of judges: each with its rate, which is that of the examples."""

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


def test_a_rate_that_a_requirement_states_is_stated_once(tmp_path):
    found = page(tmp_path, "require corrected_rate of a >= 20%").findings()
    assert found[1].startswith("The corrected rate of Birch was")
    assert sum("Alder" in words for words in found) == 1
