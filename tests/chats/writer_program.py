"""A program that chats and tells each thing it was promised, until it is killed."""

import itertools
import sys
import time
from pathlib import Path
from typing import Final

from app.chats.records import AnswerEnd, AnswerStart
from app.chats.store import ChatStore

START: Final = AnswerStart(model_name="m", model_digest="d", backend="llama", device="CPU")
PIECES: Final = 5


def main(folder: str, pause_s: float) -> None:
    """Prints ``sent N`` and ``stored N PIECES`` once the store says so."""
    store = ChatStore(Path(folder))
    conversation = store.create_conversation().result()
    print("chat", conversation.id, flush=True)
    for number in itertools.count():
        question = store.send(conversation.id, f"question {number} " + "q" * 3000).result()
        print("sent", number, flush=True)
        answer = store.begin_answer(question.id, START).result()
        for piece in range(PIECES):
            store.append(answer.id, f"[{number}.{piece}]" + "a" * 3000).result()
            print("stored", number, piece, flush=True)
            time.sleep(pause_s)
        store.finish_answer(answer.id, AnswerEnd(finish_reason="stop")).result()


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
