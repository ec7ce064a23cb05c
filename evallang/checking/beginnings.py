"""What several examples of codes begin with."""

TWO_MODELS = (
    "data iris from sklearn iris\nmodel a = GaussianNB\nmodel b = LinearDiscriminantAnalysis\n"
)
"""What the examples of a comparison begin with."""

ONE_MODEL = "data iris from sklearn iris\nmodel bayes = GaussianNB\nprotocol cv folds=5\n"
"""What the examples of an export begin with."""
