"""The `evallang` command: its subcommands and its handling of failures."""

import atexit
import errno
import gc
import importlib
import os
import signal
import sys
from contextlib import suppress
from typing import Any, NoReturn

import click

from evallang.cli import signals
from evallang.cli.terminal import (
    Failed,
    close_streams,
    leave,
    open_streams,
    tell,
    tell_error,
    tell_traceback,
)
from evallang.version import LANGUAGE, VERSION

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("demo", "copy a small study to this folder, run it, print the path of the report"),
    "new": ("new", "write a first study, from a table or from nothing"),
    "check": ("check", "check studies, without data or scikit-learn"),
    "fmt": ("fmt", "write studies in their canonical format"),
    "power": ("power", "show which differences the tests of a study can detect"),
    "data": ("data", "show every column of the data as the study uses it"),
    "plan": ("plan", "show the resolved protocol, every default, and the number of fits"),
    "run": ("run", "run a study and write its results and report"),
    "watch": ("watch", "check a study at every save, and run it"),
    "report": ("report", "render the report again from results.json"),
    "show": ("show", "print the summary of results as tables"),
    "lock": ("lock", "fix the protocol of a study in a file next to it"),
    "verify": ("verify", "check a study, results or a report against what they come from"),
    "diff": ("diff", "show what differs between two studies or two results"),
    "log": ("log", "list the recorded evaluations of a study or repository"),
    "cache": ("cache", "show or clear the store of fits"),
    "explain": ("explain", "explain a word: a rule, test, metric, protocol, model, statement ..."),
    "list": ("list", "list the words of a catalogue"),
    "doctor": ("doctor", "show what is installed, what is missing for what, and how to get it"),
    "completion": ("completion", "write the script by which a shell completes names"),
    "lsp": ("lsp", "start the language server, which editors talk to"),
}
WRONG_USE = 2
LACKS = frozenset(
    getattr(errno, name)
    for name in ("ENOSPC", "EDQUOT", "EFBIG", "EIO", "EMFILE", "ENFILE", "ENOMEM", "EAGAIN")
    if hasattr(errno, name)
)
"""Answers of the system about what the machine lacks, not about what the command was given."""


class _Commands(click.Group):
    """Commands that are imported when they are called, so that `check` starts fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"evallang.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from evallang.spelling import closest

            near = closest(args[0], COMMANDS)
            hint = f"; did you mean `{near}`?" if near else ""
            ctx.fail(f"there is no command `{args[0]}`{hint}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; report an interruption before click prints an empty line for it."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as ending:
            more = str(ending)
        # outside `except`: the frames of the command are gone and its processes have ended
        return signals.report_ending(more)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: evallang run study.eval",
)
@click.version_option(VERSION, message=f"evallang %(version)s (language {LANGUAGE})")
@click.option("--debug", is_flag=True, help="Show the traceback of a bug.")
@click.pass_context
def root(ctx: click.Context, debug: bool) -> None:
    """Declarative machine-learning evaluation: a .eval file in, a paper-ready report out."""
    ctx.obj = {"debug": debug}


def main() -> NoReturn:
    """Run the command line; a bug prints a short message and the path of its log."""
    gc.set_threshold(500_000)  # records live until the end: collections cost 0.1 s of a report
    _leave_current_folder()
    try:
        open_streams()
        signals.answer()
        code = _exit_code()
        signals.ENDED.set()
    except KeyboardInterrupt as ending:  # it came just before the command, or just after it
        code = signals.report_ending(str(ending))
        signals.ENDED.set()
    if signals.FOUND and code != 128 + signals.FOUND[0]:  # some code swallowed the exception
        code = signals.report(signals.FOUND[0])
    close_streams()
    user_code = sys.modules.get("evallang.user_code")  # own code may print when the process ends
    if user_code is not None:
        user_code.leave_stdout_to_us()
    _end_children()
    atexit._run_exitfuncs()
    if user_code is not None:
        user_code.flush_streams()
    close_streams()
    _leave_python(code)


def _leave_python(code: int) -> NoReturn:
    """End the process here.

    Python's own end would visit all modules and records, a tenth of the time of a short command,
    wait for threads that own code left, and, once a signal was answered, now and then die by it.
    """
    os._exit(code)


def _end_children() -> None:
    """Kill the processes of `multiprocessing` that own code left: Python would wait for them."""
    multiprocessing = sys.modules.get("multiprocessing")
    if multiprocessing is not None:
        for child in multiprocessing.active_children():
            with suppress(OSError):
                os.kill(child.pid, signal.SIGKILL)


def _exit_code() -> int:
    """Run the command that was called; return an exit code however it ends."""
    try:
        code = root.main(prog_name="evallang", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        tell_error(error)
        return Failed.exit_code if isinstance(error, Failed) else WRONG_USE
    except KeyboardInterrupt as ending:
        return signals.report_ending(str(ending))
    except click.Abort:
        return signals.report(signal.SIGINT)
    except BrokenPipeError:  # click writes help texts itself
        leave(sys.stdout)
        return 0
    except OSError as error:  # for example a full disk, a missing permission, too many open files
        if "--debug" in sys.argv:
            tell_traceback(error)
        where = f" `{error.filename}`" if error.filename else ""
        said = error.strerror or str(error)
        tell(f"Error: the system refused{where}: {said[:1].lower()}{said[1:]}")
        leave(sys.stdout)
        return Failed.exit_code if error.errno in LACKS else WRONG_USE
    except Exception as error:  # a bug: it is reported in one line and logged
        if not signals.FOUND:  # else it may be what Python made of the exception of a signal
            _bug(error)
        return Failed.exit_code


def _leave_current_folder() -> None:
    """Remove the current folder, whose files are not trusted, from both search paths."""
    sys.path[:] = [entry for entry in sys.path if entry]
    places = os.environ.get("PATH", os.defpath).split(os.pathsep)
    os.environ["PATH"] = os.pathsep.join(place for place in places if place.startswith(os.sep))


def _bug(error: Exception) -> None:
    if "--debug" in sys.argv:
        tell_traceback(error)
        return
    import tempfile  # no other command needs them at its start
    import traceback

    said = traceback.format_exception_only(error)[-1].strip()
    try:
        handle, log = tempfile.mkstemp(prefix="evallang-bug-", suffix=".log")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write("".join(traceback.format_exception(error)))
        where = f"; the details are in {log}"
    except Exception:  # a full disk, or own code has replaced a function of Python
        where = ""
    own_code = sys.modules.get("evallang.models.own_code")
    names = [] if own_code is None else [f"`{name}`" for name in own_code.imported_here()]
    unless = f", unless {' or '.join(names)} replaced what evallang uses" if names else ""
    tell(
        f"this is a bug in evallang{unless}: {said}{where}",
        "run `evallang --debug ...` to see the traceback",
    )
