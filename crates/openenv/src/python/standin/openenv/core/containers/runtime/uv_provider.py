"""What starts servers with uv."""

from .providers import RuntimeProvider


class UVProvider(RuntimeProvider):
    """`uv run`."""
