"""Entries of a bibliography, read as BibTeX 0.99 reads them."""

import pytest
from many_cases import for_each

from evallang.results.bibtex_entries import plain, read_entries

TEXT = r"""
Words outside of entries are a comment, even with = and {braces}.
@comment{@article{no, title={x}}}
@string{jmlr = "Journal of Machine Learning Research"}
@Article(demsar2006,
  Author = {Dem{\v s}ar, Janez},
  title  = "Statistical {C}omparisons of   Classifiers
            over Multiple Data Sets",
  journal = jmlr, volume = 7, pages = "1--30", year = 2006)
@book{knuth,
  editor = {Donald E. Knuth and {The \TeX{} Group} and Ludwig van Beethoven},
  title = {Nested {braces {twice}} and "quotes"}, publisher = "Addison" # "-" # "Wesley",
  date = {1984-05}, doi = {https://doi.org/10.1000/182}
}
"""


def test_entries_strings_quotes_and_joined_values():
    entries = read_entries(TEXT)
    assert list(entries) == ["demsar2006", "knuth"]
    first = entries["demsar2006"].record()
    assert first.key == "bib:demsar2006" and first.kind == "article"
    assert first.authors == ("Demšar J",)
    assert first.title == "Statistical Comparisons of Classifiers over Multiple Data Sets"
    assert (first.venue, first.volume, first.pages, first.year) == (
        "Journal of Machine Learning Research", "7", "1-30", 2006,
    )  # fmt: skip
    second = entries["knuth"].record()
    assert second.authors == ("Knuth DE", "The Group", "van Beethoven L")
    assert (second.venue, second.year, second.doi) == ("Addison-Wesley", 1984, "10.1000/182")
    assert second.title == 'Nested braces twice and "quotes"'


def test_an_entry_written_again_reads_as_the_same():
    entries = read_entries(TEXT)
    again = read_entries("\n".join(entry.record().bibtex for entry in entries.values()))
    assert {k: e.record() for k, e in again.items()} == {k: e.record() for k, e in entries.items()}


@for_each(
    ("value", "words"),
    [
        (r"{\"o}", "ö"),
        (r"\'{e}", "é"),
        (r"Erd{\H o}s", "Erdős"),
        (r"{\o}re", "øre"),
        (r"\v{s}", "š"),
        (r"na{\"\i}ve", "naïve"),
        (r"A \& B", "A & B"),
        (r"\emph{x} {Y}", "x Y"),
        ("pages 1--2", "pages 1–2"),
    ],
)
def test_commands_of_letters_become_letters(value, words):
    assert plain(value) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("@article{a, title={x}", "is not BibTeX in line 1"),
        ("\n@article{a, title={x", "does not close what is open in line 2"),
        ('@article{a, title="x}', "does not close the quotes"),
        ("@article{, title={x}}", "without a key"),
        ("@article{a, year=1}\n@book{a, year=2}", "two entries `a`"),
        ("@article{a, title=}", "is not BibTeX"),
    ],
)
def test_what_is_not_bibtex_is_named_with_its_line(text, words):
    with pytest.raises(ValueError, match=words):
        read_entries(text)
