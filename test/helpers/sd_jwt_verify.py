"""Verifies SD-JWTs with the library of the OpenWallet Foundation; input and output are JSON, one result for each."""

import json
import sys

from jwcrypto.jwk import JWK
from sd_jwt.verifier import SDJWTVerifier

given = json.load(sys.stdin)


def key_of(_issuer, header):
    return next(JWK.from_json(json.dumps(key)) for key in given["keys"] if key["kid"] == header["kid"])


def verified(text):
    try:
        return {"claims": SDJWTVerifier(text, key_of).get_verified_payload()}
    except Exception as error:
        return {"error": type(error).__name__}


print(json.dumps([verified(text) for text in given["texts"]]))
