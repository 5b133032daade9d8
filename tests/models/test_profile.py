"""Profiles: what is wrong must fail, with the place and the nearest valid name."""

import json
import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.errors import DataFault
from app.core.paths import profiles_dir
from app.models import profile_files
from app.models.library import InstalledModel
from app.models.profile import (
    LLAMA_PROFILE,
    OPENVINO_PROFILE,
    Claim,
    Evidence,
    GenAi,
    LlamaProfile,
    OpenVinoProfile,
    OpenVinoToolCalls,
    OpenVinoToolProtocol,
    Status,
    capabilities,
    profile_digest,
    schemas,
)
from app.models.profile_files import (
    decode_llama_profile,
    decode_openvino_profile,
    profile_of,
    read_profile,
)

_VERIFIED = Claim(status=Status.VERIFIED, source="A test.")


def _refusal(content: Any, *, llama: bool = False) -> str:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    decode = decode_llama_profile if llama else decode_openvino_profile
    with pytest.raises(DataFault) as caught:
        decode(data, "tiny/profile.json")
    assert caught.value.code == "profile_invalid"
    assert caught.value.message.startswith("tiny/profile.json")
    assert caught.value.remedy
    return caught.value.message


def test_an_empty_profile_has_the_documented_defaults() -> None:
    profile = decode_openvino_profile(b"{}")
    assert profile == OpenVinoProfile()
    genai = profile.genai
    assert (genai.kv_cache_precision, genai.cache_size, genai.use_sparse_attention) == (
        "u8",
        0,
        None,
    )
    allowed = capabilities(profile)
    assert (allowed.chat, allowed.prompt, allowed.stream) == (True, True, True)
    assert (allowed.embed, allowed.think, allowed.tools) == (False, False, False)
    assert decode_llama_profile(b"{}") == LlamaProfile()


@pytest.mark.parametrize(
    ("content", "path", "nearest"),
    [
        ({"contxt_length": 1}, "contxt_length", "context_length"),
        ({"genai": {"cache_siz": 1}}, "genai.cache_siz", "cache_size"),
        ({"genai": {"CacheSize": 1}}, "genai.CacheSize", "cache_size"),
        ({"evidence": {"chat": {"state": "x"}}}, "evidence.chat.state", "status"),
        ({"adapters": [{"path": "a"}, {"file": "b"}]}, "adapters[1].file", "path"),
        ({"evidence": {"tools": {"status": "verifed"}}}, "evidence.tools.status", "verified"),
        ({"genai": {"kv_cache_precision": "U8"}}, "genai.kv_cache_precision", "u8"),
        (
            {"reasoning": {"protocol": "openvino:reasoning_parse"}},
            "reasoning.protocol",
            "openvino:reasoning_parser",
        ),
        (
            {"reasoning": {"stream_protocol": "openvino:phi4_reasoning_parser"}},
            "reasoning.stream_protocol",
            "openvino:phi4_reasoning_incremental_parser",
        ),
        (
            {"tool_calls": {"protocol": "openvino:json_schema"}},
            "tool_calls.protocol",
            "openvino:json_schema_tool_calls",
        ),
    ],
)
def test_an_unknown_name_fails_with_the_nearest_one(content: Any, path: str, nearest: str) -> None:
    message = _refusal(content)
    assert f" at {path}: " in message
    assert repr(nearest) in message or nearest in message.split("known are ")[-1]


@pytest.mark.parametrize(
    ("content", "path"),
    [
        ({"context_length": "8192"}, "context_length"),
        ({"context_length": 1.5}, "context_length"),
        ({"context_length": True}, "context_length"),
        ({"context_length": -1}, "context_length"),
        ({"max_output_tokens": -1}, "max_output_tokens"),
        ({"context_length": None}, "context_length"),
        ({"can_chat": 1}, "can_chat"),
        ({"genai": []}, "genai"),
        ({"genai": {"cache_size": -1}}, "genai.cache_size"),
        ({"genai": {"num_kv_blocks": -1}}, "genai.num_kv_blocks"),
        ({"genai": {"xattention_threshold": -0.1}}, "genai.xattention_threshold"),
        ({"genai": {"xattention_threshold": 1.5}}, "genai.xattention_threshold"),
        ({"genai": {"xattention_block_size": 33}}, "genai.xattention_block_size"),
        ({"genai": {"xattention_stride": 7}}, "genai.xattention_stride"),
        ({"genai": {"xattention_stride": 48}}, "genai.xattention_stride"),
        ({"genai": {"cache_size": 1, "num_kv_blocks": 1}}, "genai.num_kv_blocks"),
        ({"adapters": [{"path": "../x"}]}, "adapters[0].path"),
        ({"adapters": [{"path": "a", "scale": -1}]}, "adapters[0].scale"),
        ({"adapters": {}}, "adapters"),
        ({"can_chat": False, "can_stream": True}, "can_chat"),
        ({"evidence": {"chat": {"status": "verified"}}}, "evidence.chat"),
        ({"tool_calls": {"protocol": 3}}, "tool_calls.protocol"),
    ],
)
def test_a_wrong_value_fails_with_its_place(content: Any, path: str) -> None:
    assert f" at {path}: " in _refusal(content)


@pytest.mark.parametrize(
    ("content", "path"),
    [
        ({"runtime": {"num_batch": -1}}, "runtime.num_batch"),
        ({"runtime": {"tensor_split": [1, -1]}}, "runtime.tensor_split"),
        ({"runtime": {"kv_cache_type": "q8"}}, "runtime.kv_cache_type"),
        ({"prompt": {"format": "alpaca"}}, "prompt.format"),
        ({"reasoning": {"protocol": "llama:common_chat_reasoning_parser"}}, "reasoning"),
        ({"reasoning": {"format": "deepseek"}}, "reasoning"),
        ({"tool_calls": {"protocol": "openvino:json_schema_tool_calls"}}, "tool_calls.protocol"),
        ({"device": "CPU"}, "device"),
    ],
)
def test_the_llama_profile_is_as_strict(content: Any, path: str) -> None:
    assert f" at {path}" in _refusal(content, llama=True)


@pytest.mark.parametrize("name", sorted(profile_files.REFUSALS))
def test_a_protocol_that_is_known_and_not_supported_is_refused_with_the_reason(name: str) -> None:
    message = _refusal({"tool_calls": {"protocol": name}}, llama=not name.startswith("openvino"))
    assert name in message
    assert profile_files.REFUSALS[name] in message


@pytest.mark.parametrize("name", ["openvino:regex", "openvino:qwen_xml_parameters", "vllm"])
def test_an_unknown_tool_protocol_is_refused(name: str) -> None:
    assert "not known" in _refusal({"tool_calls": {"protocol": name}})


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b"\xef\xbb\xbf{}",
        b'{"context_length": NaN}',
        b'{"genai": {}, "genai": {}}',
        b'{"genai": {"cache_size": 1, "cache_size": 2}}',
        b'{"context_length": 1' + b"0" * 30 + b"}",
        b'{"context_length": 1' + b"0" * 5000 + b"}",
        b'{"adapters": [{"path": "a", "scale": 1e999}]}',
        b"[" * 100_000,
        b" " * (2 << 20),
    ],
)
def test_what_is_no_object_or_says_a_thing_twice_is_refused(data: bytes) -> None:
    _refusal(data)


@given(
    content=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["genai", "adapters", "evidence", "chat", "path", "cache_size"])
                | st.text(string.ascii_lowercase, max_size=6),
                inner,
                max_size=4,
            )
        ),
        max_leaves=8,
    )
)
@settings(max_examples=200, derandomize=True, deadline=None)
def test_any_json_is_a_profile_or_a_data_fault(content: Any) -> None:
    data = json.dumps(content).encode()
    for decode in (decode_openvino_profile, decode_llama_profile):
        try:
            decode(data)
        except DataFault as fault:
            code = fault.code
        else:
            code = "profile_invalid"
        assert code == "profile_invalid"


def test_tools_are_offered_only_when_somebody_verified_them() -> None:
    calls = OpenVinoToolCalls(protocol=OpenVinoToolProtocol.JSON_SCHEMA)
    assert not capabilities(OpenVinoProfile(tool_calls=calls)).tools
    verified = Evidence(tools=_VERIFIED)
    assert not capabilities(OpenVinoProfile(evidence=verified)).tools
    assert capabilities(OpenVinoProfile(tool_calls=calls, evidence=verified)).tools


def test_prompting_and_streaming_follow_chatting_unless_they_are_said() -> None:
    assert not capabilities(OpenVinoProfile(can_chat=False)).prompt
    assert not capabilities(OpenVinoProfile(can_stream=False)).stream


@pytest.mark.parametrize("field", ["protocol", "stream_protocol"])
def test_a_reasoning_protocol_means_that_the_model_thinks(field: str) -> None:
    content = {"reasoning": {field: "openvino:reasoning_incremental_parser"}}
    assert capabilities(decode_openvino_profile(json.dumps(content).encode())).think


def test_the_digest_is_stable_and_tells_profiles_apart() -> None:
    assert profile_digest(OpenVinoProfile()) == profile_digest(decode_openvino_profile(b"{}"))
    digests = {
        profile_digest(OpenVinoProfile()),
        profile_digest(LlamaProfile()),
        profile_digest(OpenVinoProfile(genai=GenAi(cache_size=2))),
        profile_digest(OpenVinoProfile(context_length=2)),
    }
    assert len(digests) == 4


def test_the_schemas_in_the_tree_are_those_of_the_types() -> None:
    folder = profiles_dir() / "schema"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == schemas(), (
        "run: python -m app.models.profile --write-schemas"
    )


def _shipped() -> list[Path]:
    names = (LLAMA_PROFILE, OPENVINO_PROFILE)
    return sorted(path for name in names for path in profiles_dir().glob(f"*/{name}"))


def test_the_starter_has_a_profile_for_each_backend() -> None:
    names = [path.name for path in _shipped() if path.parent.name == "smollm2-135m-instruct"]
    assert names == ["contenox-llama.json", "contenox-openvino.json"]


@pytest.mark.parametrize("path", _shipped(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_shipped_profile_is_explicit_about_every_capability(path: Path) -> None:
    read_profile(path)
    content = json.loads(path.read_text("utf-8"))
    assert set(content["evidence"]) == {"chat", "tools", "reasoning", "embeddings"}
    for flag in ("can_chat", "can_embed", "can_think"):
        assert isinstance(content[flag], bool)
    assert "protocol" in content["tool_calls"]
    assert "protocol" in content["reasoning"]


def _model(folder: Path, backend: str = "openvino") -> InstalledModel:
    return InstalledModel(
        name="smollm2-135m-instruct",
        variant=backend,
        backend=backend,
        path=folder,
        folder=folder,
        digest="0" * 64,
        size_bytes=1,
        context_tokens=8192,
        source="a test",
    )


def test_a_persons_profile_comes_before_the_shipped_one(tmp_path: Path) -> None:
    shipped = profile_of(_model(tmp_path))
    assert shipped.evidence.chat.status is Status.VERIFIED
    (tmp_path / "contenox-openvino.json").write_text('{"context_length": 77}')
    assert profile_of(_model(tmp_path)).context_length == 77
    (tmp_path / "contenox-openvino.json").write_text('{"context_lenght": 77}')
    with pytest.raises(DataFault, match="context_length"):
        profile_of(_model(tmp_path))


def test_a_model_without_a_profile_has_the_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profile_files, "profiles_dir", lambda: tmp_path)
    assert profile_of(_model(tmp_path)) == OpenVinoProfile()
    assert profile_of(_model(tmp_path, "llama")) == LlamaProfile()


def test_a_profile_with_another_file_name_or_none_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "profile.json"
    other.write_text("{}")
    with pytest.raises(DataFault, match="contenox-llama"):
        read_profile(other)
    with pytest.raises(DataFault) as caught:
        read_profile(tmp_path / "contenox-llama.json")
    assert caught.value.code == "profile_missing"
