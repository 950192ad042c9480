"""Files for programs."""
