"""A question about a study's design in, numbers that need no fitted model out."""
