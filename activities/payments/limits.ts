import { beyondConsent, consentMonth, requireWithinConsent, type BeyondConsent } from '../../domain/bank/limits.ts';
import { londonDateOf, startOfLondonDay, type CalendarDate } from '../../domain/dates.ts';
import { DomainError, type ErrorExtra } from '../../domain/errors.ts';
import { isPersonId } from '../../domain/owners.ts';
import { SANDBOX_COUNTS_PER_DAY, type PaymentCountKind } from '../../domain/payments.ts';
import type { LockedOwner } from '../../infra/db/locked-owner.ts';
import { usedInMonths, type PayingConnection } from '../../infra/db/queries/payers.ts';
import type { OrderedBy } from '../../infra/db/queries/payment-changes.ts';
import * as counts from '../../infra/db/queries/payment-counts.ts';
import * as queries from '../../infra/db/queries/payments.ts';
import type { Services } from '../../infra/services.ts';
import type { Authentic } from '../macs.ts';
import { evidenceOfOwner } from '../paycheck/income-macs.ts';
import type { Payer } from './payer.ts';

type Evidencing = Pick<Services, 'config'> & Authentic;

/** The daily limit of amounts counts payments and retries ordered on the same London day, except failed or cancelled ones. */
export async function requireWithinLimits(
  owner: LockedOwner,
  { config }: Pick<Services, 'config'>,
  amount: number,
  at: Date,
): Promise<void> {
  const { payment, ownerPerDay } = config.paymentLimits;
  if (payment !== undefined)
    requireWithin('A single payment', { limit_kind: 'payment-amount', limit: payment, used: 0, amount });
  if (ownerPerDay === undefined) return;
  const { used } = await owner.tx.one(queries.requestedSince(owner.id, startOfLondonDay(londonDateOf(at))));
  const day = { limit_kind: 'owner-amount', limit: ownerPerDay, used, amount } as const;
  requireWithin('The total of all payments of an owner in one day', day);
}

interface Amounts {
  limit_kind: 'payment-amount' | 'owner-amount';
  limit: number;
  used: number;
  amount: number;
}

function requireWithin(what: string, { limit_kind, limit, used, amount }: Amounts): void {
  const available = Math.max(0, limit - used);
  if (amount <= available) return;
  throw new DomainError(
    'exceeds-payment-limit',
    `${what} must be at most ${limit} pence. Pay less, or ask the operator to raise the limit.`,
    { limit_kind, limit, used, available },
  );
}

const COUNTED: Readonly<Record<PaymentCountKind, string>> = {
  'owner-count': 'The payments of an owner that go out in one day',
  'delegated-count': 'The payments of a person in one day that clients and API keys order',
  'application-count': 'The payments of an application that go out in one day',
};

/**
 * Counts the payment on the London day on which it goes out. Call it last, because other payments of the application might wait
 * until the transaction ends.
 */
export async function countPayment(
  owner: LockedOwner,
  { config }: Pick<Services, 'config'>,
  { requested_by, client_id }: Pick<OrderedBy, 'requested_by' | 'client_id'>,
  day: CalendarDate,
): Promise<void> {
  const { ownerCountPerDay: perOwner, appCountPerDay: perApp } = config.paymentLimits;
  const forOwner = perOwner ?? SANDBOX_COUNTS_PER_DAY.owner;
  const most = {
    'owner-count': forOwner,
    'delegated-count': Math.floor(forOwner / 2),
    'application-count': perApp ?? SANDBOX_COUNTS_PER_DAY.app,
  };
  const isDelegated = isPersonId(owner.id) && (requested_by !== owner.id || client_id !== null);
  const counted = { ownerId: owner.id, day, isDelegated, requestedBy: requested_by, most };
  const { exceeded, used } = await owner.one(counts.countPayment(counted));
  if (exceeded === null) return;
  throw new DomainError(
    'exceeds-payment-limit',
    `${COUNTED[exceeded]} must be at most ${most[exceeded]}. Wait until the next day, or ask the operator to raise the limit.`,
    { limit_kind: exceeded, limit: most[exceeded], used },
  );
}

/** A payment that is not yet stored has no id. */
interface Wanted {
  amount: number;
  payment_id?: string;
}

/**
 * The limits of the person's consent, or, for the house account, the evidence of the owner's income.
 * @param countsOn the day in whose month the payment counts
 */
export async function requireMayPay(
  owner: LockedOwner,
  services: Evidencing,
  { payer, wanted, countsOn }: { payer: Payer; wanted: Wanted; countsOn: CalendarDate },
): Promise<void> {
  if (payer.connection === null) return requireEvidence(owner, services, wanted);
  requireWithinConsent(await useOfConsent(owner, payer.connection, wanted, countsOn));
}

type Limited = Pick<PayingConnection, 'connection_id' | 'per_payment' | 'per_month' | 'starts_on'>;

/** Null if the payment is within the limits of its connection, in the month of `countsOn`. */
export async function beyondConsentOf(
  owner: LockedOwner,
  connection: Limited,
  wanted: Wanted,
  countsOn: CalendarDate,
): Promise<BeyondConsent | null> {
  return beyondConsent(await useOfConsent(owner, connection, wanted, countsOn));
}

async function useOfConsent(
  owner: LockedOwner,
  { connection_id, per_payment, per_month, starts_on }: Limited,
  { amount, payment_id }: Wanted,
  countsOn: CalendarDate,
): Promise<Parameters<typeof beyondConsent>[0]> {
  const { from: first, to: last } = consentMonth(starts_on!, countsOn);
  const { used } = await owner.tx.one(usedInMonths([{ connection_id, first, last }], payment_id ?? null));
  return { perPayment: per_payment!, perMonth: per_month!, used, amount };
}

async function requireEvidence(owner: LockedOwner, services: Evidencing, wanted: Wanted): Promise<void> {
  const missing = await missingEvidence(owner, services, wanted);
  if (missing === null) return;
  throw new DomainError(
    'income-not-evidenced',
    'The asserted income of this owner does not cover the payment. Ask the person who runs the payroll to calculate the paychecks with an API key that has the scope assert:income.',
    missing,
  );
}

/** Null if nothing is missing. Only payments of the house account need evidence. */
export async function missingEvidence(
  owner: LockedOwner,
  services: Evidencing,
  { amount, payment_id }: Wanted,
): Promise<ErrorExtra | null> {
  if (services.config.environment === 'sandbox') return null;
  const { evidenced, spent } = await evidenceOfOwner(owner, services, { paymentId: payment_id ?? null, byHouse: true });
  const shortfall = spent + amount - evidenced;
  return shortfall > 0 ? { evidenced, spent, shortfall } : null;
}
