"""`evallang doctor`."""

import ctypes
import os
import platform
from collections.abc import Iterator, Mapping
from importlib import metadata
from importlib.resources import files
from pathlib import Path

import click
import msgspec
from msgspec import Struct
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from evallang.cli.settings import layout_option, store_option
from evallang.cli.terminal import write, write_json
from evallang.engine.store_folder import StoreRefused, store_folder
from evallang.installation import EXTRAS, PDF_LIBRARIES, install_extras, install_pdf
from evallang.models.packages import PACKAGES
from evallang.version import LANGUAGE, VERSION

TESTED, NEWER, UNTESTED = "tested", "newer than tested", "not tested"
UNSUPPORTED, MISSING = "not supported", "missing"
PYTHON = "python"


class Dependency(Struct, frozen=True):
    """A package that every study needs, or only what an `extra` is for.

    The tests ran with versions from `lowest` to `newest`, which is None where they use none.
    """

    name: str
    extra: str | None
    installed: str | None
    lowest: str
    newest: str | None
    state: str


class Extra(Struct, frozen=True):
    """What an extra is for, whether it can be used, and the command that installs it."""

    name: str
    purpose: str
    installed: bool
    install: str


class Library(Struct, frozen=True):
    """A library of the system that draws PDF files, and the command that installs it."""

    name: str
    installed: bool
    install: str


class StoreState(Struct, frozen=True):
    """The folder of the store, None where it is turned off, and why it cannot be used."""

    folder: str | None
    problem: str | None


class Installation(Struct, frozen=True):
    """What is installed; `ready` is whether a study can run that needs no extra."""

    evallang: str
    language: int
    platform: str
    ready: bool
    dependencies: tuple[Dependency, ...]
    extras: tuple[Extra, ...]
    libraries: tuple[Library, ...]
    store: StoreState
    problems: tuple[str, ...]


@click.command("doctor", epilog="Example: evallang doctor")
@layout_option("How to write what is installed.")
@store_option
def command(layout: str, store: str | None) -> int:
    """Show what is installed, what is missing for what, and how to get it.

    Nothing is started and nothing is sent. The exit code is 1 if something is missing that every
    study needs. The report of a bug needs this output, which writes the home folder as `~`.
    """
    found = installation(store)
    if layout == "json":
        write_json({"schema": "evallang/doctor/1", **msgspec.to_builtins(found)})
    else:
        write(*_lines(found))
    return 0 if found.ready else 1


def installation(store: str | None) -> Installation:
    """Return what is installed; raise `click.ClickException` without metadata of evallang."""
    try:
        stated = metadata.metadata("evallang")
    except metadata.PackageNotFoundError:
        raise click.ClickException(
            "evallang was not installed by pip, so its dependencies are not known"
        ) from None
    newest = msgspec.toml.decode(
        (files("evallang") / "tested.toml").read_bytes(), type=dict[str, str]
    )
    required = [Requirement(text) for text in stated.get_all("Requires-Dist") or ()]
    dependencies = (
        _python(SpecifierSet(stated["Requires-Python"]), newest),
        *_dependencies(required, newest),
    )
    lacking = {d.extra for d in dependencies if d.state in (MISSING, UNSUPPORTED)}
    return Installation(
        VERSION,
        LANGUAGE,
        " ".join(filter(None, (platform.system(), platform.machine(), *platform.libc_ver()))),
        None not in lacking,
        dependencies,
        tuple(
            Extra(name, purpose, name not in lacking, install_extras(name))
            for name, purpose in EXTRAS.items()
        ),
        tuple(
            Library(name, any(_loads(file) for file in names), install_pdf())
            for name, names in PDF_LIBRARIES.items()
        ),
        _store(store) if None not in lacking else StoreState(None, "not examined"),
        tuple(_problems(dependencies)),
    )


def _python(supported: SpecifierSet, newest: Mapping[str, str]) -> Dependency:
    version = platform.python_version()
    tested = Version(newest[PYTHON])
    state = NEWER if Version(version).release[:2] > tested.release[:2] else TESTED
    return Dependency("Python", None, version, lowest_version(supported), str(tested), state)


def _dependencies(required: list[Requirement], newest: Mapping[str, str]) -> Iterator[Dependency]:
    """Iterate over the packages that users need, those of every study first."""
    always = [one for one in required if one.marker is None or one.marker.evaluate({"extra": ""})]
    for one in always:
        yield _dependency(one, None, newest)
    for extra in EXTRAS:
        for one in required:
            wanted = one.marker is not None and one.marker.evaluate({"extra": extra})
            if wanted and one not in always:
                yield _dependency(one, extra, newest)


def _dependency(required: Requirement, extra: str | None, newest: Mapping[str, str]) -> Dependency:
    known = _installed(alternatives(required.name))
    name, installed = next(iter(known.items()), (required.name, None))
    same = (name, *alternatives(name))
    tested = next(filter(None, (newest.get(canonicalize_name(one)) for one in same)), None)
    if installed is None:
        state = MISSING
    elif not required.specifier.contains(installed, prereleases=True):
        state = UNSUPPORTED
    elif tested is None:
        state = UNTESTED
    else:
        state = NEWER if Version(installed) > Version(tested) else TESTED
    return Dependency(name, extra, installed, lowest_version(required.specifier), tested, state)


def lowest_version(versions: SpecifierSet) -> str:
    """Return the lowest version that is allowed, which every requirement states."""
    return next(one.version for one in versions if one.operator == ">=")


def alternatives(name: str) -> tuple[str, ...]:
    """Return the distributions that install the same package, such as that without CUDA."""
    known = (p.distributions for p in PACKAGES.values() if name in p.distributions)
    return next(known, (name,))


def _installed(names: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _loads(file: str) -> bool:
    try:
        ctypes.CDLL(file)
    except OSError:
        return False
    return True


def _store(given: str | None) -> StoreState:
    """Return the folder of the store, which is not created."""
    from evallang.engine.store import existing_store  # it imports numpy, which may be missing

    try:
        folder = store_folder(given)
        existing_store(given)
    except StoreRefused as error:
        return StoreState(None, _without_home(str(error)))
    if folder is None:
        return StoreState(None, None)
    nearest = next(place for place in (folder, *folder.parents) if place.exists())
    place = _without_home(str(folder))
    writable = os.access(nearest, os.W_OK | os.X_OK)
    return StoreState(place, None if writable else f"the store `{place}` cannot be written")


def _without_home(text: str) -> str:
    home = os.path.expanduser("~")  # noqa: PTH111 - `Path.home` raises without a home
    return text.replace(home, "~") if Path(home).is_absolute() and home != os.sep else text


def _problems(dependencies: tuple[Dependency, ...]) -> Iterator[str]:
    for one in dependencies:
        what = f"{one.name} {one.installed}"
        if one.state == NEWER:
            yield f"{what} is newer than what the tests ran with: {one.newest}"
        elif one.state == UNTESTED:
            yield f"{what} is not among the packages that the tests use"
        elif one.state == UNSUPPORTED:
            yield f"{what} is not supported: the lowest version is {one.lowest}"
    for package in PACKAGES.values():
        names = list(_installed(package.distributions))
        if len(names) > 1:
            yield f"{' and '.join(names)} overwrite each other: uninstall both, install one"


def _lines(found: Installation) -> Iterator[str]:
    """Iterate over the lines of the table, of at most 80 columns."""
    yield f"evallang {found.evallang} (language {found.language}), {found.platform}"
    yield ""
    yield _row(24, "needed by every study", 24, "tested", "installed")
    for one in (d for d in found.dependencies if d.extra is None):
        yield _row(24, one.name, 24, tested_range(one), one.installed or MISSING)
    yield ""
    yield _row(12, "extra", 42, "what it is for", "installed")
    for extra in found.extras:
        known = [d for d in found.dependencies if d.extra == extra.name]
        rows = [f"{d.name} {d.installed or MISSING}" for d in known] or ["a part of Python"]
        yield _row(12, extra.name, 42, extra.purpose, rows[0])
        yield from (_row(12, "", 42, "", row) for row in rows[1:])
    yield ""
    for library in found.libraries:
        yield _row(24, library.name, 24, "PDF files", "yes" if library.installed else MISSING)
    store = found.store
    yield _row(24, "store of fits", 0, "", store.problem or store.folder or "off")
    extras = [extra for extra in found.extras if not extra.installed]
    commands = [
        *(["pip install evallang"] if not found.ready else []),
        *([f"an extra: {extras[0].install}; all: {install_extras('all')}"] if extras else []),
        *dict.fromkeys(library.install for library in found.libraries if not library.installed),
    ]
    if commands:
        yield from ("", "To get what is missing:", *(f"  {command}" for command in commands))
    if found.problems:
        yield from ("", *(f"note: {problem}" for problem in found.problems))


def tested_range(one: Dependency) -> str:
    """Return the versions that the tests ran with: `1.6 to 1.9.1`."""
    if one.newest is None:
        return "-"
    same = Version(one.lowest) == Version(one.newest)
    return one.newest if same else f"{one.lowest} to {one.newest}"


def _row(first: int, name: str, second: int, about: str, state: str) -> str:
    return f"{name:<{first}}{about:<{second}}{state}".rstrip()
