import { isCalendarDate, londonDateOf, type CalendarDate } from '../dates.ts';
import { DomainError, requireNoFaults, type InputFault } from '../errors.ts';
import { MAX_AMOUNT, pence, type Pence } from '../money.ts';
import type { PayeeCategory } from '../payments.ts';
import type { VrpType } from './payments.ts';

export const CONNECTION_KINDS = ['accounts', 'payments'] as const;
export type ConnectionKind = (typeof CONNECTION_KINDS)[number];

export const CONNECTION_STATUSES = [
  'awaiting_authorisation',
  'authorised',
  'reauthorisation_needed',
  'rejected',
  'revoked',
  'expired',
] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

/** How long a person has to go to the bank, in real time. */
export const AUTHORISE_WITHIN_MIN = 30;

/** SCA-RTS 10A and 36(6): how long reading may go on until the person confirms it again. */
export const RECONFIRM_EVERY_DAYS = 90;

/** How many days before `reconfirm_by` the service sends an email. */
export const REMIND_DAYS_BEFORE = [14, 3] as const;

const NEXT: Readonly<Record<ConnectionStatus, readonly ConnectionStatus[]>> = {
  awaiting_authorisation: ['authorised', 'rejected', 'expired'],
  authorised: ['reauthorisation_needed', 'revoked', 'expired'],
  reauthorisation_needed: ['authorised', 'revoked', 'expired'],
  rejected: [],
  revoked: [],
  expired: [],
};

/** The database enforces the same rule. */
export function mayBecome(from: ConnectionStatus, to: ConnectionStatus): boolean {
  return NEXT[from].includes(to);
}

export function isEnded(status: ConnectionStatus): boolean {
  return NEXT[status].length === 0;
}

/** What a connection becomes that is ended here. Nobody has granted one that still awaits its authorisation. */
export function endedAs(status: ConnectionStatus): 'revoked' | 'expired' {
  return status === 'awaiting_authorisation' ? 'expired' : 'revoked';
}

/** @throws DomainError unless the person has granted the connection, and it has not ended. */
export function requireGranted(status: ConnectionStatus): void {
  if (status === 'awaiting_authorisation') {
    throw new DomainError('bank-not-connected', 'Nobody has authorised this connection at the bank yet.', {
      connection_status: status,
    });
  }
  requireNotEnded(status);
}

export function requireNotEnded(status: ConnectionStatus): void {
  if (isEnded(status)) throw connectionEnded(status);
}

export function connectionEnded(status: ConnectionStatus): DomainError {
  return new DomainError(
    'bank-consent-ended',
    `This connection is ${status}, and stays so. Make another connection with POST /api/v1/bank/connections.`,
    { connection_status: status },
  );
}

/** The number of emails that are due by now about `reconfirmBy`. */
export function remindersDue(reconfirmBy: CalendarDate, today: CalendarDate): number {
  const left = (Date.parse(reconfirmBy) - Date.parse(today)) / 86_400_000;
  return left < 0 ? 0 : REMIND_DAYS_BEFORE.filter((days) => left <= days).length;
}

/** In pence. `valid_until` null means that the consent has no end. */
export interface Limits {
  per_payment: Pence;
  per_month: Pence;
  valid_until: CalendarDate | null;
}

interface GivenLimits {
  per_payment: number;
  per_month: number;
  valid_until?: CalendarDate | null | undefined;
}

/** @throws DomainError with every fault. Pointers begin with `at`. */
export function checkLimits(given: GivenLimits, { at, now }: { at: string; now: Date }): Limits {
  const { per_payment, per_month, valid_until = null } = given;
  requireNoFaults([
    ...amountFaults(`${at}/per_payment`, per_payment),
    ...amountFaults(`${at}/per_month`, per_month),
    ...(per_payment > per_month ? [{ pointer: `${at}/per_payment`, detail: 'must not be more than per_month' }] : []),
    ...(valid_until === null ? [] : endFaults(`${at}/valid_until`, valid_until, londonDateOf(now))),
  ]);
  return { per_payment: pence(per_payment), per_month: pence(per_month), valid_until };
}

function amountFaults(pointer: string, amount: number): InputFault[] {
  const isPence = Number.isSafeInteger(amount) && amount >= 1 && amount <= MAX_AMOUNT;
  return isPence ? [] : [{ pointer, detail: `must be a whole number of pence from 1 to ${MAX_AMOUNT}` }];
}

function endFaults(pointer: string, end: CalendarDate, today: CalendarDate): InputFault[] {
  return isCalendarDate(end) && end > today ? [] : [{ pointer, detail: 'must be a date after today' }];
}

/** Pounds as people write them, such as `1,250` or `£12.50`. Undefined if the text is no such amount. */
export function penceFromPounds(text: string): Pence | undefined {
  const found = /^£? ?(\d{1,3}(?:,\d{3})+|\d{1,10})(?:\.(\d{2}))?$/.exec(text.trim());
  return found ? pence(Number(found[1]!.replaceAll(',', '')) * 100 + Number(found[2] ?? 0)) : undefined;
}

/** Pence as a person can type them again: 1250 becomes `12.50`. */
export function poundsText(amount: number): string {
  const digits = String(amount).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** The limits in a form's fields: amounts in pounds, and a date that may be blank. */
export function limitsFromForm(
  fields: Readonly<{ per_payment: string; per_month: string; valid_until: string }>,
  now: Date,
): Limits {
  const inPence = (name: 'per_payment' | 'per_month') => penceFromPounds(fields[name]);
  const [per_payment, per_month] = [inPence('per_payment'), inPence('per_month')];
  const notPounds = (name: string) => ({ pointer: `/${name}`, detail: 'must be an amount in pounds, such as 12.50' });
  requireNoFaults([
    ...(per_payment === undefined ? [notPounds('per_payment')] : []),
    ...(per_month === undefined ? [notPounds('per_month')] : []),
  ]);
  const valid_until = fields.valid_until.trim() || null;
  return checkLimits({ per_payment: per_payment!, per_month: per_month!, valid_until }, { at: '', now });
}

type Pays = Readonly<Partial<Record<PayeeCategory | 'OWN_ACCOUNT', VrpType>>>;

/** The type of consent by which the bank pays a payee of this category, or the person's own account. */
export function vrpTypeFor(pays: Pays, category: PayeeCategory, { isOwn }: { isOwn: boolean }): VrpType {
  if (Object.keys(pays).length === 0) {
    throw new DomainError('bank-cannot-pay', 'This bank makes no payments for the service. Choose a different bank.');
  }
  const type = (isOwn ? pays.OWN_ACCOUNT : undefined) ?? pays[category];
  if (type !== undefined) return type;
  throw new DomainError('payee-not-payable', `This bank cannot pay payees of the category ${category} by a consent.`, {
    category,
  });
}
