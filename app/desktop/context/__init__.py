"""What the model reads of a chat: shown, pinned, read ahead."""
