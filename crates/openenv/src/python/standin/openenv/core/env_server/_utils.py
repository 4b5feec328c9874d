"""Helpers that other packages import in spite of their underscore."""

from typing import Any


def overrides_method(method: Any, base_method: Any) -> bool:
    """Whether a bound method is another one than that of the base class."""
    return getattr(method, "__func__", method) is not base_method
