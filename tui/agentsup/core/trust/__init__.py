"""What of a project's memory may run, may be law, and may be taken for the person's own.

A repository can bring anything: scripts, rules in capital letters, notes that read like orders. What a person has
approved is kept outside of it, by content; here is what follows from that, as plain values.
"""
