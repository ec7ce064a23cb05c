"""`evallang run --shard K/N`: a share of the fits, kept in a store, without results."""

import re

import click

from evallang.activity import watched
from evallang.api.sharding import Shard
from evallang.cli.progress import Progress
from evallang.cli.settings import overrides, shows_errors
from evallang.cli.terminal import Failed, read_study, tell, write
from evallang.data.findings import counted
from evallang.engine.backends.workers import Workers

MOST = 10_000  # shares
SHOWN = 5  # different failures


class ShardType(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic since click 8.2
    """A share and the number of shares: 3/20."""

    name = "shard"

    def convert(
        self, value: "str | Shard", param: click.Parameter | None, ctx: click.Context | None
    ) -> Shard:
        """Return the share."""
        if isinstance(value, Shard):
            return value
        found = re.fullmatch(r"([0-9]{1,5})/([0-9]{1,5})", value.strip())
        if found is None:
            self.fail(f"`{value}` is not a share; write it as K/N, such as 3/20", param, ctx)
        number, of = int(found[1]), int(found[2])
        if not 1 <= number <= of <= MOST:
            self.fail(
                f"`{value}` is not a share: the shares of {of} are 1/{of} to {of}/{of}"
                if 1 <= of <= MOST
                else f"the number of shares must be from 1 to {MOST:,}, not {of:,}",
                param,
                ctx,
            )
        return Shard(number, of)


@shows_errors
def run_shard(
    file: str,
    shard: Shard,
    workers: Workers,
    *,
    settings: tuple[str, ...],
    fresh: bool,
    store: str | None,
    trust: bool,
    quiet: bool,
) -> int:
    """Run one share from a terminal; return the exit code."""
    from evallang.api import NotTrusted, WorkersLost
    from evallang.api.sharding import NoStore, run_share

    with Progress(shown=not quiet) as bar, watched(bar.update):
        study = read_study(file, overrides(settings))
        try:
            done = run_share(study, shard, workers, trust=trust, store=store, fresh=fresh)
        except WorkersLost as error:
            raise Failed(str(error)) from error
        except (NoStore, NotTrusted) as error:
            raise click.ClickException(str(error)) from error
    for reason in done.failures[:SHOWN]:
        tell(f"a fit failed: {reason}")
    if done.failed:
        again = "it" if done.failed == 1 else "them"
        tell(f"{counted(done.failed, 'fit')} failed; the last run makes {again} again")
    if not quiet:
        stored = f", {done.stored:,} of them from the store" if done.stored else ""
        write(f"share {shard.number} of {shard.of}: {counted(done.tasks, 'task')}{stored}")
    return Failed.exit_code if done.failed else 0
