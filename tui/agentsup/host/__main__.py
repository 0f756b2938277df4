"""`python -m agentsup.host FD`: the host of one session, started by its keeper."""

from agentsup.host.main import main

main()
