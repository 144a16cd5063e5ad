"""Simulates a paycheck with the client that openapi-python-client generated into a folder. Prints the result."""

import json
import ssl
import sys

folder, url, ca, token = sys.argv[1:5]
sys.path.insert(0, folder)

from ringfence_client import AuthenticatedClient  # noqa: E402
from ringfence_client.api.paycheck import simulate_paycheck  # noqa: E402
from ringfence_client.models import Obligation, PaycheckRequest, VaultType  # noqa: E402

client = AuthenticatedClient(base_url=url, token=token, verify_ssl=ssl.create_default_context(cafile=ca))
rent = Obligation(type_="Rent", amount=95_000, category=VaultType.FIXED)
wage = PaycheckRequest(employee_id="emp-1042", gross_pay=284_735, obligations=[rent])
print(json.dumps(simulate_paycheck.sync(client=client, body=wage).to_dict()))
