"""p-values of a family of hypotheses in, the adjusted ones in their order out."""
