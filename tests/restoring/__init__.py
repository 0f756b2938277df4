"""The restore text as it is made of the files of a project."""
