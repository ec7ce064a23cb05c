"""Files and words in, folders and exit codes out: the whole way, for whoever calls it.

Parse, check, read, check the data, plan, run, write, report: the command line, the Python
verbs and notebooks all come through here. Names are imported when they are first used, so
that a check loads nothing of the engine.
"""

import importlib
from typing import TYPE_CHECKING, Any

from evallang.working_folder import safe_path

if TYPE_CHECKING:
    from evallang.api.checked_file import StudyError
    from evallang.api.comparing import compare
    from evallang.api.folder import FolderRefused
    from evallang.api.preparing import check_data, read_and_plan
    from evallang.api.results import Results
    from evallang.api.running import RunFailed, run
    from evallang.api.study_file import StudyFile, check, load, open_study, parse
    from evallang.api.trust import NotTrusted
    from evallang.engine.backends.backend import WorkersLost

PLACES = {
    "FolderRefused": "folder",
    "NotTrusted": "trust",
    "Results": "results",
    "RunFailed": "running",
    "StudyError": "checked_file",
    "StudyFile": "study_file",
    "WorkersLost": "running",
    "check": "study_file",
    "check_data": "preparing",
    "compare": "comparing",
    "load": "study_file",
    "open_study": "study_file",
    "parse": "study_file",
    "read_and_plan": "preparing",
    "run": "running",
}

__all__ = [
    "FolderRefused",
    "NotTrusted",
    "Results",
    "RunFailed",
    "StudyError",
    "StudyFile",
    "WorkersLost",
    "check",
    "check_data",
    "compare",
    "load",
    "open_study",
    "parse",
    "read_and_plan",
    "run",
]


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for."""
    if name not in PLACES:
        raise AttributeError(f"module 'evallang.api' has no attribute {name!r}")
    with safe_path():
        return getattr(importlib.import_module(f"evallang.api.{PLACES[name]}"), name)
