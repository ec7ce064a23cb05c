"""What several examples of codes begin with."""

TWO_MODELS = (
    "data iris from sklearn iris\nmodel a = GaussianNB\nmodel b = LinearDiscriminantAnalysis\n"
)
"""What the examples of a comparison begin with."""

ONE_MODEL = "data iris from sklearn iris\nmodel bayes = GaussianNB\nprotocol cv folds=5\n"
"""What the examples of an export begin with."""

SUITE = (
    'data suite from "suite/*.csv"\n  target class\nmodel a = GaussianNB\n'
    "model b = LinearDiscriminantAnalysis\nmodel c = DecisionTreeClassifier(max_depth=3)\n"
    "protocol cv\n"
)
"""What the examples of a comparison across data begin with."""
