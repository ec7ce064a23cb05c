"""The checklists item by item: where the report answers each, or that its authors have to."""

from typing import TYPE_CHECKING

from evallang.reporting.checklists import CHECKLISTS, item_places
from evallang.reporting.formats.format import Writing

if TYPE_CHECKING:
    from evallang.reporting.formats.markdown import MarkdownWriter


def checklist_lines(writing: Writing, writer: "MarkdownWriter") -> list[str]:
    """Return the lines of the file; none where the section is hidden."""
    if not writing.blocks("checklists"):
        return []
    headings = {section.id: section.heading for section in writing.document.sections}
    context = writing.context
    context.sections = writing.document.sections
    places = item_places(context)
    title = writer.text(context.title)
    lines = [
        f"# Reporting checklists: {title}",
        "",
        "Where the report of this study answers an item, and what its authors have to add. The",
        "words of the items are short forms; the sources have the full ones.",
    ]
    for checklist in CHECKLISTS:
        lines += ["", f"## {writer.text(checklist.name)}", ""]
        size = len(checklist.items)
        source = writer.write(checklist.published)
        lines += [f"Source: {source}. The {size} items were compared with"]
        lines += [f"{checklist.compared}.", ""]
        lines += ["| Item | About | Where |", "|:--|:--|:--|"]
        for item in checklist.items:
            place = places[checklist.name, item.number]
            where = "for the authors"
            if place is not None:
                where = f"[{writer.text(headings[place])}](report.html#{place})"
                where += ", in part: the authors add the reasons" if item.partly else ""
            lines.append(f"| {writer.text(item.number)} | {writer.text(item.asks)} | {where} |")
    return lines
