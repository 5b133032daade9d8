"""The answer checks, apart from speed: is what comes out of this model, here, an answer at all?

Each check looks at one thing and takes away before what another one looks at, so that one fault
fails one check. Which of them a certificate needs is said here, with the reason, and nowhere else:
those that show a broken library, driver, cache or template. Small models fail others honestly.
"""

from collections.abc import Callable
from typing import Final

import msgspec
from msgspec import Struct

from app.certify.asking import Answer, Ask, Question
from app.certify.certificate import CheckResult
from app.certify.text_signs import (
    circle,
    echo_share,
    goes_on_as_a_script,
    special_marks,
    without_marks,
    words_of,
)
from app.core.errors import ContenoxError
from app.engine.chat import ThinkingLevel, ToolSpec
from app.engine.outcome import FinishReason
from app.engine.spec import Protocols

ECHO_LINE: Final = "blue lantern 4729"
UNICODE_LINE: Final = "Grüße, 你好, привет, 🙂"
KNOWN_ANSWERS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("What is the capital of France? Answer in one sentence.", ("paris",)),
    ("What is 2 + 2? Answer in one sentence.", ("4", "four")),
    ("Which planet do we live on? Answer in one sentence.", ("earth",)),
    ("How many days are in a week? Answer in one sentence.", ("7", "seven")),
    ("What colour is the sky on a clear day? Answer in one sentence.", ("blue",)),
)
LONG_QUESTION: Final = (
    "Write a short story of about one hundred words in which a lighthouse keeper named Mara finds"
    " a letter in a bottle on the beach after a storm and decides what to do with it."
)
COUNT_QUESTION: Final = "Count from 1 to 9, separated by commas."
MARKER: Final = "7421"
MARKER_DEPTHS: Final = (0.1, 0.5, 0.9)

_ECHO_SHARE: Final = 0.3
_KNOWN_NEEDED: Final = 3
_LONG_TOKENS: Final = 220
_LOOP_FREE_WORDS: Final = 80
_FILLER: Final = (
    "The harbour was quiet and the boats lay at their moorings while the tide came in. "
)
_AGREEMENT_WORDS: Final = 4
_TOOL: Final = ToolSpec(
    name="get_weather",
    description="Tells the weather of a city.",
    parameters_schema='{"type":"object","properties":{"city":{"type":"string"}},'
    '"required":["city"]}',
)

Seen = tuple[bool | None, str]
"""Whether a check passed (``None``: it doesn't apply), and what was seen."""


class Circumstances(Struct, frozen=True, kw_only=True):
    """What the checks need to know beside the port.

    ``recall_tokens`` is about how long the prompts with a marker are. ``beyond_trained``: more
    context is in question than the model was trained for.
    """

    protocols: Protocols = Protocols()
    recall_tokens: int = 1000
    beyond_trained: bool = False


class Check(Struct, frozen=True):
    """``required_because`` is empty for a check that a certificate doesn't need;
    ``required_beyond_because`` counts beyond the trained context only.
    """

    name: str
    run: Callable[[Ask, Circumstances], Seen]
    required_because: str = ""
    required_beyond_because: str = ""

    def required(self, *, beyond_trained: bool = False) -> bool:
        """Whether a certificate needs it."""
        return bool(self.required_because or (beyond_trained and self.required_beyond_because))


def exact_echo(ask: Ask, _: Circumstances) -> Seen:
    """The last line of the answer is the line that was asked for."""
    answer = ask.ask(
        Question(prompt=f"Repeat this line exactly, and write nothing else: {ECHO_LINE}")
    )
    lines = [line.strip(" \"'“”.`") for line in without_marks(answer.text).splitlines()]
    lines = [line for line in lines if line]
    return bool(lines) and lines[-1] == ECHO_LINE, _said(answer)


def known_answers(ask: Ask, _: Circumstances) -> Seen:
    """Three of five facts that every chat model of our list knows."""
    wrong: list[str] = []
    for question, accepted in KNOWN_ANSWERS:
        answer = ask.ask(Question(prompt=question))
        if not set(accepted) & set(words_of(answer.text)):
            wrong.append(f"{question} {_said(answer)}")
    right = len(KNOWN_ANSWERS) - len(wrong)
    detail = f"{right} of {len(KNOWN_ANSWERS)} right"
    return right >= _KNOWN_NEEDED, "; ".join((detail, *wrong))


def ends_by_itself(ask: Ask, _: Circumstances) -> Seen:
    """The model's own end token ends an answer, and so do a stop string and a limit."""
    ended = ask.ask(Question(prompt=KNOWN_ANSWERS[0][0], max_tokens=128))
    if ended.reason is not FinishReason.STOP:
        return False, f"a short answer ended with {ended.reason}: {_said(ended)}"
    stopped = ask.ask(Question(prompt=COUNT_QUESTION, stop_strings=("5",)))
    if "5" in stopped.text:
        return False, f"the stop string is in the text: {_said(stopped)}"
    cut = ask.ask(Question(prompt=LONG_QUESTION, max_tokens=4))
    if cut.reason is not FinishReason.LENGTH:
        return False, f"a limit of 4 tokens ended with {cut.reason}"
    return True, "end token, stop string and limit were heeded"


def unicode_round_trip(ask: Ask, _: Circumstances) -> Seen:
    """Letters, ideographs and an emoji come back as they went in."""
    answer = ask.ask(
        Question(prompt=f"Repeat this line exactly, and write nothing else: {UNICODE_LINE}")
    )
    return UNICODE_LINE in answer.text, _said(answer)


def no_prompt_echo(ask: Ask, _: Circumstances) -> Seen:
    """The answer is neither the prompt again nor the next turn of an invented conversation."""
    answer = ask.ask(Question(prompt=LONG_QUESTION, max_tokens=_LONG_TOKENS))
    share = echo_share(LONG_QUESTION, answer.text)
    if goes_on_as_a_script(without_marks(answer.text)):
        return False, f"it writes the other side of the conversation too: {_said(answer)}"
    return share < _ECHO_SHARE, f"{share:.0%} of the runs of eight words are the prompt's"


def no_loops(ask: Ask, _: Circumstances) -> Seen:
    """The first eighty words of a longer answer don't go round in circles.

    Broken libraries and drivers circle at once. Small models do it later, all by themselves: that
    is told, and not held against the machine.
    """
    answer = ask.ask(Question(prompt=LONG_QUESTION, max_tokens=_LONG_TOKENS))
    words = answer.text.split()
    begun = circle(" ".join(words[:_LOOP_FREE_WORDS]))
    if begun is not None or (answer.reason is FinishReason.REPETITION and not words):
        return False, f"it says again and again: {begun or _said(answer)}"
    later = circle(answer.text)
    if later is not None or answer.reason is FinishReason.REPETITION:
        return True, f"no circle in {_LOOP_FREE_WORDS} words, but later: {later or _said(answer)}"
    return True, f"{len(words)} words without a circle"


def clean_text(ask: Ask, _: Circumstances) -> Seen:
    """No mark of template or tokenizer, and no broken character, is in the text."""
    texts = [
        ask.ask(Question(prompt=prompt, max_tokens=48)).text
        for prompt in (KNOWN_ANSWERS[0][0], LONG_QUESTION)
    ]
    marks = special_marks("\n".join(texts))
    return not marks, "none found" if not marks else f"found {', '.join(marks)}"


def marker_recall(ask: Ask, circumstances: Circumstances) -> Seen:
    """A number is found again wherever in a long prompt it stands."""
    lines = max(int(circumstances.recall_tokens / 18), 10)
    missed: list[str] = []
    for depth in MARKER_DEPTHS:
        filler = [_FILLER] * lines
        filler.insert(int(depth * lines), f"The number of the red boat is {MARKER}. ")
        prompt = "".join(filler) + "\nWhat is the number of the red boat?"
        answer = ask.ask(Question(prompt=prompt, max_tokens=32))
        if MARKER not in answer.text:
            missed.append(f"at {depth:.0%}: {_said(answer)}")
    found = f"{len(MARKER_DEPTHS) - len(missed)} of {len(MARKER_DEPTHS)} found"
    return not missed, "; ".join((found, *missed))


def honest_counters(ask: Ask, _: Circumstances) -> Seen:
    """The counts fit the tokenizer, the limit and the clock on the wall."""
    answer = ask.ask(Question(prompt=LONG_QUESTION, max_tokens=32))
    counted = ask.count(LONG_QUESTION).tokens
    usage, timings = answer.usage, answer.timings
    if usage.prompt_tokens != counted:
        return False, f"the prompt has {counted} tokens, and {usage.prompt_tokens} were reported"
    if usage.completion_tokens > 32:
        return False, f"32 tokens were allowed, and {usage.completion_tokens} were reported"
    written = ask.count(f"{LONG_QUESTION}\n{answer.text}").tokens - counted
    if abs(written - usage.completion_tokens) > max(4, 0.2 * usage.completion_tokens):
        return False, f"the text has about {written} tokens, {usage.completion_tokens} reported"
    rate = timings.decode_tokens_per_s
    told_s = (timings.ttft_s or 0.0) + ((usage.completion_tokens - 1) / rate if rate else 0.0)
    if (
        told_s > answer.wall_s * 1.05 + 0.05
        or told_s < (answer.wall_s - timings.load_s) * 0.5 - 0.3
    ):
        return False, f"the counters tell {told_s:.2f} s, the clock {answer.wall_s:.2f} s"
    return (
        True,
        f"{counted} + {usage.completion_tokens} tokens, {told_s:.2f} of {answer.wall_s:.2f} s",
    )


def thinking_split(ask: Ask, circumstances: Circumstances) -> Seen:
    """Thinking is apart from the answer, if the profile declares that the model thinks."""
    if circumstances.protocols.reasoning is None:
        return None, "the profile declares no thinking"
    question = Question(prompt=KNOWN_ANSWERS[1][0], max_tokens=1024, thinking=ThinkingLevel.HIGH)
    answer = ask.ask(question)
    split = bool(answer.thinking) and bool(answer.text.strip()) and "think>" not in answer.text
    return split, f"{answer.usage.thinking_tokens} tokens of thinking; {_said(answer)}"


def tool_call(ask: Ask, circumstances: Circumstances) -> Seen:
    """A tool is called with the right argument, if the profile declares calls."""
    if circumstances.protocols.tool_calls is None:
        return None, "the profile declares no tool calls"
    question = Question(
        prompt="What is the weather in Paris? Use the tool.", max_tokens=256, tools=(_TOOL,)
    )
    answer = ask.ask(question)
    for call in answer.calls:
        try:
            arguments = msgspec.json.decode(call.arguments, type=dict[str, str])
        except msgspec.MsgspecError:
            continue
        if call.name == _TOOL.name and arguments.get("city", "").casefold().startswith("paris"):
            return True, f"{call.name}({call.arguments})"
    return False, f"no such call; {_said(answer)}"


CHECKS: Final = (
    Check("known_answers", known_answers, "who misses them writes noise, not answers"),
    Check("ends_by_itself", ends_by_itself, "without it each answer runs into its limit"),
    Check("no_prompt_echo", no_prompt_echo, "an echo is fast and worthless"),
    Check("no_loops", no_loops, "a circle is fast and worthless"),
    Check("clean_text", clean_text, "marks in the text mean a wrong template or tokenizer"),
    Check("honest_counters", honest_counters, "each figure of speed rests on them"),
    Check("thinking_split", thinking_split, "what a profile declares has to work"),
    Check("tool_call", tool_call, "what a profile declares has to work"),
    Check("exact_echo", exact_echo),
    Check("unicode_round_trip", unicode_round_trip),
    Check(
        "marker_recall",
        marker_recall,
        required_beyond_because="a context that the model can't read all of is none",
    ),
)
CACHED_AGREEMENT: Final = Check(
    "cached_agreement",
    lambda *_: (None, ""),
    "some drivers compute nonsense from their compiled cache only",
)
CPU_AGREEMENT: Final = Check(
    "cpu_agreement", lambda *_: (None, ""), "a GPU may be wrong in whole sentences"
)


def run_check(check: Check, ask: Ask, circumstances: Circumstances) -> CheckResult:
    """Runs one check. A request that fails is a failed check, with its sentence."""
    try:
        passed, detail = check.run(ask, circumstances)
    except ContenoxError as error:
        passed, detail = False, f"{error.message} [{error.code}]"
    result = _result(check, passed, detail)
    required = check.required(beyond_trained=circumstances.beyond_trained)
    return msgspec.structs.replace(result, required=required)


def sample(ask: Ask) -> tuple[str, ...]:
    """Answers that two loads of the same model have to agree on."""
    return tuple(ask.ask(Question(prompt=question)).text for question, _ in KNOWN_ANSWERS[:3])


def agree_cached(cold: tuple[str, ...], cached: tuple[str, ...]) -> CheckResult:
    """The same load twice gives the same greedy answers, to the letter."""
    pairs = [(one, two) for one, two in zip(cold, cached, strict=True) if one != two]
    detail = f"{len(cold) - len(pairs)} of {len(cold)} answers are the same"
    detail += "".join(f"; first {_cut(one)}, then {_cut(two)}" for one, two in pairs)
    return _result(CACHED_AGREEMENT, not pairs, detail)


def agree_with_cpu(device: tuple[str, ...], cpu: tuple[str, ...] | None) -> CheckResult:
    """Two thirds of the answers begin with the same words on the CPU; ``None``: it is the CPU.

    Later words may differ: another device rounds otherwise, and one word changes the rest.
    """
    if cpu is None:
        return _result(CPU_AGREEMENT, None, "this is the CPU")
    pairs = list(zip(device, cpu, strict=True))
    heads = [
        (words_of(one)[:_AGREEMENT_WORDS], words_of(two)[:_AGREEMENT_WORDS]) for one, two in pairs
    ]
    same = sum(one == two and bool(one) for one, two in heads)
    detail = f"{same} of {len(pairs)} answers begin alike"
    return _result(CPU_AGREEMENT, same * 3 >= len(pairs) * 2, detail)


def _result(check: Check, passed: bool | None, detail: str) -> CheckResult:
    return CheckResult(
        name=check.name, required=check.required(), passed=passed, detail=detail[:400]
    )


def _said(answer: Answer) -> str:
    return f"it said {_cut(answer.text)}"


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return f"“{flat[:77]}…”" if len(flat) > 78 else f"“{flat}”"
