"""`evallang explain`."""

from collections.abc import Iterator

import click
from click.shell_completion import CompletionItem

from evallang.cli.terminal import columns, write
from evallang.manual.explanations import Explanation, Part
from evallang.printable import wrapped

ELSEWHERE = "`evallang list --help` names the catalogues"
WIDTH = 80  # characters of a line of prose, if the terminal is wide enough


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the words that begin as typed, in any case of the letters."""
    from evallang.manual.glossary import words

    typed = incomplete.lower()
    return [CompletionItem(word) for word in words() if word.lower().startswith(typed)]


@click.command("explain", epilog="Example: evallang explain mcnemar")
@click.argument("name", nargs=-1, required=True, metavar="NAME", shell_complete=_complete)
def command(name: tuple[str, ...]) -> int:
    """Explain a code, rule, test, metric, interval, protocol, correction, model or statement.

    Several words form one name (`repeated cv`) or are explained separately.
    """
    from evallang.manual.glossary import explain, nearest

    asked = " ".join(name)
    found = explain(asked)
    if not found:
        each = [explain(word) for word in name]
        if not all(each):
            near = nearest(asked)
            hint = f"; did you mean `{near}`?" if near else f"; {ELSEWHERE}"
            raise click.ClickException(f"nothing is called `{asked}`{hint}")
        found = tuple(explanation for found in each for explanation in found)
    for number, explanation in enumerate(found):
        write(*([""] if number else []), *_lines(explanation))
    return 0


def _lines(explanation: Explanation) -> list[str]:
    width = min(WIDTH, columns())
    head = f"{explanation.word} ({explanation.kind})"
    if explanation.title:
        head += f": {explanation.title}"
    lines = wrapped(head, width)
    for part in explanation.parts:
        lines += ["", *_part(part, width)]
    return lines


def _part(part: Part, width: int) -> Iterator[str]:
    if part.text:
        yield from wrapped(f"{part.heading}: {part.text}" if part.heading else part.text, width)
        return
    yield f"{part.heading}:"
    for line in part.lines:
        if part.language or len(line) <= width - 4:
            yield f"    {line}".rstrip()
        else:
            yield from wrapped(line, width, " " * 4, " " * 8)
