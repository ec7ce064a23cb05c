"""Files and words in, folders and exit codes out: the whole way, for whoever calls it.

Parse, check, read, check the data, plan, run, write, report: the command line, the Python
verbs and notebooks all come through here.
"""

from evallang.api.folder import FolderRefused
from evallang.api.preparing import check_data, read_and_plan
from evallang.api.results import Results
from evallang.api.running import RunFailed, run
from evallang.api.study import Study, StudyError, load, open_study, parse

__all__ = [
    "FolderRefused",
    "Results",
    "RunFailed",
    "Study",
    "StudyError",
    "check_data",
    "load",
    "open_study",
    "parse",
    "read_and_plan",
    "run",
]
