"""`python -m agentsup.keeper`: read a session's spec from stdin, become its keeper."""

from agentsup.keeper.daemon import main

main()
