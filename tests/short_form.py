"""What golden files keep of a finding whose code has its full rendering elsewhere.

Its severity, code and place; `facts`: the names in backticks, the pairs `a − b` and the numbers of
its texts, sorted; `also`: places that belong to it; `fix`: what a fix replaces by what. The
sentences may change without these.
"""

import re

FACT = re.compile(r"`[^`]+`|\w+\)? − \(?\w+|(?<![\w.])[-−]?\.?\d[\d.,]*(?:e-?\d+)?%?")


def facts(*texts):
    """Give the names and numbers of texts, each once, sorted."""
    found = {one.rstrip(".,") for text in texts if text for one in FACT.findall(text)}
    return "  facts: " + " ".join(sorted(found)) if found else None


def place(span, sources):
    """Give a span as line:column-line:column, with its file if it is another."""
    if span is None or span.path not in sources:
        return "" if span is None else span.path
    start, end = (sources[span.path].position(at) for at in (span.start, span.end))
    where = f"{start.line}:{start.column}-{end.line}:{end.column}"
    return where if span.path == next(iter(sources)) else f"{span.path} {where}"


def short(found, sources):
    """Give a finding as the lines of its short form."""
    lines = [f"{found.severity}[{found.code}] {place(found.span, sources) or found.path}".rstrip()]
    lines.append(facts(found.message, *found.notes, found.help))
    for related in found.related:
        lines.append(f"  also: {place(related.span, sources)} {related.code or ''}".rstrip())
    for fix in found.fixes:
        edits = ", ".join(f"{place(e.span, sources)} -> {e.text!r}" for e in fix.edits)
        lines.append(f"  fix: {edits}" if fix.safe else f"  fix to choose: {edits}")
    if found.allowed_because is not None:
        lines.append(f"  allowed because {found.allowed_because}")
    return "".join(f"{line}\n" for line in lines if line)


def short_caution(caution, words):
    """Give a warning of the report, whose body reads as `words`, as the lines of its short form."""
    told = facts(caution.lead, words)
    return f"{caution.severity}[{caution.code}]\n" + (f"{told}\n" if told else "")
