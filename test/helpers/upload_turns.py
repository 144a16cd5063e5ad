"""Alternately uploads a file that is too large and requests /livez, on one connection. Prints the result of each call."""

import io
import json
import ssl
import sys
import time

import httpx

url, ca, token, turns = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
FILE = b"x" * 40_000_000
connections = []


def watch(event, _info):
    if event == "connection.connect_tcp.started":
        connections.append(event)


def upload(client):
    answer = client.post(
        f"{url}/api/v1/legacy/payslip/upload",
        files={"file": ("payslip.pdf", io.BytesIO(FILE))},
        data={"user_id": "emp-1"},
        headers={"Authorization": f"Bearer {token}"},
        extensions={"trace": watch},
    )
    return answer.status_code


def live(client):
    return client.get(f"{url}/livez", extensions={"trace": watch}).status_code


calls = []
with httpx.Client(verify=ssl.create_default_context(cafile=ca), timeout=60) as client:
    for _ in range(turns):
        for call in (upload, upload, upload, live):
            started = time.monotonic()
            status = call(client)
            calls.append({"call": call.__name__, "status": status, "seconds": time.monotonic() - started})
print(json.dumps({"calls": calls, "connections": len(connections)}))
