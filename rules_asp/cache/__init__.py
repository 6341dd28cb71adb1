"""Keeping what is costly to make and depends on nothing but its source: on the user's disk, between runs.

The knowledge base as it was read, the grammars' tables, a board as it was read, its drawings cut into
pieces and what follows from it alone are the same at every start. They are kept in the user's own cache
folder (XDG_CACHE_HOME/rules-asp, or what RULES_ASP_CACHE names; `off` keeps nothing) under the hash of
what they were made from. A file that is missing, damaged, old, foreign or not to be written only costs
the time to make the thing again. It may use `bounds` alone.
"""

from rules_asp.cache.packing import FormatError, dumps, gc_paused, loads
from rules_asp.cache.shelf import (
    add_checksum,
    cache_dir,
    digest,
    entry_path,
    load_entry,
    memoize_on_disk,
    source_fingerprint,
    store_entry,
    verify_checksum,
)

__all__ = [
    "FormatError",
    "add_checksum",
    "cache_dir",
    "digest",
    "dumps",
    "entry_path",
    "gc_paused",
    "load_entry",
    "loads",
    "memoize_on_disk",
    "source_fingerprint",
    "store_entry",
    "verify_checksum",
]
