"""Example studies; every one runs in CI."""
