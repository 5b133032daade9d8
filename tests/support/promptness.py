"""How long a test lets pass for what should happen at once.

Figures belong into the benchmarks. In a test "at once" only has to be told apart from the wait that
is being left (ten seconds and more), on a machine that does other things as well.
"""

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

AT_ONCE_S: Final = 3.0


@contextmanager
def at_most(processor_s: float) -> Iterator[None]:
    """Fails if what is inside takes more of the processor.

    Only what this thread computes counts, and no collection of what other tests left behind.
    """
    collects = gc.isenabled()
    gc.disable()
    began = time.thread_time()
    try:
        yield
        spent_s = time.thread_time() - began
    finally:
        if collects:
            gc.enable()
    assert spent_s < processor_s
