"""Bulk work as jobs: many pieces of work on one thing, in processes of this machine or on a cluster.

`done` does them all; each job's result comes once, whatever becomes of the process that had it. What a
job is about is up to whoever has it done. It may use `cache` and `bounds`.
"""

from rules_asp.jobs.doing import HERE, Jobs, cores, done
from rules_asp.jobs.lost import JobLost, NoCluster

__all__ = ["HERE", "JobLost", "Jobs", "NoCluster", "cores", "done"]
