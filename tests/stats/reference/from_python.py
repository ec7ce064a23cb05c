"""Reference values by Python packages that are not part of the test extra.

`python from_python.py > from_python.csv`, with baycomp 1.0.3, confidenceinterval 1.0.5,
numpy 2.4.6 and scipy 1.17.1. The data are made up by make_inputs.py.
"""

import baycomp
import numpy as np
from confidenceinterval import f1_score

TABLE = ((30, 4, 2), (5, 20, 6), (1, 3, 9))
PAIRS = np.loadtxt("pairs.csv", delimiter=",", skiprows=1).T[:, :20]


def main():
    print("name,value")
    for runs in (1, 2):
        for rope in (0.0, 0.01):
            found = baycomp.two_on_single(PAIRS[0], PAIRS[1], rope, runs)
            # Its differences are second minus first, and the left tail is for the first
            names = ("first", "rope", "second") if rope else ("first", "second")
            for name, value in zip(names, found, strict=True):
                print(f"bayes_{runs}_{rope:g}_{name},{value:.15g}")
    cells = [(i, j) for i in range(3) for j in range(3) for _ in range(TABLE[i][j])]
    truth, predicted = zip(*cells, strict=True)
    for average in ("macro", "micro"):
        value, (low, high) = f1_score(
            truth, predicted, confidence_level=0.95, average=average, method="takahashi"
        )
        print(f"f1_{average},{value:.15g}")
        print(f"f1_{average}_low,{low:.15g}")
        print(f"f1_{average}_high,{high:.15g}")


if __name__ == "__main__":
    main()
