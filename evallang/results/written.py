"""What the names in results are made of: `NAME/part` of a data set, `method(options)`."""


def statement_of(data: str) -> str:
    """Return the name of the statement that a data set comes from: `d` of `d/monday`."""
    return data.partition("/")[0]


def member_of(written: str) -> str:
    """Return the member of a catalogue that was written: `bootstrap` of `bootstrap(bca)`."""
    return written.partition("(")[0]


def method_of(written: str) -> str:
    """Return the method without options and form: `tango` of `tango, conservative`."""
    return member_of(written).partition(",")[0].strip()
