"""A shop with orders in SQLite. What is ordered says how it behaves."""

import json
import os
import sqlite3
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DATABASE = os.path.join(os.environ["HOLDPOINT_STATE_DIR"], "shop.db")
LOCK = threading.Lock()


def connect():
    return sqlite3.connect(DATABASE, timeout=10)


with open("shops", "a") as shops:
    shops.write(f"{os.getpid()}\n")
with connect() as database:
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("CREATE TABLE orders (number INTEGER PRIMARY KEY, request, item, quantity)")
    database.execute("CREATE TABLE keys (key PRIMARY KEY, number)")
    database.execute("CREATE TABLE jobs (request)")


def insert(order, quantity=None):
    with connect() as database:
        values = (order["request"], order["item"], quantity or order["quantity"])
        return database.execute("INSERT INTO orders (request, item, quantity) VALUES (?, ?, ?)", values).lastrowid


def work_off(order):
    time.sleep(0.3)
    insert(order)
    with connect() as database:
        database.execute("DELETE FROM jobs WHERE request = ?", (order["request"],))


class Shop(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if body.get("replayed"):
            self.send_header("X-Shop-Replayed", "true")
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        table = self.path.split("?")[0].removeprefix("/v1/")
        if table not in ("orders", "jobs"):
            return self.answer(404, {"error": "no such view"})
        with connect() as database:
            database.row_factory = sqlite3.Row
            self.answer(200, {"items": [dict(row) for row in database.execute("SELECT * FROM " + table)]})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.endswith("/notes"):
            return self.answer(200, {"noted": True})
        order = json.loads(body)
        item, key = order["item"], self.headers.get("Idempotency-Key")
        if item == "dynamite":
            print("the shop burns down", flush=True)
            os._exit(3)
        if item == "sold-out":
            return self.answer(409, {"error": {"message": "no such item in stock"}})
        if item == "made-to-order":
            with connect() as database:
                database.execute("INSERT INTO jobs VALUES (?)", (order["request"],))
            threading.Thread(target=work_off, args=(order,), daemon=True).start()
            return self.answer(202, {"accepted": True})
        if item == "slow":
            threading.Thread(target=work_off, args=(order,), daemon=True).start()
            return self.answer(503, {"error": "busy, and it may come yet"})
        with LOCK:
            with connect() as database:
                known = database.execute("SELECT number FROM keys WHERE key = ?", (key,)).fetchone()
            number = known[0] if known else insert(order, 7 if item == "by-the-dozen" else None)
            if key and not known:
                with connect() as database:
                    database.execute("INSERT INTO keys VALUES (?, ?)", (key, number))
        if item == "fragile":
            return self.answer(500, {"error": "broke after it was ordered"})
        self.answer(200 if known else 201, {"number": number, "replayed": bool(known)})

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ["HOLDPOINT_PORT"])), Shop).serve_forever()
