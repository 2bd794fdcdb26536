"""A stand-in for the services that the clients talk to: it does what it is asked, and keeps a line for each request.

    python stub.py model|payments

It answers a chat completion, a message or a refund as the real service would, on 127.0.0.1 at HOLDPOINT_PORT, and writes what
reached it to requests.jsonl in HOLDPOINT_STATE_DIR. A refund under a key that it knows is no new one.
"""

import hashlib
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock

FOLDER = Path(os.environ["HOLDPOINT_STATE_DIR"])
LOCK = Lock()
KEYS = set()

CHAT = {
    "id": "chat-1", "object": "chat.completion", "created": 1, "model": "stub",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Good morning."}}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}
MESSAGE = {
    "id": "msg-1", "type": "message", "role": "assistant", "model": "stub", "stop_reason": "end_turn", "stop_sequence": None,
    "content": [{"type": "text", "text": "Good morning."}], "usage": {"input_tokens": 1, "output_tokens": 1},
}
REFUND = {"id": "re_1", "object": "refund", "amount": 1250, "currency": "eur", "status": "succeeded"}
ANSWERS = {"/v1/chat/completions": CHAT, "/v1/messages": MESSAGE, "/v1/refunds": REFUND}


def keep(name, line):
    with (FOLDER / name).open("a") as file:
        file.write(json.dumps(line) + "\n")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        line = {
            "path": self.path,
            "body": hashlib.sha256(body).hexdigest(),
            "key": self.headers.get("Idempotency-Key"),
            "retry": self.headers.get("x-stainless-retry-count"),
            "at": time.time(),
        }
        with LOCK:
            keep("requests.jsonl", line)
            is_replay = line["key"] in KEYS
            if self.path == "/v1/refunds" and not is_replay:
                KEYS.add(line["key"])
                keep("refunds.jsonl", {"account": self.headers.get("Stripe-Account"), "key": line["key"]})
        payload = json.dumps(ANSWERS.get(self.path, {"error": "there is nothing here"})).encode()
        self.send_response(200 if self.path in ANSWERS else 404)
        self.send_header("Content-Type", "application/json")
        if is_replay:
            self.send_header("Idempotent-Replayed", "true")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ["HOLDPOINT_PORT"])), Handler).serve_forever()
