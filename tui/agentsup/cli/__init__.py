"""Arguments to one command each; every command is one file, imported only when it runs."""
