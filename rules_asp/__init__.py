"""The building rules of Advanced Squad Leader as a knowledge base that people can ask.

Programs use `rules_asp.api`, which imports the modules of a question when the question is asked.
`docs/explanation/architecture.md` shows the packages and the steps of one question. The page
`docs/explanation/unknowns.md` lists the general rules that stay unknown.

Glossary
--------
Terms of Answer Set Programming and of the game have their usual meaning. These terms are our own:

norm              one numbered statement: an id, a summary, its rules  [`knowledge.rules.Norm`]
rule              one rule of kb/, with its file and line  [`knowledge.rules.Rule`]
knowledge base    all rules and norms that were read from kb/  [`knowledge.rules.KnowledgeBase`]
topic             a term that has one value, such as `height(H)`  [`knowledge.rules.Signature`]
head              the predicate with which a norm states its result  [`says`]
deed              an action, legal or not: a step, a shot, a placement  [`game.query.DeedQuery`]
form              a declared term with parts: a deed, shot, roll or event  [`game.vocabulary.Form`]
sentence          the English sentence for a form  [`game.vocabulary.Sentence`]
board             the statements of a board file  [`game.board.Board`]
resolved board    a board with its corrections merged, terrain substituted  [`boards.resolve.resolve`]
position          a resolved board, its static answer sets, its lines  [`positions.position.Position`]
program           the static program of boards, the query program of questions  [`knowledge.program.Program`]
answer set        an answer set of clingo; static: of the board alone  [`knowledge.solver.AnswerSet`]
measured facts    the facts that geometry computes for a line  [`geometry.survey.LineFacts`]
query             a conjunction of literals  [`game.query.Query`]
question          a value with parameters that can be put to any position  [`queries.question.Question`]
answer            the result of a question, with its position and scope  [`queries.question.Answer`]
verdict           yes, no, unknown, and the kinds of no  [`positions.scope.Verdict`]
support           a rule instance that holds and derives an atom  [`knowledge.support.SupportFinder`]
support rule      a rule in the form in which supports are found  [`knowledge.support_rules.SupportRule`]
defeat            a norm that lost, and the norm that won  [`explain.proof.Defeat`]
provenance        the citations and defeats that an answer is based on  [`explain.proof.Provenance`]
evidence          the atoms that an answer is based on, and their answer sets  [`explain.proof.Evidence`]
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
map names         the names of hexes on a map of several boards  [`game.map_layout.MapNames`]
house rules       rules of the user's own  [`game.house_rules.RuleText`]
"""

import os.path as _path
from collections.abc import Callable as _Callable
from collections.abc import Mapping as _Mapping
from importlib import import_module as _import

__version__ = "0.2.0"

# In a clone, `kb` and `parser` are next to this package; in an installed package, they are inside it.
# Python that runs in a clone finds the package of the clone before an installed one.
if not _path.isdir(_path.join(__path__[0], "kb")):
    __path__.append(_path.dirname(__path__[0]))


def attributes_on_demand(homes: _Mapping[str, str]) -> _Callable[[str], object]:
    """Return the `__getattr__` of a module whose attributes are imported at their first use.

    `homes` gives for each attribute its module below this package, and after a colon its name in that
    module, if the name differs.
    """

    def attribute(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"there is no attribute {name!r}")
        module, _, there = homes[name].partition(":")
        return getattr(_import(f"{__name__}.{module}"), there or name)

    return attribute


class RulesAspError(Exception):
    """The base of all errors that bad input raises; the text is the message for the user."""


#: Set to see where an unforeseen error comes from.
DEBUG = "RULES_ASP_DEBUG"


def message(error: Exception) -> str:
    """Return the message for the user about an error."""
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}"
    if isinstance(error, (RulesAspError, OSError)):
        return str(error)
    if isinstance(error, RecursionError):
        return "the input is nested too deeply"
    kind = type(error).__name__
    return f"{kind}: {error}\nThis is a fault of rules-asp; {DEBUG}=1 shows where it comes from."


#: The modules that show objects in a notebook, in order of preference. They are given by name, so that a
#: process imports the drawing code only when a notebook shows an object.
_PAINTERS = "rules_asp.output.notebook", "rules_asp.lab.result_text"


def _show(thing: object, form: str) -> str | None:
    """Return the text or picture of an object for a notebook; None if there is none."""
    shown = (_import(name).show(thing, form) for name in _PAINTERS)
    return next((each for each in shown if each is not None), None)


_import("rules_asp.game.display").set_display_hook(_show)
