"""`evallang lsp`."""

import click

from evallang.installation import install_extras


@click.command("lsp", epilog="Example: evallang lsp")
def command() -> int:
    """Start the language server: an editor starts it and talks to it over stdin and stdout.

    Needs `pip install 'evallang[lsp]'`.
    """
    try:
        from evallang.editor.server import server
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f"{error.name} is missing: install it with `{install_extras('lsp')}`"
        ) from None
    server.start_io()
    return 0
