"""Put a restore text together: memory from disk, sentences of a language, tokens counted.

The host asks another process for it (`python -m agentsup.restoring`): reading fifty megabytes of somebody's notes,
asking git and loading a tokenizer must not hold up a single frame of the agent's screen.
"""
