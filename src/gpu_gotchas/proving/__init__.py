"""Proving records under pytest: the one place where repros, records and search meet."""
