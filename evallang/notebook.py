"""`%load_ext evallang` and `%%eval`: a study in a cell, with the objects of its notebook."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping
from keyword import iskeyword
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic_arguments import MagicArgumentParser
from IPython.display import DisplayHandle, display
from msgspec import Struct

from evallang.activity import watched
from evallang.api import (
    FolderRefused,
    NotTrusted,
    Results,
    RunFailed,
    StudyError,
    StudyFile,
    WorkersLost,
    run,
)
from evallang.api.live import Live, checked, is_estimator
from evallang.api.study_file import Findings, check_text, with_live
from evallang.cli.progress import Progress
from evallang.cli.run import cores
from evallang.cli.terminal import write
from evallang.data.data_frames import is_frame
from evallang.data.findings import quoted
from evallang.diagnostics import Diagnostic, codes, has_errors
from evallang.diagnostics.text import to_text
from evallang.printable import printable
from evallang.source import Span

MODELS = (codes.unknown_name.code, codes.unknown_class.code, codes.circular_name.code)
"""The codes of names that are not declared as a model: one of an estimator of the notebook."""
WIDTH = 100


class CellError(Exception):
    """A cell that cannot be run, with a message in place of a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def load_ipython_extension(shell: Any) -> None:
    """Register the magic `%%eval`."""
    options = MagicArgumentParser("%%eval", description="Check and run a study of this notebook.")
    add = options.add_argument
    add("--name", default="results", help="variable for the results [default: results]")
    add("--plan", action="store_true", help="show the plan, and fit nothing")
    add("-j", "--jobs", type=int, help="processes [default: all cores]")
    add("-o", "--out", help="folder for the report and results.json [default: none is written]")
    add("--store", help="folder of past fits, or off [default: the user's]")
    add("--fresh", action="store_true", help="run every fit again")
    add("--trust", action="store_true", help="allow modules that the study names by `use`")

    def evaluate(line: str, cell: str) -> Any:
        try:
            given = options.parse_args(shlex.split(line))
        except ValueError as error:
            raise UsageError(f"%%eval {line}: {error}") from None
        if not given.name.isidentifier() or iskeyword(given.name):
            raise UsageError(f"--name {given.name} is not the name of a variable")
        # the line of the magic is the first of the cell, so that lines count as an editor shows
        study = _with_objects(check_text(f"\n{cell}", "cell"), shell.user_ns)
        if has_errors(study.diagnostics):
            raise _refusal(study.diagnostics, study)
        try:
            if given.plan:
                return study.plan(given.store)
            results = _run(study, given, notebook=hasattr(shell, "kernel"))
        except StudyError as error:
            raise _refusal(error.diagnostics, study) from None
        except (FolderRefused, NotTrusted, WorkersLost, ValueError) as error:
            raise CellError(f"error: {printable(str(error))}") from None
        except KeyboardInterrupt as stop:
            raise CellError(f"interrupted: {stop}" if str(stop) else "interrupted") from None
        shell.user_ns[given.name] = results
        return results

    shell.register_magic_function(evaluate, "cell", "eval")


def _with_objects(study: StudyFile, namespace: Mapping[str, Any]) -> StudyFile:
    """Return a study with the frames, estimators and functions that it names and does not declare.

    Raises `CellError` for an estimator that is fitted, and for data of no use.
    """
    for source in study.checked.resolved.sources:
        place = _place(source.places.get("from"), study)
        if source.frame is not None and source.frame in namespace:
            given = Live({source.frame: namespace[source.frame]})
            try:
                checked(given, None)
            except ValueError as error:
                raise CellError(f"error: {printable(str(error))}{place}") from None
            study = with_live(study, given)
        elif source.frame is not None and (others := _frames(namespace)):
            message = f"no data frame `{source.frame}` is given{place}"
            raise CellError(f"error: {message}\nThe notebook has {quoted(others)}.")
    while True:  # an error may hide others
        places = [(d.code, d.span) for d in study.diagnostics]
        places += [(r.code or "", r.span) for d in study.diagnostics for r in d.related]
        unknown = [(code, _word(span, study)) for code, span in places]
        spans = {_word(span, study): span for _, span in reversed(places)}
        found = [(code, word, namespace[word]) for code, word in unknown if word in namespace]
        models = {w: value for c, w, value in found if c in MODELS and is_estimator(value)}
        functions = {
            word: value
            for code, word, value in found
            if code == codes.unknown_metric.code and callable(value) and not isinstance(value, type)
        }
        for name, model in models.items():
            if _is_fitted(model):
                raise CellError(
                    f"error: `{name}` is fitted already, and each fold of a protocol fits its "
                    f"models again.{_place(spans[name], study)}\n"
                    f"Write `{name} = sklearn.base.clone({name})` in a cell above, "
                    "or give the predictions of the fitted model by `predictions NAME from frame "
                    "FRAME`."
                )
        known = study.given
        if models.keys() <= known.models.keys() and functions.keys() <= known.metrics.keys():
            return study
        study = with_live(study, Live({}, models, functions))


def _frames(namespace: Mapping[str, Any]) -> list[str]:
    """Return the names of the data frames of a notebook; those with `_` are its last results."""
    return [
        name
        for name, value in namespace.items()
        if not name.startswith("_") and is_frame(value) and not isinstance(value, Mapping)
    ]


def _word(place: Span | None, study: StudyFile) -> str:
    """Return what is written at the place of a finding, of a call its name."""
    if place is None or place.path not in study.checked.sources:
        return ""
    text = study.checked.sources[place.path].text
    return text[place.start : place.end].partition("(")[0].strip()


def _place(span: Span | None, study: StudyFile) -> str:
    """Return a line with the place of a finding in the cell, empty without one."""
    if span is None:
        return ""
    at = study.checked.sources[span.path].position(span.start)
    return f"\n  --> {span.path}:{at.line}:{at.column}"


def _is_fitted(model: Any) -> bool:
    """Return whether an estimator is fitted, or has a part that stays fitted in each copy of it."""
    from sklearn.base import clone

    if not hasattr(model, "get_params"):
        return _looks_fitted(model)
    if _looks_fitted(model) and not _looks_fitted(clone(model)):  # one without state always does
        return True
    parts = filter(is_estimator, (model, *model.get_params().values()))
    return any(_looks_fitted(part) and clone(part, safe=False) is part for part in parts)


def _looks_fitted(model: Any) -> bool:
    """Return whether an estimator is fitted by the convention of scikit-learn for attributes."""
    stated = getattr(model, "__sklearn_is_fitted__", None)
    if stated is not None:
        return bool(stated())
    names = getattr(model, "__dict__", {})
    return any(name.endswith("_") and not name.startswith("__") for name in names)


def _refusal(diagnostics: tuple[Diagnostic, ...], study: StudyFile) -> CellError:
    """Return the error of a faulty study, with all its findings."""
    return CellError(to_text(diagnostics, study.checked.sources, colour=True).rstrip("\n"))


def _run(study: StudyFile, given: Any, *, notebook: bool) -> Results:
    """Run a study, with its findings and progress below the cell.

    In a terminal, where nothing that was displayed can be replaced, findings follow the run.
    """
    findings = display(_Shown(study.check()), display_id=True) if notebook else None
    progress = _Progress() if notebook else Progress(shown=True)
    with progress as bar, watched(bar.update):
        try:
            results = run(
                study,
                jobs=given.jobs or cores(),
                out=given.out,
                store=given.store,
                fresh=given.fresh,
                trust=given.trust,
                command="%%eval",
            )
        except RunFailed as failed:
            write(*str(failed).splitlines())
            results = failed.results
    shown = _Shown(Findings(results.diagnostics, study.checked.sources))
    display(shown) if findings is None else findings.update(shown)
    return results


class _Shown(Struct):
    """Findings below a cell; nothing where there are none."""

    findings: Findings

    def __repr__(self) -> str:
        return repr(self.findings) if self.findings else ""

    def _repr_html_(self) -> str:
        return self.findings._repr_html_() if self.findings else ""


class _Line(Struct):
    """A line of progress, which the next one replaces."""

    text: str

    def __repr__(self) -> str:
        return self.text


class _Progress(Progress):
    """The progress of a run below its cell, which a thread updates until the run has ended."""

    EVERY = 0.5

    def __init__(self) -> None:
        super().__init__(shown=True)
        self.terminal = False
        self.display: DisplayHandle = display(_Line("starting"), display_id=True)

    def __exit__(self, *error: Any) -> None:
        """Clear the line, whatever happened."""
        super().__exit__(*error)
        self.display.update(_Line(""))

    def _tick(self) -> None:
        while not self._ended.wait(self.EVERY):
            self.display.update(_Line(self.line(time.monotonic(), WIDTH)))
