"""Made-up scores of five models on thirty data sets, two digits so that they tie.

`python make_data_sets.py > data_sets.csv`, with numpy 2.4.6.
"""

import numpy as np


def main():
    rng = np.random.default_rng(20061)
    level = rng.uniform(0.5, 0.95, (30, 1))
    scores = np.clip(level + rng.normal([0.0, 0.01, 0.02, 0.0, -0.02], 0.03, (30, 5)), 0, 1)
    print("a,b,c,d,e")
    for row in np.round(scores, 2):
        print(",".join(f"{x:.2f}" for x in row))


main()
