"""What is wrong with an archive."""


class ArchiveError(Exception):
    """The archive cannot be read as a board; the message says what is wrong, and where."""
