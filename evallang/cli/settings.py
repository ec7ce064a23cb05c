"""Options that several commands have: `--set`, `--limit` and `--store`."""

import click

from evallang.cli.terminal import tell
from evallang.limits import VARIABLE, limits, read_settings


def overrides(settings: tuple[str, ...]) -> dict[str, str]:
    """Split each setting at its first `=`; raise `click.ClickException` if it is missing."""
    found: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise click.ClickException(f"`--set {setting}`: write it as NAME=VALUE")
        if name.strip() in found:
            raise click.ClickException(f"`--set {name.strip()}` is given twice")
        found[name.strip()] = value.strip()
    return found


def remind(settings: tuple[str, ...]) -> None:
    """Write the settings after errors, because an error shows the place where a value is used."""
    for setting in settings:
        tell(f"note: `--set {setting}` was in force")


def _put_in_force(ctx: click.Context, _: click.Parameter, settings: tuple[str, ...]) -> None:
    try:
        ctx.with_resource(limits(**read_settings(settings)))
    except ValueError as error:
        raise click.ClickException(f"--limit: {error}") from error


limit_option = click.option(
    "--limit",
    multiple=True,
    metavar="NAME=NUMBER",
    envvar=VARIABLE,
    show_envvar=True,
    expose_value=False,
    callback=_put_in_force,
    help="Raise or lower a limit, as in rows=5e9; `evallang list limits` lists them.",
)
"""The option of every command that reads a study or its data."""


def _judged(ctx: click.Context, parameter: click.Parameter, given: str | None) -> str | None:
    if given is not None:
        from evallang.engine.store import StoreRefused, store_folder

        try:
            store_folder(given)
        except StoreRefused as error:
            raise click.BadParameter(str(error), ctx, parameter) from error
    return given


store_option = click.option(
    "--store",
    metavar="DIR",
    callback=_judged,
    help="Folder that keeps fits, or off [default: $EVALLANG_STORE, else the cache folder].",
)
"""The option of every command that looks at the store of fits."""
