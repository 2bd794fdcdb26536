"""Takes an order through three systems: it opens the order, reserves the item and sends a confirmation.

Written the way such code is often written, and wrong in the ways such code is often wrong. It tests well: as long as
nothing fails, all is right. `holdpoint exercise fulfil` finds what happens otherwise.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request


def post(url, body, timeout=1.0):
    data = json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=timeout) as answer:
        return json.load(answer)


def open_order(order):
    # The order must get through, so try until it does.
    while True:
        try:
            return post(os.environ["ORDERS_URL"] + "/orders", {"order": order["order"], "customer": order["customer"]})
        except Exception:
            time.sleep(0.05)


def reserve(order):
    body = {"order": order["order"], "item": order["item"], "quantity": order["quantity"]}
    try:
        return post(os.environ["STOCK_URL"] + "/reservations", body)
    except urllib.error.HTTPError as error:
        if error.code == 409:
            return None
        # The stock service is slow to wake up at times; the reservation will be there.
        return {}
    except Exception:
        return None


def confirm(order):
    text = f"Your order {order['order']} is on its way."
    try:
        post(os.environ["MAIL_URL"] + "/messages", {"order": order["order"], "to": order["customer"], "text": text})
    except Exception:
        pass  # Mail is best effort.


def main():
    order = json.load(sys.stdin)["input"]
    name = order["order"]
    claims = []

    def claim(operation, what):
        claims.append({"operation": f"{operation}:{name}", "claim": what})

    open_order(order)
    claim("open", "completed")
    if reserve(order) is None:
        claim("reserve", "failed")
        print(json.dumps({"output": f"{order['item']} could not be reserved.", "claims": claims}))
        return
    claim("reserve", "completed")
    confirm(order)
    claim("confirm", "completed")
    print(json.dumps({"output": f"Order {name} is confirmed.", "claims": claims}))


if __name__ == "__main__":
    main()
