"""Processes, limits, the disk cache, and jobs, independent of the game.

`limits` and `worker` run a call within limits, in a process that can be stopped: clingo cannot be
interrupted during grounding. `cache` stores expensive results that depend only on
their sources. `job_pool` distributes jobs.
"""
