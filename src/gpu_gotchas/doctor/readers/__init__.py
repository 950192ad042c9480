"""Files that people paste, each read by a module of its own; `reading` finds which."""
