"""The grammar of the evallang language, as a lark file and as a saved parse table."""
