"""The table of native words: each needle against words that a library really says."""

from pathlib import Path
from typing import Final

import pytest

from app.engine.faults import FAULTS, Needle, classify, fault
from app.engine.native_failure import NativeFailure, native_errors, translate, translate_log

# The words that the library says here are produced by tests/engine/backends/test_native_words.py.
# These are recorded: from runs of the maintainers, from upstream's reports, from the binaries.
RECORDED: Final = (
    (
        "Check 'has_op_with_type<ov::op::v13::ScaledDotProductAttention>(model)' failed at src/"
        "core/src/pass/sdpa_to_paged_attention.cpp:82:\nNo ScaledDotProductAttention operation"
        " observed in the graph, cannot perform the SDPAToPagedAttention transformation.",
        "paged_attention_not_supported",
    ),
    (
        "Exception from src/plugins/intel_gpu/src/plugin/transformations_pipeline.cpp:735:\n"
        "[GPU] XAttention is not supported by your current GPU architecture or IGC version. Please"
        " either disable XAttention by following the GenAI guide, or switch to a GPU with Xe2/Xe3"
        " architecture and ensure the latest IGC is installed.",
        "sparse_attention_unsupported",
    ),
    ("xattention: not available on this device", "sparse_attention_unsupported"),
    ("XAttention is UNSUPPORTED here", "sparse_attention_unsupported"),
    (
        "Exception from src/inference/src/cpp/core.cpp:189:\nCannot add extension. Cannot find"
        " entry point to the extension library. This error happened: Cannot load library"
        ' "libopenvino_tokenizers.so": cannot open shared object file',
        "tokenizers_missing",
    ),
    (
        'Unable to read the model: "an ir here/m.xml" Please check that model format: ".xml" is'
        " supported and the model is correct. Available frontends: jax paddle onnx pytorch tflite"
        " tf \n",
        "model_reader_missing",
    ),
    ('Unable to read the model: "m.xml". Available frontends: \n', "model_reader_missing"),
    (
        'Unable to read the model: "m.xml". Available frontends: jax onnx ir tf \n',
        "model_damaged",
    ),
    ('Device with "CPU" name is not registered in the OpenVINO Runtime', "cpu_plugin_missing"),
    ('Cannot load library "libopenvino_intel_cpu_plugin.so"', "cpu_plugin_missing"),
    (
        "Check '!m_device_map.empty()' failed at src/plugins/intel_gpu/src/plugin/plugin.cpp:559:\n"
        "[GPU] Can't get PERFORMANCE_HINT property as no supported devices found or an error"
        " happened during devices query.",
        "device_unavailable",
    ),
    ('Device with "XPU" name is not registered in the OpenVINO Runtime', "device_unavailable"),
    ("[GPU] Context was not initialized for 0 device", "device_unavailable"),
    (
        "Please, check environment due to no supported devices can be used",
        "device_unavailable",
    ),
    ('Cannot load library "libopenvino_intel_gpu_plugin.so": libOpenCL.so.1', "device_unavailable"),
    (
        "[ERROR] BlockManager leaked sequence block tables: 1, first leaked sequence id: 0",
        "pool_corrupted",
    ),
    (
        "Check 'm_ref_count > 0' failed\nBlockAllocator leaked blocks. Expected num free blocks:"
        " 2665, actual: 17",
        "pool_corrupted",
    ),
    ("internal error - double free when prefix caching", "pool_corrupted"),
    ("internal error - block hashes for all layers must be equal", "pool_corrupted"),
    (
        "internal error - each sequence in the same group must have the same number of blocks"
        " evicted",
        "pool_corrupted",
    ),
    ("Sequence 4 not found in BlockManager, but requested to free", "pool_corrupted"),
    ("cannot free logical block 3", "pool_corrupted"),
    ("too many blocks to free", "pool_corrupted"),
    ("block 7 has zero reference count", "pool_corrupted"),
    ("blocks across layers must be freed simultaneously", "pool_corrupted"),
    (
        "A number of physical and logic blocks must be the same in this code path",
        "pool_corrupted",
    ),
    (
        "Internal error: get_finished_sequences() must be called when all sequences are",
        "pool_corrupted",
    ),
    (
        "Internal error: current request is supposed to be dropped within step() function",
        "pool_corrupted",
    ),
    ("Infer Request is busy", "pipeline_busy"),
    (
        "Generate cannot be called while ContinuousBatchingPipeline is already in running state."
        " Use ContinuousBatchingPipeline::add_request",
        "pipeline_busy",
    ),
    (
        "Request 0 was dropped by the scheduler because it did not fit in the available cache"
        " budget (out of memory). Increase cache_size / num_kv_blocks, reduce the prompt",
        "pool_exhausted",
    ),
    ("Not enough cache blocks to reserve 3", "pool_exhausted"),
    ("Cache block pool cannot grow to 5 blocks", "pool_exhausted"),
    ("Check 'can_allocate_blocks(num_blocks)' failed", "pool_exhausted"),
    ("[GPU] clFinish, error code: -2 CL_DEVICE_NOT_AVAILABLE", "device_lost"),
    ("[GPU] clEnqueueNDRangeKernel, error code: -34 CL_INVALID_CONTEXT", "device_lost"),
    ("[GPU] clFlush, error code: -36 CL_INVALID_COMMAND_QUEUE", "device_lost"),
    (
        "[GPU] clWaitForEvents, error code: -14 CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
        "device_lost",
    ),
    ("device lost", "device_lost"),
    ("vk::Queue::submit: ErrorDeviceLost", "device_lost"),
    ("Exception from src/core/src/runtime/allocator.cpp:79:\nstd::bad_alloc", "out_of_memory"),
    ("bad allocation", "out_of_memory"),
    (
        "Check 'ptr' failed at src/plugins/intel_cpu/src/cpu_memory.cpp:257:\nFailed to allocate"
        " 75348480 bytes of memory",
        "out_of_memory",
    ),
    (
        "Requested KV-cache size is larger than available memory size on the system.",
        "out_of_memory",
    ),
    (
        "Requested cache blocks require more memory than available on the system.",
        "out_of_memory",
    ),
    (
        "Exception from src/inference/src/cpp/infer_request.cpp:224:\n[GPU] clFinish, error code:"
        " -5 CL_OUT_OF_RESOURCES\n[GPU] CL_OUT_OF_RESOURCES exception.",
        "out_of_memory",
    ),
    ("[GPU] clCreateBuffer, error code: -6 CL_OUT_OF_HOST_MEMORY", "out_of_memory"),
    ("error code: -4 CL_MEM_OBJECT_ALLOCATION_FAILURE", "out_of_memory"),
    ("ocl_engine.cpp:185:\n[GPU] out of GPU resources", "out_of_memory"),
    ("[GPU] Exceeded max size of memory object allocation: requested 9 bytes", "out_of_memory"),
    ("failed to allocate CPU buffer of size 999", "out_of_memory"),
    ("unable to allocate CPU buffer", "out_of_memory"),
    (
        "Sequence length (400) is longer than max number of tokens in batch (256)",
        "prompt_too_long",
    ),
    (
        "Check 'sampling_params_copy.max_length > prompt_len' failed\n'max_length' must be greater"
        " than the number of prompt tokens",
        "length_capped",
    ),
    (
        "Wrong value q99 for property key KV_CACHE_PRECISION. Supported values: u8, u4, u3, f16",
        "setting_refused",
    ),
    ("NotFound: Unsupported property NOT_A_PROP by CPU plugin.", "setting_refused"),
    (
        "num_last_dense_tokens_in_prefill in tokens must be a multiple of block size 32",
        "setting_refused",
    ),
    (
        "Check 'static_cast<size_t>(xattention_block_size) >= block_size && x % block_size == 0'",
        "setting_refused",
    ),
    ("error loading model: unknown model architecture: 'zlama'", "model_unsupported"),
    ("unknown pre-tokenizer type: 'x'", "model_unsupported"),
    ("Incorrect weights in bin file!", "model_damaged"),
    ("Empty weights data in bin file or bin file cannot be found!", "model_damaged"),
    ("Start-end tags mismatch at offset 99998", "model_damaged"),
    ('Unable to read the model: "m.xml" Please check that model format', "model_damaged"),
    ("Could not find a model in the directory '\"m\"'", "model_damaged"),
    ("[json.exception.parse_error.101] parse error at line 1, column 20", "model_damaged"),
    ("[json.exception.type_error.302] type must be number, but is string", "model_damaged"),
    (
        "Either openvino_tokenizer.xml was not provided or it was not loaded correctly.",
        "model_damaged",
    ),
    ("Node BPETokenizer_14247 of type Reference\nunordered_map::at", "model_damaged"),
    ("llama_model_load: error loading model: tensor data is not within", "model_damaged"),
    ("llama_model_load_from_file_impl: failed to load model", "model_damaged"),
    ("gguf_init_from_file_impl: invalid magic characters", "model_damaged"),
    ("gguf_init_from_reader: failed to read", "model_damaged"),
    ("Minja failed to apply chat template. Possible solutions are", "template_failed"),
    ("Chat template wasn't found. This may indicate that", "template_failed"),
    ("Applied chat template resulted in an empty string.", "template_failed"),
    ("Expected closing expression tag at row 1, column 37", "template_failed"),
)

NEEDLES: Final = tuple((one.code, needle) for one in FAULTS for needle in one.needles)


@pytest.mark.parametrize(("words", "code"), RECORDED)
def test_recorded_words_tell_their_fault(words: str, code: str) -> None:
    assert classify(words).code == code


@pytest.mark.parametrize(("code", "needle"), NEEDLES)
def test_each_needle_has_recorded_words_that_it_alone_or_first_finds(
    code: str, needle: Needle
) -> None:
    found = [words for words, expected in RECORDED if expected == code and needle.matches(words)]
    assert found, f"no recorded words for {needle.words!r}"
    assert needle.seen_on


def _libraries() -> dict[str, bytes]:
    """The native libraries of the pinned release train, by file name."""
    import openvino
    import openvino_genai

    folders = (Path(openvino.__file__).parent / "libs", Path(openvino_genai.__file__).parent)
    return {
        path.name: path.read_bytes()
        for folder in folders
        for path in folder.iterdir()
        if path.is_file() and "openvino" in path.name
    }


# Words that the library puts together at run time, or that other libraries say through it.
NOT_IN_A_BINARY: Final = frozenset(
    {
        "std::bad_alloc",
        "type_error",
        "openvino_intel_gpu_plugin",
        "device lost",
        "DeviceLost",
        "Node BPETokenizer",
        'Device with "CPU" name is not registered',
        "openvino_intel_cpu_plugin",
    }
)


def test_the_words_are_in_the_libraries_that_are_installed() -> None:
    """Fails when a new release train words a failure anew: then its needle finds nothing."""
    images = b"".join(_libraries().values())
    gone = [
        needle.words
        for _, needle in NEEDLES
        if "openvino" in needle.seen_on
        and not needle.any_of
        and needle.words not in NOT_IN_A_BINARY
        and needle.words.encode() not in images
    ]
    assert gone == []
    assert b"XAttention is not supported" in images


@pytest.mark.parametrize("code", [one.code for one in FAULTS])
def test_each_fault_says_what_happened_and_what_to_do(code: str) -> None:
    error = fault(code).error()
    assert error.code == code
    assert error.message.endswith(".")
    assert error.remedy.endswith(".")


def test_only_faults_of_a_request_leave_the_pipeline_alive() -> None:
    assert {one.code for one in FAULTS if not one.fatal} == {
        "prompt_too_long",
        "length_capped",
        "template_failed",
    }


def test_unknown_words_are_fatal() -> None:
    unknown = translate(RuntimeError("Check 'x' failed at y.cpp:1"))
    assert unknown.fault.code == "engine_failed"
    assert unknown.fault.fatal
    assert unknown.detail == "Check 'x' failed at y.cpp:1"
    assert translate(RuntimeError("")).detail == "RuntimeError"


def test_a_python_memory_error_is_out_of_memory() -> None:
    assert translate(MemoryError()).fault.code == "out_of_memory"


def test_words_that_are_no_utf8_are_read_all_the_same() -> None:
    """A library that quotes a damaged file in its message."""
    quoted = b"[json.exception.parse_error.101] parse error: \xa0"
    with pytest.raises(UnicodeDecodeError) as caught:
        quoted.decode()
    assert translate(caught.value).fault.code == "model_damaged"


@pytest.mark.parametrize("error", [ValueError("basic_string::_M_create"), IndexError("at")])
def test_whatever_a_c_exception_becomes_in_python_is_a_native_failure(error: Exception) -> None:
    with pytest.raises(NativeFailure) as caught, native_errors():
        raise error
    assert caught.value.fault.code == "engine_failed"
    assert caught.value.detail == str(error)


def test_a_log_without_words_names_the_call() -> None:
    assert translate_log("", "llama_decode returned 1").detail == "llama_decode returned 1"
    assert translate_log("a\nb", "call").detail == "call: b"
