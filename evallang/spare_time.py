"""Work that is certain to come, done in pieces while a run waits for its fits.

Whoever will render a report states here what it needs first; whoever waits asks for the next
piece, without knowing whether there is one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_PIECES: ContextVar[Iterator[None]] = ContextVar("pieces")


@contextmanager
def spent_on(pieces: Iterator[None]) -> Iterator[None]:
    """Offer pieces of work to all that waits within the context."""
    token = _PIECES.set(pieces)
    try:
        yield
    finally:
        _PIECES.reset(token)


def next_piece() -> bool:
    """Do the next piece of work; return False where none is left."""
    return next(_PIECES.get(iter(())), _LAST) is not _LAST


_LAST = object()
