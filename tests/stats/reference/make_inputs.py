"""Write the made-up data that the reference programs read, once: `python make_inputs.py`."""

from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def write(name, header, columns):
    lines = [",".join(header)]
    lines += [",".join(f"{value:.12g}" for value in row) for row in zip(*columns, strict=True)]
    (HERE / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    random = np.random.default_rng(20181113)
    group = np.repeat(np.arange(20), 4)
    truth = (random.random(80) < 0.4).astype(int)
    shift = np.repeat(random.normal(size=20), 4)
    scores = [
        np.round(strength * truth + 0.5 * shift + random.normal(size=80), 1)
        for strength in (1.6, 1.1, 0.6)
    ]
    write("ranking.csv", ["truth", "a", "b", "c", "group", "fold"],
          [truth, *scores, group, np.arange(80) % 5])  # fmt: skip
    noise = random.normal(size=(2, 61))
    losses = np.round((noise[:, 1:] + 0.6 * noise[:, :-1] + [[0.5], [0.0]]) ** 2, 3)
    write("series.csv", ["first", "second"], losses)
    pairs = np.round(random.normal([[0.72], [0.70]], 0.04, size=(2, 24)), 2)
    pairs[1, ::8] = pairs[0, ::8]  # differences of 0
    write("pairs.csv", ["first", "second"], pairs)
    whole = random.integers(0, 30, size=(2, 14)) + np.array([[4], [0]])
    write("whole.csv", ["first", "second"], whole)


if __name__ == "__main__":
    main()
