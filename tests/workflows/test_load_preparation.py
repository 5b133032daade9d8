"""Before a load: the sum for every backend, the context that fits, and the same answer again."""

from pathlib import Path

import pytest

from app.core.errors import EnvironmentFault, UserError
from app.core.paths import DataRoot
from app.core.settings import SettingsFile
from app.core.units import GIB, MIB
from app.engine.client import EngineClient
from app.engine.spec import LoadSpec, OpenVinoRuntime
from app.hardware.budget import MemoryBudget
from app.hardware.host import HostMemory, private_bytes
from app.hardware.readings import cpu_reading
from app.models.library import InstalledModel, Library
from app.models.profile import GenAi, LlamaProfile, LlamaRuntimeControls, OpenVinoProfile
from app.workflows import services as services_module
from app.workflows.load_preparation import budget_for_load, fitting_context, keep_compiled
from app.workflows.services import Services, TurnOptions

pytestmark = pytest.mark.real_model


def budget(usable_bytes: int) -> MemoryBudget:
    return MemoryBudget(
        device="CPU",
        total_bytes=64 * GIB,
        free_bytes=usable_bytes,
        reserve_bytes=0,
        shared_with_host=True,
    )


def test_what_does_not_fit_is_refused_on_both_backends_with_the_sum(
    starter_openvino: InstalledModel, starter_gguf: InstalledModel
) -> None:
    for model, profile in ((starter_openvino, OpenVinoProfile()), (starter_gguf, LlamaProfile())):
        with pytest.raises(EnvironmentFault) as caught:
            fitting_context(model, profile, budget(300 * MIB), None)
        assert caught.value.code == "does_not_fit"
        assert "of weights +" in caught.value.message
        assert "can be used on CPU" in caught.value.message


def test_without_a_wish_the_context_shrinks_to_what_fits_and_a_wish_is_never_cut(
    starter_gguf: InstalledModel,
) -> None:
    profile = LlamaProfile()
    assert fitting_context(starter_gguf, profile, budget(8 * GIB), None) == 8192
    # 23,040 bytes a token at f16: 64 MiB less are some 2,900 tokens less.
    tight = budget(starter_gguf.size_bytes + 320 * MIB + 4000 * 23_040)
    assert fitting_context(starter_gguf, profile, tight, None) == 4000
    assert fitting_context(starter_gguf, profile, tight, 3000) == 3000
    with pytest.raises(EnvironmentFault) as caught:
        fitting_context(starter_gguf, profile, tight, 5000)
    assert caught.value.code == "does_not_fit"
    assert "4,000" in caught.value.remedy


def test_what_the_profile_caps_is_kept(
    starter_openvino: InstalledModel, starter_gguf: InstalledModel
) -> None:
    large = budget(32 * GIB)
    profile = OpenVinoProfile(context_length=2048)
    assert fitting_context(starter_openvino, profile, large, None) == 2048
    capped = LlamaProfile(runtime=LlamaRuntimeControls(num_ctx=1024))
    assert fitting_context(starter_gguf, capped, large, None) == 1024
    with pytest.raises(UserError) as caught:
        fitting_context(starter_gguf, capped, large, 1025)
    assert caught.value.code == "context_too_large"


def test_a_pool_in_blocks_bounds_the_context_and_counts_in_the_sum(
    starter_openvino: InstalledModel,
) -> None:
    profile = OpenVinoProfile(genai=GenAi(num_kv_blocks=100))
    assert fitting_context(starter_openvino, profile, budget(8 * GIB), None) == 99 * 32
    huge = OpenVinoProfile(genai=GenAi(num_kv_blocks=100_000))
    with pytest.raises(EnvironmentFault) as caught:
        fitting_context(starter_openvino, huge, budget(8 * GIB), None)
    assert caught.value.code == "does_not_fit"


def test_the_memory_of_the_loaded_model_counts_as_free() -> None:
    host = HostMemory(total_bytes=8 * GIB, available_bytes=1 * GIB)
    assert budget_for_load(cpu_reading("x"), host, 0).free_bytes == 1 * GIB
    assert budget_for_load(cpu_reading("x"), host, 2 * GIB).free_bytes == 3 * GIB
    assert budget_for_load(cpu_reading("x"), host, 20 * GIB).free_bytes == 8 * GIB
    assert private_bytes(None) == 0


def test_the_compiled_form_has_a_folder_of_its_own(
    starter_openvino: InstalledModel, tmp_path: Path
) -> None:
    spec = LoadSpec(
        model_name="m", model_path="", model_digest="d", context_tokens=9, runtime=OpenVinoRuntime()
    )
    kept = keep_compiled(spec, tmp_path, cpu_reading("x")).runtime
    assert isinstance(kept, OpenVinoRuntime)
    assert kept.compiled_cache_dir is not None
    assert Path(kept.compiled_cache_dir).parent == tmp_path


@pytest.fixture
def services(data_root: DataRoot, starter_store: Library) -> Services:
    return Services(
        data_root=data_root,
        settings_file=SettingsFile(data_root.settings_file),
        library=starter_store,
        engine=EngineClient(log_dir=data_root.logs),
    )


def test_the_next_turn_of_a_loaded_model_is_the_same_load_whatever_is_free_by_then(
    services: Services, starter_gguf: InstalledModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def free(available_bytes: int) -> None:
        memory = HostMemory(total_bytes=64 * GIB, available_bytes=available_bytes)
        monkeypatch.setattr(services_module, "read_memory", lambda: memory)

    free(2 * GIB)
    spec = services.prepare_load(starter_gguf)
    services.describe(spec)
    free(900 * MIB)
    assert services.prepare_load(starter_gguf) == spec
    # Another context is another load; what the loaded model holds counts as free for it.
    assert services.prepare_load(starter_gguf, TurnOptions(context_tokens=512)) != spec
    free(100 * MIB)
    with pytest.raises(EnvironmentFault) as caught:
        services.prepare_load(starter_gguf, TurnOptions(context_tokens=4096))
    assert caught.value.code == "does_not_fit"
    services.close()


def test_an_answer_is_no_longer_than_the_profile_allows(
    services: Services, starter_gguf: InstalledModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def most(options: TurnOptions) -> int:
        return services.prepare_turn(starter_gguf, (), options).max_tokens

    assert most(TurnOptions(max_tokens=300)) == 300
    capped = LlamaProfile(max_output_tokens=100)
    monkeypatch.setattr(services_module, "profile_of", lambda _model: capped)
    assert most(TurnOptions(max_tokens=300)) == 100
    assert most(TurnOptions(max_tokens=50)) == 50
    services.close()


def test_a_model_whose_profile_says_that_it_does_not_chat_is_not_asked(
    services: Services, starter_gguf: InstalledModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    mute = LlamaProfile(can_chat=False, can_embed=True)
    monkeypatch.setattr(services_module, "profile_of", lambda _model: mute)
    with pytest.raises(UserError) as caught:
        services.prepare_turn(starter_gguf, ())
    assert caught.value.code == "chat_not_supported"
    services.close()
