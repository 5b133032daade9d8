"""The language of the window: the system's where there is a translation, else English."""

from pathlib import Path
from typing import Final

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, Qt, QTranslator
from PySide6.QtWidgets import QApplication

_NAME: Final = "contenox"
_QT_NAME: Final = "qtbase"
_TRANSLATIONS: Final = QLibraryInfo.LibraryPath.TranslationsPath


def speak(app: QApplication, translations: Path, language: str | None = None) -> QLocale:
    """Installs the translation and the ways to write numbers; returns the locale.

    Args:
        app: gets the translator and the direction of reading.
        translations: the folder of the ``.qm`` files.
        language: such as ``de``; absent means the system's.
    """
    locale = QLocale(language) if language else QLocale.system()
    if locale.language() is QLocale.Language.C:
        # "C" writes 3900 for 3,900 and is nobody's language.
        locale = QLocale(QLocale.Language.English, QLocale.Country.UnitedStates)
    QLocale.setDefault(locale)
    translator = QTranslator(app)
    if translator.load(locale, _NAME, "_", str(translations)):
        QCoreApplication.installTranslator(translator)
        # The menus of text fields, dialogs of files and buttons such as Cancel have Qt's own words.
        qt = QTranslator(app)
        if qt.load(locale, _QT_NAME, "_", QLibraryInfo.path(_TRANSLATIONS)):
            QCoreApplication.installTranslator(qt)
    app.setLayoutDirection(
        Qt.LayoutDirection.RightToLeft
        if locale.textDirection() is Qt.LayoutDirection.RightToLeft and not translator.isEmpty()
        else Qt.LayoutDirection.LeftToRight
    )
    return locale
