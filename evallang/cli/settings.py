"""Options that several commands have: `--format`, `--set`, `--limit`, `--network`, `--store`."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import click
from click.shell_completion import CompletionItem

from evallang.cli.terminal import show, tell
from evallang.limits import VARIABLE, limits, read_settings, read_size

PATH = click.Path(readable=False)
"""A file or folder, which shells complete; commands tell themselves what is wrong with one."""

Command = TypeVar("Command", bound=Callable[..., object])
Given = ParamSpec("Given")


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


def shows_errors(command: Callable[Given, int]) -> Callable[Given, int]:
    """Show the errors of a study that a command cannot use, and return 1."""

    @wraps(command)
    def run(*args: Given.args, **kwargs: Given.kwargs) -> int:
        try:
            return command(*args, **kwargs)
        except Exception as error:
            from evallang.api.checked_file import StudyError

            if not isinstance(error, StudyError):
                raise
            show(error.diagnostics, error.sources)
            remind(kwargs.get("settings", ()))  # type: ignore[arg-type]
            return 1

    return run


class Size(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic since click 8.2
    """A number of bytes with a unit: 500M, 2G."""

    name = "size"

    def convert(
        self, value: str | int, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the number of bytes."""
        if isinstance(value, int):
            return value
        size = read_size(value)
        if size is None:
            self.fail(f"`{value}` is not a size; write it as 500M or 2G", param, ctx)
        return size


class WholeNumber(click.IntRange):
    """A whole number, which click calls an integer range."""

    name = "whole number"


class Number(click.types.FloatParamType):
    """A number, which click calls a float."""

    name = "number"


def layout_option(about: str, *more: str) -> Callable[[Command], Command]:
    """Return the option of how to write what a command finds: as text, as JSON, or `more`."""
    layouts = click.Choice(["text", "json", *more])
    return click.option("--format", "layout", type=layouts, default="text", help=about)


set_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Replace the value of a `let`.",
)
"""The option of every command that resolves a study."""


def _complete_formats(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from evallang.syntax.language import STATEMENTS

    known = STATEMENTS["report"].words["formats"]
    return [CompletionItem(word) for word in known if word.startswith(incomplete)]


formats_option = click.option(
    "--format",
    "formats",
    metavar="FORMAT,...",
    shell_complete=_complete_formats,
    help="Report formats [default: the study's].",
)
"""The option of every command that writes a report."""


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
    help="Raise or lower a limit, such as rows=5e9 or bytes=20G; `evallang list limits` lists all.",
)
"""The option of every command that reads a study or its data."""


def _limit_fits(ctx: click.Context, _: click.Parameter, most: int | None) -> None:
    if most is not None:
        ctx.with_resource(limits(fits=most))


max_fits_option = click.option(
    "--max-fits",
    type=WholeNumber(1),
    metavar="N",
    expose_value=False,
    callback=_limit_fits,
    help="Refuse more fits of a protocol on a data set; the same as `--limit fits=N`.",
)


def _allow_network(ctx: click.Context, _: click.Parameter, given: bool) -> None:
    if given:
        from evallang.data.remote import network

        ctx.with_resource(network())


network_option = click.option(
    "--network",
    is_flag=True,
    expose_value=False,
    callback=_allow_network,
    help="Allow data to be read from s3://, gs://, az:// and https://.",
)
"""The option of every command that reads the data of a study."""


def _judged(ctx: click.Context, parameter: click.Parameter, given: str | None) -> str | None:
    if given is not None:
        from evallang.engine.store_folder import StoreRefused, store_folder

        try:
            store_folder(given)
        except StoreRefused as error:
            raise click.BadParameter(str(error), ctx, parameter) from error
    return given


store_option = click.option(
    "--store",
    type=PATH,
    metavar="DIR",
    callback=_judged,
    help="Folder of the store of fits, or off [default: $EVALLANG_STORE, else the cache folder].",
)
"""The option of every command that looks at the store of fits."""
