"""The page of classes for `model` lines."""

from collections.abc import Iterator
from typing import Any

from docs.generator import markdown as md
from evallang.manual.explanations import NOT_GIVEN
from evallang.models import catalogue
from evallang.models.catalogue import CATALOGUE, unavailable

KINDS = ("classifier", "regressor", "transformer", "resampler")
LEAD = """\
These are all estimators of the supported scikit-learn. A generated table lists them, so that names
of classes and parameters are checked before a run and without importing scikit-learn. `key=value`
fixes a parameter, `key in DOMAIN` searches it. `random_state` comes from the study's seed unless
it is fixed, and `n_jobs` is 1. Parameters that take callables, files or folders are refused. A
resampler, of `evallang[imbalanced]`, is a step before a classifier and changes training rows alone.
"""


# The newest version of the table, whichever version is installed.
catalogue.installed_version = lambda: catalogue.supported_range()[1]


def pages() -> Iterator[tuple[str, str]]:
    """Iterate over the one page."""
    known = {name: entry for name, entry in sorted(CATALOGUE.items()) if not entry.refused}
    here = {name: entry for name, entry in known.items() if unavailable(entry) is None}
    refused = {name: entry for name, entry in sorted(CATALOGUE.items()) if entry.refused}
    blocks = []
    for kind in KINDS:
        some = {name: entry for name, entry in here.items() if kind in entry.kinds}
        blocks.append(f"## {kind.capitalize()}s")
        blocks.append(
            md.table(
                ("class", "of", "parameters and their defaults"),
                [(f"`{name}`", entry.module, _parameters(entry)) for name, entry in some.items()],
            )
        )
    others = {n: e for n, e in here.items() if not set(KINDS) & e.kinds}
    if others:
        blocks.append("## Others")
        blocks.append(
            md.table(
                ("class", "of", "parameters and their defaults"),
                [(f"`{name}`", entry.module, _parameters(entry)) for name, entry in others.items()],
            )
        )
    blocks.append("## Refused")
    blocks.append(
        md.table(("class", "why"), [(f"`{n}`", str(e.refused)) for n, e in refused.items()])
    )
    yield "models", md.page("Models", LEAD, *blocks)


def _parameters(entry: Any) -> str:
    shown = []
    for parameter in entry.parameters.values():
        if parameter.refused is not None:
            continue
        text = parameter.default_text
        default = "" if text == NOT_GIVEN else f"={text}"
        words = f" ({' / '.join(parameter.words)})" if parameter.words else ""
        shown.append(f"`{parameter.name}{default}`{words}")
    return ", ".join(shown) or "none"
