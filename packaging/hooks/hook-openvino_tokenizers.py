"""The extension must lie in ``openvino_tokenizers/lib``, where the package looks for it."""

from PyInstaller.utils.hooks import collect_dynamic_libs

binaries = collect_dynamic_libs("openvino_tokenizers", search_patterns=["*.dll", "lib*.so*"])
