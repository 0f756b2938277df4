"""What is remembered on disk, as values: one model of each thing, and every file form of it.

`model` holds the files as they were read; the other modules turn a file's text into its model and back. Both
label languages are always read; what is written keeps the language that the file already uses.
"""
