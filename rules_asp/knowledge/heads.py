"""The heads by which norms speak, as kb/calculus.lp has them."""

from __future__ import annotations

from collections.abc import Mapping

from rules_asp.knowledge.source import DEED_HEADS, TOPIC_HEADS

#: Those by which a norm speaks of a topic or a deed.
ASSERTING_HEADS = frozenset(TOPIC_HEADS + DEED_HEADS) - {"could_be"}
#: The heads that norms may use, with their numbers of arguments.
NORM_HEADS: Mapping[str, int] = {
    "says": 3,
    "takes": 3,
    "offers": 3,
    "offers_value": 3,
    "could_be": 2,
    "adds": 4,
    "adds_value": 3,
    "silent": 3,
    "permits": 2,
    "forbids": 2,
    "requires": 3,
    "blocks": 3,
    "clears": 2,
    "hinders": 4,
    "lifts": 3,
    "overrides": 2,
    "amends": 2,
    "ruling": 3,
    "yields": 1,
    "violates": 3,
}
