"""Repetitions too many for every run: scripts with full counts, and the committed table of their last run.

    python -m tests.soak.run            all of them, and write RESULTS.md
    python -m tests.soak.run NAME …     some of them

`.ci/run` runs the same functions at about a twentieth, with fixed seeds, from `test_reduced.py`.
"""
