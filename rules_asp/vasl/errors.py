"""What is wrong with an archive."""

from rules_asp import RulesAspError


class ArchiveError(RulesAspError):
    """The archive cannot be read as a board; the message says what is wrong, and where."""


def brief(error: Exception) -> str:
    """The text of an error as one short printable line."""
    return "".join(c for c in str(error) if c.isprintable())[:100] or "it ends too early"
