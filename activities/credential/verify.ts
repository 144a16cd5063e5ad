import { CREDENTIAL_MEANING, credentialStatus, type CredentialStatus } from '../../domain/credential.ts';
import { DomainError } from '../../domain/errors.ts';
import {
  DISCLOSABLE,
  isSdJwt,
  readSdJwt,
  type DisclosableClaims,
  type SignedCredential,
} from '../../infra/credential/sd-jwt.ts';
import * as queries from '../../infra/db/queries/credential.ts';
import type { Services } from '../../infra/services.ts';
import type { CredentialVerification as Verification } from '../../openapi/types.ts';
import type { CredentialKeys } from './keys.ts';
import { isAsSigned, issuedCredential, isIssued, type IssuedRow } from './record.ts';

type PresentedVerification = Verification & { disclosed: Partial<DisclosableClaims> | null };

export async function verifyCredential(
  services: Services,
  keys: CredentialKeys,
  { credential_id }: { credential_id: string },
): Promise<Verification> {
  const row = await issuedCredential(services.db, credential_id);
  const signed = await signedClaims(services, keys, row);
  return signed ? verification(signed, row, await statusOf(services, row)) : { ...TAMPERED, credential_id };
}

/** An invalid credential is a result, but it is an error if the text is none. Copied text can have line breaks in it. */
export async function verifyPresented(
  services: Services,
  keys: CredentialKeys,
  { credential }: { credential: string },
): Promise<PresentedVerification> {
  const text = credential.replace(/\s+/g, '');
  if (!isSdJwt(text)) throw notACredential();
  const signed = await readSdJwt(text, keys.publicKeyOf);
  const row = signed && (await services.db.maybe(queries.credentialById(signed.claims.jti)));
  // Without a stored row we cannot tell whether the credential was revoked.
  if (!signed || !row || !isIssued(row) || row.list_index !== signed.claims.status.status_list.idx) {
    return { ...TAMPERED, disclosed: null };
  }
  return { ...verification(signed, row, await statusOf(services, row)), disclosed: disclosedOf(signed) };
}

/** Returns undefined if the signature is invalid or the claims do not match the row. */
export async function signedClaims(
  services: Pick<Services, 'config'>,
  keys: CredentialKeys,
  row: IssuedRow,
): Promise<SignedCredential | undefined> {
  const signed = await readSdJwt(row.sd_jwt, keys.publicKeyOf);
  return signed && isAsSigned(services, row, signed) ? signed : undefined;
}

export async function statusOf(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  row: IssuedRow,
): Promise<CredentialStatus> {
  return credentialStatus(row, await clock.now(db));
}

const TAMPERED: Verification = {
  credential_id: null,
  valid: false,
  status: 'tampered',
  issuer: null,
  subject: null,
  reliability_score: null,
  period: null,
  meaning: null,
  issued_at: null,
  expires_at: null,
};

function verification({ claims }: SignedCredential, row: IssuedRow, status: CredentialStatus): Verification {
  return {
    credential_id: claims.jti,
    valid: status === 'valid',
    status,
    issuer: claims.iss,
    subject: claims.sub,
    reliability_score: claims.reliability_score,
    period: claims.period ?? null,
    meaning: CREDENTIAL_MEANING,
    issued_at: row.issued_at,
    expires_at: row.expires_at,
  };
}

function disclosedOf({ claims }: SignedCredential): Partial<DisclosableClaims> {
  return Object.fromEntries(DISCLOSABLE.filter((name) => name in claims).map((name) => [name, claims[name]]));
}

function notACredential(): DomainError {
  return new DomainError(
    'not-a-credential',
    'This text is not a credential. A credential is an SD-JWT, as an export returns it. Check that you copied all of it.',
  );
}
