"""A stub of a target as people write one, with Python's own server: prints its address, and answers every POST at once."""

import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ANSWER = b'{"receipt":"r-77","order":"O-1001","amount":1250,"currency":"EUR","state":"accepted"}'


class Stub(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    # As many connections may come at once as there are callers; five, the default, would let the others wait for seconds.
    request_queue_size = 256


server = Server(("127.0.0.1", 0), Stub)
threading.Thread(target=server.serve_forever, daemon=True).start()
print("http://127.0.0.1:%d" % server.server_address[1], flush=True)
sys.stdin.read()
