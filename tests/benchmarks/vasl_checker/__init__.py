"""Compares our verdicts on real boards with those of VASL's checker; see `__main__.py`."""
