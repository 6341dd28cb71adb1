"""The building rules of Advanced Squad Leader as a knowledge base that people can ask.

Programs use `rules_asp.api`; it imports what a question needs when that is asked.
`docs/explanation/architecture.md` shows the packages and the way of one question. The page
`docs/explanation/unknowns.md` lists the general rules that stay unknown.

Glossary
--------
Terms of Answer Set Programming and of the game have their usual sense. These are the project's own:

norm              one numbered statement: an id, a summary, its rules  [`knowledge.rules.Norm`]
rule              one rule of kb/, with its file and line  [`knowledge.rules.Rule`]
knowledge base    all rules and norms that were read from kb/  [`knowledge.rules.KnowledgeBase`]
topic             a term that has one value, such as `height(H)`  [`knowledge.rules.Signature`]
head              the predicate by which a norm speaks  [`says`]
deed              what may be legal or not: a step, a shot, a placement  [`game.query.DeedQuery`]
form              a declared term with parts: a deed, shot, roll or event  [`game.vocabulary.Form`]
sentence          how people say a form  [`game.vocabulary.Sentence`]
board             what a text states  [`game.board.Board`]
resolved board    a board with its corrections merged, terrain substituted  [`boards.resolve.resolve`]
position          a resolved board, its static answer sets, its lines  [`positions.position.Position`]
program           the static program of boards, the query program of questions  [`knowledge.program.Program`]
answer set        an answer set of clingo; static: of the board alone  [`knowledge.solver.AnswerSet`]
measured facts    what geometry says of a line  [`geometry.survey.LineFacts`]
query             a conjunction of literals  [`game.query.Query`]
question          a value with parameters that can be put to any position  [`queries.question.Question`]
answer            what came of a question, with its position and scope  [`queries.question.Answer`]
verdict           yes, no, unknown, and the kinds of no  [`positions.answer.Verdict`]
support           a rule and a body by which an atom holds  [`knowledge.support.SupportFinder`]
support rule      a rule in the form in which supports are found  [`knowledge.support_rules.SupportRule`]
defeat            a norm that lost, and the norm that won  [`explain.proof.Defeat`]
provenance        the citations and defeats that an answer rests on  [`explain.proof.Provenance`]
evidence          the atoms that an answer rests on, and their answer sets  [`explain.proof.Evidence`]
proof             the steps, citations and defeats of an answer, as plain data  [`explain.proof.Proof`]
justification     a proof as a tree for people  [`explain.justification.JustificationNode`]
blocked rule      a rule that would fire but for one exception  [`knowledge.support_rules.BlockedRule`]
relevant rules    the cone of influence of a question  [`knowledge.dependencies.relevant_rules`]
sensitivity       on which lines, norms and rulings an answer depends  [`whatif.sensitivity.sensitivity`]
repair            the least change that gives another answer  [`whatif.sensitivity.find_repairs`]
minimal case      the least board with the same answer  [`whatif.minimal_case.minimal_case`]
expectation       an `expect` line of a board  [`game.board.Expect`]
generator         the program of all small boards  [`lab.generator.Generator`]
witness           a generated board that shows a goal  [`lab.witness.Witness`]
map names         how hexes are named on a map of several boards  [`game.map_layout.MapNames`]
house rules       rules of the user's own  [`game.house_rules.RuleText`]
"""

import os.path as _path
from collections.abc import Callable as _Callable
from collections.abc import Mapping as _Mapping
from importlib import import_module as _import

__version__ = "0.2.0"

# In a clone `kb` and `parser` lie beside this package, in an installed one they lie in it. Python
# run in a clone finds the clone's package first, whatever is installed.
if not _path.isdir(_path.join(__path__[0], "kb")):
    __path__.append(_path.dirname(__path__[0]))


def attributes_on_demand(homes: _Mapping[str, str]) -> _Callable[[str], object]:
    """The `__getattr__` of a module with attributes that are imported when they are wanted.

    `homes` has for each the module below this package, and after a colon its name there if it has
    another.
    """

    def attribute(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"there is no attribute {name!r}")
        module, _, there = homes[name].partition(":")
        return getattr(_import(f"{__name__}.{module}"), there or name)

    return attribute


class RulesAspError(Exception):
    """What every error of this package is that bad input raises: its text is the message for the user."""


#: Set to see where an unforeseen error comes from.
DEBUG = "RULES_ASP_DEBUG"


def message(error: Exception) -> str:
    """What to tell the user about an error."""
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}"
    if isinstance(error, (RulesAspError, OSError)):
        return str(error)
    if isinstance(error, RecursionError):
        return "the input is nested too deeply"
    kind = type(error).__name__
    return f"{kind}: {error}\nThis is a fault of rules-asp; {DEBUG}=1 shows where it comes from."


#: The modules that show objects in a notebook; the first that can shows one. They stand here by name:
#: every package imports this one, and what draws is imported only when something is shown.
_PAINTERS = "rules_asp.output.notebook", "rules_asp.lab.result_text"


def _show(thing: object, form: str) -> str | None:
    """What a notebook shows of an object."""
    shown = (_import(name).show(thing, form) for name in _PAINTERS)
    return next((each for each in shown if each is not None), None)


_import("rules_asp.game.display").set_display_hook(_show)
