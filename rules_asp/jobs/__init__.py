"""Bulk work as jobs: many pieces of work on one thing, in processes of this machine or on a cluster.

`run_jobs` does them all; each job's result comes once, whatever becomes of the process that had it. What a
job is about is up to whoever has it done. It may use `cache` and `bounds`.
"""

from rules_asp.jobs.doing import LOCAL, JobSettings, cpu_count, run_jobs
from rules_asp.jobs.lost import ClusterUnavailable, JobLost

__all__ = ["LOCAL", "ClusterUnavailable", "JobLost", "JobSettings", "cpu_count", "run_jobs"]
