"""A service that orders once for each call, under one key, and tries a second time where the first brought no answer."""

import http.client
import json
import os
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def order(shop, request):
    body = json.dumps({"request": request, "item": "lamp", "quantity": 1}).encode()
    asked = urllib.request.Request(shop + "/orders", body, {"Idempotency-Key": "key-" + request})
    for _ in range(2):
        try:
            with urllib.request.urlopen(asked, timeout=2) as answer:
                json.load(answer)
                return "completed"
        except (OSError, ValueError, http.client.HTTPException):
            pass
    return "unknown"


def note(shop, request):
    """A call that no manifest describes."""
    try:
        urllib.request.urlopen(shop + "/notes", request.encode(), timeout=2).close()
    except OSError:
        pass


class Buyer(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(b"ready")

    def do_POST(self):
        call = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = call["input"]["request"]
        claim = order(call["connectors"]["shop"], request)
        note(call["connectors"]["shop"], request)
        claims = [{"operation": "order:" + request, "claim": claim}]
        self.answer(json.dumps({"output": claim, "claims": claims}).encode())

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ["BUYER_PORT"])), Buyer).serve_forever()
