"""Writes folders that look like an OpenVINO text model, with a few bytes of weights."""

import json
from pathlib import Path

_IR = """<?xml version="1.0"?>
<net name="{name}" version="11">
	<layers>
		<layer id="0" name="input" type="Parameter" version="opset1">
			<data shape="?,?" element_type="i64" />
		</layer>
		<layer id="1" name="weights" type="Const" version="opset1">
			<data element_type="f32" shape="4" offset="16" size="{size}" />
		</layer>
		<layer id="2" name="attention" type="{attention}" version="opset13" />
	</layers>
	<rt_info>
		<info name="OpenVINO Runtime" value="2026.4.1" />
		{rt_info}
	</rt_info>
</net>
"""


def write_ir(
    folder: Path,
    stem: str,
    *,
    size: int = 16,
    attention: str = "ScaledDotProductAttention",
    rt_info: str = "",
) -> None:
    """Writes one XML whose constant ends at 16 + ``size``, and weights that are large enough."""
    text = _IR.format(name=stem, size=size, attention=attention, rt_info=rt_info)
    (folder / f"{stem}.xml").write_text(text, "utf-8")
    (folder / f"{stem}.bin").write_bytes(bytes(16 + size))


def write_openvino_folder(folder: Path) -> Path:
    """Writes a whole folder and returns it."""
    folder.mkdir(parents=True)
    for stem in ("openvino_model", "openvino_tokenizer", "openvino_detokenizer"):
        write_ir(folder, stem)
    write_json(folder / "config.json", max_position_embeddings=8192, eos_token_id=7)
    write_json(folder / "generation_config.json", eos_token_id=[2, 3])
    write_json(folder / "tokenizer_config.json", chat_template="{{ messages }}")
    return folder


def write_json(path: Path, **content: object) -> None:
    """Writes a JSON object."""
    path.write_text(json.dumps(content), "utf-8")
