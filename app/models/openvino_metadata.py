"""The files that a published OpenVINO repository has beside its IR, made from a GGUF header.

GenAI converts a GGUF file to IR only; what it and everybody else read from ``config.json`` and the
tokenizer's files is taken from the header here.
"""

from pathlib import Path
from typing import Any, Final

import msgspec

from app.core.errors import DataFault
from app.core.files import write_atomic
from app.models.gguf import GgufModel, SpecialToken

# Hugging Face's names for the architectures that can be converted.
_ARCHITECTURES: Final = {
    "llama": ("llama", "LlamaForCausalLM"),
    "qwen2": ("qwen2", "Qwen2ForCausalLM"),
    "qwen3": ("qwen3", "Qwen3ForCausalLM"),
}


def write_openvino_metadata(model: GgufModel, folder: Path) -> tuple[str, ...]:
    """Writes ``config.json``, ``generation_config.json``, the tokenizer's files and the template.

    No ``max_length`` is written: it would cap every answer.

    Returns:
        The names of the files written.

    Raises:
        DataFault: ``conversion_unsupported``, the header names no end token, no template or an
            architecture without a name here.
        EnvironmentFault: the folder can't be written.
    """
    if model.architecture not in _ARCHITECTURES or model.tokenizer.eos_id is None:
        raise _unsupported("its architecture or its end token is unknown")
    if not model.chat_template:
        raise _unsupported("it has no chat template")
    tokens = model.tokens()
    specials = model.special_tokens()
    files = {
        "config.json": _config(model),
        "generation_config.json": _generation_config(model),
        "tokenizer_config.json": _tokenizer_config(model, tokens, specials),
        "special_tokens_map.json": _special_tokens(model, tokens),
    }
    for name, content in files.items():
        encoded = msgspec.json.format(msgspec.json.encode(content), indent=2)
        write_atomic(folder / name, encoded + b"\n")
    write_atomic(folder / "chat_template.jinja", model.chat_template.encode())
    return (*files, "chat_template.jinja")


def _unsupported(reason: str) -> DataFault:
    return DataFault(
        "conversion_unsupported",
        f"This GGUF file can't become an OpenVINO model: {reason}.",
        "Use the file with llama.cpp, or choose a model that comes in OpenVINO's format.",
    )


def _config(model: GgufModel) -> dict[str, Any]:
    model_type, architecture = _ARCHITECTURES[model.architecture]
    config: dict[str, Any] = {
        "architectures": [architecture],
        "model_type": model_type,
        "bos_token_id": model.tokenizer.bos_id,
        "eos_token_id": model.tokenizer.eos_id,
        "pad_token_id": _padding_id(model),
        "hidden_act": "silu",
        "hidden_size": model.embedding_length,
        "head_dim": model.head_dim,
        "intermediate_size": model.feed_forward_length,
        "max_position_embeddings": model.context_length,
        "num_attention_heads": model.head_count,
        "num_hidden_layers": model.block_count,
        "num_key_value_heads": model.kv_head_count,
        "rms_norm_eps": _shortest_float(model.norm_epsilon),
        "rope_theta": model.rope_freq_base,
        "tie_word_embeddings": not model.has_output_tensor,
        "torch_dtype": "float16",
        "use_cache": True,
        "vocab_size": model.tokenizer.token_count,
    }
    if model.sliding_window is not None:
        config["sliding_window"] = model.sliding_window
    return {key: value for key, value in config.items() if value is not None}


def _generation_config(model: GgufModel) -> dict[str, Any]:
    tokenizer = model.tokenizer
    ends = [i for i in dict.fromkeys((tokenizer.eos_id, tokenizer.eot_id)) if i is not None]
    config: dict[str, Any] = {
        "bos_token_id": tokenizer.bos_id,
        "eos_token_id": ends[0] if len(ends) == 1 else ends,
        "pad_token_id": _padding_id(model),
    }
    return {key: value for key, value in config.items() if value is not None}


def _padding_id(model: GgufModel) -> int | None:
    padding = model.tokenizer.padding_id
    return model.tokenizer.eos_id if padding is None else padding


def _special_tokens(model: GgufModel, tokens: tuple[str, ...]) -> dict[str, Any]:
    """Begin, end, padding and unknown by their text; the turn marks as additional ones."""
    tokenizer = model.tokenizer
    named = {
        "bos_token": tokenizer.bos_id,
        "eos_token": tokenizer.eos_id,
        "pad_token": _padding_id(model),
        "unk_token": tokenizer.unknown_id,
    }
    ends = (tokenizer.bos_id, tokenizer.eos_id, tokenizer.eot_id)
    additional = [tokens[i] for i in dict.fromkeys(ends) if i is not None]
    return {
        **{name: tokens[i] for name, i in named.items() if i is not None},
        "additional_special_tokens": additional,
    }


def _tokenizer_config(
    model: GgufModel, tokens: tuple[str, ...], specials: tuple[SpecialToken, ...]
) -> dict[str, Any]:
    added = {
        str(token.id): {
            "content": token.text,
            "lstrip": False,
            "normalized": False,
            "rstrip": False,
            "single_word": False,
            "special": token.is_control,
        }
        for token in specials
    }
    return {
        "add_bos_token": bool(model.tokenizer.adds_bos),
        "add_eos_token": bool(model.tokenizer.adds_eos),
        "add_prefix_space": bool(model.tokenizer.adds_space_prefix),
        "added_tokens_decoder": added,
        **_special_tokens(model, tokens),
        "chat_template": model.chat_template,
        "clean_up_tokenization_spaces": False,
        "model_max_length": model.context_length,
        "tokenizer_class": "PreTrainedTokenizerFast",
    }


def _shortest_float(value: float | None) -> float | None:
    """The shortest decimal that is the same 32-bit float: 1e-05 rather than 9.99999974e-06."""
    return None if value is None else float(f"{value:.7g}")
