"""Write the generated pages and files, or with `--check` list those that are out of date."""

import sys
from collections.abc import Iterator
from pathlib import Path

from docs.generator import (
    command_line,
    diagnostics,
    editors,
    fitting,
    limits,
    marked,
    members,
    models,
    pictures,
    results_json,
    stubs,
)

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent


def pages() -> Iterator[tuple[Path, str]]:
    """Return every generated page, every written one with its tables, stubs and editor files."""
    for maker in (
        members,
        diagnostics,
        models,
        fitting,
        command_line,
        limits,
        results_json,
    ):
        for name, text in maker.pages():
            yield DOCS / "reference" / f"{name}.md", text.rstrip("\n") + "\n"
    for path in sorted([*DOCS.glob("*.md"), *DOCS.glob("guide/*.md")]):
        text = path.read_text(encoding="utf-8")
        yield path, marked.filled(text, path)
    for name, text in (*stubs.stubs(), *editors.files()):
        yield ROOT / name, text


def main() -> int:
    """Write the pages that differ; with `--check` list them instead and return 1."""
    made = dict(pages())
    stale = [path for path in DOCS.glob("reference/**/*.md") if path not in made]
    different = [
        path
        for path, text in made.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    undrawn = pictures.stale()
    if "--check" in sys.argv[1:]:
        for path in [*different, *stale]:
            print(f"{path.relative_to(ROOT)} is out of date: run `make docs`")
        for name in undrawn:
            print(f"the picture of {name} is out of date: run `make docs`")
        return 1 if different or stale or undrawn else 0
    for path in stale:
        path.unlink()
    for path in different:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(made[path], encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    for name in undrawn:
        print(f"the picture of {name} is out of date: run `{pictures.COMMAND}`")
    return 0


sys.exit(main())
