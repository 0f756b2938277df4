"""Fidelity: what a program looks like in agentsup inside tmux, against the same program bare in tmux.

Everything both panes show is read by one reader (`cells.py`). Every difference is a rule in
`tests/data/compare/differences.json`, with its reason; one that is not listed fails, and so does a listed
one that no longer occurs.
"""
