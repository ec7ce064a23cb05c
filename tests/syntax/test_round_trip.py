"""What is written from a tree reads as that tree, however it is laid out."""

import random

from hypothesis import HealthCheck, given, settings, strategies as st

from evallang.syntax import nodes as n
from evallang.syntax.formatter import format_node
from evallang.syntax.logical_lines import lay_out

from .programs import clauses, statements, studies, values
from .reading import errors, formatted, read, source_of

moderately = settings(
    max_examples=100, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)


def written(study: n.StudyNode) -> str:
    """Write a tree one line for each statement and clause, of any length."""
    lines = []
    for statement in study.statements:
        lines.append(format_node(statement))
        lines += [f"  {format_node(clause)}" for clause in statement.clauses]
    return "".join(f"{line}\n" for line in lines)


def scattered(text: str, chance: random.Random, *, comments: bool = True) -> str:
    """Lay text out at random: blanks, tabs, comments, and lines broken inside brackets."""

    def remark(*choices: str) -> str:
        return chance.choice(choices) if comments else ""

    source = source_of(text)
    made: list[str] = []
    for line in lay_out(source).lines:
        made.append("" if line.at_margin else chance.choice([" ", "  ", "\t", "      "]))
        depth = 0
        for before, token in zip([None, *line.tokens], line.tokens, strict=False):
            depth -= token.kind in ("RPAR", "RSQB", "RBRACE")
            blank = before is not None and before.end < token.start
            broken = depth > 0 or token.kind in ("RPAR", "RSQB", "RBRACE", "VBAR")
            if broken and chance.random() < 0.1:
                comment = remark("", "", "  # why", "# so")
                own = remark("", "", "# own\n", "\n   # own, indented\n")
                made.append(f" {comment}\n{own}   ")
            elif blank:
                made.append(chance.choice([" ", " ", "   ", " \t"]))
            made.append(token.text)
            depth += token.kind in ("LPAR", "LSQB", "LBRACE")
        made.append(remark("", "", "  ", "   # behind"))
        made.append(chance.choice(["\n", "\n", "\r\n", "\n\n\n"]))
        made.append(remark("", "", "# alone\n", "  # below\n"))
    return "".join(made)


@moderately
@given(values)
def test_a_value_reads_as_it_was_written(value: n.Node) -> None:
    study = read(f"let x = {format_node(value)}\n")
    (let,) = study.statements
    assert isinstance(let, n.LetNode)
    assert let.value == value


@moderately
@given(statements)
def test_a_statement_reads_as_it_was_written(statement: n.StatementNode) -> None:
    study = n.StudyNode((statement,), span=statement.span)
    assert read(written(study)) == study


@moderately
@given(st.sampled_from(["study", "data", "predictions", "report"]).flatmap(clauses))
def test_a_clause_reads_as_it_was_written(clause: n.AnyClauseNode) -> None:
    study = read(f'predictions p from "p.csv"\n  {format_node(clause)}\n')
    assert study.statements[0].clauses == (clause,)


@moderately
@given(studies, st.randoms(use_true_random=False))
def test_formatting_keeps_tree_and_comments_and_is_idempotent(
    study: n.StudyNode, chance: random.Random
) -> None:
    text = scattered(written(study), chance)
    before = read(text)
    assert before == study
    once = formatted(text)
    after = read(once)
    assert after == study
    assert sorted(c.text for c in after.comments) == sorted(c.text for c in before.comments)
    assert formatted(once) == once
    assert "\n\n\n" not in once
    assert "\t" not in once.replace("\\t", "")
    assert all(line == line.rstrip() for line in once.split("\n"))


@moderately
@given(studies, st.randoms(use_true_random=False))
def test_the_layout_an_author_chose_leaves_no_trace(
    study: n.StudyNode, chance: random.Random
) -> None:
    text = written(study)
    loose = scattered(text, chance, comments=False)
    assert formatted(loose).replace("\n\n", "\n") == formatted(text)


@moderately
@given(st.text(max_size=80))
def test_no_text_at_all_raises_or_changes_when_formatted_again(text: str) -> None:
    errors(text)
    once = formatted(text)
    assert formatted(once) == once
