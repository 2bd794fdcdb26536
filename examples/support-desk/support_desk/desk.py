"""The desk: checks the request, checks the permission, then answers or acts."""

from dataclasses import asdict, dataclass
from pathlib import Path
from string import Template
from typing import Any

from .manifests import read_manifest
from .permissions import Permissions
from .policies import read_passages
from .rule_model import complete
from .ticket_store import NoAnswer, Refused, Ticket, TicketStore


class Invalid(Exception):
    """A request that cannot be understood."""


@dataclass
class Desk:
    """All that one invocation works with."""

    project: Path
    permissions: Permissions
    store: TicketStore
    now: str

    @classmethod
    def open(cls, project: Path, state_dir: Path, now: str) -> "Desk":
        """Reads the permissions and opens the ticket store."""
        manifests = project / "manifests"
        contract = read_manifest(manifests / "ticket-store.yaml")
        return cls(project, Permissions(manifests / "permissions.yaml"), TicketStore(contract, state_dir), now)

    def handle(self, request: Any) -> dict[str, Any]:
        """The answer to one request, whatever it is."""
        actions = {
            "ask": self._ask,
            "open_ticket": self._open_ticket,
            "show_ticket": self._show_ticket,
            "refund": self._refund,
        }
        try:
            action, actor = _text(request, "action", "ask"), _text(request, "actor")
            if action not in actions:
                raise Invalid(f"there is no action `{action}`")
            if not self.permissions.allows(actor, action):
                claims = _claims(request, "rejected")
                return _answer("refused", f"A {actor} may not do this: {action}.", claims=claims)
            return actions[action](request, actor)
        except Invalid as error:
            return _answer("invalid", f"This request cannot be understood: {error}.")

    def _ask(self, request: dict, actor: str) -> dict[str, Any]:
        question = _text(request, "question")
        passages = read_passages(self.project, self.now[:10])
        passages = [passage for passage in passages if self.permissions.may_read(actor, passage.source)]
        prompt_manifest = read_manifest(self.project / "manifests" / "answer-prompt.yaml")
        prompt = "\n".join((self.project / name).read_text(encoding="utf-8") for name in prompt_manifest["files"])
        model = read_manifest(self.project / "manifests" / "rule-model.yaml")
        prompt = Template(prompt).substitute(actor=actor, today=self.now[:10])
        draft = complete(prompt, passages, question, model["sampling"]["max_output_tokens"])
        citations = [
            {"source": passage.source, "version": passage.version, "quote": passage.text} for passage in draft.quoted
        ]
        return _answer("answered" if draft.answered else "unanswered", draft.text, citations=citations)

    def _open_ticket(self, request: dict, actor: str) -> dict[str, Any]:
        operation = _text(request, "operation")
        priorities = read_manifest(self.project / "manifests" / "open-ticket.yaml")["schema"]["properties"]["priority"]
        priority = _text(request, "priority", priorities["default"])
        if priority not in priorities["enum"]:
            raise Invalid(f"`{priority}` is no priority")
        wanted = Ticket(0, operation, _text(request, "customer"), _text(request, "subject"), priority)
        try:
            ticket = self._open_with_retries(wanted)
        except Refused as error:
            return _answer("refused", f"The ticket store refused: {error}.", claims=_claims(request, "rejected"))
        except NoAnswer:
            text = "We do not know whether your ticket was opened. A colleague will check before anything is repeated."
            return _answer("unknown", text, claims=_claims(request, "unknown"))
        text = f"Ticket {ticket.number} is open: {ticket.subject}."
        try:
            self.store.notify(operation, ticket.customer)
            notice = "queued"
        except NoAnswer:
            text += " We could not confirm that the notice to you was queued."
            notice = "unknown"
        claims = _claims(request, "completed")
        return _answer("ticket_opened", text, claims=claims, ticket=asdict(ticket), notice=notice)

    def _open_with_retries(self, wanted: Ticket) -> Ticket:
        """Tries as often as the store's contract says; repeating is safe only where it knows the operation again."""
        contract = self.store.contract["open"]
        for attempt in range(1, contract["retry"]["attempts"] + 1):
            try:
                return self.store.open_ticket(wanted, self.now)
            except NoAnswer:
                if attempt == contract["retry"]["attempts"]:
                    raise
        raise NoAnswer("the contract allows no attempt")

    def _show_ticket(self, request: dict, actor: str) -> dict[str, Any]:
        number = request.get("ticket")
        if not isinstance(number, int):
            raise Invalid("`ticket` must be a number")
        ticket = self.store.find_number(number)
        own = ticket is not None and ticket.customer == request.get("customer")
        if ticket is None or not (own or self.permissions.allows(actor, "show_any_ticket")):
            # The same words for a stranger's ticket and for none: the answer must not tell which numbers exist.
            return _answer("refused", f"There is no ticket {number} that you may see.")
        return _answer("answered", f"Ticket {number}: {ticket.subject} ({ticket.priority}).", ticket=asdict(ticket))

    def _refund(self, request: dict, actor: str) -> dict[str, Any]:
        if self.permissions.must_wait("refund"):
            return _answer("held", "A refund waits for a supervisor's approval.", claims=_claims(request, "held"))
        return _answer("refunded", "The refund is done.", claims=_claims(request, "completed"))


def _text(request: Any, name: str, default: str | None = None) -> str:
    if not isinstance(request, dict):
        raise Invalid("it is no map")
    value = request.get(name, default)
    if not isinstance(value, str) or not value.strip():
        raise Invalid(f"`{name}` must be a text")
    return value


def _claims(request: dict, claim: str) -> list[dict[str, str]]:
    operation = request.get("operation")
    return [{"operation": operation, "claim": claim}] if isinstance(operation, str) else []


def _answer(decision: str, output: str, **more: Any) -> dict[str, Any]:
    return {"output": output, "decision": decision, "citations": [], "claims": [], "ticket": None, "notice": None} | more
