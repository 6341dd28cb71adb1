"""Markdown in the console: lines of code keep their length, and code without a color keeps its marks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich import markdown
from rich.console import Console, ConsoleOptions, RenderResult
from rich.syntax import Syntax

if TYPE_CHECKING:
    from markdown_it.token import Token

#: Columns on both sides of a block of code.
_MARGIN = 1


class _CodeBlock(markdown.CodeBlock):
    """A block of code. A line may be wider than the console, so that a reader can copy it."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        width = max(map(len, code.splitlines()), default=0) + 2 * _MARGIN
        syntax = Syntax(code, self.lexer_name, theme=self.theme, word_wrap=True, padding=_MARGIN)
        yield from console.render(syntax, options.update(width=max(width, options.max_width)))


class MarkdownPage(markdown.Markdown):
    """A page of Markdown. With `marks_code`, code in a sentence keeps its backticks."""

    elements = {  # noqa: RUF012
        **markdown.Markdown.elements,
        "fence": _CodeBlock,
        "code_block": _CodeBlock,
    }

    def __init__(self, text: str, marks_code: bool) -> None:
        super().__init__(text, code_theme="ansi_dark", hyperlinks=False)
        if marks_code:
            _mark_code(self.parsed)


def _mark_code(tokens: Iterable[Token]) -> None:
    for token in tokens:
        if token.type == "code_inline":
            token.content = f"`{token.content}`"
        _mark_code(token.children or ())
