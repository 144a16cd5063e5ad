import { randomUUID } from 'node:crypto';
import { addDays, londonDateOf, startOfLondonDay, type CalendarDate } from '../../../domain/dates.ts';
import {
  BankError,
  type BeginOrder,
  type ConnectionKind,
  type ConsentLimits,
  type ConsentPayee,
  type Present,
} from '../interface.ts';
import { sortCodeIn } from './fields.ts';
import { list, objectIn, record } from './json.ts';
import { SignatureError, signMessage, type Signer } from './message-signing.ts';
import type { Resources } from './resources.ts';
import type { Answer } from './transport.ts';
import { creditorAccount, penceOf, poundsOf, readError, riskOf, type VrpNames } from './vrp.ts';

export const STATUSES = ['AWAU', 'AUTH', 'RJCT', 'EXPD', 'CANC'] as const;

/** A consent as the bank reports it. */
export interface Consent {
  status: (typeof STATUSES)[number];
  changedAt: Date;
  validUntil: CalendarDate | null;
  permissions: readonly string[];
  vrpTypes: readonly string[];
  payee: ConsentPayee | null;
  /** Null if the consent has other limits than this service orders. */
  limits: ConsentLimits | null;
  payingAccount: { sortCode: string; accountNumber: string } | null;
}

export const PERMISSIONS = [
  'ReadAccountsDetail',
  'ReadBalances',
  'ReadTransactionsDetail',
  'ReadTransactionsCredits',
  'ReadTransactionsDebits',
] as const;

const PATHS = { accounts: '/account-access-consents', payments: '/domestic-vrp-consents' } as const;
/** Reasons with which banks answer to an unknown id of a consent: not found, and a consent of somebody else. */
const UNKNOWN_CONSENT = ['U008', 'U011'];
const CURRENCY = 'GBP';

export type Consents = ReturnType<typeof consentsAt>;

export function consentsAt(resources: Resources, signer: Signer, names: VrpNames) {
  /** @throws BankError unless the bank signed what the standard lets it sign. */
  async function verified(kind: ConnectionKind, answer: Answer): Promise<Answer> {
    if (kind === 'accounts') return answer;
    await resources.verify(answer).catch((error: unknown) => {
      if (!(error instanceof SignatureError)) throw error;
      throw new BankError('away', `the answer about a consent is not the bank's own: ${error.message}`);
    });
    return answer;
  }

  return {
    names,
    /** @returns the id of a consent that nobody has authorised yet. */
    async create({ kind, payments }: Pick<BeginOrder, 'kind' | 'payments'>): Promise<string> {
      if (kind === 'payments' && payments === null)
        throw new BankError('configuration', 'a new consent to pay must name its payee');
      const body = JSON.stringify(
        payments === null ? { Data: { Permissions: PERMISSIONS }, Risk: {} } : vrpConsent(payments, names),
      );
      const headers: Record<string, string> =
        kind === 'accounts'
          ? {}
          : { 'x-idempotency-key': randomUUID(), 'x-jws-signature': await signMessage(body, signer) };
      const answer = await resources.ask({ method: 'POST', path: PATHS[kind], scope: kind, headers, body });
      if (answer.status !== 201) throw refused(answer, 'a new consent');
      const id = record(objectIn((await verified(kind, answer)).body)?.['Data'])['ConsentId'];
      if (typeof id !== 'string' || id === '') throw new BankError('away', 'the bank made a consent without an id');
      return id;
    },

    /** @throws BankError */
    async read(kind: ConnectionKind, id: string, present: Present | null = null): Promise<Consent | 'unknown'> {
      const path = `${PATHS[kind]}/${encodeURIComponent(id)}`;
      const answer = await resources.ask({ method: 'GET', path, scope: kind, present });
      if (isUnknown(answer)) return 'unknown';
      if (answer.status !== 200) throw refused(answer, 'a question about a consent');
      const data = record(objectIn((await verified(kind, answer)).body)?.['Data']);
      if (data['ConsentId'] !== id) throw new BankError('away', 'the answer is about a different consent');
      return consentIn(data);
    },

    /** @throws BankError */
    async end(kind: ConnectionKind, id: string): Promise<'done' | 'already'> {
      const path = `${PATHS[kind]}/${encodeURIComponent(id)}`;
      const answer = await resources.ask({ method: 'DELETE', path, scope: kind });
      if (answer.status === 204) return 'done';
      if (isUnknown(answer)) return 'already';
      throw refused(answer, 'the end of a consent');
    },
  };
}

/** A gateway's 404 does not name a reason, so it proves nothing. */
function isUnknown({ status, body }: Answer): boolean {
  const reason = readError(body);
  return reason !== null && (status === 404 || (status === 400 && UNKNOWN_CONSENT.includes(reason.code)));
}

function refused({ status, body }: Answer, what: string): BankError {
  const code = readError(body)?.code;
  if (code === undefined) return new BankError('away', `the bank responded to ${what} with ${status} and no reason`);
  return new BankError('configuration', `the bank refuses ${what}: ${status} ${code.slice(0, 40)}`);
}

type Ordered = NonNullable<BeginOrder['payments']>;

/** OBDomesticVRPConsentRequest 4.0. */
function vrpConsent({ payee, limits, vrpType, from }: Ordered, names: VrpNames) {
  const { perPayment, perMonth, validUntil } = limits;
  return {
    Data: {
      ReadRefundAccount: 'No',
      ControlParameters: {
        ValidFromDateTime: startOfLondonDay(from).toISOString(),
        ...(validUntil !== null && { ValidToDateTime: lastSecondOf(validUntil).toISOString() }),
        MaximumIndividualAmount: { Amount: poundsOf(perPayment), Currency: CURRENCY },
        PeriodicLimits: [
          { PeriodType: 'Month', PeriodAlignment: 'Consent', Amount: poundsOf(perMonth), Currency: CURRENCY },
        ],
        VRPType: [names[vrpType]],
        PSUAuthenticationMethods: ['UK.OBIE.SCANotRequired'],
        PSUInteractionTypes: ['OffSession'],
      },
      Initiation: { CreditorAccount: creditorAccount(payee) },
    },
    Risk: riskOf(vrpType),
  };
}

function lastSecondOf(day: CalendarDate): Date {
  return new Date(startOfLondonDay(addDays(day, 1)).getTime() - 1_000);
}

function consentIn(data: Record<string, unknown>): Consent {
  const status = STATUSES.find((known) => known === data['Status']);
  const changedAt = new Date(textIn(data['StatusUpdateDateTime']));
  if (status === undefined || Number.isNaN(changedAt.getTime()))
    throw new BankError('away', 'the bank tells of a consent without a known status');
  const control = record(data['ControlParameters']);
  const initiation = record(data['Initiation']);
  const end = control['ValidToDateTime'] ?? data['ExpirationDateTime'];
  const validUntil = end === undefined ? null : dayOf(end);
  const creditor = record(initiation['CreditorAccount']);
  const account = sortCodeIn(creditor);
  return {
    status,
    changedAt,
    validUntil,
    permissions: list(data['Permissions']).map(textIn),
    vrpTypes: list(control['VRPType']).map(textIn),
    payee: account && { name: textIn(creditor['Name']), ...account },
    limits: limitsIn(control, validUntil),
    payingAccount: sortCodeIn(record(data['DebtorAccount'] ?? initiation['DebtorAccount'])),
  };
}

function limitsIn(control: Record<string, unknown>, validUntil: CalendarDate | null): ConsentLimits | null {
  const most = record(control['MaximumIndividualAmount']);
  const [limit, ...more] = list(control['PeriodicLimits']).map(record);
  const [perPayment, perMonth] = [penceOf(most['Amount']), penceOf(limit?.['Amount'])];
  if (limit === undefined || more.length > 0 || perPayment === null || perMonth === null) return null;
  const isMonthly = limit['PeriodType'] === 'Month' && limit['PeriodAlignment'] === 'Consent';
  const isSterling = most['Currency'] === CURRENCY && limit['Currency'] === CURRENCY;
  return isMonthly && isSterling ? { perPayment, perMonth, validUntil } : null;
}

function dayOf(value: unknown): CalendarDate {
  const at = new Date(textIn(value));
  if (Number.isNaN(at.getTime())) throw new BankError('away', 'the bank tells of a consent without a known end');
  return londonDateOf(at);
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
