"""A full chat in words: why a turn waits, the ways on, and what is left out."""

from typing import Final

from PySide6.QtCore import QCoreApplication

from app.chats.records import OverflowChoice
from app.desktop.conversation import Conversation
from app.desktop.dates import moment_briefly
from app.desktop.turn_records import Hold
from app.desktop.wording import error_line, number
from app.engine.manifest import SegmentKind
from app.workflows.context_overflow import Remedy
from app.workflows.context_talk import Cut, PastedText, Talk
from app.workflows.reading_speed import SlowReading, SpeedSource

# Qt's extractor knows this name.
translate = QCoreApplication.translate

_MINUTE_S: Final = 60.0


def held(hold: Hold, chat: Conversation) -> tuple[str, str]:
    """Why a turn waits for the person, as a headline and a sentence with its sum."""
    if hold.slow is not None:
        return _slow(hold, hold.slow, chat)
    headline = translate("context", "This no longer fits into the model's context.")
    first = _first_cut(hold, chat)
    overflow = hold.overflow
    if overflow is None:
        if hold.error is None:
            return headline, first
        if hold.asked.talk.parts.history:
            return headline, _sentences(error_line(hold.error), first)
        return headline, _remedy(hold.asked.talk.remedy())
    sums = translate(
        "context",
        "{needed} tokens are needed, with room for the answer; {available} are available.",
    ).format(needed=number(overflow.needed_tokens), available=number(overflow.available_tokens))
    if not overflow.choices:
        rest = translate(
            "context",
            "Even without earlier messages it would be {fixed}. {remedy}",
        ).format(fixed=number(overflow.fixed_tokens), remedy=_remedy(overflow.remedy))
        if not overflow.history_tokens:
            rest = _remedy(overflow.remedy)
    elif hold.error is not None:
        rest = error_line(hold.error)
    else:
        rest = translate(
            "context",
            "Earlier messages take {history} of them. Nothing is left out unless you say so.",
        ).format(history=number(overflow.history_tokens))
    return headline, _sentences(sums, rest, first)


def _remedy(remedy: Remedy) -> str:
    return {
        Remedy.UNPIN: translate("context", "Unpin a file, or shorten the message."),
        Remedy.SHORTEN_OR_UNPIN: translate("context", "Shorten the message, or unpin a file."),
        Remedy.SHORTEN_SYSTEM: translate("context", "Shorten the system prompt, or the message."),
        Remedy.SHORTEN: translate("context", "Shorten the message."),
    }[remedy]


def _slow(hold: Hold, slow: SlowReading, chat: Conversation) -> tuple[str, str]:
    least, most = (max(1, round(one / _MINUTE_S)) for one in (slow.least_s, slow.most_s))
    if slow.source is SpeedSource.ESTIMATED:
        headline = translate("context", "Reading this may take {least} to {most} minutes.").format(
            least=number(least), most=number(most)
        )
        if least == most:
            headline = translate("context", "Reading this may take about {minutes} min.").format(
                minutes=number(most)
            )
    elif most > 1:
        headline = translate("context", "Reading this takes about {minutes} minutes.").format(
            minutes=number(most)
        )
    else:
        headline = translate("context", "Reading this takes about a minute.")
    tokens = 0 if hold.report is None else hold.report.unread_tokens
    sentence = translate(
        "context",
        "{tokens} tokens have to be read before the first word. It can be stopped at any time.",
    ).format(tokens=number(tokens))
    return headline, _sentences(sentence, _source(slow.source), _first_cut(hold, chat))


def _source(source: SpeedSource) -> str:
    """Where the figure comes from."""
    return {
        SpeedSource.CERTIFIED: translate(
            "context", "The speed was measured when this model was checked on this computer."
        ),
        SpeedSource.MEASURED: translate(
            "context", "The speed was measured with this model on this computer."
        ),
        SpeedSource.ESTIMATED: translate(
            "context",
            "This is estimated from what the processor can do; the model was not measured here"
            " yet.",
        ),
    }[source]


def _sentences(*some: str) -> str:
    return " ".join(one for one in some if one)


def ways_on(hold: Hold) -> tuple[tuple[str, str], ...]:
    """The buttons for a turn that waits: pairs of a key and a text, the advised one first."""
    shorten = ("shorten", translate("context", "Shorten the message"))
    if hold.slow is not None:
        ways: list[tuple[str, str]] = [("go", translate("context", "Read it"))]
        if hold.cut:
            ways.append((OverflowChoice.LEAVE_OUT_OLDEST, cut_name(hold.cut)))
        return (*ways, shorten)
    if hold.overflow is not None:
        choices = hold.overflow.choices
    elif hold.asked.talk.parts.history:
        choices = (OverflowChoice.LEAVE_OUT_OLDEST, OverflowChoice.NEW_CHAT)
    else:
        choices = ()
    if choices:
        return (*((one, _way_name(one, hold.cut)) for one in choices), shorten)
    # After a file was unpinned, or in another model.
    return (shorten, ("go", translate("context", "Try again")))


def _way_name(choice: OverflowChoice, cut: Cut | None) -> str:
    if choice is OverflowChoice.LEAVE_OUT_OLDEST and cut:
        return cut_name(cut)
    return choice_name(choice)


def cut_name(cut: Cut) -> str:
    """The button that leaves out what ``cut`` says."""
    if not cut.pasted:
        return translate("context", "Leave out the oldest messages")
    if not cut.messages:
        return translate("context", "Leave out what was pasted")
    return translate("context", "Leave out pasted text and old messages")


def choice_name(choice: OverflowChoice) -> str:
    """What happens in a chat when it is full."""
    return {
        OverflowChoice.LEAVE_OUT_OLDEST: translate(
            "context", "Leave out pasted text, then the oldest messages"
        ),
        OverflowChoice.SUMMARISE: translate("context", "Summarise the oldest messages"),
        OverflowChoice.NEW_CHAT: translate("context", "New chat with the pinned files"),
    }.get(choice, translate("context", "Ask me"))


def remember() -> str:
    return translate("context", "Do the same from now on in this chat")


def _first_cut(hold: Hold, chat: Conversation) -> str:
    """What the choice to leave something out would leave out."""
    if not hold.cut:
        return ""
    what = translate(
        "context",
        "What can be left out first: {parts}. Everything stays in the chat; the model just does not"
        " read it any more.",
    ).format(parts=_cut_parts(hold.cut, chat))
    if not hold.cut.read_again_tokens:
        return what
    again = translate("context", "What comes after it is read again, about {tokens} tokens.")
    return _sentences(what, again.format(tokens=number(hold.cut.read_again_tokens)))


def left_out_now(cut: Cut, chat: Conversation) -> tuple[str, str]:
    """What was left out by the choice that a chat remembers, as a headline and a sentence."""
    headline = translate("context", "Something was left out, so that the chat fits.")
    sentence = translate(
        "context",
        "Left out: {parts}. Everything stays in the chat; the model just does not read it any"
        " more.",
    ).format(parts=_cut_parts(cut, chat))
    return headline, sentence


def _cut_parts(cut: Cut, chat: Conversation) -> str:
    parts = [pasted_text(one, chat) for one in cut.pasted]
    if cut.messages:
        parts.append(_oldest(cut))
    return "; ".join(parts)


def _oldest(cut: Cut) -> str:
    which = translate("context", "the oldest message")
    if cut.messages > 1:
        which = translate("context", "the {count} oldest messages").format(
            count=number(cut.messages)
        )
    if not cut.message_tokens:
        return which
    tokens = translate("context", "{count} tokens").format(count=number(cut.message_tokens))
    return f"{which} ({tokens})"


def pasted_text(one: PastedText, chat: Conversation) -> str:
    """A pasted text, such as "the pasted log of 12:03 (312 lines, 2,300 tokens)"."""
    name = {
        SegmentKind.DIFF: translate("context", "the pasted diff of {time}"),
        SegmentKind.TEST_OUTPUT: translate("context", "the pasted test output of {time}"),
        SegmentKind.TERMINAL: translate("context", "the pasted log of {time}"),
    }[one.where.kind].format(time=moment_briefly(chat.get(one.part.message).sent_at_ms))
    lines = translate("context", "{count} lines").format(count=number(one.where.lines))
    if not one.part.tokens:
        return f"{name} ({lines})"
    tokens = translate("context", "{count} tokens").format(count=number(one.part.tokens))
    return f"{name} ({lines}, {tokens})"


def left_out_messages(talk: Talk) -> str:
    """How many messages of a chat are not read any more; empty for none."""
    if not talk.left_out:
        return ""
    return translate("context", "The {count} oldest messages are not read any more.").format(
        count=number(talk.left_out)
    )


def left_out_sentences(talk: Talk) -> list[str]:
    """How much of a chat is not read any more."""
    pasted = len(talk.left_out_pasted)
    sentence = ""
    if pasted == 1:
        sentence = translate("context", "A pasted text is not read any more.")
    elif pasted:
        sentence = translate("context", "{count} pasted texts are not read any more.").format(
            count=number(pasted)
        )
    return [one for one in (left_out_messages(talk), sentence) if one]


def left_out_pasted(talk: Talk, chat: Conversation) -> str:
    """Which pasted texts of the messages that are read are left out; empty for none."""
    parts = "; ".join(pasted_text(one, chat) for one in talk.left_out_pasted)
    return translate("context", "Not read any more: {parts}.").format(parts=parts) if parts else ""
