"""A knowledge base of GPU inference failures in which every claim that can be executed is executed."""

__version__ = "0.1.0"
