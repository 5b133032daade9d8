"""Starts a child process before Qt is prepared: the engine and the device probe have no use for it.

Runs after PyInstaller taught multiprocessing about frozen programs and before its preparation of
Qt, which would load Qt into every child. In the window and on the console it does nothing.
"""

import multiprocessing
from multiprocessing import spawn

# Outside Windows a child would look for its parent's main script, which lies in an archive. What
# our children run is named by its module.
setattr(spawn, "_fixup_main_from_path", lambda _path: None)  # noqa: B010 - it is private

multiprocessing.freeze_support()
