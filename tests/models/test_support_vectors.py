"""Labels from products of matrices are those of libsvm, also between two classes."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, NuSVC

from evallang.models.support_vectors import ProductOfKernels

MACHINES = [
    SVC(C=10, gamma=0.01),
    SVC(gamma="scale", class_weight="balanced"),
    SVC(kernel="linear"),
    NuSVC(nu=0.1, gamma="auto"),
]


@pytest.mark.parametrize("machine", MACHINES, ids=str)
@pytest.mark.parametrize("classes", [2, 3, 10])
def test_labels_are_those_of_libsvm(machine, classes):
    X, y = load_digits(return_X_y=True)
    X, y = X[y < classes][:400], y[y < classes][:400] + 5
    machine.fit(X[::2], y[::2])
    # rows between two of other classes are near to where the votes turn
    rows = np.concatenate([X, (X[1:] + X[:-1]) / 2])
    found = ProductOfKernels(machine).predict(rows)
    np.testing.assert_array_equal(found, machine.predict(rows))
    assert found.dtype == machine.predict(rows).dtype


def test_a_row_on_the_border_is_predicted_by_libsvm():
    X = np.array([[-1.0], [1.0], [-3.0], [3.0]])
    machine = SVC(kernel="linear").fit(X, [0, 1, 0, 1])
    asked = []
    predict = machine.predict
    machine.predict = lambda rows: asked.append(rows.ravel().tolist()) or predict(rows)
    found = ProductOfKernels(machine).predict(np.array([[-0.5], [0.0], [1e-16], [0.5]]))
    assert asked == [[0.0, 1e-16]]
    assert found.tolist() == predict([[-0.5], [0.0], [1e-16], [0.5]]).tolist()


def test_rows_are_predicted_in_blocks(monkeypatch):
    monkeypatch.setattr("evallang.models.support_vectors.BLOCK", 300)
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    machine = SVC().fit(X, y)
    np.testing.assert_array_equal(ProductOfKernels(machine).predict(X), machine.predict(X))
