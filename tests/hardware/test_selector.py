import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.core.errors import UserError
from app.hardware.selector import AUTOMATIC, Selector

_GOOD = re.compile(r"CPU|GPU|GPU\.[0-9]{1,2}")

pytestmark = pytest.mark.ov


def _code(text: str) -> str:
    with pytest.raises(UserError) as caught:
        Selector.parse(text)
    assert caught.value.remedy
    return caught.value.code


@pytest.mark.parametrize(
    ("text", "device"),
    [
        ("CPU", "CPU"),
        (" cpu ", "CPU"),
        ("gpu", "GPU"),
        ("Gpu.0", "GPU.0"),
        ("gpu.12", "GPU.12"),
        ("automatic", None),
        ("AUTOMATIC", None),
    ],
)
def test_ov5_a_device_is_read_in_any_case_and_comes_out_canonical(
    text: str, device: str | None
) -> None:
    assert Selector.parse(text).device == device
    assert str(Selector.parse(text)) == (device or AUTOMATIC)


@pytest.mark.parametrize(
    "text",
    ["NPU", "npu", "npu.0", "NPU.3720", "AUTO:NPU", "AUTO:-NPU", "HETERO:NPU,CPU", "BATCH:NPU",
     "MULTI:GPU,NPU", "npu,cpu", "BATCH:NPU(4)", "NPU0"],
)  # fmt: skip
def test_ov5_the_npu_is_refused_with_the_reason_in_every_spelling(text: str) -> None:
    with pytest.raises(UserError) as caught:
        Selector.parse(text, said_by="CONTENOX_OPENVINO_DEVICE")
    assert caught.value.code == "npu_not_supported"
    assert "paged attention" in caught.value.message
    assert caught.value.message.startswith("CONTENOX_OPENVINO_DEVICE ")


@pytest.mark.parametrize(
    "text",
    ["AUTO", "auto", "AUTO:CPU", "AUTO:GPU,CPU", "HETERO:GPU,CPU", "MULTI:CPU", "MULTI",
     "BATCH:GPU", "GPU,CPU", "GPU:CPU", "hetero:gpu.0,gpu.1"],
)  # fmt: skip
def test_ov5_a_composite_is_refused(text: str) -> None:
    assert _code(text) == "composite_device"


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("XPU", "GPU"),
        ("gppu", "GPU"),
        ("CPU.0", "CPU"),
        ("GPU.", "GPU"),
        ("GPU.01", "GPU.1"),
        ("GPU1", "GPU.1"),
        ("GPU.-1", "GPU.1"),
        ("automatc", "automatic"),
        ("", "automatic"),
        ("INPUT", "automatic"),
        ("\uff2e\uff30\uff35", "automatic"),
    ],
)
def test_ov5_an_unknown_name_is_refused_with_the_nearest_valid_one(text: str, nearest: str) -> None:
    with pytest.raises(UserError) as caught:
        Selector.parse(text)
    assert caught.value.code == "unknown_device"
    assert f"Did you mean {nearest}?" in caught.value.remedy


_WORDS = st.sampled_from(
    ["NPU", "npu", "CPU", "GPU", "gpu.0", "AUTO", "HETERO", "MULTI", "BATCH", "3720", "0", "x", ""]
)
_JOINTS = st.sampled_from([":", ",", ".", " ", "-", ":-", "(", ")", "_", "", "\t", "\n", "+"])
_SELECTORS = st.lists(st.tuples(_WORDS, _JOINTS), min_size=1, max_size=6).map(
    lambda pairs: "".join(word + joint for word, joint in pairs)
)


@given(st.one_of(st.text(max_size=40), _SELECTORS))
@example("NPU")
@example("AUTO:NPU")
def test_ov5_no_text_becomes_anything_but_one_plain_device_or_automatic(text: str) -> None:
    result = _parse_or_refuse(text)
    if isinstance(result, UserError):
        assert result.code in {"npu_not_supported", "composite_device", "unknown_device"}
        assert result.remedy
    else:
        assert result.device is None or _GOOD.fullmatch(result.device)
        assert str(result).casefold() == text.strip().casefold()


def _parse_or_refuse(text: str) -> Selector | UserError:
    try:
        return Selector.parse(text)
    except UserError as error:
        return error


@given(before=_SELECTORS, after=_SELECTORS, npu=st.sampled_from(["NPU", "npu", "Npu"]))
def test_ov5_whatever_holds_the_word_npu_is_refused_for_the_npu(
    before: str, after: str, npu: str
) -> None:
    assert _code(f"{before}:{npu}.{after}") == "npu_not_supported"


@given(
    plugin=st.sampled_from(["AUTO", "auto", "MULTI", "HETERO", "BATCH", "Hetero"]),
    rest=st.sampled_from(["", ":CPU", ":GPU", ":GPU.1,CPU", ":-GPU", ":CPU(4)", ":", ":x"]),
)
def test_ov5_no_composite_becomes_a_device(plugin: str, rest: str) -> None:
    assert _code(plugin + rest) == "composite_device"


def test_a_long_text_is_shortened_in_the_error() -> None:
    with pytest.raises(UserError) as caught:
        Selector.parse("x" * 10_000)
    assert len(caught.value.message) < 200
