"""Make up the data of `joint_resamples.R`: statistics on resamples, and losses of four models."""

from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def main() -> None:
    """Write both files."""
    rng = np.random.default_rng(20261125)
    shared = rng.standard_normal((500, 1))
    null = 0.6 * shared + 0.8 * rng.standard_normal((500, 5)) * (1, 1.5, 1, 0.5, 1)
    np.savetxt(HERE / "joint_statistics.csv", null, fmt="%.6f", delimiter=",")
    common = rng.standard_normal((400, 1))
    losses = common + rng.standard_normal((400, 4)) + (0.0, 0.1, 0.2, 0.22)
    np.savetxt(HERE / "joint_losses.csv", losses, fmt="%.6f", delimiter=",")


if __name__ == "__main__":
    main()
