"""How long a test lets pass for what should happen at once.

Figures belong into the benchmarks. In a test "at once" only has to be told apart from the wait that
is being left (ten seconds and more), on a machine that does other things as well.
"""

from typing import Final

AT_ONCE_S: Final = 3.0
