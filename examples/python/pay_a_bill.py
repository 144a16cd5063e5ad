"""Splits a wage, adds a payee, pays the rent, waits for the bank, and prints where the money is.

The program needs Python 3.9 or newer and no packages. How to run the program: examples/README.md.
"""

import json
import os
import ssl
import time
import urllib.error
import urllib.request
import uuid

URL = os.environ.get("RF", "https://localhost:8443")
KEY = os.environ.get("KEY", "")
if not KEY:
    raise SystemExit("Set KEY to an API key; examples/README.md shows how to get one.")
TRUST = ssl.create_default_context(cafile=os.environ.get("CA", ".data/pki/ca.crt"))
ATTEMPTS = 5
PAUSE_S = 2


def call(method, path, body=None, wait=0):
    """Calls the API. Repeats a call that got no answer: the same Idempotency-Key makes that safe."""
    headers = {"Authorization": f"Bearer {KEY}", "Accept": "application/json"}
    if body is not None:
        headers |= {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
    if wait > 0:
        headers["Prefer"] = f"wait={wait}"
    data = None if body is None else json.dumps(body).encode()
    for attempt in range(1, ATTEMPTS + 1):
        request = urllib.request.Request(f"{URL}{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60, context=TRUST) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refused:
            problem = json.load(refused)
            if refused.code not in (429, 503) or attempt == ATTEMPTS:
                raise SystemExit(f"{method} {path}: {problem['code']}: {problem['detail']}") from refused
            time.sleep(int(refused.headers.get("Retry-After", PAUSE_S)))
        except OSError as lost:
            if attempt == ATTEMPTS:
                raise SystemExit(f"{method} {path}: no answer: {lost}") from lost
            time.sleep(PAUSE_S)


def show(name, pence):
    pounds = f"£{pence / 100:,.2f}"
    print(f"{name:12}{pounds:>9}")


def main():
    # Your own id for an employee. Each run uses a new id, so that the employee starts without money.
    employee = f"emp-{uuid.uuid4()}"
    paycheck = call("POST", "/api/v1/engine/paycheck/calculate", {
        "employee_id": employee,
        "gross_pay": 284_735,
        "obligations": [
            {"type": "Rent", "amount": 95_000, "category": "FIXED"},
            {"type": "Energy", "amount": 14_250, "category": "FIXED"},
        ],
    })
    show("Wage", paycheck["gross_income"])

    landlord = call("POST", "/api/v1/payments/providers", {
        "name": "Larch Lettings", "category": "HOUSING", "sort_code": "20-00-00", "account_number": "55779911",
    })
    print(f"{'Payee':12}{landlord['name']}, account {landlord['account_number']}")

    rent = next(vault for vault in paycheck["vaults"] if vault["type"] == "Rent")
    payment = call("POST", "/api/v1/payments/execute", {
        "vault_allocation_id": rent["allocation_id"],
        "amount": rent["amount"],
        "currency": "GBP",
        "provider_id": landlord["provider_id"],
        "reference": "RENT NOV",
    })
    # The service holds each response until the status changes, for at most 20 seconds, so the loop sends few requests.
    while payment["status"] in ("pending", "processing"):
        payment = call("GET", f"/api/v1/payments/{payment['payment_id']}", wait=20)
    for entry in payment["timeline"]:
        print(f"{entry['status']:12}{entry['detail']}")
    if payment["status"] != "completed":
        raise SystemExit(f"The payment is {payment['status']}.")

    money = call("GET", f"/api/v1/allocations/vaults/{employee}")
    for vault in money["vaults"]:
        show(vault["label"] or "Vault", vault["balance"])
    show("Buffer", money["buffer"])
    show("To spend", money["safe_to_spend"])
    show("Paid", payment["amount"])


if __name__ == "__main__":
    main()
