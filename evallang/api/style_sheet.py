"""The style sheet that a study names for its report, read and checked."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from evallang.data.codes import STYLE_SHEET
from evallang.data.files import regular_file
from evallang.data.findings import Findings
from evallang.diagnostics import Diagnostic

if TYPE_CHECKING:
    from evallang.study import Study


def read_style_sheet(study: "Study", folder: Path) -> tuple[str | None, tuple[Diagnostic, ...]]:
    """Return the text of the style sheet of a study, None without one, and what is wrong."""
    name = study.report.style
    if name is None:
        return None, ()
    findings = Findings({"style": study.places["style"]})
    path = regular_file(name, folder, findings)
    text = None if path is None else _text(name, path, folder, findings)
    return text, findings.diagnostics


def _text(name: str, path: Path, folder: Path, findings: Findings) -> str | None:
    from evallang.reporting.style_sheets import MOST_BYTES, style_objection

    behind = Path(os.path.realpath(path))
    text, objection = None, None
    if not behind.is_relative_to(os.path.realpath(folder)):
        objection = "is outside the study's folder, through a link", "copy the file into the folder"
    elif path.stat().st_size > MOST_BYTES:
        objection = f"is larger than {MOST_BYTES:,} bytes", "remove what the report does not use"
    else:
        try:
            text = path.read_bytes().decode("utf-8-sig")
            objection = style_objection(text)
        except UnicodeDecodeError:
            objection = "is not in UTF-8", "save it in this encoding"
        except OSError as error:
            objection = f"cannot be read: {error.strerror}", "check whether you may read the file"
    if objection is not None:
        findings.add(STYLE_SHEET, f"`{name}` {objection[0]}", help=objection[1])
        return None
    return text
