"""Questions on a position, each kind in a module; all kinds by name, each loaded on first use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rules_asp.queries.question import Question


#: The module of each kind, in the order of the help. The class name derives from the kind:
#: `LosQuestion`.
MODULES: Mapping[str, str] = {
    **{"los": "los", "range": "ask", "sees": "los_matrix"},
    **{"tem": "fire", "fire": "fire", "firers": "fire_table", "targets": "fire_table"},
    **{"moves": "movement", "reach": "reach", "rout": "rout"},
    **{"threats": "threats", "safest": "safest", "turn": "turn"},
    **{"can": "legality", "sequence": "sequence", "roll": "rolls", "ask": "claims", "why": "why"},
}


class _Kinds(Mapping[str, "type[Question[Any]]"]):
    """The class of each kind of question."""

    def __getitem__(self, kind: str) -> type[Question[Any]]:
        module = import_module(f"{__package__}.{MODULES[kind]}")
        found: type[Question[Any]] = getattr(module, f"{kind.capitalize()}Question")
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)


#: The kinds of questions by name.
QUESTIONS: Mapping[str, type[Question[Any]]] = _Kinds()
