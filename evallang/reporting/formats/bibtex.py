"""The cited works as BibTeX, in ASCII, for any style and any engine."""

import re
from collections.abc import Iterable, Mapping
from unicodedata import combining, normalize

from evallang.reporting.formats.latex_text import TABLES, escape
from evallang.reporting.formats.works import CitedWork, slug
from evallang.reporting.references import source_label
from evallang.results.records import DataRecord, ReferenceRecord

DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
ADDRESS = re.compile(r"https?://\S+")
HARMFUL = re.compile(
    r"\^\^|\\(?!(?:[bcdkrtuvHijoOlL]|ss|ae|AE|oe|OE|aa|AA|emph|em|it|bf|sc|url|to|text(?:it|bf|sc|"
    r"rm|tt|sf|superscript|subscript|endash|emdash)|math(?:rm|bf|it|sf|tt|cal|bb)|alpha|beta|gamma|"
    r"delta|epsilon|zeta|eta|theta|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|phi|chi|psi|omega|Gamma|"
    r"Delta|Theta|Lambda|Sigma|Phi|Psi|Omega|ell|infty|sqrt|frac|log|exp|times|cdot|pm|sim|leq?|"
    r"geq?|l?dots)(?![A-Za-z@]))[A-Za-z@]"
)
"""A command in an author's own entry that does more than set letters and signs."""
THESIS = "PhD thesis, "


ACCENTS, LETTERS = TABLES["accents"], TABLES["letters"]


def bibliography(works: Mapping[str, CitedWork], keys: Iterable[str]) -> str:
    """Return the entries of cited works, each once, in the order of their keys."""
    cited = {works[key].key: works[key] for key in keys if key in works}
    return "\n".join(entry(cited[key]) for key in sorted(cited, key=str.lower))


def entry(work: CitedWork) -> str:
    """Return one entry; an author's own is as it was written, without commands that may do harm."""
    own = "" if work.record is None else work.record.bibtex.strip()
    if own and not HARMFUL.search(own):
        return own + "\n"
    kind, fields = "misc", {}
    if work.record is not None:
        kind, fields = slug(work.record.kind), _fields(work.record)
    elif work.data is not None:
        fields = _data_fields(work.data)
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{work.key},", *lines, "}"]) + "\n"


def _fields(record: ReferenceRecord) -> dict[str, str]:
    volume, _, number = record.volume.rstrip(")").partition("(")
    place = {"article": "journal", "book": "publisher", "phdthesis": "school"}
    name = place.get(record.kind, "booktitle" if record.kind.startswith("in") else "howpublished")
    venue, publisher = record.venue.removeprefix(THESIS), ""
    if record.kind == "incollection" and ", " in venue:
        venue, _, publisher = venue.rpartition(", ")
    numbered = record.kind == "article" or not volume  # styles take one of both elsewhere
    return {
        "author": " and ".join(_author(author) for author in record.authors),
        "title": _title(record.title),
        name: _text(venue),
        "publisher" if name != "publisher" else "": _text(publisher),
        "year": str(record.year),
        "volume": _text(volume),
        "number": _text(number).replace("-", "--") if numbered else "",
        "pages": _text(re.sub("-+", "-", record.pages.replace("–", "-"))).replace("-", "--"),
        "doi": _plain_doi(record.doi),
    }


def _data_fields(data: DataRecord) -> dict[str, str]:
    cite = (data.cite or "").strip()
    found = DOI.fullmatch(cite)
    address, label = ADDRESS.fullmatch(cite), source_label(data)
    label = label or (data.name.partition("/")[0] if found or address else "")
    # Styles sort by key without an author; the name of one of several data sets titles none
    title = {"key": _text(label or cite), "title": _title(label)}
    if found:
        return {**title, "doi": _plain_doi(found[1])}
    return {**title, "howpublished": rf"\texttt{{{_text(cite)}}}" if address else _text(cite)}


def _plain_doi(doi: str) -> str:
    return re.sub(r"[^!-~]|[\\{}%#^~$]", "", doi)


def _author(author: str) -> str:
    family, _, initials = author.rpartition(" ")
    if not family or not initials.replace("-", "").isalpha() or not initials[0].isupper():
        return f"{{{_text(author)}}}"
    given = re.sub(r"([^\W\d_])(?=[^\W\d_])", r"\1. ", initials)
    given = re.sub(r"([^\W\d_])(?=-)", r"\1.", given) + "."
    return f"{_text(family)}, {_text(given)}"


def _title(title: str) -> str:
    """Return a title whose capitals a style keeps, but for that of its first word."""
    words = title.split(" ")
    return " ".join(
        f"{{{_text(word)}}}" if any(c.isupper() for c in (word[1:] if i == 0 else word)) else
        _text(word)
        for i, word in enumerate(words)
    )  # fmt: skip


def _text(text: str) -> str:
    """Return a text in ASCII, accents as commands."""
    made = ""
    for c in normalize("NFC", text):
        apart = normalize("NFD", c)
        base, marks = apart[0], apart[1:]
        if c in LETTERS:
            made += LETTERS[c]
        elif marks and base.isascii() and all(combining(m) and m in ACCENTS for m in marks):
            letter = {"i": r"\i", "j": r"\j"}.get(base, base) if marks[0] != "\u0327" else base
            for mark in marks:
                accent = ACCENTS[mark]
                letter = f"\\{accent}{{{letter}}}"
            made += f"{{{letter}}}"
        else:
            made += escape(c, breaks=False)
    return made
