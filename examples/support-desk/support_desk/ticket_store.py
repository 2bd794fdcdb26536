"""The connector: tickets in a SQLite file in the trial's state directory, on the terms of its manifest."""

import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCHEMA = """
CREATE TABLE IF NOT EXISTS tickets (
    number INTEGER PRIMARY KEY, operation TEXT NOT NULL, customer TEXT NOT NULL, subject TEXT NOT NULL,
    priority TEXT NOT NULL, opened TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS notices (number INTEGER PRIMARY KEY, operation TEXT NOT NULL, customer TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS calls (number INTEGER PRIMARY KEY, operation TEXT NOT NULL);
"""


class Refused(Exception):
    """The store's documented refusal: nothing was written."""


class NoAnswer(Exception):
    """No answer came. Something may have been written, or nothing."""


@dataclass(frozen=True)
class Ticket:
    """A ticket as the store shows it."""

    number: int
    operation: str
    customer: str
    subject: str
    priority: str


class TicketStore:
    """One connection. `outages.json` beside the database says which calls get no answer, for rehearsals."""

    def __init__(self, contract: dict[str, Any], state_dir: Path) -> None:
        self.contract = contract["operations"]
        self.database = sqlite3.connect(state_dir / "tickets.db", isolation_level=None)
        self.database.executescript(SCHEMA)
        outages = state_dir / "outages.json"
        self.outages = json.loads(outages.read_text(encoding="utf-8")) if outages.exists() else {}
        self._take_in(state_dir / "tickets.json")

    def open_ticket(self, wanted: Ticket, opened: str) -> Ticket:
        """Opens a ticket, or gives back the one that this operation opened before, if the contract says so."""
        outage = self._call("open")
        self._fail_if(outage, "before_commit")
        if self._identifies("open"):
            first = self.find_operation(wanted.operation)
            if first is not None:
                other = (first.customer, first.subject) != (wanted.customer, wanted.subject)
                if other and self.contract["open"]["idempotency"]["mismatch"] == "refuse":
                    raise Refused("this operation opened a different ticket")
                return first
        cursor = self.database.execute(
            "INSERT INTO tickets (operation, customer, subject, priority, opened) VALUES (?, ?, ?, ?, ?)",
            (wanted.operation, wanted.customer, wanted.subject, wanted.priority, opened),
        )
        self._fail_if(outage, "lost_ack")
        return Ticket(cursor.lastrowid, wanted.operation, wanted.customer, wanted.subject, wanted.priority)

    def notify(self, operation: str, customer: str) -> None:
        """Queues one notice to the customer."""
        outage = self._call("notify")
        self._fail_if(outage, "before_commit")
        known = self.database.execute("SELECT 1 FROM notices WHERE operation = ?", (operation,)).fetchone()
        if not (self._identifies("notify") and known):
            self.database.execute("INSERT INTO notices (operation, customer) VALUES (?, ?)", (operation, customer))
        self._fail_if(outage, "lost_ack")

    def find_operation(self, operation: str) -> Ticket | None:
        """The first ticket that an operation opened."""
        return self._find("operation", operation)

    def find_number(self, number: int) -> Ticket | None:
        """The ticket with that number."""
        return self._find("number", number)

    def _find(self, column: str, value: Any) -> Ticket | None:
        row = self.database.execute(
            f"SELECT number, operation, customer, subject, priority FROM tickets WHERE {column} = ? ORDER BY number",
            (value,),
        ).fetchone()
        return Ticket(*row) if row else None

    def _identifies(self, operation: str) -> bool:
        return self.contract[operation]["idempotency"]["key"] == "caller"

    def _call(self, operation: str) -> str | None:
        """Counts the call and says which outage, if any, was laid on it."""
        self.database.execute("INSERT INTO calls (operation) VALUES (?)", (operation,))
        (count,) = self.database.execute("SELECT count(*) FROM calls WHERE operation = ?", (operation,)).fetchone()
        return self.outages.get(operation, {}).get(str(count))

    def _fail_if(self, outage: str | None, place: str) -> None:
        if outage == place:
            raise NoAnswer(f"no answer ({place})")

    def _take_in(self, path: Path) -> None:
        (count,) = self.database.execute("SELECT count(*) FROM tickets").fetchone()
        if count == 0 and path.exists():
            for ticket in json.loads(path.read_text(encoding="utf-8")):
                self.database.execute(
                    "INSERT INTO tickets VALUES (:number, :operation, :customer, :subject, :priority, :opened)", ticket
                )
