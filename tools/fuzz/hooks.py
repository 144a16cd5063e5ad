"""Facts that Schemathesis cannot know: ids that exist, files that can be read, tokens that may be used up."""

import hashlib
import json
import os
import random
import zlib

import requests
import schemathesis
from hypothesis import strategies as st
from schemathesis import GenerationMode

FACTS = json.loads(os.environ["FUZZ_FACTS"])
# Ids that the service returned, by the name of their field.
POOLS = {name: list(values) for name, values in FACTS["pools"].items()}
MOST_IDS = 40
# Maps the different names of a parameter to one name.
ALIASES = {
    "employee_id": "user_id",
    "owner_id": "user_id",
    "subject": "user_id",
    "from_vault_id": "vault_id",
    "to_vault_id": "vault_id",
    "vault_allocation_id": "allocation_id",
    "id": "calculation_id",
    "vault_refs": "vault_ref",
}


def pool_of(name):
    return POOLS.get(ALIASES.get(name, name), [])


def number_of(value):
    """Returns a number that depends only on the generated value, so that a seed gives the same choices."""
    return int.from_bytes(hashlib.sha256(repr(value).encode("utf-8", "surrogatepass")).digest()[:6], "big")


def known(name, value):
    """Returns an existing id in two cases out of three, if there is one. Otherwise returns the value."""
    choice, pool = number_of((name, value)), pool_of(name)
    return pool[(choice // 3) % len(pool)] if pool and choice % 3 else value


def with_known(given):
    if not isinstance(given, dict):
        return given
    return {
        name: known(name, value)
        if isinstance(value, str)
        else [known(name, one) if isinstance(one, str) else one for one in value]
        if isinstance(value, list)
        else value
        for name, value in given.items()
    }


@schemathesis.hook
def map_path_parameters(ctx, path_parameters):
    return with_known(path_parameters)


@schemathesis.hook
def map_query(ctx, query):
    return with_known(query)


@schemathesis.hook
def after_call(ctx, case, response):
    if response.status_code not in (200, 201, 202):
        return
    try:
        left = [json.loads(response.content)]
    except ValueError:
        return
    while left:
        value = left.pop()
        if isinstance(value, list):
            left.extend(value[:5])
        elif isinstance(value, dict):
            left.extend(member for member in value.values() if isinstance(member, (dict, list)))
            for name, member in value.items():
                keep(name, member)
            if str(value.get("id", "")).startswith("calc_"):
                keep("calculation_id", value["id"])


def keep(name, value):
    if not isinstance(value, str) or not (name.endswith(("_id", "_ref", "cursor")) or name in ("sd_jwt", "credential")):
        return
    name = "cursor" if name == "next_cursor" else ALIASES.get(name, name)
    pool = POOLS.setdefault(name, [])
    if value not in pool:
        pool.append(value)
        del pool[:-MOST_IDS]


# Operations that may revoke the token of the request, so each request to them gets a new token.
ENDS_TOKENS = ("logout", "changePassword", "revokeToken")


def bearer_for(case):
    if FACTS["as"] == "key":
        return FACTS["key"]
    if case.operation.definition.raw.get("operationId") not in ENDS_TOKENS:
        return FACTS["token"]
    url, who = FACTS["url"] + "/api/v1/auth/", FACTS["throwaway"]
    answer = requests.post(url + "login", json=who, verify=FACTS["ca"], timeout=60)
    return answer.json().get("access_token", FACTS["token"])


# All paths of the contract that have no parameters.
ADDRESSES = set()


@schemathesis.hook
def before_load_schema(ctx, raw_schema):
    ADDRESSES.update(path for path in raw_schema["paths"] if "{" not in path)


@schemathesis.hook
def before_call(ctx, case, kwargs):
    """
    Avoids ids that would turn the path into the path of another operation, which takes precedence (OpenAPI, "Path Templating Matching"). Also sets each
    request's real credential: Schemathesis does not support a scheme that needs both a certificate and a key.
    """
    # Does not change intentionally invalid bodies, because known ids could make them valid.
    if not case.meta or case.meta.generation.mode != GenerationMode.NEGATIVE:
        case.body = with_known(case.body)
    if "{" in case.operation.path and case.formatted_path in ADDRESSES:
        case.path_parameters = {name: f"{value}-0" for name, value in case.path_parameters.items()}
    if case.operation.path.startswith("/api/v1/vault/"):
        case.headers = {**(case.headers or {}), "X-Vault-API-Key": FACTS["key"]}
    elif "/auth/token" not in case.operation.path:
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {bearer_for(case)}"}


def picture(width, height):
    def chunk(name, data):
        return len(data).to_bytes(4, "big") + name + data + zlib.crc32(name + data).to_bytes(4, "big")

    head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([8, 0, 0, 0, 0])
    rows = zlib.compress(bytes((width + 1) * height))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def damaged(data, seed):
    chance, out = random.Random(seed), bytearray(data)
    for _ in range(chance.randrange(1, 12)):
        out[chance.randrange(len(out))] = chance.randrange(256)
    return bytes(out[: chance.randrange(len(out))] if chance.random() < 0.3 else out)


DOCUMENTS = [open(path, "rb").read() for path in FACTS["documents"]] + [picture(40, 30), b"%PDF-1.7\n", b"", b"GIF89a"]
schemathesis.openapi.format(
    "binary",
    st.one_of(
        st.binary(max_size=2_000),
        st.sampled_from(DOCUMENTS),
        st.builds(damaged, st.sampled_from(DOCUMENTS[:-3]), st.integers(0, 2**32)),
    ),
)
