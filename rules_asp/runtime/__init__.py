"""Processes, limits, the cache on disk, and jobs: nothing here knows the game.

`limits` and `worker` run a call within limits, in a process that can be ended: clingo cannot be
interrupted while it grounds. `cache` and `serialize` store between runs what is costly to make and depends
on nothing but its source. `job_queue`, `job_pool` and `dask_jobs` spread many pieces of work.
"""
