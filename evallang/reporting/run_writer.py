"""Runs as text: what every back end without a template of its own shares."""

from typing import assert_never

from evallang.reporting.document import (
    Cite,
    Code,
    Emphasis,
    Interval,
    Link,
    Mark,
    Number,
    Ref,
    Run,
    Runs,
    Stat,
    Strong,
    Subscript,
    Term,
    Text,
)
from evallang.reporting.numbers import NBSP


class RunWriter:
    """A back end that writes each kind of run in its own way.

    By default it marks nothing: the words remain, without citations. The forms are those of words
    that carry a claim, words in italics, a lowered letter, and the mark of a footnote.
    """

    STRONG = EMPHASIS = SUBSCRIPT = "{}"
    MARK = " ({}) "

    def write(self, row: Runs) -> str:
        """Return a row of runs."""
        return "".join(self.run(run) for run in row)

    def run(self, run: Run) -> str:
        """Return one run."""
        match run:
            case Text() | Number() | Term():
                return self.text(run.text)
            case Strong():
                return self.STRONG.format(self.write(run.runs))
            case Emphasis():
                return self.EMPHASIS.format(self.write(run.runs))
            case Subscript():
                return self.SUBSCRIPT.format(self.text(run.text))
            case Stat():
                return self.stat(run)
            case Interval():
                return self.text(f"{run.lead}{NBSP}{run.text}" if run.lead else run.text)
            case Cite():
                return self.cite(run)
            case Ref():
                return self.ref(run)
            case Link():
                return self.link(run)
            case Code():
                return self.code(run.text)
            case Mark():
                return self.MARK.format(self.text(run.text))
        assert_never(run)

    def text(self, text: str) -> str:
        """Return words, with what has a meaning in the format made inert."""
        return text

    def cite(self, run: Cite) -> str:
        """Return a citation."""
        return ""

    def stat(self, run: Stat) -> str:
        """Return a statistic with its letter, degrees of freedom and value."""
        letter, form = self.text(run.symbol), "{}" if run.upright else self.EMPHASIS
        df = f"({f',{NBSP}'.join(run.df)})" if run.df else ""
        return form.format(letter) + self.text(f"{df}{NBSP}{run.relation}{NBSP}{run.text}")

    def ref(self, run: Ref) -> str:
        """Return a reference to another part of the report, without its number."""
        return self.text(run.words)

    def link(self, run: Link) -> str:
        """Return a link to the outside."""
        return self.text(run.words)

    def code(self, text: str) -> str:
        """Return text of the language or a command."""
        return self.text(text)


def plain(row: Runs) -> str:
    """Return the words of runs alone."""
    return RunWriter().write(row)
