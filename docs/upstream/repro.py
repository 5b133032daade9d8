"""Makes the pinned libraries show what this program works around, one case at a time.

    python docs/upstream/repro.py CASE... MODEL_FOLDER

``MODEL_FOLDER`` is an OpenVINO model with a chat template, such as the starter. Each case prints
what the library says or does. The cases of ``CRASHES`` end the process with a signal, which is what
they show. ``docs/upstream.md`` lists upstream project, versions and our answer for each case.
"""

import contextlib
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Importing openvino would otherwise send a note to a third party; see telemetry_at_import.
sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]


def says(action: Callable[[], object]) -> str:
    """What ``action`` raises, in the library's own words."""
    try:
        action()
    except (RuntimeError, ValueError, MemoryError) as error:
        return f"{type(error).__name__}: {error}"
    return "no error"


def tensor(tokens: int, token: int = 100) -> Any:
    import numpy as np
    import openvino as ov

    return ov.Tensor(np.full((1, tokens), token, dtype=np.int64))


def paged(folder: Path, device: str = "CPU", blocks: int = 20, **values: Any) -> Any:
    """A pipeline with a pool of ``blocks``; ``values`` are fields of the scheduler."""
    import openvino_genai as genai

    properties = values.pop("properties", {})
    scheduler = genai.SchedulerConfig()
    scheduler.num_kv_blocks = blocks
    scheduler.enable_prefix_caching = True
    for name, value in values.items():
        setattr(scheduler, name, value)
    return genai.ContinuousBatchingPipeline(str(folder), scheduler, device, properties)


def config(**values: Any) -> Any:
    import openvino_genai as genai

    made = genai.GenerationConfig()
    made.apply_chat_template = False
    for name, value in values.items():
        setattr(made, name, value)
    return made


@contextlib.contextmanager
def copied(folder: Path) -> Any:
    """A copy of the model's folder that may be damaged."""
    with tempfile.TemporaryDirectory() as scratch:
        yield shutil.copytree(folder, Path(scratch) / "model")


# --- words --------------------------------------------------------------------------------------


def no_attention_operation(folder: Path) -> None:
    sys.path.insert(0, str(Path(__file__).parents[2]))
    from tests.support.no_sdpa import without_sdpa

    with tempfile.TemporaryDirectory() as scratch:
        rewritten = without_sdpa(folder, Path(scratch) / "model")
        print(says(lambda: paged(rewritten)))


def absent_gpu(folder: Path) -> None:
    print(says(lambda: paged(folder, "GPU")))


def unknown_device(folder: Path) -> None:
    print(says(lambda: paged(folder, "XPU")))


def bad_kv_precision(folder: Path) -> None:
    print(says(lambda: paged(folder, properties={"KV_CACHE_PRECISION": "q99"})))


def bad_property(folder: Path) -> None:
    print(says(lambda: paged(folder, properties={"NOT_A_PROPERTY": "1"})))


def pool_larger_than_memory(folder: Path) -> None:
    print(says(lambda: paged(folder, blocks=0, cache_size=100_000)))


def blocks_larger_than_memory(folder: Path) -> None:
    print(says(lambda: paged(folder, blocks=100_000_000)))


def pool_exhausted_in_words(folder: Path) -> None:
    """``LLMPipeline`` raises where ``ContinuousBatchingPipeline`` is silent."""
    import openvino_genai as genai

    scheduler = genai.SchedulerConfig()
    scheduler.num_kv_blocks = 3
    pipeline = genai.LLMPipeline(str(folder), "CPU", scheduler_config=scheduler)
    print(says(lambda: pipeline.generate(tensor(200), config(max_new_tokens=2))))


def batch_smaller_than_prompt(folder: Path) -> None:
    pipeline = paged(folder, dynamic_split_fuse=False, max_num_batched_tokens=256)
    print(says(lambda: pipeline.generate([tensor(400)], [config(max_new_tokens=2)])))


def max_length_inherited(folder: Path) -> None:
    inherited = config(max_length=20, max_new_tokens=30)
    print(says(lambda: paged(folder).generate([tensor(50)], [inherited])))


def earlier_request_left_behind(folder: Path) -> None:
    """A batch with one bad request keeps the good one queued for ever."""
    pipeline = paged(folder)
    good, bad = config(max_new_tokens=2), config(max_length=20, max_new_tokens=30)
    says(lambda: pipeline.generate([tensor(10), tensor(50)], [good, bad]))
    print(says(lambda: pipeline.generate([tensor(10)], [good])))
    while pipeline.has_non_finished_requests():
        pipeline.step()


def cut_weights(folder: Path) -> None:
    with copied(folder) as copy:
        weights = copy / "openvino_model.bin"
        weights.write_bytes(weights.read_bytes()[:1000])
        print(says(lambda: paged(copy)))


def missing_weights(folder: Path) -> None:
    with copied(folder) as copy:
        (copy / "openvino_model.bin").unlink()
        print(says(lambda: paged(copy)))


def cut_graph(folder: Path) -> None:
    with copied(folder) as copy:
        graph = copy / "openvino_model.xml"
        graph.write_bytes(graph.read_bytes()[:100_000])
        print(says(lambda: paged(copy)))


def empty_graph(folder: Path) -> None:
    with copied(folder) as copy:
        (copy / "openvino_model.xml").write_bytes(b"")
        print(says(lambda: paged(copy)))


def missing_graph(folder: Path) -> None:
    with copied(folder) as copy:
        (copy / "openvino_model.xml").unlink()
        print(says(lambda: paged(copy)))


def broken_generation_config(folder: Path) -> None:
    with copied(folder) as copy:
        (copy / "generation_config.json").write_text('{"eos_token_id": ')
        print(says(lambda: paged(copy)))


def failing_template(folder: Path) -> None:
    import openvino_genai as genai

    messages = [{"role": "user", "content": "x"}]
    tokenizer = genai.Tokenizer(str(folder))
    for template in ("{{ raise_exception('no') }}", "{{ messages[", "{% if false %}x{% endif %}"):
        tokenizer.set_chat_template(template)
        print(says(lambda: tokenizer.apply_chat_template(messages, add_generation_prompt=True)))


def allocation_failure(folder: Path) -> None:
    """The pool is allocated at the first step; under a limit that fails (Linux only)."""
    import resource

    pipeline = paged(folder, blocks=20_000)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limit = used + 50 * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    print(says(lambda: pipeline.generate([tensor(64)], [config(max_new_tokens=2)])), flush=True)


# --- behaviour ----------------------------------------------------------------------------------


def pool_exhausted_in_silence(folder: Path) -> None:
    pipeline = paged(folder, blocks=4)
    result = pipeline.generate([tensor(64)], [config(max_new_tokens=200, ignore_eos=True)])[0]
    print(len(result.m_generation_ids[0]), "of 200 tokens,", result.finish_reasons[0])


def xattention_on_a_cpu(folder: Path) -> None:
    """Accepted, and the greedy answers differ from run to run."""
    import openvino_genai as genai

    tokenizer = genai.Tokenizer(str(folder))
    text = "The sea is blue and the sky is grey today. " * 130 + "What is the capital of France?"
    prompt = tokenizer.apply_chat_template(
        [{"role": "user", "content": text}], add_generation_prompt=True
    )
    ids = tokenizer.encode(prompt, add_special_tokens=False).input_ids
    for use_sparse in (False, True, True):
        sparse = genai.SparseAttentionConfig()
        sparse.mode = genai.SparseAttentionMode.XATTENTION
        sparse.num_last_dense_tokens_in_prefill = 10
        sparse.xattention_threshold = 0.9
        sparse.xattention_block_size = 128
        sparse.xattention_stride = 16
        pipeline = paged(
            folder, blocks=100, use_sparse_attention=use_sparse, sparse_attention_config=sparse
        )
        result = pipeline.generate([ids], [config(max_new_tokens=16)])[0]
        kind = "sparse" if use_sparse else "dense "
        print(kind, repr(tokenizer.decode(result.m_generation_ids[0])))


def tokenizer_cuts(folder: Path) -> None:
    import openvino_genai as genai

    tokenizer = genai.Tokenizer(str(folder))
    for words in (4_000, 16_000):
        ids = tokenizer.encode(" the" * words, add_special_tokens=False).input_ids
        print(words, "words,", ids.shape[1], "tokens")


def stateful_leaves_a_thread(folder: Path) -> None:
    """Threads of the process after each of four pipelines that answered and are gone."""
    import gc

    import openvino_genai as genai
    import psutil

    counts = []
    for _ in range(4):
        pipeline = genai.LLMPipeline(str(folder), "CPU", ATTENTION_BACKEND="SDPA")
        pipeline.generate(tensor(4), config(max_new_tokens=2))
        del pipeline
        gc.collect()
        counts.append(psutil.Process().num_threads())
    print("threads after each:", *counts, "- grows" if counts[-1] - counts[0] >= 3 else "- stays")


def prefill_hears_no_cancel(folder: Path) -> None:
    import time

    import openvino_genai as genai

    pipeline = paged(folder, blocks=300)
    for token, status in enumerate((genai.StreamingStatus.RUNNING, genai.StreamingStatus.CANCEL)):
        prompt = tensor(4000, 100 + token)
        started = time.perf_counter()
        pipeline.generate([prompt], [config(max_new_tokens=4)], lambda _text, s=status: s)
        print(status, f"{time.perf_counter() - started:.2f} s")


# --- crashes ------------------------------------------------------------------------------------


def streamer_raises(folder: Path) -> None:
    import openvino_genai as genai

    class Raising(genai.StreamerBase):  # type: ignore[misc]
        def write(self, token: object) -> Any:
            raise ValueError("in write")

        def end(self) -> None:
            pass

    paged(folder).generate([tensor(10)], [config(max_new_tokens=4)], Raising())


def ids_then_history(folder: Path) -> None:
    import openvino_genai as genai

    pipeline = genai.LLMPipeline(str(folder), "CPU", ATTENTION_BACKEND="SDPA")
    pipeline.generate(tensor(10), config(max_new_tokens=2))
    history = genai.ChatHistory()
    history.append({"role": "user", "content": "x"})
    pipeline.generate(history, genai.GenerationConfig(max_new_tokens=2))


def detokenizer_missing(folder: Path) -> None:
    with copied(folder) as copy:
        for path in copy.glob("openvino_detokenizer.*"):
            path.unlink()
        paged(copy).generate(["x"], [config(max_new_tokens=4)], lambda _text: None)


WORDS: dict[str, Callable[[Path], None]] = {
    case.__name__: case
    for case in (
        no_attention_operation,
        absent_gpu,
        unknown_device,
        bad_kv_precision,
        bad_property,
        pool_larger_than_memory,
        blocks_larger_than_memory,
        pool_exhausted_in_words,
        batch_smaller_than_prompt,
        max_length_inherited,
        earlier_request_left_behind,
        cut_weights,
        missing_weights,
        cut_graph,
        empty_graph,
        missing_graph,
        broken_generation_config,
        failing_template,
        allocation_failure,
    )
}
BEHAVIOUR = {
    case.__name__: case
    for case in (
        pool_exhausted_in_silence,
        xattention_on_a_cpu,
        tokenizer_cuts,
        prefill_hears_no_cancel,
        stateful_leaves_a_thread,
    )
}
CRASHES = {case.__name__: case for case in (streamer_raises, ids_then_history, detokenizer_missing)}
CASES = WORDS | BEHAVIOUR | CRASHES


def main(arguments: list[str]) -> None:
    *cases, folder = arguments or [""]
    if not cases or not set(cases) <= set(CASES):
        sys.exit(f"usage: repro.py CASE... MODEL_FOLDER\nCases: {', '.join(CASES)}")
    for case in cases:
        print(f"== {case}", flush=True)
        CASES[case](Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
