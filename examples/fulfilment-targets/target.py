"""The three systems that the fulfilment examples act on: orders, stock and mail. One process each.

    python3 target.py orders|stock|mail

It listens on 127.0.0.1 at HOLDPOINT_PORT and keeps its records in a SQLite file in HOLDPOINT_STATE_DIR. A POST makes a
record; the same `Idempotency-Key` with the same body gets the first answer again, marked `replayed`, and with another
body is refused. A POST without a key makes a new record each time: what a target does with a careless caller.
"""

import json
import os
import sqlite3
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from urllib.parse import parse_qs, urlsplit

# What each target keeps: the path, the fields that a request must have, and how receipts begin.
KINDS = {
    "orders": ("/orders", ("order", "customer"), "ORD"),
    "stock": ("/reservations", ("order", "item", "quantity"), "RES"),
    "mail": ("/messages", ("order", "to", "text"), "MSG"),
}
IN_STOCK = {"lamp": 5, "clock": 1}


class Records:
    """The target's records: one table, and the answers that it keeps for keys."""

    def __init__(self, kind):
        self.path, self.fields, self.prefix = KINDS[kind]
        self.kind = kind
        self.lock = Lock()
        file = Path(os.environ["HOLDPOINT_STATE_DIR"]) / f"{kind}.db"
        self.database = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
        # Quoted, since `order` is a word of SQL.
        self.columns = ", ".join(f'"{name}"' for name in ("receipt", *self.fields))
        self.database.execute(f"CREATE TABLE IF NOT EXISTS records (number INTEGER PRIMARY KEY, {self.columns})")
        self.database.execute("CREATE TABLE IF NOT EXISTS keys (key PRIMARY KEY, body, answer)")

    def create(self, key, body):
        """The status and the answer to one POST, which is done as a whole or not at all."""
        with self.lock:
            self.database.execute("BEGIN IMMEDIATE")
            try:
                return self.create_once(key, body)
            finally:
                self.database.execute("COMMIT")

    def create_once(self, key, body):
        canonical = json.dumps(body, sort_keys=True)
        if key is not None:
            kept = self.database.execute("SELECT body, answer FROM keys WHERE key = ?", (key,)).fetchone()
            if kept and kept[0] != canonical:
                return 422, {"error": "the key was used with another request"}
            if kept:
                return 200, {**json.loads(kept[1]), "replayed": True}
        if self.kind == "stock" and body["quantity"] > self.left(body["item"]):
            return 409, {"error": "out of stock"}
        number = self.database.execute("SELECT COUNT(*) FROM records").fetchone()[0] + 1
        answer = {"receipt": f"{self.prefix}-{number}"}
        values = [answer["receipt"], *(body[field] for field in self.fields)]
        marks = ", ".join("?" for _ in values)
        self.database.execute(f"INSERT INTO records ({self.columns}) VALUES ({marks})", values)
        if key is not None:
            self.database.execute("INSERT INTO keys VALUES (?, ?, ?)", (key, canonical, json.dumps(answer)))
        return 201, answer

    def left(self, item):
        taken = self.database.execute("SELECT TOTAL(quantity) FROM records WHERE item = ?", (item,)).fetchone()[0]
        return IN_STOCK.get(item, 0) - taken

    def find(self, order):
        """All records of one order, as the target sees them now."""
        names = ("receipt", *self.fields)
        with self.lock:
            query = f'SELECT {self.columns} FROM records WHERE ?1 IS NULL OR "order" = ?1 ORDER BY number'
            return [dict(zip(names, row)) for row in self.database.execute(query, (order,))]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    records = None

    def do_GET(self):
        url = urlsplit(self.path)
        if url.path == "/health":
            return self.answer(200, {"ready": True})
        if url.path != self.records.path:
            return self.answer(404, {"error": "there is nothing here"})
        return self.answer(200, self.records.find(parse_qs(url.query).get("order", [None])[0]))

    def do_POST(self):
        body = self.body()
        if urlsplit(self.path).path != self.records.path:
            return self.answer(404, {"error": "there is nothing here"})
        if not isinstance(body, dict) or any(field not in body for field in self.records.fields):
            return self.answer(400, {"error": f"a request needs {', '.join(self.records.fields)}"})
        return self.answer(*self.records.create(self.headers.get("Idempotency-Key"), body))

    def body(self):
        try:
            return json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        except ValueError:
            return None

    def answer(self, status, value):
        payload = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_):
        pass


def main():
    Handler.records = Records(sys.argv[1])
    ThreadingHTTPServer(("127.0.0.1", int(os.environ["HOLDPOINT_PORT"])), Handler).serve_forever()


if __name__ == "__main__":
    main()
