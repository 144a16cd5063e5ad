"""Verifies detached signatures of Open Banking with jwcrypto; input and output are JSON, one result for each."""

import json
import sys

from jwcrypto.common import JWSEHeaderParameter
from jwcrypto.jwk import JWK
from jwcrypto.jws import JWS

CLAIMS = ["http://openbanking.org.uk/" + name for name in ("iat", "iss", "tan")]
REGISTRY = {name: JWSEHeaderParameter(name, False, True, None) for name in CLAIMS}

given = json.load(sys.stdin)
keys = {key["kid"]: JWK.from_json(json.dumps(key)) for key in given["keys"]}


def verified(message):
    try:
        jws = JWS(header_registry=REGISTRY)
        jws.allowed_algs = ["PS256"]
        jws.deserialize(message["signature"])
        header = json.loads(jws.objects["protected"])
        jws.verify(keys[header["kid"]], detached_payload=message["body"].encode())
        return {"issuer": header[CLAIMS[1]], "critical": sorted(header["crit"])}
    except Exception as error:
        return {"error": repr(error)}


print(json.dumps([verified(message) for message in given["messages"]]))
