"""The demo agent: a program of its own that behaves like a coding agent, with no account and no network."""
