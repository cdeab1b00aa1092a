"""Takes webhooks with the library of Standard Webhooks for Python, and prints one line of JSON for each: whether the
library takes it as it came, and whether it takes it with another byte in its body."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from standardwebhooks import Webhook, WebhookVerificationError

LIBRARY = Webhook(sys.argv[1])


def takes(body: str, headers: dict[str, str]) -> bool:
    try:
        LIBRARY.verify(body, headers)
    except WebhookVerificationError:
        return False
    return True


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body, headers = self.rfile.read(int(self.headers["content-length"])).decode(), dict(self.headers)
        seen = {"body": body, "taken": takes(body, headers), "changed": takes(f"{body} ", headers)}
        print(json.dumps(seen), flush=True)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


server = HTTPServer(("127.0.0.1", 0), Receiver)
print(json.dumps({"port": server.server_port}), flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
