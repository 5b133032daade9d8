"""A chat template renders what its makers meant, and can't hurt whoever renders it."""

import json
import re
import sys
import tarfile
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import psutil
import pytest
from jinja2 import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from app.core.errors import DataFault
from app.engine.backends.jinja_template import ChatTemplate
from app.engine.chat import ChatMessage, Role

HELLO = (ChatMessage(role=Role.USER, content="Hello"),)
TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}


def peak_bytes() -> int:
    """The most memory that this process has ever held."""
    if sys.platform == "win32":
        return int(psutil.Process().memory_info().peak_wset)
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def render(source: str | None, messages: tuple[ChatMessage, ...] = HELLO) -> str:
    return ChatTemplate(source).render(messages, TOKENS)


def test_a_chat_is_rendered_up_to_where_the_answer_begins() -> None:
    source = (
        "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' +"
        " message['content'] + '<|im_end|>' + '\\n' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
    )
    expected = "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n"
    assert render(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{{ bos_token }}{{ messages[0].content | trim }}{{ eos_token }}", "<s>Hello</s>"),
        ("{{ {'b': 1, 'a': 'é<'} | tojson }}", '{"b": 1, "a": "é<"}'),
        ("{{ {'a': [1]} | tojson(indent=2) }}", '{\n  "a": [\n    1\n  ]\n}'),
        ("{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}"
         "{% endfor %}{{ ns.n }}", "1"),
        ("{% for i in range(3) %}{% if i == 1 %}{% break %}{% endif %}{{ i }}{% endfor %}", "0"),
        ("{% generation %}{{ messages[0]['content'] }}{% endgeneration %}", "Hello"),
        ("{{ ('a</think>b'.split('</think>') | last).lstrip('\\n') ~ '!' }}", "b!"),
        ("{% for m in messages[::-1] %}{{ loop.index0 }}{{ m.role == 'user' }}{% endfor %}",
         "0True"),
        ("{% macro say(x) -%}<{{ x }}>{%- endmacro %}{{ say('a') }}{{ say('b') }}", "<a><b>"),
        ("{% set text %}x{{ 1 + 1 }}{% endset %}{{ text | replace('x', 'y') | upper }}", "Y2"),
        ("{{ tools is none }}{{ unknown is defined }}{{ messages | length }}", "TrueFalse1"),
        ("{{ messages | map(attribute='content') | join(', ') }}", "Hello"),
        ("{{ '%s-%d' % ('a', 2) }}{{ '{}-{}'.format(1, 2) }}{{ 'ab' * 2 }}", "a-21-2abab"),
        ("{{ messages | selectattr('role', 'equalto', 'user') | list | length }}", "1"),
        ("{{ {'k': 'v'}.items() | list | first | join('=') }}", "k=v"),
    ],
)  # fmt: skip
def test_what_chat_templates_use_works(source: str, expected: str) -> None:
    assert render(source) == expected


def test_the_date_is_the_local_one() -> None:
    assert render("{{ strftime_now('%Y') }}").isdigit()


def test_a_model_without_a_template_can_not_chat() -> None:
    for source in (None, "", "  \n"):
        with pytest.raises(DataFault) as caught:
            render(source)
        assert caught.value.code == "template_missing"


def test_the_templates_own_refusal_is_told() -> None:
    with pytest.raises(DataFault, match="roles must alternate") as caught:
        render("{{ raise_exception('roles must alternate') }}")
    assert caught.value.code == "template_failed"


FAILING = {
    "syntax": "{% for %}",
    "type error": "{{ 1 + 'a' }}",
    "nothing": "{% if false %}x{% endif %}",
    "internals": "{{ messages.__class__.__mro__ }}",
    "unknown filter": "{{ 'a' | center(10) }}",
    "recursion": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "too long": "x" * 300_000,
    "changes its input": "{{ messages.append(1) }}",
}

HOSTILE = {
    "range": "{% for i in range(10**9) %}x{% endfor %}",
    "nested loops": "{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}"
    "{% endfor %}",
    "endless output": "{% for a in range(90000) %}{% for b in range(90000) %}abcdefgh{% endfor %}"
    "{% endfor %}",
    "product": "{{ 'a' * 10**9 }}",
    "constant product": "{{ 'a' * 1000000000 }}",
    "list product": "{{ [1] * 10**9 }}",
    "doubling": "{% set n = namespace(t='ab') %}{% for i in range(60) %}{% set n.t = n.t ~ n.t %}"
    "{% endfor %}",
    "doubling by plus": "{% set n = namespace(t='ab') %}{% for i in range(60) %}"
    "{% set n.t = n.t + n.t %}{% endfor %}",
    "doubling by capture": "{% set n = namespace(t='ab') %}{% for i in range(60) %}"
    "{% set x %}{{ n.t }}{{ n.t }}{% endset %}{% set n.t = x %}{% endfor %}",
    "doubling by lists": "{% set n = namespace(t=['ab']) %}{% for i in range(60) %}"
    "{% set n.t = [n.t, n.t] %}{% endfor %}{{ n.t }}",
    "json of lists": "{% set n = namespace(t=['ab']) %}{% for i in range(60) %}"
    "{% set n.t = [n.t, n.t] %}{% endfor %}{{ n.t | tojson }}",
    "hoarding": "{% set n = namespace(l=[]) %}{% set t = 'a' * 1000000 %}"
    "{% for i in range(90000) %}{% set n.l = n.l + [t[1:]] %}{% endfor %}",
    "power": "{{ 10 ** (10 ** 10) }}",
    "padding": "{{ '%01000000000d' % 1 }}",
    "padding method": "{{ 'a'.ljust(1000000000) }}",
    "padding format": "{{ '{:1000000000}'.format(1) }}",
    "indent": "{{ 'a\nb' | indent(1000000000) }}",
    "replace": "{% set t = 'a' * 1000000 %}{{ t.replace('a', t) }}",
    "replace filter": "{% set t = 'a' * 1000000 %}{{ t | replace('a', t) }}",
    "join": "{% set t = 'a' * 1000000 %}{{ ([t] * 1000000) | join }}",
    "join method": "{% set t = 'a' * 1000000 %}{{ t.join(['a'] * 1000000) }}",
    "sum": "{% set t = [1] * 1000000 %}{{ ([t] * 1000000) | sum(start=[]) }}",
    "lorem ipsum": "{{ lipsum(n=100000000) }}",
}


@pytest.mark.parametrize("name", FAILING)
def test_a_template_that_can_not_be_rendered_is_a_clean_fault(name: str) -> None:
    with pytest.raises(DataFault) as caught:
        render(FAILING[name])
    assert caught.value.code == "template_failed"
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_template_ends_soon_and_takes_no_memory(name: str) -> None:
    before = peak_bytes()
    started = time.thread_time()
    with pytest.raises(DataFault) as caught:
        render(HOSTILE[name])
    assert caught.value.code == "template_failed"
    assert time.thread_time() - started < 2
    assert peak_bytes() - before < 200_000_000


def test_rendering_leaves_the_threads_trace_function_alone() -> None:
    before = sys.gettrace()
    render("{{ messages[0].content }}")
    with pytest.raises(DataFault):
        render(HOSTILE["range"])
    assert sys.gettrace() is before


def test_a_very_long_chat_renders() -> None:
    source = "{% for m in messages %}{{ m.role ~ ': ' ~ m.content + '\\n' }}{% endfor %}"
    messages = tuple(ChatMessage(role=Role.USER, content="word " * 2_000) for _ in range(500))
    assert len(render(source, messages)) > 5_000_000


ARCHIVE = Path(__file__).resolve().parents[3] / ".native/llama/llama_cpp_python-0.3.36.tar.gz"


def published_templates() -> dict[str, str]:
    """The chat templates of known models that llama.cpp tests itself with, by file name."""
    with tarfile.open(ARCHIVE) as archive:
        found = {
            Path(member.name).name: archive.extractfile(member)
            for member in archive
            if "llama.cpp/models/templates/" in member.name and member.name.endswith(".jinja")
        }
        return {name: file.read().decode("utf-8") for name, file in found.items() if file}


def plainly(source: str, variables: dict[str, Any]) -> str:
    """What Jinja2's own sandbox makes of a template, without bounds."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )

    def refuse(message: str) -> None:
        raise ValueError(message)

    environment.filters["tojson"] = lambda value, **how: json.dumps(
        value, ensure_ascii=False, **how
    )
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = lambda form: datetime.now().astimezone().strftime(form)
    # Only a mark for training; Jinja2 itself does not know it.
    source = re.sub(r"{%(-?)\s*(end)?generation\s*(-?)%}", r"{%\1 if true \3%}{% endif %}", source)
    return environment.from_string(source).render(variables)


@pytest.mark.soak
@pytest.mark.skipif(not ARCHIVE.is_file(), reason="build_llama.py has not downloaded its source")
def test_the_bounds_change_nothing_in_published_templates() -> None:
    chat = (
        ChatMessage(role=Role.SYSTEM, content="You are kind."),
        ChatMessage(role=Role.USER, content="Hi"),
        ChatMessage(role=Role.ASSISTANT, content="Hello!"),
        ChatMessage(role=Role.USER, content="Bye"),
    )
    compared = 0
    for name, source in published_templates().items():
        for messages in (chat, HELLO):
            told: dict[str, Any] = {"add_generation_prompt": True, "tools": None} | dict(TOKENS)
            told["messages"] = [{"role": str(m.role), "content": m.content} for m in messages]
            try:
                expected = plainly(source, told)
            except (TemplateError, TypeError, ValueError):
                with pytest.raises(DataFault):
                    render(source, messages)
                continue
            assert render(source, messages) == expected, name
            compared += 1
    assert compared > 100
