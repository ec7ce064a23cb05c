"""A study of judgements: battles of two models, or ratings of the same answers by judges."""

import re
from collections.abc import Iterator, Sequence

from evallang.data.battles import FORMS, one_column_of
from evallang.data.column_types import Kind
from evallang.data.frame import Frame
from evallang.drafts.columns import Column, Use, clauses_of_truth
from evallang.drafts.writing import (
    DraftRefused,
    Goal,
    bare_name,
    comment,
    head,
    listed,
    quoted,
    written,
)

VERDICTS = {
    **dict.fromkeys(["first", "left", "a", "1", "answer a", "model a", "model_a"], "first"),
    **dict.fromkeys(["second", "right", "b", "2", "answer b", "model b", "model_b"], "second"),
    **dict.fromkeys(["tie", "tied", "draw", "equal", "same", "both", "neither", "none"], "tie"),
    **dict.fromkeys(["both good", "both bad", "both_good", "both_bad", "tie (bothbad)"], "tie"),
}
"""What the usual words of verdicts mean, in small letters."""
MOST_VERDICTS = 6
MOST_OWN = 0.05  # share of the rows in which a model meets itself
PROMPTS = frozenset({"instruction", "prompt", "question"})
WINNERS = frozenset(
    {
        *("better", "choice", "chosen", "judgement", "judgment", "preference", "preferred"),
        *("verdict", "vote", "winner"),
    }
)
"""Words of the columns of verdicts."""
HUMAN = frozenset({"expert", "experts", "gold", "human", "humans", "people"})
"""Words of the columns with the labels of people."""
JUDGES = HUMAN | {
    *("annotator", "claude", "coder", "gemini", "gpt", "grader", "judge", "llama", "llm"),
    *("mistral", "rater", "rating", "reader", "reviewer"),
}
"""Words of the columns with the labels of judges, of which one is enough."""


def lines_from_battles(location: str, frame: Frame, goal: Goal) -> list[str] | None:
    """Return the lines of a study of pairwise judgements, None for other tables."""
    form = next((form for form in FORMS if form.recognised_by <= {*frame.columns}), None)
    clauses: list[str] = []
    ordered = True
    if form is not None:
        ordered = form.ordered
    else:
        pair = _pair(frame)
        if pair is None:
            return None
        if fix := one_column_of(frame.columns):
            raise DraftRefused(f"`{location}` has a column for each verdict; {fix}")
        verdict, words = _verdict(location, frame, *pair)
        if verdict is None:
            return None
        clauses = [f"  first {written(pair[0])}", f"  second {written(pair[1])}"]
        clauses += [f"  winner {written(verdict)}{words}"]
        for clause, names in (("group", PROMPTS), ("judge", JUDGES)):
            found = [c for c in frame.columns if c not in (*pair, verdict) and names & {*_parts(c)}]
            several = [c for c in found if 1 < frame.texts(c).drop_nulls().n_unique() < frame.n]
            clauses += [f"  {clause} {written(name)}" for name in several[:1]]
    metric = "bradley_terry" if ordered else "bradley_terry(ties=half, order=none)"
    lines = [*head("Which model is preferred?")]
    lines += ["# A row for each judgement of two models"]
    lines += [f"battles votes from {quoted(location)}", *clauses, ""]
    lines += ["# The strength of each model on the scale of Elo, and the share of battles it won"]
    lines += [f"measure {metric}, win_rate", ""]
    return lines if goal == "estimate" else [*lines, "compare with bradley_terry"]


def _pair(frame: Frame) -> tuple[str, str] | None:
    """Return the first two columns of text that hold the same names, most of them in both."""
    texts = {
        name: {*frame.texts(name).drop_nulls().unique().to_list()}
        for name in frame.columns
        if frame.kind(name) is Kind.TEXT
    }
    for place, first in enumerate(texts):
        for second in [*texts][place + 1 :]:
            shared, every = texts[first] & texts[second], texts[first] | texts[second]
            few = len(every) >= 2 and 2 * len(every) <= frame.n
            itself = int((frame.texts(first) == frame.texts(second)).sum())
            if few and len(shared) >= len(every) - 2 and itself <= MOST_OWN * frame.n:
                return first, second
    return None


def _verdict(location: str, frame: Frame, first: str, second: str) -> tuple[str | None, str]:
    """Return the column of the verdicts, if any, and the meaning of its words for the clause."""
    models = {*frame.texts(first).to_list(), *frame.texts(second).to_list()}
    for name in frame.columns:
        words = frame.texts(name).drop_nulls().str.strip_chars().unique().sort().to_list()
        others = [word for word in words if word not in models]
        called = WINNERS & {*_parts(name)}
        if name in (first, second) or not words or len(others) > MOST_VERDICTS:
            continue
        if not called and len(others) == len(words):
            continue
        meant = {word: VERDICTS.get(word.casefold()) for word in others}
        entries = ", ".join(f"{written(word)}: {means}" for word, means in meant.items() if means)
        if all(meant.values()):
            return name, f" {{{entries}}}" if entries else ""
        if called:
            raise DraftRefused(
                f"`{location}` has judgements of the models in `{first}` and `{second}`, and the "
                f"meaning of {listed(others)} in `{name}` is unclear; write `battles votes from "
                f"{quoted(location)}` with `first {written(first)}`, `second {written(second)}` "
                f"and `winner {written(name)} {{VALUE: first, VALUE: second, VALUE: tie}}`"
            )
    return None, ""


def lines_from_judges(
    location: str, columns: Sequence[Column], judges: Sequence[Column]
) -> Iterator[str]:
    """Iterate over the lines of a study of judges: columns of labels of the same answers."""
    people = [c for c in judges if HUMAN & {*_parts(c.name)}]
    numbers = judges[0].kind is Kind.NUMBER and max(c.levels for c in judges) > 2
    truth = people[0] if len(people) == 1 and not numbers else None
    rated = [c for c in judges if c is not truth]
    ids = [c for c in columns if c.use is Use.ID and not c.missing]
    yield from head("Do the judges agree?" if truth is None else "Which judge agrees with people?")
    yield f"# {len(judges):,} columns have labels of the same answers"
    yield f"predictions panel from {quoted(location)}"
    if ids:
        yield f"  id {written(ids[0].name)}"
    named = [(bare_name(c.name), c.name) for c in rated]
    items = [name if name == column else f"{name} as {written(column)}" for name, column in named]
    against = "" if truth is None else f" truth {written(truth.name)}"
    yield f"  judges {', '.join(items)}{against}"
    if truth is not None:
        yield from clauses_of_truth(truth)
    yield ""
    if truth is None:
        level = "(level=ordinal)" if numbers else ""
        yield from comment("Agreement beyond chance; 1 is full agreement")
        yield f"measure krippendorff_alpha{level}"
    else:
        yield from comment("Agreement with the labels of people, and beyond chance")
        yield "measure accuracy, cohen_kappa"
        if len(rated) > 1:
            yield ""
            yield from comment("The judges labelled the same answers, which are paired")
            holm = " holm" if len(rated) > 2 else ""
            yield f"compare with mcnemar{holm} by accuracy"
    yield ""


def _parts(name: str) -> list[str]:
    return re.findall("[a-z]+", re.sub("([a-z])([A-Z])", r"\1 \2", name).casefold())


def judges_among(columns: Sequence[Column]) -> list[Column]:
    """Return the columns with the labels of judges; none if nothing names a judge.

    They have labels of one kind, which a judge need not have used all. A table with further numbers
    is one to learn from.
    """
    able = [c for c in columns if c.use is Use.FEATURE]
    if any(c.kind is Kind.NUMBER and not (c.whole and c.counts) for c in able):
        return []
    for most in sorted((c for c in able if c.counts), key=lambda c: -c.levels):
        labels = {value for value, _ in most.counts}
        alike = [
            c
            for c in able
            if c.kind is most.kind and c.counts and {value for value, _ in c.counts} <= labels
        ]
        if len(alike) > 1 and any(JUDGES & {*_parts(c.name)} for c in alike):
            return alike
    return []
