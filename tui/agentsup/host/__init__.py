"""The host: holds the terminal, follows the agent's log, supervises, serves the clients. No Textual."""
