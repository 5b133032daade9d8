"""GenAI's own library lies beside its binding; the binding looks for the tokenizers at run time."""

from PyInstaller.utils.hooks import collect_dynamic_libs

binaries = collect_dynamic_libs("openvino_genai", search_patterns=["*.dll", "lib*.so*"])
# Imported by native code: no import statement names it.
hiddenimports = ["openvino_tokenizers"]
