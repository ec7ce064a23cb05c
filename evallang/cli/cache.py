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
    from evallang.engine.store import existing_store
    from evallang.engine.store_folder import StoreRefused, store_folder

    try:
        folder = store_folder(store)
        if action == "path" or folder is None:
            write("off" if folder is None else str(folder))
            return 0
        opened = existing_store(store)
        if opened is None or not folder.exists():
            write(f"{folder}: no fits")
            return 0
        if action == "clear":
            found = opened.clear()
            write(f"{folder}: deleted {_contents(found.entries, found.size)}")
        else:
            found = opened.contents()
            most = _size(opened.limit)
            write(f"{folder}: {_contents(found.entries, found.size)}; at most {most}")
    except StoreRefused as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(cannot(action, folder or Path(), error)) from error
    return 0


def _contents(entries: int, size: int) -> str:
    return f"{entries:,} {'entry' if entries == 1 else 'entries'}, {_size(size)}"


def _size(n: int) -> str:
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n >= factor:
            return f"{n / factor:.1f} {unit}"
    return f"{n} bytes"
