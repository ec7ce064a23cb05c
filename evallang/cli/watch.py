"""`evallang watch`."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

import click

from evallang.api.preparing import check_data
from evallang.api.study_file import StudyFile, open_study
from evallang.cli.settings import (
    PATH,
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
from evallang.data.path_patterns import GLOB, matching, path_pattern
from evallang.data.remote import network_allowed
from evallang.diagnostics import has_errors, sorted_by_weight
from evallang.limits import OverLimit, changed_limits
from evallang.models.own_code import find, own_modules, sources

EVERY = 0.2  # seconds between polls
MOST_UNSETTLED = 4  # polls to wait for a file that is being written, or missing while replaced
TOLD_TO_END = 1.5  # seconds for a run to answer the Ctrl-C that a terminal sent to it too

State = tuple[int, ...] | None
"""Size, number and times of a file, which change when it is written or replaced; None: missing."""


@click.command("watch", epilog="Example: evallang watch study.eval --run")
@click.argument("file", type=PATH, metavar="FILE")
@click.option("--run", "runs", is_flag=True, help="Run the study too, if it has no errors.")
@click.option(
    "-o", "--out", type=PATH, metavar="DIR", help="Output folder [default: FILE-results]."
)
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

    With `--run`, a study without errors is run
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
        while True:
            watch.poll()
            time.sleep(EVERY)
    except KeyboardInterrupt as ending:
        raise type(ending)(f"`{file}` is not watched any longer") from None
    finally:
        watch.close()


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
            self._running = _start(self._words)

    def close(self) -> None:
        """End the current run and wait for its end."""
        if self._running is None:
            return
        try:
            self._running.wait(TOLD_TO_END)
        except subprocess.TimeoutExpired:
            self._running.terminate()
            self._running.wait()


def _start(words: list[str]) -> subprocess.Popen[bytes]:
    """Start `evallang` with words in a process of its own.

    Its stdin is a pipe that the system closes with this process; that ends it.
    """
    # -P: no module next to the study is imported in place of an installed one
    start = "from evallang.cli.watch import run_watched; run_watched()"
    return subprocess.Popen([sys.executable, "-P", "-c", start, *words], stdin=subprocess.PIPE)


def run_watched() -> NoReturn:
    """Run the command of this process, until it ends or the pipe is closed; its stdin is empty."""
    pipe = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)

    def end() -> None:
        os.read(pipe, 1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end, name="watched", daemon=True).start()
    from evallang.cli import start

    start()


class Watch:
    """A study that is checked again when one of its files changes."""

    def __init__(self, file: str, settings: dict[str, str], run: Run | None) -> None:
        self.file = file
        self._settings = settings
        self._run = run
        self._files = {Path(file)}
        self._data: tuple[str, ...] = ()
        self._checked: Mapping[Path, State] | None = None
        self._last: Mapping[Path, State] = {}
        self._waited = 0

    def poll(self) -> None:
        """Look at the files once; check the study if they have changed and are complete."""
        states = self._states()
        if states == self._checked:
            self._waited = 0
        elif self._checked is None or self._is_complete(states, self._checked):
            self._check(states)
        self._last = states
        if self._run is not None:
            self._run.poll()

    def close(self) -> None:
        """End what was started."""
        if self._run is not None:
            self._run.close()

    def _states(self) -> Mapping[Path, State]:
        """Return the state of each file, of data those that a pattern matches now."""
        found, folder = set(self._files), Path(self.file).parent
        for location in self._data:
            try:
                pattern = path_pattern(location)
                glob = pattern.glob if pattern.words else location
                names = matching(glob, folder) if GLOB.search(glob) else (location,)
                found.update(folder / name for name in names)
            except (OverLimit, ValueError):  # the check of the data reports it
                continue
        return {path: _state(path) for path in found}

    def _is_complete(self, states: Mapping[Path, State], checked: Mapping[Path, State]) -> bool:
        """Return whether the writing of files seems to have ended, or was waited for enough."""
        self._waited += 1
        lost = any(_has_content(s) and not _has_content(states.get(f)) for f, s in checked.items())
        return self._waited > MOST_UNSETTLED or (states == self._last and not lost)

    def _check(self, states: Mapping[Path, State]) -> None:
        changed = _changed(self._checked or {}, states)
        self._waited = 0
        opened: list[Path] = [Path(self.file)]
        study: StudyFile | None = None
        failure = ""
        try:
            study = open_study(self.file, self._settings, opened=opened.append)
        except OSError as error:
            failure = cannot("read", self.file, error)
        clear_screen()
        tell(f"{time.strftime('%H:%M:%S')}  {self.file}{changed}")
        if study is None:
            tell(f"Error: {failure}")
        else:
            if self._run is None or has_errors(study.diagnostics):
                show(sorted_by_weight(study.diagnostics), study.checked.sources)
            tell(conclusion(study.diagnostics, read=True))
            if study.meant is not None:
                self._data = study.meant.data_files
        self._files = {*opened, *_own_code(study)}
        now = self._states()
        # a file written since the poll counts as changed, one watched from now on does not
        self._checked = {path: states.get(path, now[path]) for path in now}
        sound = study is not None and not has_errors(study.diagnostics)
        if self._run is not None:
            self._run.ask(wanted=sound)
        elif study is not None and sound:
            found = check_data(study)
            new = [one for one in found if one not in study.diagnostics]
            show(sorted_by_weight(new), study.checked.sources)
            show_accepted(found, study.checked.sources)
            tell(f"with its data: {conclusion(found, read=True)}")


def _state(path: Path) -> State:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_size, found.st_ino, found.st_mtime_ns, found.st_ctime_ns


def _has_content(state: State) -> bool:
    return state is not None and state[0] > 0


def _changed(before: Mapping[Path, State], now: Mapping[Path, State]) -> str:
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
    folder = study.folder.resolve()
    found: list[Path] = []
    for use in study.meant.uses:
        package = find(use.module, folder)
        if package is not None:
            modules = own_modules(package.stem, package, folder)
            own = [place for place in modules.values() if place.is_relative_to(folder)]
            found += [file for place in own for file in sources(place)]
    return found
