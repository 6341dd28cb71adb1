"""Settings of hypothesis: no deadlines, since a shared machine may be slow at any time."""

import os

from hypothesis import settings

settings.register_profile("calm", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "calm")
