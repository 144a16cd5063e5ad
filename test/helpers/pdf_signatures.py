"""Prints PyHanko's findings about the signature of each PDF, as a line of JSON. Arguments: the path of the authority's PEM file, then the paths of the PDFs."""

import asyncio
import json
import sys

from pyhanko.keys import load_cert_from_pemder
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko.sign.validation.ades import ades_basic_validation
from pyhanko.sign.validation.policy_decl import SignatureValidationSpec
from pyhanko_certvalidator import ValidationContext
from pyhanko_certvalidator.context import CertValidationPolicySpec
from pyhanko_certvalidator.policy_decl import NO_REVOCATION, CertRevTrustPolicy
from pyhanko_certvalidator.registry import SimpleTrustManager


def look(path, authority):
    with open(path, "rb") as file:
        signatures = PdfFileReader(file).embedded_signatures
        signature = signatures[0]
        status = validate_pdf_signature(signature, ValidationContext(trust_roots=[authority]))
        policy = CertValidationPolicySpec(
            trust_manager=SimpleTrustManager.build([authority]),
            revinfo_policy=CertRevTrustPolicy(NO_REVOCATION),
        )
        # Validates by the procedure of ETSI EN 319 102-1, 5.3.
        ades = asyncio.run(
            ades_basic_validation(
                signature.signed_data,
                SignatureValidationSpec(policy),
                raw_digest=signature.compute_digest(),
            )
        )
        return {
            "signatures": len(signatures),
            "bottom_line": status.bottom_line,
            "intact": status.intact,
            "valid": status.valid,
            "trusted": status.trusted,
            "coverage": status.coverage.name,
            "ades": ades.ades_subindic.name,
            "sub_filter": signature.sig_object["/SubFilter"],
            "signed_at": signature.self_reported_timestamp.isoformat(),
            "attributes": sorted(one["type"].native for one in signature.signer_info["signed_attrs"]),
            "digest": signature.md_algorithm,
            "certificates": len(signature.signed_data["certificates"]),
        }


authority = load_cert_from_pemder(sys.argv[1])
for path in sys.argv[2:]:
    print(json.dumps(look(path, authority)))
