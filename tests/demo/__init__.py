"""The demo agent: its editing, its scripts, its terminal, and the tour."""
