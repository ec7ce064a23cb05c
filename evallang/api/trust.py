"""The author's own code: whether it may run, and what it is, before any of it does."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec.structs import replace

from evallang.diagnostics import Diagnostic, diagnose
from evallang.models.own_code import code_hash, find, has_module, is_hidden, source_hash
from evallang.spelling import closest
from evallang.study import Study

CONSENT = "EVALLANG_TRUST"


class NotTrusted(Exception):
    """A study that runs its author's own code, and nobody has said that it may."""


def is_trusted(trust: bool) -> bool:
    """Return whether own code may run: by `--trust`, `trust=True` or EVALLANG_TRUST=1."""
    return trust or os.environ.get(CONSENT) == "1"


def refuse_without_consent(study: Study, trust: bool) -> None:
    """Raise `NotTrusted` where a study has code (modules, a template) and nobody has consented."""
    code = [f"`{use.module}`" for use in study.uses]
    if study.report.template is not None:
        code.append(f"the template `{study.report.template}`")
    if code and not is_trusted(trust):
        raise NotTrusted(
            f"the study runs its author's code: {', '.join(code)}; read it, and if you trust "
            f"it, run with --trust (in Python: trust=True), or set {CONSENT}=1"
        )


def _way_to(module: str, package: Path | None) -> str:
    """State where a module should be, or which one of its package was meant."""
    if package is not None and package.is_dir():
        above, _, name = module.rpartition(".")
        folder = package.joinpath(*above.split(".")[1:])
        if near := closest(name, sorted(file.stem for file in folder.glob("*.py"))):
            return f"did you mean `{above}.{near}`?"
    path = f"{module.replace('.', '/')}.py"
    if package is not None and package.is_dir():
        return f"put `{path}` into the study's folder"
    return (
        f"install the package that has `{module}`, or put your own code into `{path}` next to the "
        "study"
    )


def find_own_code(study: Study, folder: Path) -> tuple[Study, list[Diagnostic]]:
    """Hash the packages that `use` lines name, without importing them; say which are missing."""
    from evallang.diagnostics import codes

    uses, missing = [], []
    for use in study.uses:
        package = find(use.module, folder.resolve())
        if is_hidden(use.module, folder.resolve()):
            top = use.module.partition(".")[0]
            missing.append(
                diagnose(
                    codes.own_code_not_found,
                    f"an installed module has the name of the module `{top}` next to the study",
                    use.span,
                    help="give the module next to the study another name: installed modules come "
                    "first",
                )
            )
            uses.append(use)
        elif package is None or not has_module(use.module, package):
            missing.append(
                diagnose(
                    codes.own_code_not_found,
                    f"there is no module `{use.module}` next to the study, and none is installed",
                    use.span,
                    help=_way_to(use.module, package),
                )
            )
            uses.append(use)
        else:
            uses.append(
                replace(
                    use,
                    sha256=source_hash(package),
                    code_sha256=code_hash(package, folder.resolve()),
                )
            )
    return replace(study, uses=tuple(uses)), missing
