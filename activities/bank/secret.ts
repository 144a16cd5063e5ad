import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BankError, type SecretHolder } from '../../infra/bank/interface.ts';
import * as queries from '../../infra/db/queries/bank.ts';
import type { ConsentRow } from '../../infra/db/queries/bank.ts';
import type { Services } from '../../infra/services.ts';
import { openSecret, sealSecret } from './record.ts';

const LEASE_S = 60;
const LOOK_AGAIN_MS = 200;
/** How long a process waits for another that renews the secret. */
const WAIT_MS = 15_000;

type Needs = Pick<Services, 'db' | 'keys'>;
type Consent = Pick<ConsentRow, 'consent_id' | 'bank_id' | 'consent_ref' | 'secret_sealed'>;

/** Null for a consent without a secret. `waitMs`: how long `renew` waits for another process. */
export async function secretHolder(
  services: Needs,
  consent: Consent,
  { waitMs = WAIT_MS }: { waitMs?: number } = {},
): Promise<SecretHolder | null> {
  if (consent.secret_sealed === null) return null;
  let current = await openSecret(services, consent, consent.secret_sealed);
  return {
    get current() {
      return current;
    },
    async renew(exchange) {
      current = await renewed(services, consent, { current, exchange, waitMs });
      return current;
    },
  };
}

interface Renewal {
  current: string;
  exchange: (secret: string) => Promise<string>;
  waitMs: number;
}

/** No lock or transaction is open during the exchange: the lease alone keeps other processes from it. */
async function renewed(services: Needs, consent: Consent, renewal: Renewal): Promise<string> {
  const { db } = services;
  const { consent_id: consentId } = consent;
  const leaseId = randomUUID();
  const deadline = performance.now() + renewal.waitMs;
  for (;;) {
    const leased = await db.maybe(queries.takeLease(consentId, leaseId, LEASE_S));
    if (leased) {
      try {
        const fresh = await exchanged(services, consent, { ...renewal, leaseId, stale: leased.secret_sealed });
        if (fresh !== undefined) return fresh;
      } finally {
        await db.run(queries.releaseLease(consentId, leaseId));
      }
    }
    const theirs = await secretNow(services, consent);
    if (theirs !== renewal.current) return theirs;
    if (performance.now() > deadline) throw new BankError('away', 'another process is renewing the access to the bank');
    await sleep(LOOK_AGAIN_MS);
  }
}

/** Undefined if the lease ended during the exchange, and another process has taken it. */
async function exchanged(
  services: Needs,
  consent: Consent,
  { current, exchange, leaseId, stale }: Omit<Renewal, 'waitMs'> & { leaseId: string; stale: string | null },
): Promise<string | undefined> {
  if (stale === null) throw ended();
  const known = await openSecret(services, consent, stale);
  if (known !== current) return known;
  const fresh = await exchange(current);
  const sealed = await sealSecret(services, consent, fresh);
  const stored = await services.db.run(queries.storeRenewed({ consentId: consent.consent_id, leaseId, stale, sealed }));
  return stored > 0 ? fresh : undefined;
}

async function secretNow(services: Needs, consent: Consent): Promise<string> {
  const { secret_sealed: sealed } = await services.db.one(queries.consentById(consent.consent_id));
  if (sealed === null) throw ended();
  return openSecret(services, consent, sealed);
}

function ended(): BankError {
  return new BankError('ended', 'the consent has ended');
}
