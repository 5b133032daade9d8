"""The Models window and the first-run cards: what there is, what fits here, what is on its way."""
