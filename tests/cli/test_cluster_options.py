"""Options of `run` that name a Dask cluster and cannot be meant."""

import pytest
from calling import call
from studies import TWO_MODELS

from evallang.api import run


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--dask", "host:8786"), "not the address of a Dask scheduler"),
        (("--dask", "local:0"), "write tcp://HOST:PORT, tls://HOST:PORT, or local:N"),
        (("--dask", "local:2", "-j", "2"), "`-j` and `--dask` exclude one another"),
        (("--dask", "local:2", "--fit-timeout", "3"), "cannot be kept with `--dask`"),
        (("--dask", "tcp://h:1", "--dask-tls-ca", "study.eval"), "write tls://HOST:PORT"),
        (("--dask", "tls://h:1", "--dask-tls-key", "none.pem"), "`none.pem` does not exist"),
        (("--dask-tls-cert", "study.eval"), "used without `--dask`"),
    ],
)
def test_a_cluster_that_cannot_be_meant_is_refused(tmp_path, words, told):
    (tmp_path / "study.eval").write_text(TWO_MODELS)
    done = call("run", "study.eval", *words, folder=tmp_path)
    assert done.returncode == 2
    assert told in done.stderr
    assert not (tmp_path / "study-results").exists()


def test_python_refuses_limits_on_a_cluster_before_anything_is_read():
    with pytest.raises(ValueError, match="cannot be kept on a Dask cluster"):
        run("none.eval", dask="local:2", fit_timeout=3.0)
