"""`evallang watch`."""

import contextvars
import importlib
import os
import queue
import subprocess
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

import click
from msgspec import Struct

from evallang.api.study_file import StudyFile
from evallang.cli import watched_run
from evallang.cli.settings import (
    WholeNumber,
    limit_option,
    network_option,
    overrides,
    set_option,
)
from evallang.cli.terminal import (
    cannot,
    clear_screen,
    conclusion,
    show,
    show_accepted,
    study_path,
    tell,
)
from evallang.data.path_patterns import GLOB, matching
from evallang.data.remote import network_allowed
from evallang.diagnostics import Diagnostic, has_errors, sorted_by_weight
from evallang.limits import OverLimit, changed_limits


class FileState(Struct, frozen=True):
    """What changes when a file is written or replaced."""

    size: int
    inode: int
    written: int
    changed: int


States = Mapping[Path, FileState | None]
"""The state of each file, None for a file that does not exist."""


class WatchedFiles:
    """Files and patterns of files whose states are polled."""

    PATTERNS_EVERY = 50  # polls, because a pattern searches folders

    def __init__(self) -> None:
        self._files: frozenset[Path] = frozenset()
        self._patterns: tuple[tuple[str, Path], ...] = ()
        self._matched: frozenset[Path] = frozenset()
        self._polls = 0

    def replace(self, files: Iterable[Path], locations: Iterable[str], folder: Path) -> None:
        """Watch other files: paths, and paths or patterns relative to a folder."""
        found, patterns = set(files), []
        for location in locations:
            if GLOB.search(location):
                patterns.append((location, folder))
            elif "\0" not in location:
                found.add(folder / location)
        self._files, self._patterns = frozenset(found), tuple(patterns)
        self._match()

    def states(self) -> States:
        """Return the current state of each file."""
        self._polls += 1
        if self._patterns and self._polls % self.PATTERNS_EVERY == 0:
            self._match()
        return {path: _state(path) for path in self._files | self._matched}

    def _match(self) -> None:
        found: set[Path] = set()
        for pattern, folder in self._patterns:
            try:
                found.update(folder / path for path in matching(pattern, folder))
            except (OverLimit, ValueError):  # the check of the data reports it
                continue
        self._matched = frozenset(found)


def _state(path: Path) -> FileState | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - half the time of `Path.stat`, at every poll
    except (OSError, ValueError):
        return None
    return FileState(found.st_size, found.st_ino, found.st_mtime_ns, found.st_ctime_ns)


EVERY = 0.015  # seconds between polls
MOST_UNSETTLED = 3  # polls to wait while a file is still being written
MOST_ABSENT = 30  # polls to wait for a file that is missing or empty, as while it is replaced

TOLD_TO_END = 1.5  # seconds for a run to answer the Ctrl-C that a terminal sent to it too


@click.command("watch", epilog="Example: evallang watch study.eval --run")
@click.argument("file", metavar="FILE")
@click.option("--run", "runs", is_flag=True, help="Run the study too, if it has no errors.")
@click.option("-o", "--out", metavar="DIR", help="Output folder [default: FILE-results].")
@click.option(
    "-j", "--jobs", type=WholeNumber(1), metavar="N", help="Processes [default: all cores]."
)
@set_option
@click.option(
    "--trust", is_flag=True, help="Allow the study to run its author's code and query servers."
)
@network_option
@limit_option
def command(
    file: str,
    runs: bool,
    out: str | None,
    jobs: int | None,
    settings: tuple[str, ...],
    trust: bool,
) -> int:
    """Check a study whenever it, a file that it includes or one of its data files is saved.

    The text is checked at once, the data afterwards. With `--run`, a study without errors is run
    by `evallang run` instead: fits that did not change come from the store, and a run that a
    later save makes obsolete is ended. Ctrl-C ends the command with exit code 130.
    """
    study_path(file)
    if not runs and (out is not None or jobs is not None or trust):
        raise click.UsageError("`-o`, `-j` and `--trust` are options of `--run`")
    options = [f"--set={setting}" for setting in settings]
    options += [f"--limit={name}={value}" for name, value in changed_limits().items()]
    options += ["--trust"] if trust else []
    options += ["--network"] if network_allowed() else []
    options += [] if out is None else [f"--out={out}"]
    options += [] if jobs is None else [f"--jobs={jobs}"]
    watch = Watch(file, overrides(settings), Run(file, options) if runs else None)
    try:
        watch.poll()
        threading.Thread(target=_import_numeric_packages, name="imports", daemon=True).start()
        while True:
            time.sleep(EVERY)
            watch.poll()
    except KeyboardInterrupt as ending:
        raise type(ending)(f"`{file}` is not watched any longer") from None
    finally:
        watch.close()


def _import_numeric_packages() -> None:
    """Import what only some rules need, so that the first save which needs it is not slow."""
    importlib.import_module("scipy.special")
    importlib.import_module("evallang.checking.all_codes")


class Run:
    """Runs of a study in processes of their own, which a later change can end.

    A process of its own reads the author's own modules again.
    """

    def __init__(self, file: str, options: list[str]) -> None:
        self._words = ["run", *options, "--", file]
        self._running: subprocess.Popen[bytes] | None = None
        self._wanted = False

    def ask(self, *, wanted: bool) -> None:
        """End the current run, and start another one after it if one is wanted."""
        self._wanted = wanted
        if self._running is not None and self._running.poll() is None:
            tell("the run of the earlier version is ended")
            self._running.terminate()

    def poll(self) -> None:
        """Start a run that is wanted, unless an earlier one has not ended yet."""
        ended = self._running is None or self._running.poll() is not None
        if ended and self._wanted:
            self._wanted = False
            self._running = watched_run.start(self._words)

    def close(self) -> None:
        """End the current run and wait for its end."""
        if self._running is None:
            return
        try:
            self._running.wait(TOLD_TO_END)
        except subprocess.TimeoutExpired:
            self._running.terminate()
            self._running.wait()


class Reading(Struct, frozen=True):
    """What a check of the data found, or the failure of the check."""

    found: tuple[Diagnostic, ...] | Exception


class Watch:
    """A study that is checked again when one of its files changes."""

    def __init__(self, file: str, settings: dict[str, str], run: Run | None) -> None:
        self.file = file
        self._settings = settings
        self._run = run
        self._files = WatchedFiles()
        self._files.replace([Path(file)], (), Path(file).parent)
        self._data: tuple[str, ...] = ()
        self._checked: States | None = None
        self._last: States = {}
        self._waited = 0
        self._study: StudyFile | None = None
        self._read: queue.SimpleQueue[Reading] = queue.SimpleQueue()
        self._reading = False
        self._stale = False

    def poll(self) -> None:
        """Look at the files once; check the study if they have changed and are complete."""
        states = self._files.states()
        if states == self._checked:
            self._waited = 0
        elif self._is_complete(states):
            self._check(states)
        self._last = states
        if self._run is not None:
            self._run.poll()
        elif self._reading and not self._read.empty():
            self._show_data(self._read.get())

    def close(self) -> None:
        """End what was started."""
        if self._run is not None:
            self._run.close()

    def _is_complete(self, states: States) -> bool:
        """Return whether the writing of files seems to have ended, or was waited for enough."""
        if self._checked is None:
            return True
        self._waited += 1
        if any(
            _has_content(s) and not _has_content(states.get(f)) for f, s in self._checked.items()
        ):
            return self._waited > MOST_ABSENT
        return states == self._last or self._waited > MOST_UNSETTLED

    def _check(self, states: States) -> None:
        from evallang.api.study_file import open_study

        changed = _changed(self._checked or {}, states)
        self._waited = 0
        opened: list[Path] = [Path(self.file)]
        try:
            study = open_study(self.file, self._settings, opened=opened.append)
            failure = ""
        except OSError as error:
            study, failure = None, cannot("read", self.file, error)
        self._study = study
        clear_screen()
        tell(f"{time.strftime('%H:%M:%S')}  {self.file}{changed}")
        if study is None:
            tell(f"Error: {failure}")
        else:
            if self._run is None or has_errors(study.diagnostics):
                show(sorted_by_weight(study.diagnostics), study.checked.sources)
            tell(conclusion(study.diagnostics, read=True))
        sound = study is not None and not has_errors(study.diagnostics)
        if study is not None and study.meant is not None:
            self._data = study.meant.data_files
        self._files.replace([*opened, *_own_code(study)], self._data, Path(self.file).parent)
        now = self._files.states()
        # a file written since the poll counts as changed, one watched from now on does not
        self._checked = {path: states.get(path, now[path]) for path in now}
        if self._run is not None:
            self._run.ask(wanted=sound)
        elif self._reading:
            self._stale = True
        elif sound:
            self._read_data()

    def _read_data(self) -> None:
        """Check the data in a thread, so that a save is answered meanwhile."""
        study, context = self._study, contextvars.copy_context()
        if study is None or has_errors(study.diagnostics):
            return
        self._reading, self._stale = True, False

        def read() -> None:
            from evallang.api.preparing import check_data

            try:
                self._read.put(Reading(check_data(study)))
            except Exception as error:  # raised in the thread of the command
                self._read.put(Reading(error))

        threading.Thread(target=context.run, args=(read,), name="data", daemon=True).start()

    def _show_data(self, reading: Reading) -> None:
        self._reading = False
        if self._stale:
            self._read_data()
            return
        if isinstance(reading.found, Exception):
            raise reading.found
        assert self._study is not None
        known = self._study.diagnostics
        new = [found for found in reading.found if found not in known]
        show(sorted_by_weight(new), self._study.checked.sources)
        show_accepted(reading.found, self._study.checked.sources)
        tell(f"with its data: {conclusion(reading.found, read=True)}")


def _has_content(state: FileState | None) -> bool:
    return state is not None and state.size > 0


def _changed(before: States, now: States) -> str:
    """Format which files have changed, in a few words."""
    names = sorted(path.name for path in {**before, **now} if before.get(path) != now.get(path))
    if not before or not names:
        return ""
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f": {names[0]}{more} changed"


def _own_code(study: StudyFile | None) -> list[Path]:
    """Return the modules of the author's own code, none of which is imported."""
    if study is None or study.meant is None or not study.meant.uses:
        return []
    from evallang.models.own_code import find, own_modules, sources

    folder = study.folder.resolve()
    found: list[Path] = []
    for use in study.meant.uses:
        package = find(use.module, folder)
        if package is not None:
            modules = own_modules(package.stem, package, folder)
            own = [place for place in modules.values() if place.is_relative_to(folder)]
            found += [file for place in own for file in sources(place)]
    return found
