"""An examination as programs read it: our own JSON, GitHub's annotations, SARIF."""
