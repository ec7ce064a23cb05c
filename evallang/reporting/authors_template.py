"""The template of an author: code that changes the page and the sentences of a report."""

from collections.abc import Mapping
from hashlib import sha256

from msgspec import Struct


class AuthorsTemplate(Struct, frozen=True):
    """The text of the page, and the texts of files of sentences by name."""

    page: str
    sentences: Mapping[str, str] = {}

    @property
    def sha256(self) -> str:
        """The hash of all code in it: that of the page where it has no sentences."""
        made = sha256(self.page.encode())
        for name, text in sorted(self.sentences.items()):
            made.update(f"{name} {sha256(text.encode()).hexdigest()}".encode())
        return made.hexdigest()
