import type {
  BankEvent,
  BankInstruction,
  BankRecord,
  PayeeAccount,
  SubmitOutcome,
  VrpType,
} from '../../domain/bank/payments.ts';
import type { AccountKind } from '../../domain/bank/reading.ts';
import type { CalendarDate } from '../../domain/dates.ts';
import type { Pence } from '../../domain/money.ts';
import type { PayeeCategory } from '../../domain/payments.ts';

/*
 * The port to a person's bank. Each API of banks has a folder beside this file, and no other file names that API.
 * Amounts are signed minor units, and dates are days in London.
 */

export type { AccountKind, VrpType };
export type ConnectionKind = 'accounts' | 'payments';

/** What distinguishes the API. The rest of the service decides by these traits, and never by the API's name. */
export interface Traits {
  reads: boolean;
  /** By category of payee, and `OWN_ACCOUNT` for the person's own: the type of consent that pays it. */
  pays: Readonly<Partial<Record<PayeeCategory | 'OWN_ACCOUNT', VrpType>>>;
  /** Whether reading goes on by our own record (`local`), or only after a new journey to the bank. */
  reconfirm: 'local' | 'journey';
  /** Whether a person renews the same consent, or grants a new one. */
  reauthorise: 'same' | 'new';
  /** How many days back the first read may ask, and each later one. */
  freshDays: number;
  laterDays: number;
  /** How many times in 24 hours an account may be read without the person. */
  unattendedPerDay: number;
  /** Whether the bank reports changes by events. */
  events: boolean;
}

export interface Institution {
  institutionId: string;
  name: string;
  /** ISO 3166-1 alpha-2. */
  country: string;
}

/** The one payee that a payments consent pays. */
export type ConsentPayee = PayeeAccount;

/** In pence. `validUntil` null means that the consent has no end. */
export interface ConsentLimits {
  perPayment: Pence;
  perMonth: Pence;
  validUntil: CalendarDate | null;
}

export interface BeginOrder {
  kind: ConnectionKind;
  institutionId: string | null;
  /** Set if `kind` is `payments`. Null also for the house account, whose consent names no payee. */
  payments: { payee: ConsentPayee; limits: ConsentLimits; vrpType: VrpType; from: CalendarDate } | null;
  redirectUri: string;
  /** Random and unguessable. The bank's answer repeats it. */
  state: string;
  /** The consent to authorise again. Undefined makes a new one. */
  consentRef?: string;
}

export interface Begun {
  /** Where the person's browser goes. */
  sendTo: string;
  /** Undefined if the API names a consent only after the journey. */
  consentRef?: string;
  /** For `finish`. */
  secret: string;
  /** The journey's end at the bank. */
  expiresAt: Date;
}

/** What the browser brought back: the fields of the query, form or fragment, as they came. */
export type JourneyAnswer = Readonly<Record<string, string>>;

export type Finished =
  | {
      kind: 'authorised';
      consentRef: string;
      secret: string;
      validUntil: CalendarDate | null;
      /** By when the person must confirm that reading may go on. Null for payments. */
      reconfirmBy: CalendarDate | null;
      payee: ConsentPayee | null;
      limits: ConsentLimits | null;
      /** The person's account that pays, if the bank names it: six and eight digits. */
      payingAccount: { sortCode: string; accountNumber: string } | null;
    }
  /** The person refused, and the bank, asked, agrees. */
  | { kind: 'refused' }
  /** `reason` is for the audit log: a code such as `nonce-mismatch`, without personal data. */
  | { kind: 'failed'; reason: string };

export type ConsentState = 'awaiting' | 'authorised' | 'rejected' | 'reauthorise' | 'expired' | 'revoked' | 'unknown';

/**
 * A connection's secret. `renew` lets one process at a time exchange it, and commits the new secret before it returns.
 * If another process has renewed the secret meanwhile, `renew` returns that one and does not call `exchange`.
 */
export interface SecretHolder {
  readonly current: string;
  /** @throws BankError `away` if another process renews it for too long. */
  renew(exchange: (secret: string) => Promise<string>): Promise<string>;
}

/** The person, if the call is theirs. Null for what the service does by itself. */
export interface Present {
  ip: string;
  userAgent: string | undefined;
  language: string | undefined;
}

/** `secret` is null for consents that the bank lets us use by our own credentials. */
export interface ConsentAccess {
  kind: ConnectionKind;
  consentRef: string;
  secret: SecretHolder | null;
  present: Present | null;
}

/** An account as the bank lists it. What the bank does not say, or masks, is null. */
export interface BankAccount {
  /** The bank's id of the account, which may differ in another consent. */
  ref: string;
  kind: AccountKind;
  name: string;
  /** ISO 4217. */
  currency: string;
  /** Six and eight digits. */
  sortCode: string | null;
  accountNumber: string | null;
  iban: string | null;
  /** The last four digits, such as of a card. */
  last4: string | null;
}

/** What a card owes is negative. `creditLine` is the credit in `available`. */
export interface BankBalance {
  current: number | null;
  available: number | null;
  creditLine: number | null;
  asOf: Date;
}

/** A booked transaction. */
export interface BankRow {
  /** Null if the bank gives no id that stays the same from read to read. */
  stableId: string | null;
  amount: number;
  bookedOn: CalendarDate;
  counterparty: string | null;
  /** The payer of a credit, only from the field that names one. */
  payer: string | null;
  debtorAccount: { sortCode: string; accountNumber: string } | null;
  reference: string | null;
}

export interface BankRows {
  items: readonly BankRow[];
  /** How many booked rows the service cannot use, such as one without a day. */
  refused: number;
  /** Of the next page. Null if there is none. */
  cursor: string | null;
  /** False if the bank says, or shows, that it left something out. */
  complete: boolean;
}

/** Both days are included. */
export interface RowsWanted {
  account: Pick<BankAccount, 'ref' | 'kind' | 'currency'>;
  from: CalendarDate;
  to: CalendarDate;
  cursor: string | null;
}

/** One step of `diagnose`, in plain words for an operator. */
export interface Diagnosis {
  step: string;
  ok: boolean;
  detail: string;
}

export interface Bank {
  readonly traits: Traits;
  /** Empty if the bank is the only institution. */
  institutions(): Promise<readonly Institution[]>;
  /** Makes a consent that nobody has authorised yet. */
  begin(order: BeginOrder): Promise<Begun>;
  /**
   * Checks the answer of a journey against what `begin` ordered, redeems it, and asks the bank for the consent.
   * @throws BankError only of kind `away`, `wait` or `configuration`, before the code was used.
   */
  finish(given: { order: BeginOrder; answer: JourneyAnswer; secret: string }): Promise<Finished>;
  look(access: ConsentAccess): Promise<ConsentState>;
  /** Ends the consent at the bank, then its tokens. */
  end(access: ConsentAccess): Promise<'done' | 'already'>;
  accounts(access: ConsentAccess): Promise<readonly BankAccount[]>;
  balance(access: ConsentAccess, account: Pick<BankAccount, 'ref' | 'kind' | 'currency'>): Promise<BankBalance>;
  /** One page. */
  transactions(access: ConsentAccess, wanted: RowsWanted): Promise<BankRows>;
  /** Safe to repeat for 24 hours with the same payment and attempt. Does not throw if the bank is unreachable. */
  pay(access: ConsentAccess, instruction: BankInstruction): Promise<SubmitOutcome>;
  /** @throws UnknownToBank, or BankError if the bank is unreachable. */
  payment(bankPaymentId: string): Promise<BankRecord>;
  /** Returns unacknowledged events, oldest first. Waits up to `waitMs` for an event. */
  events(request: { acknowledge: readonly string[]; limit: number; waitMs: number }): Promise<BankEvent[]>;
  /** @throws if the bank does not respond. */
  check(): Promise<void>;
  /** Certificates, discovery, tokens and a dry request, one after another. Ends with the first step that fails. */
  diagnose(): AsyncIterable<Diagnosis>;
  close(): Promise<void>;
}

export type BankErrorKind =
  /** The person must go through a journey again. */
  | 'reauthorise'
  /** The consent is over at the bank. */
  | 'ended'
  /** Not before `until`. */
  | 'wait'
  /** The bank has the answer not yet. Ask again in a minute. */
  | 'not-final'
  /** The bank goes back less far than was asked. */
  | 'range'
  /** The bank no longer shows this account. The consent may be good. */
  | 'account-gone'
  /** The bank is unreachable, slow, or answers something that no API answers. */
  | 'away'
  /** The bank refuses this service's own credentials or requests. An operator must act. */
  | 'configuration';

/** `message` names no person, account or token. */
export class BankError extends Error {
  override readonly name = 'BankError';
  readonly kind: BankErrorKind;
  readonly until: Date | undefined;

  constructor(kind: BankErrorKind, message: string, { until, cause }: { until?: Date; cause?: unknown } = {}) {
    super(message, { cause });
    this.kind = kind;
    this.until = until;
  }
}

/** The bank has no payment with the id. */
export class UnknownToBank extends Error {
  override readonly name = 'UnknownToBank';
}

/** A bank of `BANKS_FILE`, or one of the sandbox's. */
export interface ConfiguredBank {
  bankId: string;
  name: string;
  /** Where the bank sends the person's browser back to: this service's callback. */
  redirectUri: string;
  /** The firm that has the permission to reach the bank. */
  regulated: { name: string; termsUrl: string };
  port: Bank;
}

export interface Banks {
  /** In the order of the file. */
  readonly all: readonly ConfiguredBank[];
  find(bankId: string): ConfiguredBank | undefined;
  /** The consent that pays for owners who never connected a bank to pay with. Null if this deployment has none. */
  readonly house: { bank: ConfiguredBank; consentRef: string } | null;
  close(): Promise<void>;
}
