"""Rewrites an OpenVINO model so that it computes the same without attention operations.

Some published models (Gemma 4 is one) are exported like that; they can't be paged.
"""

import shutil
from pathlib import Path
from typing import Any


def without_sdpa(source: Path, target: Path) -> Path:
    """Copies the model folder ``source`` to ``target``, each attention operation spelled out.

    softmax(Q K^T * scale + mask) V: "Attention Is All You Need", Vaswani et al., 2017.
    """
    import openvino as ov
    from openvino import opset13 as ops

    shutil.copytree(source, target, ignore=shutil.ignore_patterns("openvino_model.*"))
    model = ov.Core().read_model(source / "openvino_model.xml")
    for node in model.get_ordered_ops():
        if node.get_type_name() != "ScaledDotProductAttention":
            continue
        query, mask = node.input_value(0), node.input_value(3)
        shape = query.get_partial_shape()
        heads, width = shape[1].get_length(), shape[3].get_length()
        key, value = (_repeated(node.input_value(index), heads) for index in (1, 2))
        scale = ops.constant(width**-0.5, dtype=query.get_element_type())
        scores = ops.multiply(ops.matmul(query, key, False, True), scale)
        weights = ops.softmax(ops.add(scores, mask), -1)
        node.output(0).replace(ops.matmul(weights, value, False, False).output(0))
    ov.save_model(model, target / "openvino_model.xml", compress_to_fp16=False)
    return target


def _repeated(heads_out: Any, heads: int) -> Any:
    """Repeats grouped K or V heads for the query heads that share them.

    The source's own way (Reshape of Broadcast of Unsqueeze) has a shape with a zero that only the
    fusion with the attention operation makes sense of; so it is built anew from what is before it.
    """
    from openvino import opset13 as ops

    grouped = heads_out.get_node()
    while grouped.get_type_name() in ("Reshape", "Broadcast", "Unsqueeze"):
        grouped = grouped.input_value(0).get_node()
    shape = grouped.output(0).get_partial_shape()
    groups, width = shape[1].get_length(), shape[3].get_length()
    apart = ops.unsqueeze(grouped, ops.constant(2))
    tiled = ops.tile(apart, ops.constant([1, 1, heads // groups, 1, 1]))
    return ops.reshape(tiled, ops.constant([0, heads, -1, width]), special_zero=True)
