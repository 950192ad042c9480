"""Records and results to Markdown and JSON, by plain functions. mkdocs only turns the Markdown into HTML."""
