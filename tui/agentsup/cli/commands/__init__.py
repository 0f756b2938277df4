"""The commands, one file each: a declaration of arguments, then one function that runs it."""
