"""Measures agentsup against tmux, side by side in one run. A script, not tests: `python -m tests.bench.run`."""
