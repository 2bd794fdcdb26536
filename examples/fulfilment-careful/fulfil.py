"""Takes an order through three systems: it opens the order, reserves the item and sends a confirmation.

What the careless one beside it leaves to luck is stated here: one key for each intention, the same over all attempts and
restarts; a bound on attempts and on time; a difference between *refused* and *not known*; a look at the target before
anything is concluded from silence; and nothing sent before what it speaks of is known to be there.
"""

import json
import os
import random
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

TIMEOUT_S = 1.0
ATTEMPTS = 4
FIRST_WAIT_S = 0.1
LONGEST_WAIT_S = 2.0
LOOKS = 3

# The targets' documented refusals: they leave nothing behind.
REFUSALS = (409, 422)


class Target:
    """One system, with the path of what it keeps."""

    def __init__(self, variable, path):
        self.url = os.environ[variable] + path

    def create(self, key, body):
        """`("done", receipt)`, `("refused", reason)`, or `("unknown", None)` where no attempt told."""
        for attempt in range(ATTEMPTS):
            status, answer, wait = self.attempt(key, body)
            if status in (200, 201) and isinstance(answer, dict) and isinstance(answer.get("receipt"), str):
                return "done", answer["receipt"]
            if status in REFUSALS:
                return "refused", answer.get("error", "") if isinstance(answer, dict) else ""
            if attempt + 1 < ATTEMPTS:
                time.sleep(wait if wait is not None else backoff(attempt))
        return self.look(body["order"])

    def attempt(self, key, body):
        """The status, the answer as JSON, and how long the target asks to wait: each `None` where there is none."""
        headers = {"Content-Type": "application/json", "Idempotency-Key": key}
        request = urllib.request.Request(self.url, data=json.dumps(body).encode(), headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
                return answer.status, read_json(answer), None
        except urllib.error.HTTPError as error:
            return error.code, read_json(error), asked_wait(error.headers)
        except OSError:
            return None, None, None
        except Exception:  # A broken answer, as http.client sees it.
            return None, None, None

    def look(self, order):
        """Asks the target itself, several times. That nothing shows is no proof that nothing will."""
        for number in range(LOOKS):
            try:
                url = f"{self.url}?{urllib.parse.urlencode({'order': order})}"
                with urllib.request.urlopen(url, timeout=TIMEOUT_S) as answer:
                    records = read_json(answer)
                if isinstance(records, list) and records and isinstance(records[0], dict):
                    return "done", records[0].get("receipt")
            except Exception:
                pass
            time.sleep(FIRST_WAIT_S * 2**number)
        return "unknown", None


def read_json(answer):
    try:
        return json.load(answer)
    except Exception:
        return None


def asked_wait(headers):
    try:
        return min(float(headers.get("Retry-After")), LONGEST_WAIT_S)
    except (TypeError, ValueError):
        return None


def backoff(attempt):
    """Half of the nominal wait, and anything up to the other half."""
    nominal = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2**attempt)
    return nominal / 2 + random.uniform(0, nominal / 2)


class Journal:
    """What is known of each operation, kept over restarts. A file is replaced as a whole, so none is half written."""

    def __init__(self, folder):
        self.file = Path(folder) / "journal.json"
        self.known = json.loads(self.file.read_text()) if self.file.exists() else {}

    def keep(self, operation, state, receipt):
        self.known[operation] = {"state": state, "receipt": receipt}
        new = self.file.with_suffix(".new")
        with new.open("w") as out:
            json.dump(self.known, out)
            out.flush()
            os.fsync(out.fileno())
        new.replace(self.file)

    def is_done(self, operation):
        return self.known.get(operation, {}).get("state") == "done"


CLAIMS = {"done": "completed", "refused": "rejected", "unknown": "unknown"}


def fulfil(order, journal):
    """Goes as far as is known to be right, and says how far that was."""
    name = order["order"]
    text = f"Your order {name} is on its way."
    steps = [
        ("open", "ORDERS_URL", "/orders", {"order": name, "customer": order["customer"]}),
        ("reserve", "STOCK_URL", "/reservations", {key: order[key] for key in ("order", "item", "quantity")}),
        ("confirm", "MAIL_URL", "/messages", {"order": name, "to": order["customer"], "text": text}),
    ]
    claims = []
    for verb, variable, path, body in steps:
        operation = f"{verb}:{name}"
        state = "done"
        if not journal.is_done(operation):
            state, receipt = Target(variable, path).create(operation, body)
            journal.keep(operation, state, receipt)
        claims.append({"operation": operation, "claim": CLAIMS[state]})
        if state != "done":
            return f"Order {name} is held: {verb} is {state}.", claims
    return f"Order {name} is confirmed.", claims


def main():
    invocation = json.load(sys.stdin)
    output, claims = fulfil(invocation["input"], Journal(invocation["state_dir"]))
    print(json.dumps({"output": output, "claims": claims}))


if __name__ == "__main__":
    main()
