import { randomInt } from 'node:crypto';
import { callerOf, type Principal } from '../../domain/auth.ts';
import { categoriesOf, DEFAULT_PERIOD_MONTHS, expiryOf, issueInstant, periodOf } from '../../domain/credential.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import type { PayeeCategory } from '../../domain/payments.ts';
import { issueSdJwt } from '../../infra/credential/sd-jwt.ts';
import { LIST_SIZE } from '../../infra/credential/status-list.ts';
import * as queries from '../../infra/db/queries/credential.ts';
import { payeesPaidBy } from '../../infra/db/queries/payees.ts';
import { creditPayments } from '../../infra/db/queries/reliability.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { countStored } from '../day-limits.ts';
import { onceDone } from '../once-done.ts';
import { enqueue, restartSilent, type Silent } from '../outbox.ts';
import { rateHistory } from '../payment-history.ts';
import { requireGenuine } from '../payments/payee-macs.ts';
import { bindOwner, type NewOwner } from '../reach.ts';
import type { Credential } from '../../openapi/types.ts';
import type { CredentialKeys } from './keys.ts';
import { claimsOf, credentialView, issuedCredential, isIssued } from './record.ts';

/** By default, a credential covers all categories and the last 12 months. */
export interface GenerateRequest {
  principal: Principal;
  user_id: string;
  scope?: PayeeCategory[];
  period_months?: number;
  newOwner?: NewOwner | undefined;
}

const RETRY_AFTER_S = 5;
/** The number of random indices to try. In a half-full list, the chance that all are taken is below 1 in 10^19. */
const INDICES_TRIED = 64;

export type RatedHistory = Awaited<ReturnType<typeof prepareCredential>>;

/** Many payments are rated in a thread. */
export async function prepareCredential(
  services: Services,
  { user_id, scope, period_months = DEFAULT_PERIOD_MONTHS }: Omit<GenerateRequest, 'principal'>,
) {
  const { db, clock, threads } = services;
  const now = await clock.now(db);
  const period = periodOf(londonDateOf(now), period_months);
  const categories = categoriesOf(scope);
  const wanted = { owner_id: user_id, from: period.from, to: period.to, categories };
  for (const payee of await db.many(payeesPaidBy(user_id))) await requireGenuine(services, payee);
  const past = await db.many(creditPayments(wanted));
  const found = await rateHistory(threads, { past, period, now });
  if (!('bills' in found)) throw noHistory(found.payments_left_out);
  return { now, categories, found };
}

export async function beginCredential(
  tx: Tx,
  services: Pick<Services, 'config' | 'newId' | 'outbox' | 'tracing'>,
  { principal, user_id, newOwner }: GenerateRequest,
  { now, categories, found }: RatedHistory,
): Promise<{ credential_id: string }> {
  await bindOwner(tx, newOwner);
  await countStored(tx, services, { by: principal, ownerId: user_id, kind: 'credentials', at: now });
  const credential_id = services.newId('cred');
  const { list_id, list_index } = await reserveListIndex(tx, now);
  const { period, ...figures } = found;
  await tx.run(
    queries.insertCredential({
      credential_id,
      owner_id: user_id,
      requested_by: callerOf(principal),
      categories,
      period_from: period.from,
      period_to: period.to,
      ...figures,
      list_id,
      list_index,
      created_at: now.toISOString(),
    }),
  );
  await startSigning(tx, services, { credential_id, owner_id: user_id });
  return { credential_id };
}

/** If the wait ends before the credential is signed, signing continues. */
export async function awaitCredential(
  services: Services,
  { credential_id, signal }: { credential_id: string; signal?: AbortSignal },
): Promise<Credential> {
  const row = await onceDone(services, credential_id, {
    read: () => services.db.one(queries.credentialById(credential_id)),
    isDone: isIssued,
    withinMs: services.config.credentials.signWithinMs,
    signal,
  });
  if (!isIssued(row)) throw notSignedYet(credential_id);
  return credentialView(row);
}

/** Repeating the call changes nothing. */
export async function issueCredential(
  services: Services,
  keys: CredentialKeys,
  { credential_id }: { credential_id: string },
): Promise<void> {
  const { db, clock } = services;
  const row = await db.maybe(queries.credentialById(credential_id));
  if (!row) throw new DomainError('not-found', 'There is no credential with this id.');
  if (isIssued(row)) return;
  const key = await keys.current();
  const issuedAt = issueInstant(await clock.now(db));
  const expiresAt = expiryOf(issuedAt);
  // Verifiers refuse a credential from the future, to which the clock of a sandbox may have moved.
  const signedAt = issueInstant(await clock.real(db));
  const sdJwt = await issueSdJwt(key, claimsOf(services, row, { signedAt, expiresAt }));
  await db.transaction(async (tx) => {
    const { kid } = key;
    const expires_at = expiresAt.toISOString();
    const signed = { issued_at: issuedAt.toISOString(), expires_at, kid, sd_jwt: sdJwt };
    if ((await tx.run(queries.signCredential(credential_id, signed))) === 0) return;
    const { owner_id, requested_by: actor, list_id, list_index } = row;
    const data = { owner_id, kid, list_id, list_index, expires_at };
    await audit(tx, services, { subject: credential_id, kind: 'credential.issued', actor, data, at: issuedAt });
    tx.afterCommit(() => services.metrics.credentials.inc({ event: 'issued' }));
  });
}

/** A running workflow goes on as before. */
export async function restartUnsignedCredentials(services: Services, silent: Silent): Promise<number> {
  return restartSilent(services, silent, { find: queries.unsignedSince, restart: startSigning });
}

type RevokeServices = Pick<Services, 'clock' | 'newId' | 'metrics'>;

export function revokeCredential(
  tx: Tx,
  services: RevokeServices,
  { principal, credential_id }: { principal: Principal; credential_id: string },
): Promise<void> {
  return revokeFor(tx, services, { credential_id, actor: callerOf(principal) });
}

export async function revokeFor(
  tx: Tx,
  services: RevokeServices,
  { actor, ...of }: { credential_id: string; actor: string },
): Promise<void> {
  const { credential_id, list_id, list_index } = await issuedCredential(tx, of.credential_id);
  const at = await services.clock.now(tx);
  if ((await tx.run(queries.revokeCredential(credential_id, at))) === 0) return;
  await tx.run(queries.nextVersion(list_id));
  await tx.run(queries.dropPdf(credential_id));
  const data = { list_id, list_index };
  await audit(tx, services, { subject: credential_id, kind: 'credential.revoked', actor, data, at });
  tx.afterCommit(() => services.metrics.credentials.inc({ event: 'revoked' }));
}

async function startSigning(
  tx: Tx,
  services: Pick<Services, 'outbox' | 'tracing'>,
  message: { credential_id: string; owner_id: string },
): Promise<void> {
  await enqueue(tx, services, 'credential.start', message.credential_id, services.tracing.carry(message));
}

async function reserveListIndex(tx: Tx, at: Date): Promise<queries.ListPlace> {
  for (;;) {
    const list = await tx.maybe(queries.lockLatestList());
    if (list === undefined || list.used >= LIST_SIZE / 2) {
      await tx.run(queries.insertList((list?.list_id ?? 0) + 1, at));
      continue;
    }
    const wanted = Array.from({ length: INDICES_TRIED }, () => randomInt(LIST_SIZE));
    const { list_index } = await tx.one(queries.freeIndex(list, wanted));
    await tx.run(queries.countUsed(list));
    return { list_id: list.list_id, list_index };
  }
}

function noHistory(payments_left_out: number): DomainError {
  return new DomainError(
    'no-payment-history',
    'No bill of this owner counts in this period and these categories. A bill consists of all payments to one account in one month, and counts if it comes to £1 or more. ' +
      'A payment counts only if somebody vouches for the payee. It must also have completed, have failed with its due date over, or have been retried after its due date. The field payments_left_out is the number of payments that do not count because nobody vouches for their payees.',
    { payments_left_out },
  );
}

function notSignedYet(credential_id: string): DomainError {
  return new DomainError(
    'dependency-unavailable',
    'The credential is stored, but is not signed yet. To get it, send the same request again with the same Idempotency-Key.',
    { dependency: 'worker', credential_id, retry_after: RETRY_AFTER_S },
  );
}
