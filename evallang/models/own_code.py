"""Classes that no catalogue has: the author's own modules, live objects, registered packages.

Own modules are found and hashed without being imported; they are imported only in `resolve`,
which runs inside a fit, so that whatever they raise is a fit that fails.
"""

import ast
import copy
import hashlib
import importlib
import importlib.machinery
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from msgspec import Struct, field

from evallang.user_code import process_kept, settings_restored

ENTRY_POINTS = "evallang.models"
"""The group in which an installed package registers its estimators, each under a name."""

_LOADED: dict[str, tuple[str, str]] = {}
"""Folder and hash of the top-level packages that this process has imported."""


class OwnCode(Struct, frozen=True):
    """What a run may make instances of besides the catalogue.

    `folder` is that of the study's file, `sources` the SHA-256 of each top-level package that
    a `use` line names, `live` the objects that were given in Python, by the model's name, and
    `functions` the metrics that were.
    """

    folder: str = ""
    sources: Mapping[str, str] = field(default_factory=dict)
    live: Mapping[str, Any] = field(default_factory=dict)
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)

    def resolve(self, name: str) -> Callable[..., Any]:
        """Return what makes an instance: a class, or a copy of a live object.

        Raises `ImportError` or `AttributeError` for what is not there, and whatever the
        author's module raises when it is imported.
        """
        if name in self.live:
            return _copier(self.live[name])
        if "." not in name:
            return registered_class(name)
        module, _, attribute = name.rpartition(".")
        found: Callable[..., Any] = getattr(self._module(module), attribute)
        return found

    def _module(self, name: str) -> ModuleType:
        top = name.partition(".")[0]
        if top not in self.sources:
            raise ImportError(f"no `use` line names {name}")
        known = (self.folder, self.sources[top])
        if _LOADED.get(top) != known:
            _forget(top, Path(self.folder))
        put_on_path(self.folder)
        try:
            with (
                process_kept(),
                settings_restored(),
            ):  # or the first fit would run elsewhere than the second
                module = importlib.import_module(name)
        except SystemExit as error:
            raise ImportError(f"{name} ended the process when it was imported") from error
        _LOADED[top] = known
        return module


def imported_here() -> tuple[str, ...]:
    """Return the author's own packages that this process has imported."""
    return tuple(_LOADED)


def put_on_path(folder: str) -> bool:
    """Append a folder to the path for modules; return whether it was not there.

    Installed modules come first, so that no module next to a study replaces one of them.
    """
    if folder in sys.path:
        return False
    _import_from_source(folder)
    sys.path.append(folder)
    importlib.invalidate_caches()
    return True


class _SourceLoader(importlib.machinery.SourceFileLoader):
    """A loader that compiles what the file holds now, and keeps no bytecode.

    Bytecode counts as current if the file has the same size and was written in the same
    second: a fit would then be kept under the hash of a source that it was not made with.
    """

    def get_code(self, fullname: str) -> CodeType | None:
        """Compile the source of a module."""
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


@cache
def _import_from_source(folder: str) -> None:
    """Import every module in a folder, and in folders below it, without bytecode."""
    machinery = importlib.machinery
    finder = machinery.FileFinder.path_hook(
        (machinery.ExtensionFileLoader, machinery.EXTENSION_SUFFIXES),
        (_SourceLoader, machinery.SOURCE_SUFFIXES),
    )

    def hook(path: str) -> Any:
        if path != folder and not path.startswith(folder.rstrip(os.sep) + os.sep):
            raise ImportError("not a folder of own code")
        return finder(path)

    sys.path_hooks.insert(0, hook)
    for known in [path for path in sys.path_importer_cache if path.startswith(folder)]:
        del sys.path_importer_cache[known]


def _forget(top: str, folder: Path) -> None:
    """Drop a package that this process has imported from elsewhere or in an older state.

    The modules next to the study that it imports are dropped with it.
    """
    package = find(top, folder)
    tops = {top, *(own_modules(top, package, folder) if package is not None else ())}
    for name in [n for n in sys.modules if n.partition(".")[0] in tops]:
        del sys.modules[name]
    importlib.invalidate_caches()


def _copier(live: Any) -> Callable[..., Any]:
    """Return what makes unfitted copies of a live object, with a seed where it lacks one."""
    from sklearn.base import clone

    def made(random_state: int | None = None, n_jobs: int | None = None) -> Any:
        if not hasattr(live, "get_params"):
            return copy.deepcopy(live)
        fresh = clone(live)
        for name, value in fresh.get_params().items():
            last = name.rpartition("__")[2]
            if last == "random_state" and value is None:
                fresh.set_params(**{name: random_state})
            elif last == "n_jobs":
                fresh.set_params(**{name: n_jobs})
        return fresh

    return made


# --- sources -------------------------------------------------------------------------------


def find(module: str, folder: Path) -> Path | None:
    """Return the file or folder of a module's top-level package, without importing anything.

    What is installed comes before what is in the folder, as on the path of a run.
    """
    top = module.partition(".")[0]
    return _place(_installed(top, folder)) or _place(_neighbour_module(top, folder))


def is_hidden(module: str, folder: Path) -> bool:
    """Return whether an installed module has the name of another one in the folder."""
    top = module.partition(".")[0]
    here, installed = _place(_neighbour_module(top, folder)), _installed(top, folder)
    return here is not None and installed is not None and _place(installed) != here


def _neighbour_module(top: str, folder: Path) -> importlib.machinery.ModuleSpec | None:
    return importlib.machinery.PathFinder.find_spec(top, [str(folder)])


def _installed(top: str, folder: Path) -> importlib.machinery.ModuleSpec | None:
    """Return a package anywhere but in this folder and, unless named by the path, the current one.

    What this process has imported already is not asked: it may be of another study.
    """
    places = [entry for entry in sys.path if entry and Path(entry).absolute() != folder]
    for finder in sys.meta_path:
        if finder is importlib.machinery.PathFinder:
            found = importlib.machinery.PathFinder.find_spec(top, places)
        else:
            found = finder.find_spec(top, None)
        if found is not None and found.origin is not None:  # only a package or module has one
            return found
    return None


def _place(spec: importlib.machinery.ModuleSpec | None) -> Path | None:
    """Return the folder of a package or the file of a module; None where there is neither."""
    if spec is None or spec.origin is None:
        return None
    return Path(next(iter(spec.submodule_search_locations or [spec.origin])))


def has_module(module: str, package: Path) -> bool:
    """Return whether a dotted module is there: its file or folder below its package's."""
    parts = module.split(".")[1:]
    if not package.is_dir():
        return not parts
    place = package.joinpath(*parts)
    return place.is_dir() or any(place.parent.glob(f"{place.name}.*")) or not parts


def sources(package: Path) -> list[Path]:
    """List every Python file of a package, sorted by its place in it; of a module, its file."""
    if not package.is_dir():
        return [package]
    return sorted(package.rglob("*.py"), key=lambda file: file.relative_to(package).parts)


def source_hash(package: Path) -> str:
    """Hash every Python file of a package, with its place in it; of a module, its file."""
    if not package.is_dir():
        return hashlib.sha256(package.read_bytes()).hexdigest()
    digest = hashlib.sha256()
    for file in sources(package):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(package).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def code_hash(package: Path, folder: Path) -> str:
    """Hash all that the results of an author's package depend on.

    That is its files, those of the modules next to the study that it imports, and the versions of
    the installed packages that it imports. An import by a name that is computed is not seen.
    """
    digest = hashlib.sha256()
    modules = own_modules(package.stem, package, folder)
    for name, place in sorted(modules.items()):
        for file in _content(place, folder):
            content = file.read_bytes()
            within = file.relative_to(place).as_posix() if place.is_dir() else ""
            digest.update(f"{name}\0{within}\0{len(content)}\0".encode(errors="surrogateescape"))
            digest.update(content)
    beside = [place for place in modules.values() if place.is_relative_to(folder)]
    imported = {name for place in beside for name in _imported(place)}
    others = imported - modules.keys() - sys.stdlib_module_names
    versions = sorted({f"{d} {v}" for name in others for d, v in distributions_of(name).items()})
    digest.update("\n".join(versions).encode())
    return digest.hexdigest()


def own_modules(top: str, package: Path, folder: Path) -> dict[str, Path]:
    """Return a package and the modules next to the study that its files import, by their names.

    The files of an installed package are not searched for imports.
    """
    found, new = {top: package}, [package] if package.is_relative_to(folder) else []
    while new:
        for name in sorted(_imported(new.pop())):
            place = None if name in found else _place(_neighbour_module(name, folder))
            if place is not None and find(name, folder) == place:
                found[name] = place
                new.append(place)
    return found


def own_files(tops: Iterable[str], folder: Path) -> list[Path]:
    """List the files in a study's folder that the code of packages consists of or may read."""
    found: set[Path] = set()
    for top in tops:
        package = find(top, folder)
        if package is not None:
            places = own_modules(top, package, folder).values()
            found.update(f for p in places if p.is_relative_to(folder) for f in _content(p, folder))
    return sorted(found)


def _content(package: Path, folder: Path) -> list[Path]:
    """List the files of a package: next to a study all of them, as its code may read them."""
    if not package.is_dir() or not package.is_relative_to(folder):
        return sources(package)
    return [
        file
        for file in sorted(package.rglob("*"), key=lambda file: file.relative_to(package).parts)
        if file.is_file()
        and not any(
            part.startswith(".") or part == "__pycache__"
            for part in file.relative_to(package).parts
        )
    ]


def _imported(package: Path) -> set[str]:
    """Return the names of the top-level modules that the files of a package import."""
    found: set[str] = set()
    for file in sources(package):
        try:
            tree = ast.parse(file.read_bytes())
        except (SyntaxError, ValueError, RecursionError):  # the fit that imports it fails
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    return found


def distributions_of(top: str) -> dict[str, str]:
    """Return the versions of the installed distributions that a top-level module belongs to."""
    from importlib import metadata

    name = "scikit-learn" if top == "sklearn" else top
    try:
        return {name: metadata.version(name)}
    except metadata.PackageNotFoundError:  # a distribution with another name than its module
        return {name: metadata.version(name) for name in _distributions().get(top, ())}


@cache
def _distributions() -> Mapping[str, list[str]]:
    """Return the distributions by module; reads what every one of them has installed."""
    from importlib import metadata

    return metadata.packages_distributions()


# --- registered packages ---------------------------------------------------------------------


@cache
def registered() -> Mapping[str, str]:
    """Return the estimators that installed packages register: name -> version of its package.

    Reads what the packages declare and imports none of them.
    """
    return {
        entry.name: f"{entry.dist.name} {entry.dist.version}" if entry.dist else "unknown"
        for entry in _entries()
    }


def registered_class(name: str) -> Callable[..., Any]:
    """Import a registered estimator; raises `ImportError` where there is none."""
    for entry in _entries():
        if entry.name == name:
            found: Callable[..., Any] = entry.load()
            return found
    raise ImportError(f"no installed package registers {name}")


def _entries() -> Iterator[Any]:
    from importlib import metadata

    yield from sorted(metadata.entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name)
