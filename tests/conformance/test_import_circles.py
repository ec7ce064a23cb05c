"""No module of the package imports itself through others, imports inside functions included."""

import re
from graphlib import TopologicalSorter
from pathlib import Path

import evallang

ROOT = Path(evallang.__file__).parent
MODULES = {
    ".".join(("evallang", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): path
    for path in ROOT.rglob("*.py")
}


FOR_TYPES = re.compile(r"^( *)if TYPE_CHECKING:\n(?:\1 +.*\n|\n)+", re.MULTILINE)
IMPORT = re.compile(
    r"^ *from (evallang[\w.]*) import (?:\(([^)]*)\)|(.*))$|^ *import (evallang[\w.]*)",
    re.MULTILINE,
)


def imported(text: str) -> set[str]:
    """Return the modules of the package that a module imports, but not for its types alone."""
    found: set[str] = set()
    for module, several, names, alone in IMPORT.findall(FOR_TYPES.sub("", text)):
        for name in (several or names).split(","):
            inside = f"{module}.{name.partition(' as ')[0].strip()}"
            found.add(inside if inside in MODULES else module or alone)
    return found & MODULES.keys()


def test_no_import_is_circular() -> None:
    graph = {
        name: imported(path.read_text(encoding="utf-8")) - {name} for name, path in MODULES.items()
    }
    assert sum(map(len, graph.values())) > len(graph)
    TopologicalSorter(graph).prepare()  # raises CycleError with the modules of a circle
