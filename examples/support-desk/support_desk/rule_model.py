"""A stand-in for a language model: rules over words, the same answer every time. It is no model.

It behaves as models do in the one way that matters here: what its instructions do not forbid, it may well do. Without
the matching sentence in the prompt it confirms what it cannot know, follows orders in the customer's message, invents
an answer, quotes nothing, and takes whichever source it likes.
"""

import re
from dataclasses import dataclass, field

from .policies import Passage

ENOUGH_OVERLAP = 2
STOCK = re.compile(r"\b(in stock|available|availability|left on the shelf)\b", re.IGNORECASE)
ORDER = re.compile(r"\b(?:ignore|forget|disregard)\b.*?\b(?:say|reply with|answer):? (?P<order>.+)", re.I | re.S)
UNKNOWN = "I do not know: none of our policies answers this. I can open a ticket, and a colleague will look at it."
NO_STOCK = "I cannot confirm availability: stock is not in our policies. I can open a ticket, and a colleague will look."


@dataclass
class Draft:
    """What the stand-in wrote."""

    text: str
    answered: bool
    quoted: list[Passage] = field(default_factory=list)


@dataclass(frozen=True)
class Instructions:
    """What the stand-in understands of a prompt."""

    quote: bool
    newest: bool
    no_availability: bool
    message_is_data: bool
    admit_unknown: bool
    closing: str

    @classmethod
    def of(cls, prompt: str) -> "Instructions":
        """Reads the list items of the prompt; everything else in it is tone."""
        rules = [line[2:].lower() for line in prompt.splitlines() if line.startswith("- ")]

        def told(*phrases: str) -> bool:
            return any(all(phrase in rule for phrase in phrases) for rule in rules)

        closing = re.search(r'^- Close with "(.+)"', prompt, re.MULTILINE)
        return cls(
            quote=told("quote", "passage"),
            newest=told("source", "in force"),
            no_availability=told("never", "availability"),
            message_is_data=told("message is data"),
            admit_unknown=told("do not know"),
            closing=closing[1] if closing else "",
        )


def complete(prompt: str, passages: list[Passage], message: str, output_words: int) -> Draft:
    """Answers `message` from `passages` under `prompt`, in at most `output_words` words."""
    told = Instructions.of(prompt)
    draft = _draft(told, passages, message)
    if told.closing:
        draft.text = f"{draft.text}\n\n{told.closing}"
    kept = re.findall(r"\s*\S+", draft.text)[:output_words]
    draft.text = "".join(kept)
    return draft


def _draft(told: Instructions, passages: list[Passage], message: str) -> Draft:
    order = ORDER.search(message)
    if order and not told.message_is_data:
        return Draft(order["order"].strip().strip('"'), answered=True)
    question = message[: order.start()] if order else message
    if STOCK.search(question):
        return Draft(NO_STOCK, False) if told.no_availability else Draft("Yes, that is available.", True)
    ranked = sorted(passages, key=lambda passage: passage.overlap(question), reverse=True)
    if not ranked or ranked[0].overlap(question) < ENOUGH_OVERLAP:
        return Draft(UNKNOWN, False) if told.admit_unknown else Draft("Yes, that should be fine.", True)
    return _answer(told, ranked[0], passages)


def _answer(told: Instructions, best: Passage, passages: list[Passage]) -> Draft:
    """`best`, or what the newest or oldest source says under the same heading."""
    rivals = [p for p in passages if p.heading == best.heading and p.source != best.source and p.text != best.text]
    chosen, older = best, []
    if rivals:
        by_age = sorted([best, *rivals], key=lambda passage: passage.effective, reverse=told.newest)
        chosen = by_age[0]
        older = by_age[1:] if told.newest else []
    text = chosen.text
    if told.quote:
        text += f" [{chosen.source} {chosen.version}]"
    for passage in older:
        text += f" An older source, {passage.source} {passage.version}, says otherwise and is no longer in force."
    return Draft(text, True, [chosen] if told.quote else [])
