import { callerOf, type Principal } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import { BankError } from '../../infra/bank/interface.ts';
import * as queries from '../../infra/db/queries/bank.ts';
import type { ConsentRow } from '../../infra/db/queries/bank.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import type { Silent } from '../outbox.ts';
import { endConnection, lockConnection, startConsentEnd, type RecordServices } from './record.ts';
import { secretHolder } from './secret.ts';

type Needs = RecordServices & Pick<Services, 'banks' | 'db' | 'keys' | 'log'>;

/**
 * Ends a connection here at once, and tries to end its consent at the bank.
 * @returns `ended` false if a workflow goes on, because the bank did not end the consent.
 */
export async function disconnectBank(
  services: Needs,
  { connection_id, principal }: { connection_id: string; principal: Principal },
): Promise<{ ended: boolean }> {
  const { db, log } = services;
  const { consent_id } = await db.transaction(async (tx) => {
    const why = { reason: 'requested', actor: callerOf(principal), byWorkflow: false };
    return endConnection(await lockConnection(tx, connection_id), services, why);
  });
  const consent = consent_id === null ? undefined : await db.one(queries.consentById(consent_id));
  if (consent === undefined || !isToEnd(consent)) return { ended: true };
  try {
    await endAtBank(services, consent);
    return { ended: true };
  } catch (error) {
    log.warn({ consent_id, reason: reasonOf(error) }, 'the bank did not end a consent; a workflow goes on');
    await db.transaction((tx) => startConsentEnd(tx, services, consent));
    return { ended: false };
  }
}

function isToEnd({ end_requested_at, ended_at }: ConsentRow): boolean {
  return end_requested_at !== null && ended_at === null;
}

/** A step of a workflow, which repeats it while the bank is away. Ends only what the database says is to end. */
export async function endConsent(
  services: Needs,
  { consent_id }: { consent_id: string },
): Promise<{ status: 'ended' }> {
  const consent = await services.db.maybe(queries.consentById(consent_id));
  if (!consent || consent.end_requested_at === null) {
    throw new DomainError('not-found', 'There is no consent with this id that is to end.');
  }
  if (isToEnd(consent)) await endAtBank(services, consent);
  return { status: 'ended' };
}

/** Forgets the secret last, because the bank may need it to end the consent. */
async function endAtBank(services: Needs, consent: ConsentRow): Promise<void> {
  const { consent_id: subject, bank_id, kind, consent_ref: consentRef } = consent;
  const bank = services.banks.find(bank_id);
  if (!bank) throw new BankError('configuration', `the bank ${bank_id} is not configured`);
  const secret = await secretHolder(services, consent);
  const result = await bank.port.end({ kind, consentRef, secret, present: null }).catch(isOver);
  await services.db.transaction(async (tx) => {
    if ((await tx.run(queries.consentEnded(subject))) === 0) return;
    const at = await services.clock.now(tx);
    const event = { subject, kind: 'connection.consent-ended', actor: 'service' } as const;
    await audit(tx, services, { ...event, data: { kind, result }, at });
  });
}

/** With a token that no longer works, nothing is left that the service could end. */
function isOver(error: unknown): 'already' {
  if (error instanceof BankError && (error.kind === 'ended' || error.kind === 'reauthorise')) return 'already';
  throw error;
}

/** Leaves out the message of other errors, which could name anything. */
function reasonOf(error: unknown): string {
  return error instanceof BankError ? `${error.kind}: ${error.message}` : (error as Error).name;
}

/** Starts again what was lost, for example with Temporal's database or in a crash of the API. Returns the number. */
export async function restartConsentEnds(services: Needs, { silent_for_s, limit }: Silent): Promise<number> {
  const found = await services.db.many(queries.consentsToEnd(silent_for_s, limit));
  await services.db.transaction(async (tx) => {
    for (const consent of found) await startConsentEnd(tx, services, consent);
  });
  return found.length;
}
