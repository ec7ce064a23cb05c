"""One output for one tree; comments, order and spelling of literals stay."""

from many_cases import for_each

from evallang.syntax import nodes as n
from evallang.syntax.formatter import format_node
from evallang.syntax.pretty import WIDTH

from .reading import formatted, read, statement


@for_each(
    ("written", "canonical"),
    [
        ("let x = 1_000", "let x = 1_000"),
        ("let x=[ 1,2 , .5,]", "let x = [1, 2, .5]"),
        ("let x = (1, 2)", "let x = [1, 2]"),
        ('let x = {no :1,"y":10,}', 'let x = {no: 1, "y": 10}'),
        (
            "model m = A()|B( k = 1,l  in  1 .. 5  step 2 )",
            "model m = A | B(k=1, l in 1..5 step 2)",
        ),
        ("model m = A(k in 0.. .5 step .1)", "model m = A(k in 0 .. .5 step .1)"),
        ("compare all with t", "compare with t"),
        ("compare [a,b] with t", "compare a, b with t"),
        (
            "compare a, b by f1 exploratory on p with t then u holm against c across data",
            None,
        ),
        (
            "compare a by f1 on p across data with t then u holm exploratory against c",
            "compare a against c across data with t then u holm by f1 on p exploratory",
        ),
        (
            "tune cv=5 select one-standard-error by f1 random 40",
            "tune random 40 by f1 cv=5 select one_standard_error",
        ),
        ("require  a better than b at 90% on p in f1", "require a better than b in f1 on p at 90%"),
        ("analyze roc on p by f1 of a, b", "analyze roc of a, b by f1 on p"),
        ("protocol leave-one-out", "protocol leave_one_out"),
        ("report [html, pdf]", "report html, pdf"),
        ("stratify by target ,ward  bins = 5", "stratify by target, ward bins=5"),
    ],
)
def test_a_line_has_one_canonical_form(written: str, canonical: str | None) -> None:
    expected = written if canonical is None else canonical
    assert formatted(written + "\n") == expected + "\n"


def test_clauses_are_indented_by_two_and_keep_their_order() -> None:
    text = 'study "T"\n      seed 1\n alpha   0.1\n\tquestion "Q"\n'
    assert formatted(text) == 'study "T"\n  seed 1\n  alpha 0.1\n  question "Q"\n'


def test_at_most_one_blank_line_stands_in_a_row_and_none_at_the_ends() -> None:
    text = '\n\n\nmeasure f1\n\n\n\nreport html\n\n  to "d"\n\n\n'
    assert formatted(text) == 'measure f1\n\nreport html\n\n  to "d"\n'


def test_comments_stay_where_they_were() -> None:
    text = (
        "#  first\n\n# about the study\nstudy     # why\n   # a clause\n      seed 1# seven\n"
        "# of the next clause\n  alpha 0.1\n    # indented: still of the study\n\n# of the model\n"
        "model m = A(  # opening\n  # of k\n  k=1,  # behind k\n  l=2 # behind l\n  # below\n)\n"
        "# last"
    )
    assert formatted(text) == (
        "#  first\n\n# about the study\nstudy  # why\n  # a clause\n  seed 1  # seven\n"
        "  # of the next clause\n  alpha 0.1\n  # indented: still of the study\n\n# of the model\n"
        "model m = A(\n  # opening\n  # of k\n  k=1,  # behind k\n  l=2,  # behind l\n"
        "  # below\n)\n# last\n"
    )


def test_comments_between_steps_keep_the_pipeline_broken() -> None:
    text = "model m = A  # one\n  # between\n  | B  # two\n  | C\n"
    assert formatted(text) == text


def test_a_comment_in_brackets_that_go_away_is_kept() -> None:
    assert formatted("model m = A(\n  # nothing\n)\n") == "model m = A  # nothing\n"
    assert formatted("let m = A(\n  # nothing\n)\n") == "# nothing\nlet m = A\n"


def test_a_comment_in_brackets_that_go_away_from_the_last_step_settles() -> None:
    once = formatted('predictions p from "p.csv"\n  score a = x | x | x(  # own\n    )\n')
    assert once == 'predictions p from "p.csv"\n  # own\n  score a = x | x | x\n'
    assert formatted(once) == once


def test_comments_move_along_with_the_parts_of_a_line() -> None:
    text = "compare a by [\n  f1,  # first\n  f2,\n] with t\n"
    assert formatted(text) == "compare a with t by [\n  f1,  # first\n  f2,\n]\n"


def test_long_pipelines_break_before_their_bars() -> None:
    step = "Step(parameter=12345678, other=12345678)"
    assert formatted(f"model m = {step} | {step} | {step}\n") == (
        f"model m = {step}\n  | {step}\n  | {step}\n"
    )


def test_long_brackets_break_after_their_commas() -> None:
    arguments = [f"parameter_{i}={i}" for i in range(10)]
    text = f"model m = Step({', '.join(arguments)})\n"
    assert formatted(text) == "model m = Step(\n" + "".join(f"  {a},\n" for a in arguments) + ")\n"


def test_long_lists_of_names_get_brackets_to_break_in() -> None:
    names = [f"a_rather_long_name_{i}" for i in range(8)]
    text = f"data d from sklearn iris\n  features {', '.join(names)}\n"
    broken = "  features [\n" + "".join(f"    {name},\n" for name in names) + "  ]\n"
    assert formatted(text) == "data d from sklearn iris\n" + broken
    assert read(formatted(text)) == read(text)


def test_only_what_is_too_long_is_broken() -> None:
    inner = ", ".join(f"parameter_{i}={i}" for i in range(5))
    assert formatted(f"model m = A(k=1) | B({inner}, l=C({inner})) | D(k=[1, 2])\n") == (
        "model m = A(k=1)\n"
        f"  | B(\n    {', '.join(['parameter_0=0'])},\n"
        + "".join(f"    parameter_{i}={i},\n" for i in range(1, 5))
        + f"    l=C({inner}),\n  )\n"
        "  | D(k=[1, 2])\n"
    )


def test_a_line_of_exactly_the_width_is_not_broken() -> None:
    for length, lines in [(WIDTH, 1), (WIDTH + 1, 4)]:
        name = "x" * (length - len("let a = [, b]"))
        assert formatted(f"let a = [{name}, b]\n").count("\n") == lines


def test_what_has_no_place_to_break_stays_long() -> None:
    text = f'study "{"long " * 40}"\n'
    assert formatted(text) == text


def test_lines_that_do_not_parse_stay_as_they_are() -> None:
    text = (
        "evallang   1\nmodle  x =   SVC(   \n   k =1,  # keep\n )  \n"
        "data   d   from sklearn   iris\n      target   mean radius  \n      id   b\n"
        "   include 'x'\n"
    )
    assert formatted(text) == (
        "evallang 1\nmodle  x =   SVC(\n   k =1,  # keep\n )\n"
        "data d from sklearn iris\n      target   mean radius\n  id b\n"
        "   include 'x'\n"
    )


def test_deep_nesting_around_a_long_text_is_laid_out_in_time() -> None:
    depth = 60
    text = f'let x = {"columns([a, b]: " * depth}A(k="{"long " * 40}"){")" * depth}\n'
    assert read(formatted(text)) == read(text)


def test_an_empty_file_stays_empty_and_a_missing_line_end_is_added() -> None:
    assert formatted("") == ""
    assert formatted("\n \n\t\n") == ""
    assert formatted("measure f1") == "measure f1\n"


def test_a_node_is_written_on_one_line() -> None:
    line = "compare a, b with mcnemar(exact) then u holm by f1(average=macro) on main exploratory"
    assert format_node(statement(line)) == line
    long = statement(f"let x = [{', '.join(str(i) for i in range(1000))}]\n")
    assert "\n" not in format_node(long)


def test_a_statement_is_written_without_its_clauses() -> None:
    assert format_node(statement('study "T"\n  seed 1\n')) == 'study "T"'


def test_parts_of_statements_are_written_too() -> None:
    data = statement('data d from sql "q" on "u"\n  where a in [1]\n  models a "A" as b in "c"\n')
    assert isinstance(data, n.DataNode)
    assert format_node(data.source) == 'sql "q" on "u"'
    where, models = data.clauses
    assert format_node(where) == "where a in [1]"
    assert isinstance(models, n.ModelColumnsNode)
    assert format_node(models.items[0]) == 'a "A" as b in "c"'
    pair = statement("compare a vs b with t")
    assert isinstance(pair, n.CompareNode)
    assert format_node(pair.models[0]) == "a vs b"


def test_a_column_called_all_keeps_its_brackets() -> None:
    text = "data d from sklearn iris\n  features [ all , ]\n  features [all, b]\n"
    once = formatted(text)
    assert once == "data d from sklearn iris\n  features [all]\n  features [all, b]\n"
    assert formatted(once) == once
