"""The examples of parser/README.md, for the tests of the language."""

import re
from importlib import resources

README = resources.files("rules_asp.parser").joinpath("README.md").read_text("utf-8")


def examples(language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
