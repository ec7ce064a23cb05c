"""Further Python processes, which import only what this one could have imported."""

import json
import os
import sys
from collections.abc import Mapping, Sequence

START = "import json, sys; sys.path[:] = json.loads(sys.argv.pop(1)); "
"""What each begins with: the search path of this process, without the current folder."""


def own_python(code: str, *words: str) -> Sequence[str]:
    """Return the command that runs `code` in a new process, with words for its `sys.argv`."""
    flags = ["-P", *(["-E"] if sys.flags.ignore_environment else [])]
    flags += ["-s"] if sys.flags.no_user_site else []
    path = json.dumps([entry for entry in sys.path if entry])
    return [sys.executable, *flags, "-c", START + code, path, *words]


def own_environment(**more: str) -> Mapping[str, str]:
    """Return the environment for it, in which nothing is imported from the current folder."""
    return {**os.environ, "PYTHONSAFEPATH": "1", **more}
