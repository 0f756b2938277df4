"""What is known of each coding agent, one file each."""
