"""What a section can answer of the questions of reviewers and of reporting checklists."""

from enum import StrEnum


class Topic(StrEnum):
    """A fact that a section states; its declaration lists those it states for given results."""

    DATA_IDENTITY = "data_identity"
    CODE = "code"
    ENVIRONMENT = "environment"
    COMMANDS = "commands"
    STUDY_FILE = "study_file"
    OUTCOME = "outcome"
    SAMPLES = "samples"
    SAMPLE_SIZE = "sample_size"
    MISSING = "missing"
    EXCLUSIONS = "exclusions"
    FEATURES = "features"
    TRANSFORMATIONS = "transformations"
    CLASS_BALANCE = "class_balance"
    MODELS = "models"
    SPLITS = "splits"
    SELECTION = "selection"
    TUNING = "tuning"
    TRAINING_ONLY = "training_only"
    GROUPS = "groups"
    METRICS = "metrics"
    INTERVALS = "intervals"
    TESTS = "tests"
    LIMITS = "limits"
    EXPORTED = "exported"
