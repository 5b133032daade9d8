"""One window for each data folder: a second start raises the first one and ends, or ends it."""

import contextlib
import hashlib
import sys
import time
from pathlib import Path
from typing import Final

import psutil
from PySide6.QtCore import QCoreApplication, QLockFile, QObject, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

_WAIT_MS: Final = 500
_ATTEMPTS: Final = 6  # the first instance may hold the lock and not listen yet
_QUIT: Final = b"quit"
_GONE_WITHIN_S: Final = 10.0
_POLL_S: Final = 0.05


class SingleInstance(QObject):
    """Holds a lock file beside the data and listens for later starts.

    A data folder that can't be written has no lock; then only the listening counts.
    """

    raise_asked = Signal()
    quit_asked = Signal()

    def __init__(self, data_root: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = socket_name(data_root)
        self._folder = data_root
        self._lock = _lock_of(data_root)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)

    def acquire(self) -> bool:
        """Whether this is the first instance; if not, the first one has been told to show."""
        # At the very first start there is no folder yet, and so no place for the lock.
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
        for _ in range(_ATTEMPTS):
            locked = self._lock.tryLock(0)
            if not locked and self._tell_first():
                return False
            if locked or self._lock.error() is not QLockFile.LockError.LockFailedError:
                break
        # What a killed instance left behind would make listening fail.
        QLocalServer.removeServer(self._name)
        self._server.listen(self._name)
        return True

    def close(self) -> None:
        self._server.close()
        self._lock.unlock()

    def _tell_first(self) -> bool:
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        connected = socket.waitForConnected(_WAIT_MS)
        if connected:
            _allow_foreground()
            socket.disconnectFromServer()
        return connected

    @Slot()
    def _on_connection(self) -> None:
        while (connection := self._server.nextPendingConnection()) is not None:
            connection.readyRead.connect(self._on_said)
            connection.disconnected.connect(self._on_left)
            if connection.state() is QLocalSocket.LocalSocketState.UnconnectedState:
                self._hear(connection)

    @Slot()
    def _on_said(self) -> None:
        connection = self.sender()
        assert isinstance(connection, QLocalSocket)
        # Hanging up says that it was heard; what it was is looked at then.
        connection.disconnectFromServer()

    @Slot()
    def _on_left(self) -> None:
        connection = self.sender()
        assert isinstance(connection, QLocalSocket)
        self._hear(connection)

    def _hear(self, connection: QLocalSocket) -> None:
        """A later start that says nothing wants to see the window."""
        said = connection.readAll().data()
        connection.deleteLater()
        if said == _QUIT:
            self.quit_asked.emit()
        else:
            self.raise_asked.emit()


def end_first(data_root: Path) -> bool:
    """Asks the window that runs on ``data_root`` to quit and waits for the end of its process.

    Returns:
        Whether none runs any more, after ten seconds at most.
    """
    lock = _lock_of(data_root)
    if not data_root.is_dir() or lock.tryLock(0):
        lock.unlock()
        return True
    owner, _, _ = lock.getLockInfo()
    application = QCoreApplication.instance() or QCoreApplication([])
    socket = QLocalSocket()
    socket.connectToServer(socket_name(data_root))
    if not socket.waitForConnected(_WAIT_MS):
        return False
    socket.write(_QUIT)
    socket.waitForBytesWritten(_WAIT_MS)
    socket.waitForDisconnected(_WAIT_MS)
    del application
    ends = time.monotonic() + _GONE_WITHIN_S
    while not (over := _is_over(owner)) and time.monotonic() < ends:
        time.sleep(_POLL_S)
    return over


def _is_over(process: int) -> bool:
    """Whether a process has ended, also one that its parent hasn't asked about yet."""
    try:
        return psutil.Process(process).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _lock_of(data_root: Path) -> QLockFile:
    lock = QLockFile(str(data_root / "window.lock"))
    # Only a dead owner makes a lock stale, not its age.
    lock.setStaleLockTime(0)
    return lock


def socket_name(data_root: Path) -> str:
    """A name that the users and data folders of one machine don't share."""
    digest = hashlib.sha256(str(data_root.absolute()).encode("utf-8", "surrogatepass"))
    return f"contenox-{digest.hexdigest()[:24]}"


def _allow_foreground() -> None:
    """Lets the first instance come to the front: Windows allows it to the newest program only."""
    if sys.platform == "win32":
        import ctypes

        ctypes.windll.user32.AllowSetForegroundWindow(-1)
