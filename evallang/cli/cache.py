"""`evallang cache`."""

from pathlib import Path

import click

from evallang.cli.settings import store_option
from evallang.cli.terminal import cannot, write


@click.command("cache", epilog="Example: evallang cache info")
@click.argument("action", metavar="info|clear|path", type=click.Choice(["info", "clear", "path"]))
@store_option
def command(action: str, store: str | None) -> int:
    """Show the store of fits, delete all it keeps, or print its folder.

    The store keeps predictions, scores and chosen parameters of every fit, and no models. It may
    be deleted at any time: what is missing is fitted again.
    """
    from evallang.engine.store_folder import StoreRefused, store_folder

    folder = None
    try:
        folder = store_folder(store)
        said = "off" if folder is None else str(folder)
        if folder is not None and action != "path":
            said += f": {_answer(action, folder, store)}"
    except StoreRefused as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        verb = "clear" if action == "clear" else "read"
        raise click.ClickException(cannot(verb, folder or Path(), error)) from error
    write(said)
    return 0


def _answer(action: str, folder: Path, store: str | None) -> str:
    """Return what the store keeps, or kept until it is deleted here."""
    from evallang.engine.store import existing_store

    opened = existing_store(store)
    if opened is None or not folder.exists():
        return "no fits"
    if action == "clear":
        found = opened.clear()
        return f"deleted {_contents(found.entries, found.size)}"
    found = opened.contents()
    return f"{_contents(found.entries, found.size)}; at most {_size(opened.limit)}"


def _contents(entries: int, size: int) -> str:
    return f"{entries:,} {'entry' if entries == 1 else 'entries'}, {_size(size)}"


def _size(n: int) -> str:
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n >= factor:
            return f"{n / factor:.1f} {unit}"
    return f"{n} bytes"
