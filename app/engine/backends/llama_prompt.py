"""From messages to the token ids that the model reads."""

from functools import cached_property

from app.engine.admission import refuse_giant
from app.engine.answer_stream import AnswerStream
from app.engine.backends.base import Control
from app.engine.backends.context_port import WrittenPrompt
from app.engine.backends.jinja_template import ChatTemplate
from app.engine.backends.llama_model import LlamaModel
from app.engine.chat import ChatMessage, Role
from app.engine.prompt import encode, protect, protect_tools, split_begun
from app.engine.protocol import Generate
from app.engine.template_controls import (
    TemplateControls,
    TemplateTraits,
    controls_for,
    probe,
)
from app.models.gguf import GgufModel


class PromptWriter:
    """The model's own chat template and vocabulary.

    Args:
        gguf: the header of the model's file, which holds the template.
        model: the loaded vocabulary.
    """

    def __init__(self, gguf: GgufModel, model: LlamaModel) -> None:
        self.template = ChatTemplate(gguf.chat_template)
        self._model = model
        # Other special tokens, such as runs of spaces, are ordinary text that is written often.
        self._protected = tuple(token.text for token in gguf.special_tokens() if token.is_control)
        self._longest_token_bytes = max(len(one.encode()) for one in gguf.tokens())
        self._tokens = {
            "bos_token": model.token_text(gguf.tokenizer.bos_id),
            "eos_token": model.token_text(gguf.tokenizer.eos_id),
        }

    def write(self, request: Generate, stream: AnswerStream) -> list[int]:
        """Returns the ids of the prompt; see ``write_prompt``."""
        return self.write_prompt(request, stream).ids

    def protect(self, text: str) -> str:
        """The text of a message as it stands in a prompt."""
        message = ChatMessage(role=Role.USER, content=text)
        return protect((message,), self._protected)[0].content

    def write_prompt(self, request: Generate, stream: AnswerStream) -> WrittenPrompt:
        """Returns the prompt, up to where the answer begins or goes on.

        Args:
            request: its messages, tools and thinking level count.
            stream: told how the prompt ends.

        Raises:
            DataFault: ``template_missing`` or ``template_failed``.
            UserError: ``tools_not_supported``: the template has no place for them;
                ``context_overflow`` for a text that is far too long; ``text_unbroken``.
            RequestStopped: ``stream`` said so.
        """
        refuse_giant(request.messages, request.spec.context_tokens, self._longest_token_bytes)
        asked, begun = split_begun(protect(request.messages, self._protected))
        tools = protect_tools(request.tools, self._protected)
        controls = controls_for(request.thinking, tools, lambda: self.traits)
        prompt = stream.begin(self.render(tuple(asked), controls), begun)
        return WrittenPrompt(prompt, self.encode(prompt, stream))

    def encode(self, prompt: str, control: Control) -> list[int]:
        """The ids of a rendered prompt, or of its beginning; raises as ``prompt.encode``."""
        ids = encode(prompt, self._model.tokenize, control)
        begin = self._model.begin_token
        # Most templates write the begin token themselves; it must be there once.
        if begin is not None and ids[:1] != [begin]:
            ids.insert(0, begin)
        return ids

    @cached_property
    def traits(self) -> TemplateTraits:
        """Which controls the template heeds.

        Raises:
            DataFault: ``template_missing`` or ``template_failed``.
        """
        return probe(self.render)

    def render(self, messages: tuple[ChatMessage, ...], controls: TemplateControls) -> str:
        """Renders ``messages`` up to where the answer begins."""
        variables = controls.variables() | {"tools": controls.tools_as_json()}
        return self.template.render(messages, self._tokens | variables)
