"""Packages other than scikit-learn whose classes the catalogue knows: what no signature declares.

`packages.toml` is hand-kept from the packages' own documentation, and merged into
`catalogue_extras.json` by `generate.py --extras`. A package that declares no constraints of its own
has each parameter that a study may write listed there with what it takes; every other one is
refused.
"""

import sys
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec
from msgspec import Struct, field


class Package(Struct, frozen=True):
    """One package: how it is installed, its classes, and their parameters.

    `distributions` are the names under which it may be installed, the usual one first; `module`
    is how it is imported and `group` the extra that installs it, where they have other names;
    `fixed` are parameters that every instance gets: one thread, no messages, no files.
    `taken` are constraints by parameter, `taken_by` those of one class alone; `refused`
    is why a parameter may not be written, read after its name. `codes` names the classes
    that take class codes 0, 1, ... and no labels. `declares` is whether its classes declare what
    parameters take as those of scikit-learn do.
    """

    name: str
    title: str
    distributions: tuple[str, ...]
    classes: tuple[str, ...]
    fixed: Mapping[str, bool | int] = field(default_factory=dict)
    taken: Mapping[str, str] = field(default_factory=dict)
    taken_by: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    codes: frozenset[str] = frozenset()
    module: str = ""
    group: str = ""
    declares: bool = False

    @property
    def extra(self) -> str:
        """The extra that installs it: `xgboost`."""
        return self.group or self.name

    @property
    def imported(self) -> str:
        """The name of its module: `xgboost`."""
        return self.module or self.name


_TEXT = (files("evallang.models") / "packages.toml").read_bytes()
PACKAGES: Mapping[str, Package] = {
    package.name: package
    for package in msgspec.toml.decode(_TEXT, type=dict[str, list[Package]])["packages"]
}
IMBALANCED = PACKAGES["imbalanced-learn"]


def installed_version(package: Package) -> str | None:
    """Return the installed version of a package without importing it; None where it is missing."""
    return _version(package.distributions)


@cache
def _version(distributions: tuple[str, ...]) -> str | None:
    from importlib import metadata

    for name in distributions:
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return None


def installed(package: Package) -> bool:
    """Return whether a package is on the path, without its metadata."""
    return any((Path(folder) / package.imported).is_dir() for folder in sys.path)
