"""Hardens the search for libraries, and starts a child process before Qt is prepared.

The engine and the device probe have no use for Qt.
Runs after PyInstaller taught multiprocessing about frozen programs and before its preparation of
Qt, which would load Qt into every child. In the window and on the console it does nothing.
"""

import multiprocessing
from multiprocessing import spawn

from app.core.windows import load_libraries_from_own_folders_only

load_libraries_from_own_folders_only()

# Outside Windows a child would look for its parent's main script, which lies in an archive. What
# our children run is named by its module.
setattr(spawn, "_fixup_main_from_path", lambda _path: None)  # noqa: B010 - it is private

multiprocessing.freeze_support()
