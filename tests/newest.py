"""Print the installed version of every dependency that users may need, as TOML.

`python tests/newest.py > evallang/tested.toml` records, before a release, the versions that all
tests have passed with. `evallang doctor` and docs/compatibility.md read them.
"""

import platform
import tomllib
from importlib.metadata import PackageNotFoundError, version

from lowest import PROJECT, lowest

from evallang.installation import EXTRAS
from evallang.models.packages import PACKAGES


def newest(project: dict[str, object]) -> dict[str, str]:
    """Return the versions of Python, of each dependency and of those of each extra for users."""
    extras = {name: project["optional-dependencies"][name] for name in EXTRAS}
    names = set(lowest({**project, "optional-dependencies": extras}))
    names |= {name for package in PACKAGES.values() for name in package.distributions}
    found = {"python": ".".join(platform.python_version_tuple()[:2])}
    for name in sorted(names):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


if __name__ == "__main__":
    print("# Written by tests/newest.py: the versions that all tests ran with before the release.")
    for name, value in newest(
        tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    ).items():
        print(f'"{name}" = "{value}"' if "." in name else f'{name} = "{value}"')
