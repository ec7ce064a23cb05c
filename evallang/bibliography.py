"""The works that the report and the manual cite: the entries of `references.bib` by their keys."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from msgspec import Struct
from msgspec.structs import replace

_ENTRY = re.compile(r"^@(\w+)\{(\w+),\n(.*?)\n\}$", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)
_VENUES = ("journal", "booktitle", "publisher", "school", "howpublished")


class Reference(Struct, frozen=True):
    """One published work.

    `key` is the BibTeX key (`mcnemar1947`), `authors` family name first ("McNemar Q"),
    `venue` the journal or publisher, `volume` and `pages` the printed ones. `forms` are the forms
    of a method that the work is about; a work without any is about the method itself.
    """

    key: str
    authors: tuple[str, ...]
    year: int
    title: str
    venue: str
    volume: str = ""
    pages: str = ""
    doi: str = ""
    kind: str = "article"
    forms: tuple[str, ...] = ()

    @property
    def short(self) -> str:
        """Author and year as cited in running text: `Nadeau & Bengio 2003`."""
        names = [author.rsplit(" ", 1)[0] for author in self.authors]
        if len(names) == 1:
            lead = names[0]
        elif len(names) == 2:
            lead = f"{names[0]} & {names[1]}"
        else:
            lead = f"{names[0]} et al."
        return f"{lead} {self.year}"


def cite(key: str, *forms: str) -> Reference:
    """Return the work of a key, as a source of some forms of a method alone if any are stated.

    A form is a word of the variant or of the interval in the results (`corrected`, `bca`), the
    measure (`roc_auc`) or a word of its options (`ovo`), an extra number of the result
    (`rounds`), `groups` where groups are the units, or `classes` where there are three classes
    or more. Raises `KeyError` for a key that `references.bib` does not have.
    """
    work = works()[key]
    return replace(work, forms=forms) if forms else work


@cache
def works() -> Mapping[str, Reference]:
    """Return the works of `references.bib` by their keys, in the order of the file."""
    text = (files("evallang") / "references.bib").read_text(encoding="utf-8")
    return {key: _work(kind, key, fields) for kind, key, fields in _ENTRY.findall(text)}


def _work(kind: str, key: str, lines: str) -> Reference:
    field = {name: value.replace("\\&", "&") for name, value in _FIELD.findall(lines)}
    field |= {name: field[name].replace("--", "-") for name in ("number", "pages") if name in field}
    return Reference(
        key,
        tuple(author.replace(", ", " ") for author in field["author"].split(" and ")),
        int(field["year"]),
        field["title"],
        next(field[name] for name in _VENUES if name in field),
        field.get("volume", "") + (f"({field['number']})" if "number" in field else ""),
        field.get("pages", ""),
        field.get("doi", ""),
        kind,
    )
