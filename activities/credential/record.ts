import { isDeepStrictEqual } from 'node:util';
import { expiryOf, periodText } from '../../domain/credential.ts';
import { DomainError } from '../../domain/errors.ts';
import type { DisclosableClaims, OpenClaims, SignedCredential } from '../../infra/credential/sd-jwt.ts';
import type { Queries } from '../../infra/db/connection.ts';
import * as queries from '../../infra/db/queries/credential.ts';
import type { CredentialRow } from '../../infra/db/queries/credential.ts';
import type { Services } from '../../infra/services.ts';
import type { Credential } from '../../openapi/types.ts';
import { addressesOf } from './addresses.ts';

export type IssuedRow = CredentialRow & { issued_at: string; expires_at: string; kid: string; sd_jwt: string };

/** An unsigned credential counts as not found. */
export async function issuedCredential(db: Queries, credentialId: string): Promise<IssuedRow> {
  const row = await db.maybe(queries.credentialById(credentialId));
  if (row && isIssued(row)) return row;
  throw new DomainError('not-found', 'There is no credential with this id.');
}

export function isIssued(row: CredentialRow): row is IssuedRow {
  return row.sd_jwt !== null;
}

export function credentialView(row: IssuedRow): Credential {
  return {
    credential_id: row.credential_id,
    user_id: row.owner_id,
    ...figuresOf(row),
    issued_at: row.issued_at,
    expires_at: row.expires_at,
  };
}

export function claimsOf(
  services: Pick<Services, 'config'>,
  row: CredentialRow,
  { signedAt, expiresAt }: { signedAt: Date; expiresAt: Date },
): OpenClaims & DisclosableClaims {
  const { issuer, type, statusList } = addressesOf(services);
  const iat = signedAt.getTime() / 1_000;
  return {
    iss: issuer,
    sub: row.owner_id,
    vct: type,
    jti: row.credential_id,
    iat,
    nbf: iat,
    exp: expiresAt.getTime() / 1_000,
    status: { status_list: { idx: row.list_index, uri: statusList(row.list_id) } },
    ...figuresOf(row),
  };
}

function figuresOf(row: CredentialRow) {
  const { reliability_score, on_time_rate, total_payments, missed_payments, categories, score_breakdown } = row;
  const { bills, payees, months_covered, total_paid, payments_left_out } = row;
  return {
    ...{ reliability_score, on_time_rate, total_payments, missed_payments },
    ...{ bills, payees, months_covered, total_paid, payments_left_out },
    period: periodText({ from: row.period_from, to: row.period_to }),
    ...{ categories, score_breakdown },
  };
}

/** Ignores the time of the signing, and the service's own URLs, which might have changed since. */
export function isAsSigned(services: Pick<Services, 'config'>, row: IssuedRow, signed: SignedCredential): boolean {
  const { iss, vct, status, iat } = signed.claims;
  const times = { signedAt: new Date(iat * 1_000), expiresAt: new Date(row.expires_at) };
  const { statusList } = addressesOf({ config: services.config });
  const path = new URL(statusList(row.list_id)).pathname;
  const wanted = { ...claimsOf(services, row, times), iss, vct, status };
  const { _sd_alg: _algorithm, ...claims } = signed.claims as SignedCredential['claims'] & { _sd_alg?: unknown };
  return (
    signed.kid === row.kid &&
    status.status_list.idx === row.list_index &&
    status.status_list.uri.endsWith(path) &&
    isDeepStrictEqual(claims, wanted) &&
    expiryOf(new Date(row.issued_at)).toISOString() === row.expires_at &&
    monthsAddUp(row)
  );
}

function monthsAddUp({ months, total_payments, missed_payments }: CredentialRow): boolean {
  const missed = months.reduce((sum, month) => sum + month.missed, 0);
  const onTime = months.reduce((sum, month) => sum + month.on_time, 0);
  return missed === missed_payments && onTime + missed === total_payments;
}
