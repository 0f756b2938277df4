"""The messages between host and clients, and between keeper and host."""
