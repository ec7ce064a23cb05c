"""Tasks in, outcomes out, in whichever order they finish; results do not depend on it."""
