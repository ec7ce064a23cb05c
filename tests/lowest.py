"""Print the lowest version of every dependency that pyproject.toml declares, as pip constraints.

`python tests/lowest.py > constraints.txt` is what `make test-lowest` installs with. A dependency
without a lower bound, or with two different ones, ends the script: no bound is tested by hand.
"""

import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def lowest(project: dict[str, object]) -> dict[str, str]:
    """Return the lowest declared version of each direct dependency, extras included.

    Raises `ValueError` for a dependency whose lowest version is not declared, or declared twice.
    """
    found: dict[str, str] = {}
    own = canonicalize_name(project["name"])
    lists = [project["dependencies"], *project.get("optional-dependencies", {}).values()]
    for requirement in (Requirement(text) for listed in lists for text in listed):
        name = canonicalize_name(requirement.name)
        if name == own:
            continue
        bounds = [s.version for s in requirement.specifier if s.operator in (">=", "==", "~=")]
        if len(bounds) != 1:
            raise ValueError(f"`{requirement}` declares no lowest version")
        if found.setdefault(name, bounds[0]) != bounds[0]:
            raise ValueError(f"`{name}` has two lowest versions: {found[name]} and {bounds[0]}")
    return found


if __name__ == "__main__":
    try:
        versions = lowest(tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"])
    except ValueError as error:
        sys.exit(f"pyproject.toml: {error}")
    print("\n".join(f"{name}=={version}" for name, version in sorted(versions.items())))
