"""The libraries that build_llama.py made, in the folder that the engine names to the loader.

The default patterns of PyInstaller miss ``libggml.so.0``, and it takes the code for each processor
for data, since nothing links to it.
"""

from PyInstaller.utils.hooks import collect_dynamic_libs

binaries = collect_dynamic_libs("llama_cpp", search_patterns=["*.dll", "lib*.so*"])
