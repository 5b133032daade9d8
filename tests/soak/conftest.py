"""The engine of the engine's tests, for the long runs."""

from tests.engine.conftest import engine

__all__ = ["engine"]
