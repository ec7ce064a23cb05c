"""The playground: the page in which a study is checked as one types."""
