"""Cases kept in text: a study with its files below it, and what is arranged around it.

A case is a title after `===`, a study, and its files after `---`; a line `* N TEXT` of a file
stands for N rows, in which `{i}` is the row, `{two}`, `{three}` and `{ten}` its remainders. A
file `as latin-1` is written so, one `as sql` is a database that these lines make, one `as gzip`
or `as parquet` is these lines packed, one `as literal` is a text or the bytes of Python, one `as
copy` is a file of the project. A folder `as results` has the results of the study that these lines
are, one `as altered results` with a byte more in the predictions, one `as lost results` without
them. A line
`! limit NAME=NUMBER` sets a limit, `! NAME = VALUE` a constant of the package, `! without
PACKAGE` takes one away; with `! run` the study is run, with consent to its author's own code,
with `! read` its data are read where a check alone would not, and with `! set NAME = VALUE` a
`let` is set from the command line. With
`! frame NAME = FILE` that file is given from Python for the data of that name. `! network` allows
addresses to be read, of which `! network denied` and `! network lost` say how a server answers.
"""

import ast
import gzip
import io
import re
import sqlite3
import sys
from contextvars import ContextVar
from pathlib import Path

import polars
from reading_here import read_here

from evallang import limits
from evallang.api.checked_file import StudyError
from evallang.api.live import NOTHING, Live
from evallang.api.preparing import read_and_plan
from evallang.api.running import RunFailed, run
from evallang.api.study_file import open_study
from evallang.data import remote, remote_parquet
from evallang.diagnostics import codes
from evallang.models import catalogue, packages
from evallang.planning import planner
from evallang.reporting.context import Context
from evallang.reporting.document import Ref
from evallang.reporting.limits import cautions

OF_HISTORY = {codes.many_looks.code, codes.more_looks_than_stated.code}


def cases(path):
    """Give the title and the text of each case of a file."""
    blocks = re.split(r"(?m)^=== ", path.read_text(encoding="utf-8"))[1:]
    return [tuple(block.partition("\n")[::2]) for block in blocks]


def rows(line):
    found = re.fullmatch(r"\* (\d+) (.*)", line)
    if found is None:
        return [line]
    places = range(int(found[1]))
    return [found[2].format(i=i, two=i % 2, three=i % 3, ten=i % 10) for i in places]


def write(path, content, form):
    """Write one file of a case."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(r for line in content.split("\n") for r in rows(line)).strip("\n")
    if form == "sql":
        with sqlite3.connect(path) as connection:
            connection.executescript(text)
        connection.close()
    elif form.endswith("results"):
        _write_results(path, text, form)
    elif form == "copy":
        path.write_bytes((Path(__file__).parents[1] / text).read_bytes())
    elif form == "parquet":
        polars.read_csv(io.StringIO(text)).write_parquet(path)
    elif form == "literal":
        read = ast.literal_eval(text)
        path.write_bytes(read if isinstance(read, bytes) else read.encode("utf-8"))
    else:
        packed = form == "gzip"
        data = (text + "\n" * bool(text)).encode("utf-8" if packed else form or "utf-8")
        path.write_bytes(gzip.compress(data) if packed else data)


def _write_results(path, study, form):
    """Run a former study, and keep its results in a folder next to it."""
    former = path.with_suffix(".eval")
    former.write_text(f"evallang 1\n{study}\n", encoding="utf-8")
    run(open_study(former), jobs=1, look=None).save(path, ())
    predictions = path / "predictions.parquet"
    if form == "altered results":
        predictions.write_bytes(predictions.read_bytes() + b" ")
    elif form == "lost results":
        predictions.unlink()


def arrange(line, monkeypatch):
    """Set a limit of the package, or take another package away."""
    if package := re.fullmatch(r"! without ([\w-]+)", line):
        read_here(monkeypatch)
        monkeypatch.setitem(sys.modules, package[1], None)
        monkeypatch.setattr(packages, "installed", lambda asked: asked.name != package[1])
        monkeypatch.setattr(catalogue, "installed", lambda asked: asked.name != package[1])
        monkeypatch.setattr(planner, "installed", lambda asked: "none")
    elif line.startswith("! network"):
        monkeypatch.setattr(remote, "_ALLOWED", ContextVar("network", default=True))
        if answer := line.removeprefix("! network").strip():
            read_here(monkeypatch)
            monkeypatch.setattr(remote, "import_module", str)
            raised = {"denied": PermissionError, "lost": ConnectionResetError}[answer]
            monkeypatch.setattr(remote, "_ask", lambda *_: _raise(raised("a signed address")))
            monkeypatch.setattr(
                remote_parquet, "_settings", lambda _: _raise(raised("a signed address"))
            )
    elif line.startswith("! limit "):
        in_force = limits.read_settings([line.removeprefix("! limit ")])
        monkeypatch.setattr(limits, "_IN_FORCE", ContextVar("limits", default=in_force))
    else:
        name, _, value = line.removeprefix("! ").partition(" = ")
        monkeypatch.setattr(name, ast.literal_eval(value))


def _raise(error):
    raise error


def _forget(packages_of_a_case):
    for name in [m for m in sys.modules if m.partition(".")[0] in packages_of_a_case]:
        del sys.modules[name]


def plain(runs):
    """Give the words of a text; a reference stands as what it leads to."""
    found = ""
    for item in runs:
        if isinstance(item, Ref):
            found += item.words or item.target
        else:
            found += item.text if hasattr(item, "text") else plain(item.runs)
    return found


def said(caution):
    """Give a warning of a report as one line of text."""
    return f"{caution.severity}[{caution.code}] {caution.lead}: {plain(caution.body)}"


class Case:
    """A case in a folder of its own: its study opened, its files written."""

    def __init__(self, text, folder, monkeypatch):
        study, *files = re.split(r"(?m)^--- ", text)
        arranged = re.findall(r"(?m)^! .*$", study)
        self.runs = "! run" in arranged
        self.reads = "! read" in arranged
        given = [line for line in arranged if line.startswith("! frame ")]
        values = [line for line in arranged if line.startswith("! set ")]
        for line in arranged:
            if line not in ("! run", "! read", *given, *values):
                arrange(line, monkeypatch)
        study = re.sub(r"(?m)^! .*\n", "", study)
        if not study.startswith("evallang"):
            study = f"evallang 1\nstudy\n  seed 1\n{study}"
        (folder / "study.eval").write_text(study, encoding="utf-8")
        for block in files:
            head, _, content = block.partition("\n")
            name, _, form = head.strip().partition(" as ")
            write(folder / name, content, form)
        monkeypatch.chdir(folder)
        self.folder = folder
        overrides = dict(line.removeprefix("! set ").split(" = ", 1) for line in values)
        self.opened = open_study("study.eval", overrides)
        self.live = self._live(given)

    @staticmethod
    def _live(given):
        pairs = [line.removeprefix("! frame ").split(" = ") for line in given]
        frames = {name: polars.read_csv(path) for name, path in pairs}
        return Live(frames) if frames else NOTHING

    def diagnostics(self):
        """Give what the check finds with the data read and in its history, or what stops a run."""
        of_history = ()
        try:
            if self.runs:
                found = self._run().diagnostics
                of_history = tuple(d for d in found if d.code in OF_HISTORY)
            return (*read_and_plan(self.opened, live=self.live).diagnostics, *of_history)
        except StudyError as error:
            return error.diagnostics

    def _run(self):
        """Run the study with consent, as if nobody had imported a module of its name before."""
        own = {path.parent.name for path in self.folder.glob("*/__init__.py")}
        _forget(own)
        try:
            return run(self.opened, trust=True)
        finally:
            _forget(own)

    def cautions(self):
        """Give what the report of a run warns of, of one with nothing but failures too."""
        try:
            record = self._run().record
        except RunFailed as failed:
            record = failed.results.record
        return cautions(Context(record))

    def codes_of_a_run(self):
        """Give the codes that a run raises: its errors, or what its report warns of."""
        try:
            try:
                results = self._run()
            except RunFailed as failed:
                results = failed.results
            found = {c.code: c.severity for c in cautions(Context(results.record))}
            history = (d for d in results.diagnostics if d.code in OF_HISTORY)
            return found | {d.code: str(d.severity) for d in history}
        except StudyError as error:
            return {d.code: str(d.severity) for d in error.diagnostics}

    def codes(self):
        """Give the codes that are raised, each with its severity."""
        if self.runs:
            return self.codes_of_a_run()
        return {d.code: str(d.severity) for d in self.diagnostics()}
