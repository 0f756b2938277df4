"""The interface: the only place that knows Textual. A client of the host that draws what the host says."""
