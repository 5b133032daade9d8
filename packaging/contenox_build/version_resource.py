"""The version that Windows shows in a file's properties."""

from typing import Final

COMPANY: Final = "Contenox"
PRODUCT: Final = "Contenox Desktop"

_TEMPLATE: Final = """\
VSVersionInfo(
  ffi=FixedFileInfo(
    filevers={numbers}, prodvers={numbers}, mask=0x3f, flags=0x0, OS=0x40004, fileType=0x1,
    subtype=0x0, date=(0, 0)
  ),
  kids=[
    StringFileInfo([
      StringTable('040904B0', [
        StringStruct('CompanyName', {company!r}),
        StringStruct('FileDescription', {product!r}),
        StringStruct('FileVersion', {version!r}),
        StringStruct('InternalName', 'contenox'),
        StringStruct('LegalCopyright', 'Apache-2.0'),
        StringStruct('ProductName', {product!r}),
        StringStruct('ProductVersion', {version!r}),
      ])
    ]),
    VarFileInfo([VarStruct('Translation', [0x0409, 1200])]),
  ]
)
"""


def render(version: str) -> str:
    """The resource in the form that PyInstaller reads; ``version`` is like ``1.2.3``."""
    parts = [int(part) for part in version.split(".") if part.isdigit()]
    numbers = tuple([*parts, 0, 0, 0, 0][:4])
    return _TEMPLATE.format(numbers=numbers, version=version, company=COMPANY, product=PRODUCT)
