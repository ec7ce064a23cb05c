"""Messages of the check and of analyses for readers: labels and titles in place of names."""

from evallang.reporting.context import Context
from evallang.reporting.document import Code, Run, Runs, Text, runs
from evallang.reporting.letter_case import capitalised
from evallang.reporting.wording import code_runs, sentence, with_article

TITLED = frozenset({"test", "correction", "interval"})
"""Kinds of methods whose titles are part of a sentence."""


def message_runs(context: Context, text: str) -> Runs:
    """Format a message as a sentence: names of the study and of methods as labels and titles.

    Other parts in backquotes stay code.
    """
    made = code_runs(sentence(text))
    words: list[Run] = []
    for i, run in enumerate(made):
        if not isinstance(run, Code):
            words.append(run)
            continue
        after = made[i + 1] if i + 1 < len(made) else None
        following = after.text if isinstance(after, Text) else ""
        label, title = _label(context, run.text), _title(context, run.text, following)
        if label is not None:
            words.append(Text(label))
        elif title is not None:
            before = words[-1] if words else None
            if isinstance(before, Text) and before.text.endswith((" the ", " a ")):
                title = title.removeprefix("the ")
            for kind in ("test", "interval"):
                if following.startswith(f" {kind}"):
                    title = title.removesuffix(f" {kind}")
            words.append(Text(title if words else capitalised(title)))
        else:
            words.append(run)
    return runs(*words)


def _label(context: Context, name: str) -> str | None:
    """Return the label of a model or data set."""
    if any(model.name == name for model in context.results.models):
        return context.model(name)
    if any(data.name == name for data in context.results.data):
        return context.data_label(name)
    return None


def _title(context: Context, name: str, following: str) -> str | None:
    """Return the title of a method; None for other code.

    A name of a test and of an interval is that of the test, except before the word "interval".
    """
    kinds = {method.kind for method in context.results.methods if method.name == name}
    order = ("interval", "test") if following.startswith(" interval") else ("test", "interval")
    kind = next((k for k in (*order, "metric", "correction") if k in kinds), None)
    if kind == "metric":
        return context.metric(name).noun
    if kind in TITLED:
        return with_article(context.method_title(kind, name))
    return None
