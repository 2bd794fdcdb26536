"""Orders what it is told to, and tries again as often as it is told to."""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request

call = json.load(sys.stdin)
wanted = call["input"]
assert call["connectors"]["shop"] == os.environ["SHOP_URL"], "the two addresses differ"

claim, status = "unknown", None
for attempt in range(wanted.get("attempts", 1)):
    body = {"request": wanted["request"], "item": wanted["item"], "quantity": wanted.get("quantity", 1)}
    headers = {"Content-Type": "application/json"}
    if wanted.get("keyed"):
        headers["Idempotency-Key"] = "key-" + wanted["request"]
    order = urllib.request.Request(os.environ["SHOP_URL"] + "/orders", json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(order, timeout=wanted.get("timeout_s", 10)) as answer:
            status, claim = answer.status, "completed" if answer.status != 202 else "unknown"
            answer.read()
            break
    except urllib.error.HTTPError as error:
        status = error.code
        if status == 409:
            claim = "rejected"
            break
    except OSError:
        pass

if wanted.get("mark"):
    open(wanted["mark"], "w").close()
if wanted.get("crash") and call["step"] == 1:
    print("giving up", file=sys.stderr)
    sys.exit(4)
if wanted.get("leaves_something_running"):
    # It holds this program's own output open.
    subprocess.Popen(["sleep", "600"])
if wanted.get("sleep_s"):
    time.sleep(wanted["sleep_s"])
claims = [{"operation": "order:" + wanted["request"], "claim": wanted.get("claim", claim)}]
print(json.dumps({"output": f"status {status}", "claims": claims}))
