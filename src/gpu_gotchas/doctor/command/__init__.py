"""A command line that starts vLLM or SGLang, and what it sets."""
