"""Sends webhooks that the library of Standard Webhooks for Python signs, and prints one line of JSON for each: what it
was and what the hub answered. One of them was changed after it was signed."""

import json
import sys
from datetime import datetime, timezone
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from standardwebhooks import Webhook

URL, SECRET = sys.argv[1:3]
NOW, ID = datetime.now(timezone.utc), "msg_python"
COMMENT = {"body": "größer 🛠", "author": "ada"}
BODY = json.dumps({"type": "comment.created", "data": {"comment": COMMENT, "issue": {"id": "KB-7"}}})
HEADERS = {
    "content-type": "application/json",
    "webhook-id": ID,
    "webhook-timestamp": str(int(NOW.timestamp())),
    "webhook-signature": Webhook(SECRET).sign(msg_id=ID, timestamp=NOW, data=BODY),
}

for what, body in (("changed", f"{BODY} "), ("signed", BODY), ("signed", BODY)):
    try:
        with urlopen(Request(f"{URL}/hooks/in/python", body.encode(), HEADERS), timeout=20) as answer:
            status, said = answer.status, json.load(answer)
    except HTTPError as error:
        status, said = error.code, json.load(error)
    print(json.dumps({"what": what, "status": status, "said": said}))
