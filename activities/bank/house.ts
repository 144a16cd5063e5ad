import { DomainError } from '../../domain/errors.ts';
import { HOUSE_ACCOUNT } from '../../domain/owners.ts';
import { BankError, type Banks, type BeginOrder, type Finished } from '../../infra/bank/interface.ts';
import * as queries from '../../infra/db/queries/bank-house.ts';
import { beginFinishing, endJourney, settleJourney, storeOrder } from '../../infra/db/queries/bank-journeys.ts';
import { keepConsent } from '../../infra/db/queries/bank.ts';
import type { Queries } from '../../infra/db/connection.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { hashOf, newBankState, newHouseLink } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';
import type { AuditKind } from '../../domain/frozen-strings.ts';
import { audit } from '../audit.ts';
import { actorOf, type Operated } from '../auth/applications.ts';
import { openAnswer, takeKept } from './answers.ts';
import type { FailureKind } from './finish.ts';
import { openOrdered, sealOrdered } from './journeys.ts';
import { sealSecret } from './record.ts';

/*
 * The house account is the operator's own consent, which pays for owners who never connected a bank to pay with. An
 * operator grants it once by a link that only a command makes, at the bank and back in the browser that opened the link.
 */

type House = NonNullable<Banks['house']>;

interface AuditHouse {
  kind: Extract<AuditKind, `house-account.${string}`>;
  actor: string;
  data: Readonly<Record<string, string>>;
}

function auditHouse(db: Queries, services: Pick<Services, 'newId'>, event: AuditHouse): Promise<void> {
  return audit(db, services, { subject: HOUSE_ACCOUNT, ...event });
}

/** @throws DomainError `unknown-bank` unless this bank has the house account. */
export async function createHouseLink(
  services: Pick<Services, 'db' | 'newId' | 'config' | 'keys' | 'banks'> & Operated,
  { bank_id }: { bank_id: string },
): Promise<{ bank_id: string; url: string; expires_at: string }> {
  requireHouse(services, bank_id);
  const token = newHouseLink();
  const actor = actorOf(services);
  const { expires_at } = await services.db.transaction(async (tx) => {
    await auditHouse(tx, services, { kind: 'house-account.link-created', actor, data: { bank_id } });
    return tx.one(queries.insertHouseLink({ token_hash: hashOf(services, token), bank_id, made_by: actor }));
  });
  const url = new URL('/api/v1/bank/house-account', services.config.api.publicUrl);
  url.searchParams.set('link', token);
  return { bank_id, url: url.href, expires_at };
}

/** Does not use up the link. @throws DomainError `invalid-house-link`. */
export async function houseOfLink(
  services: Pick<Services, 'db' | 'keys' | 'banks'>,
  { link }: { link: string },
): Promise<House> {
  const found = await services.db.maybe(queries.liveHouseLink(hashOf(services, link)));
  if (!found) throw invalidLink();
  return requireHouse(services, found.bank_id);
}

/**
 * Uses the link up, and returns where the operator's browser goes. Undefined if the bank is away.
 * @throws DomainError `invalid-house-link`.
 */
export async function beginHouseJourney(
  services: Services,
  { link, browser }: { link: string; browser: string },
): Promise<string | undefined> {
  const state = newBankState();
  const journeyId = services.newId('jrn');
  const bank_id = await services.db.transaction(async (tx) => {
    const taken = await tx.maybe(queries.takeHouseLink(hashOf(services, link)));
    if (!taken) throw invalidLink();
    const { bank_id: house_bank_id, made_by: house_by } = taken;
    const journey = { journey_id: journeyId, state_hash: hashOf(services, state), house_bank_id, house_by };
    await tx.run(queries.insertHouseJourney({ ...journey, browser_hash: hashOf(services, browser) }));
    const data = { bank_id: house_bank_id, journey_id: journeyId };
    await auditHouse(tx, services, { kind: 'house-account.journey-begun', actor: house_by, data });
    return house_bank_id;
  });
  const { bank, consentRef } = requireHouse(services, bank_id);
  const order: BeginOrder = {
    kind: 'payments',
    institutionId: null,
    payments: null,
    redirectUri: bank.redirectUri,
    state,
    consentRef,
  };
  try {
    const { sendTo, secret } = await bank.port.begin(order);
    const sealed = await sealOrdered(services, journeyId, { order, secret });
    await services.db.run(storeOrder(journeyId, { consent_ref: consentRef, sealed }));
    return sendTo;
  } catch (error) {
    if (!(error instanceof BankError)) throw error;
    services.log.warn({ bank_id, kind: error.kind }, 'a bank began no journey');
    await services.db.transaction((tx) => fail(tx, services, { journeyId, reason: `bank-${error.kind}` }));
    return undefined;
  }
}

export type FinishedHouse =
  { kind: 'authorised'; bankName: string } | { kind: 'refused' } | { kind: 'failed'; why: FailureKind };

/** Undefined if the answer belongs to a journey of a person. */
export async function finishHouseJourney(
  services: Services,
  given: { handle: string; browser: string },
): Promise<FinishedHouse | undefined> {
  const { db } = services;
  const found = await db.maybe(queries.houseJourneyOfHandle(hashOf(services, given.handle)));
  if (!found) return undefined;
  const journeyId = found.journey_id;
  const held = await db.transaction((tx) => hold(tx, services, { ...given, journeyId }));
  if (held.kind === 'failed') return held;
  const { bank, consentRef } = requireHouse(services, held.bankId);
  const { order, secret } = await openOrdered(services, { journey_id: journeyId, sealed: held.sealedOrder });
  const answer = await openAnswer(given.handle, held.sealedAnswer);
  const finished = await bank.port.finish({ order, answer, secret }).catch((error: unknown): Finished => {
    if (!(error instanceof BankError)) throw error;
    return { kind: 'failed', reason: `bank-${error.kind}` };
  });
  if (finished.kind !== 'authorised') {
    const reason = finished.kind === 'refused' ? 'refused' : finished.reason;
    await db.transaction((tx) => fail(tx, services, { journeyId, reason }));
    return finished.kind === 'refused' ? finished : { kind: 'failed', why: 'not-confirmed' };
  }
  const consent = { bank_id: bank.bankId, consent_ref: consentRef };
  const secret_sealed = await sealSecret(services, consent, finished.secret);
  await db.transaction(async (tx) => {
    const row = { consent_id: services.newId('cons'), owner_id: HOUSE_ACCOUNT, kind: 'payments', ...consent } as const;
    const kept = await tx.maybe(keepConsent({ ...row, secret_sealed }));
    if (!kept) throw new DomainError('bank-consent-ended', 'This consent has ended.');
    await tx.run(endJourney(journeyId, { outcome: 'authorised', reason: null }));
    await tx.run(settleJourney(journeyId));
    const data = { bank_id: bank.bankId, journey_id: journeyId };
    await auditHouse(tx, services, { kind: 'house-account.connected', actor: held.by, data });
  });
  return { kind: 'authorised', bankName: bank.name };
}

interface Held {
  kind: 'held';
  bankId: string;
  by: string;
  sealedOrder: string;
  sealedAnswer: string;
}

/** Commits that the answer is being redeemed, before it is. */
async function hold(
  tx: Tx,
  services: Services,
  { handle, browser, journeyId }: { handle: string; browser: string; journeyId: string },
): Promise<Held | { kind: 'failed'; why: FailureKind }> {
  const journey = await tx.one(queries.lockHouseJourney(journeyId));
  const kept = await takeKept(tx, services, handle);
  const { outcome, finishing_at, sealed, browser_hash, house_bank_id, house_by } = journey;
  if (!kept || outcome !== null || finishing_at !== null) return { kind: 'failed', why: 'used' };
  const failed = async (reason: string, why: FailureKind) => {
    await fail(tx, services, { journeyId, reason });
    return { kind: 'failed', why } as const;
  };
  if (!kept.inTime || !journey.in_time) return failed('too-late', 'too-late');
  if (browser_hash !== hashOf(services, browser)) return failed('another-browser', 'elsewhere');
  if (sealed === null) return failed('not-sent-yet', 'not-confirmed');
  await tx.run(beginFinishing(journeyId));
  return { kind: 'held', bankId: house_bank_id!, by: house_by!, sealedOrder: sealed, sealedAnswer: kept.sealed };
}

async function fail(
  tx: Tx,
  services: Pick<Services, 'newId'>,
  { journeyId: journey_id, reason }: { journeyId: string; reason: string },
): Promise<void> {
  await tx.run(endJourney(journey_id, { outcome: 'failed', reason }));
  await tx.run(settleJourney(journey_id));
  const data = { journey_id, reason };
  await auditHouse(tx, services, { kind: 'house-account.journey-failed', actor: 'service', data });
}

function requireHouse({ banks: { house } }: Pick<Services, 'banks'>, bankId: string): House {
  if (house?.bank.bankId === bankId) return house;
  throw new DomainError(
    'unknown-bank',
    `The bank ${bankId} does not have the house account. BANK_HOUSE names the bank that has it.`,
  );
}

function invalidLink(): DomainError {
  return new DomainError(
    'invalid-house-link',
    'This link is unknown, was already used, or is older than 30 minutes. Run "bank connect" again.',
  );
}
