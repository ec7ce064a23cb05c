"""A study that is open in an editor."""

from collections.abc import Callable
from pathlib import Path

from evallang.api.study_file import StudyFile, check_text, read_text
from evallang.editor.parsed_lines import ParsedLines
from evallang.source import SourceFile
from evallang.syntax.scanner import Token, physical_lines


class Document:
    """A study that is open in an editor: its text, and what a check of the text finds.

    Parameters
    ----------
    path : where the file is, or would be saved
    text : its text now
    read_file : returns the text of an included file, which may be open too
    """

    def __init__(self, path: Path, text: str, read_file: Callable[[Path], str] = read_text) -> None:
        self.path = path
        self._text = text
        self._read_file = read_file
        self._lines = ParsedLines()
        self._study: StudyFile | None = None

    @property
    def text(self) -> str:
        """The text as it is in the editor; whoever sets it has the study checked again."""
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        self._text, self._study = text, None

    @property
    def study(self) -> StudyFile:
        """The study with its findings; nothing but the text and included files is read."""
        if self._study is None:
            self._study = self.check_with(self.path.name, self._text)
        return self._study

    @property
    def source(self) -> SourceFile:
        """The text with its lines."""
        return self.study.checked.sources[self.study.path]

    def forget(self) -> None:
        """Check the study again when it is asked for: an included file has changed."""
        self._study = None

    def check_with(self, path: str, text: str) -> StudyFile:
        """Check the study as if a text were that of one of its files, as messages name it."""
        own, file = path == self.path.name, self.path.parent / path
        self._lines.begin()
        return check_text(
            text if own else self._text,
            self.path.name,
            self.path.parent,
            read_file=lambda other: text if other == file else self._read_file(other),
            parse_line=self._lines,
        )

    def word_at(self, offset: int) -> Token | None:
        """Return the word, number, text or sign at a place, or the one that ends there."""
        whole = self.source.whole_line(offset)
        line = SourceFile("", self._text[whole.start : whole.end])
        tokens = [token for part in physical_lines(line) for token in part.tokens]
        place = offset - whole.start
        inside = [token for token in tokens if token.start <= place <= token.end]
        found = max(inside, key=lambda token: (token.kind == "NAME", token.start), default=None)
        if found is None:
            return None
        return found._replace(start=found.start + whole.start, end=found.end + whole.start)
