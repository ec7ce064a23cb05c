"""The prose and the names of the project avoid the banned turns."""

from banned_turns import PAGES, TURNS, Piece, hits, modules, pages
from many_cases import for_each

SOUND = [
    "There is no interval, because there are no folds.",
    "The sample is no larger than the test set, and the test is no longer exact.",
    "None of the models has a lower error; there is none with a higher recall.",
    "The value is None where the metric is undefined.",
    "`NAME` stands for the name of a model.",
    "The remaining examples are held out; leave out the clause `interval`.",
    "Write a comma or a space; otherwise nothing else follows, or else two values.",
    "The method is said to be exact.",
    "Give the model a name, and put the file into the folder.",
    "Recommended settings amend the default.",
    "The wayout of a maze departed from the plan.",
    "Besides accuracy, report recall.",
]


@for_each("name", TURNS)
def test_a_turn_is_found_where_it_is_and_not_in_its_replacement(name):
    turn = TURNS[name]
    assert turn.pattern.search(turn.wrong)
    assert not turn.pattern.search(turn.right)
    for other in TURNS.values():
        if other.kinds == turn.kinds:
            assert not other.pattern.search(turn.right)


@for_each("sentence", SOUND)
def test_sound_english_is_no_hit(sentence):
    piece = Piece("message", "", PAGES, 1, sentence)
    assert [hit.turn for hit in hits(iter([piece]))] == []


def test_pages_examples_and_templates_use_no_banned_turn():
    assert [str(hit) for hit in hits(pages())] == []


def test_docstrings_comments_messages_and_names_use_no_banned_turn():
    assert [str(hit) for hit in hits(modules())] == []
