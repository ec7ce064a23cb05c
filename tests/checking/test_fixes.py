"""`check --fix` on slips of the keyboard: what it mends is what was written before, or nothing."""

import random
import re
from pathlib import Path

import pytest
from studies import checked

from evallang.diagnostics import CODES, Edit, Fix, diagnose
from evallang.editor.fixes import apply_safe_fixes
from evallang.source import Span
from evallang.syntax import nodes as n

SOUND = sorted((Path(__file__).parent / "sound").glob("*.eval"))
SLIPS = 80
LETTERS = "abcdefghijklmnopqrstuvwxyz"
ASIDE = re.compile(r'#.*|"[^"]*"')


def mended(text):
    """Apply the sure fixes until none is left."""
    text, _ = apply_safe_fixes(text, "study.eval", lambda text: checked(text).diagnostics)
    assert not apply_safe_fixes(text, "study.eval", lambda text: checked(text).diagnostics)[1], text
    return text


STUDY = """evallang 1
study "T"
  seed 1
  author "Jane Doe"
predictions p from "p.csv"
  truth y
  models cnn, vit
measure accuracy
compare cnn vs vit with mcnemar
require accuracy of cnn >= 80%
"""


@pytest.mark.parametrize(
    ("right", "written"),
    [
        ('author "Jane Doe"', "author Jane Doe"),
        ('predictions p from "p.csv"', 'predictions p in "p.csv"'),
        ("cnn vs vit with", "cnn to vit with"),
        ("vit with mcnemar", "vit thne mcnemar"),
        ("compare cnn vs", "compare \u0441nn vs"),
        ("measure accuracy", "measure \u0430ccuracy"),
        ("models cnn, vit", "models cnn，vit"),
    ],
)
def test_a_habit_is_mended_to_what_was_meant(right, written):
    assert right in STUDY
    found = mended(STUDY.replace(right, written)).replace("cnn,vit", "cnn, vit")
    assert found == STUDY


@pytest.mark.parametrize(
    ("right", "written"),
    [
        ('predictions p from "p.csv"', 'predictions from "p.csv"'),
        ('p from "p.csv"', "p from openml 31"),
        ("cnn vs vit with", "cnn > vit with"),
        ("accuracy of cnn >= 80%", "accuracy of cnn == 80%"),
        ("accuracy of cnn >= 80%", "cnn accuracy >= 80%"),
        ("with mcnemar", "with mcnemar, permutation"),
        ("cnn vs vit with", "all except vit with"),
        ("measure accuracy", "set seed 1"),
    ],
)
def test_what_may_be_meant_otherwise_is_left_to_the_author(right, written):
    assert right in STUDY
    text = STUDY.replace(right, written)
    assert mended(text) == text
    assert checked(text).diagnostics


def test_lines_that_end_in_carriage_returns_alone_are_told_once_and_left_alone():
    text = STUDY.replace("\n", "\r")
    assert [d.code for d in checked(text).diagnostics] == ["E011"]
    assert mended(text) == text
    half = STUDY.replace("\n  seed", "\r  seed")
    assert [d.code for d in checked(half).diagnostics] == ["E011"]
    assert mended(half) == half


def test_a_model_without_its_word_is_known_to_the_lines_below():
    text = """evallang 1
data d from "d.csv"
  target y
cnn = DummyClassifier
vit <- SVC
protocol cv
compare cnn, vit with mcnemar
"""
    assert [d.code for d in checked(text).diagnostics] == ["E040", "E010"]


def test_of_fixes_for_one_place_the_first_is_taken():
    def found(*edits):
        edits = tuple(Edit(Span("s", *place), "x") for place in edits)
        return diagnose(CODES["E048"], "m", edits[0].span, fixes=[Fix(str(edits), edits)])

    first, inside, beside = found((4, 8)), found((0, 1), (5, 6)), found((8, 8), (2, 4))
    last = found((1, 2))
    rounds = iter([(first, inside, beside, last), ()])
    text, applied = apply_safe_fixes("0123456789", "s", lambda text: next(rounds))
    assert applied == [finding.fixes[0].title for finding in (first, beside, last)]
    assert text == "0xxxx89"


def slipped(word, chance):
    """Leave out, insert, replace or swap a letter."""
    at, letter = chance.randrange(len(word)), chance.choice(LETTERS)
    return chance.choice(
        [
            word[:at] + word[at + 1 :],
            word[:at] + letter + word[at:],
            word[:at] + letter + word[at + 1 :],
            word[:at] + word[at + 1 : at + 2] + word[at : at + 1] + word[at + 2 :],
        ]
    )


def own_names(text):
    """Name what the author declares: a slip there renames it everywhere, which is not a mistake."""
    found = checked(text).gathered.statements
    names = {s.name.name for s in found if getattr(s, "name", None) is not None}
    columns = [c for s in found for c in s.clauses if isinstance(c, n.ModelColumnsNode)]
    return names | {getattr(item.name, "name", "") for c in columns for item in c.items}


def test_what_is_mended_is_the_study_that_was_meant():
    chance = random.Random(20261120)
    same = 0
    for _ in range(SLIPS):
        text = chance.choice(SOUND).read_text(encoding="utf-8")
        meant = checked(text).study
        own = own_names(text)
        plain = ASIDE.sub(lambda m: " " * len(m[0]), text)
        words = [m for m in re.finditer(r"(?<![\w.])[A-Za-z_]\w+", plain) if m[0] not in own]
        word = chance.choice(words)
        damaged = text[: word.start()] + slipped(word[0], chance) + text[word.end() :]
        after = mended(damaged)
        found = checked(after).study
        if after != damaged and found is not None:
            assert found.canonical == meant.canonical, (word[0], damaged[word.start() :][:40])
            same += 1
    assert same > SLIPS / 2


@pytest.mark.parametrize("blanks", ["{}", " {}", "{} ", " {} "])
def test_a_sign_after_a_word_is_taken_out_whatever_its_blanks(blanks):
    text = SOUND[0].read_text(encoding="utf-8")
    assert "measure " in text and "model " in text
    for sign in "=:":
        wrong = text.replace("measure ", f"measure{blanks.format(sign)}", 1)
        assert checked(mended(wrong)).study.canonical == checked(text).study.canonical
    wrong = re.sub(r"(?m)^(model \w+) = ", lambda m: m[1] + blanks.format(":"), text)
    assert checked(mended(wrong)).study.canonical == checked(text).study.canonical


def test_a_comma_behind_which_the_list_goes_on_is_not_taken_out():
    text = STUDY + "measure accuracy,\n  f1\n"
    assert mended(text) == text
    (found,) = [d for d in checked(text).diagnostics if d.severity == "error"]
    assert "on one line" in found.help
    ended = STUDY + "measure accuracy,\n"
    assert mended(ended) == STUDY + "measure accuracy\n"
