"""What a person does with files of their own: brings a model in, moves all of them elsewhere."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog

from app.core.errors import ErrorRecord
from app.desktop.models.long_job import LongJob
from app.desktop.models.ports import ModelsServices
from app.desktop.models.stock import ModelStock
from app.desktop.models.window import ModelsWindow


class Errands(QObject):
    """Lives as long as the window, whose file dialogs it opens. Nothing of it blocks."""

    imported = Signal()
    moved = Signal(str)  # where the models are now
    failed = Signal(object)  # ErrorRecord

    def __init__(self, services: ModelsServices, stock: ModelStock, window: ModelsWindow) -> None:
        super().__init__(window)
        self._services = services
        self._stock = stock
        self._window = window
        self._job: LongJob | None = None
        window.import_folder_asked.connect(self._on_import_folder)
        window.import_file_asked.connect(self._on_import_file)
        window.move_asked.connect(self._on_move)

    @Slot()
    def _on_import_folder(self) -> None:
        self._choose(self.tr("Choose the folder of a model"), QFileDialog.FileMode.Directory)

    @Slot()
    def _on_import_file(self) -> None:
        self._choose(self.tr("Choose a GGUF file"), QFileDialog.FileMode.ExistingFile)

    def _choose(self, title: str, mode: QFileDialog.FileMode) -> None:
        dialog = QFileDialog(self._window, title)
        dialog.setFileMode(mode)
        if mode is QFileDialog.FileMode.ExistingFile:
            dialog.setNameFilter("GGUF (*.gguf)")
        dialog.fileSelected.connect(self.import_from)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @Slot(str)
    def import_from(self, path: str) -> None:
        """Takes a model of the person's in; a refusal says why."""
        bring = self._services.import_model
        if bring is None:
            return
        job = self._begin(self.tr("Importing {name}").format(name=Path(path).name))

        def done(key: object) -> None:
            self._end_job()
            if isinstance(key, tuple):
                self._stock.came(key)
                self.imported.emit()

        self._stock.files.run(
            lambda stop: bring(Path(path), job.report, stop), done, self._on_failed
        )

    @Slot()
    def _on_move(self) -> None:
        dialog = QFileDialog(self._window, self.tr("Choose the new folder of the models"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self.move_to)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @Slot(str)
    def move_to(self, folder: str) -> None:
        """Moves all models; downloads rest meanwhile, and go on in the new place."""
        move = self._services.move_store
        if move is None:
            return
        job = self._begin(self.tr("Moving the models to {folder}").format(folder=folder))

        def done(_: object) -> None:
            self._end_job()
            self._stock.queue.wake()
            self._stock.refresh()
            self.moved.emit(folder)

        def failed(error: ErrorRecord) -> None:
            self._stock.queue.wake()
            self._on_failed(error)

        self._stock.queue.rest(
            lambda: self._stock.files.run(
                lambda stop: move(Path(folder), job.report, stop), done, failed
            )
        )

    def _begin(self, title: str) -> LongJob:
        self._end_job()
        self._job = LongJob(title, self._window)
        self._job.stop_asked.connect(self._stock.files.stop)
        self._window.show_job(self._job)
        return self._job

    def _end_job(self) -> None:
        if self._job is not None:
            self._job.end()
            self._job = None

    def _on_failed(self, error: ErrorRecord) -> None:
        self._end_job()
        self.failed.emit(error)
