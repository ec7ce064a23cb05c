"""What an editor asks of a study: pure functions of its text, and the language server."""
