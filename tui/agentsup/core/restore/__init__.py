"""The restore text: what an agent gets after a compaction, at the start of a session, or at a cold restart.

Pure: equal memory gives equal bytes. `parts` are the restore units, `cutting` fits them into a budget,
`composition` puts the text together. Its sentences come as a `Frame`; nothing here knows a language.
"""
