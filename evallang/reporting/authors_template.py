"""The template of an author: code that changes the page and the sentences of a report."""

import re
from collections.abc import Mapping
from hashlib import sha256

from msgspec import Struct

STYLE = re.compile(r"</?style>", re.IGNORECASE)


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

    @property
    def styles(self) -> str:
        """The `<style>` elements of the page, as they are written."""
        return "\n".join(STYLE.split(self.page)[1::2])


class TemplateFault(str):
    """The message that a template, or a sentence of one, failed: the command exits with 1."""
