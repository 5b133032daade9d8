"""Renders a model's own chat template."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NoReturn

from app.core.errors import DataFault
from app.engine.chat import ChatMessage
from app.engine.template_controls import as_template_sees

# Published templates have up to about 20,000 characters.
_MAX_TEMPLATE_CHARACTERS: Final = 256 * 1024

# Beyond what the messages themselves hold: instructions that a template brings along.
_MAX_ADDED_CHARACTERS: Final = 1_000_000
_BASE_BUDGET: Final = 8_000_000

# A template needs milliseconds. Processor time, so that a busy machine fails no chat.
_MAX_CPU_S: Final = 0.5

# What a template may ask for that would blow up its JSON.
_MAX_INDENT: Final = 16

_REMEDY: Final = "Choose another model, or report this one with its name."


class _TemplateRefusal(Exception):
    """The template's own ``raise_exception``."""


class ChatTemplate:
    """A template, compiled when it is first rendered.

    Args:
        source: the Jinja2 text from the model's file, if it has one.
    """

    def __init__(self, source: str | None) -> None:
        self._source = source
        self._environment: Any = None
        self._template: Any = None

    def render(self, messages: Sequence[ChatMessage], variables: Mapping[str, Any]) -> str:
        """Returns the prompt for ``messages``, ready for the assistant to answer.

        Args:
            messages: the conversation.
            variables: what else the template is told: special tokens such as ``bos_token``,
                ``tools``, switches for the thinking.

        Raises:
            DataFault: ``template_missing``; ``template_failed`` if the template has an error,
                refuses the conversation, renders nothing, takes too long or makes too much text.
        """
        if self._source is None or not self._source.strip():
            raise DataFault(
                "template_missing",
                "This model has no chat template, so it can't hold a conversation.",
                "Choose a model that is made for chat (an instruct model).",
            )
        try:
            rendered = self._bounded(messages, variables)
        except _TemplateRefusal as error:
            raise DataFault(
                "template_failed",
                f"The model's chat template refuses this conversation: {str(error)[:200]}",
                "Start a new chat, or choose another model.",
            ) from error
        except Exception as error:  # the template is a program; it may raise anything
            raise _failed(error) from error
        if not rendered.strip():
            raise DataFault(
                "template_failed", "The model's chat template renders to nothing.", _REMEDY
            )
        return rendered

    def _bounded(self, messages: Sequence[ChatMessage], variables: Mapping[str, Any]) -> str:
        template = self._compiled()
        content = sum(len(message.content) for message in messages)
        limit = _MAX_ADDED_CHARACTERS + 2 * content
        told = {"tools": None} | dict(variables)
        told |= {
            "messages": [as_template_sees(message) for message in messages],
            "add_generation_prompt": True,
        }
        parts: list[str] = []
        with self._environment.within(_BASE_BUDGET + 32 * content, _MAX_CPU_S):
            for part in template.generate(told):
                limit -= len(part)
                if limit < 0:
                    raise ValueError("it makes more text than any chat needs")
                parts.append(part)
        return "".join(parts)

    def _compiled(self) -> Any:
        if self._template is None:
            from app.engine.backends.jinja_sandbox import BoundedEnvironment

            source = self._source or ""
            if len(source) > _MAX_TEMPLATE_CHARACTERS:
                raise ValueError("it is absurdly long")
            environment = BoundedEnvironment()
            environment.filters["tojson"] = environment.guarded("tojson", _to_json)
            environment.globals["raise_exception"] = _refuse
            environment.globals["strftime_now"] = _strftime_now
            self._environment = environment
            self._template = environment.from_string(source)
        return self._template


def _failed(error: Exception) -> DataFault:
    reason = str(error).strip().splitlines()
    detail = reason[0][:200] if reason else type(error).__name__
    return DataFault(
        "template_failed", f"The model's chat template can't be rendered: {detail}.", _REMEDY
    )


def _refuse(message: object) -> NoReturn:
    raise _TemplateRefusal(str(message))


def _strftime_now(form: str) -> str:
    """The local date and time, as the model's makers meant it."""
    return datetime.now().astimezone().strftime(form[:100])


def _to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """JSON as templates expect it: not escaped for HTML, keys in their order."""
    if indent is not None:
        indent = max(0, min(int(indent), _MAX_INDENT))
    return json.dumps(
        value,
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
    )
