"""The keeper: the smallest process. Opens the pty, starts agent and host, reaps, ends the tree."""
