import * as z from 'zod';
import { isCalendarDate, startOfLondonDay } from '../../domain/dates.ts';
import { objectIn } from '../../infra/bank/obie-4.0/json.ts';
import { ACCOUNT_KINDS, type Account, type Accounts, type Transaction } from './accounts.ts';
import type { Calendar } from './calendar.ts';
import type { Calls } from './calls.ts';
import type { BankClock } from './clock.ts';
import type { Consents } from './consents.ts';
import type { BankExchange } from './exchange.ts';
import type { BankStore } from './store.ts';
import type { TrueLayer } from './truelayer/index.ts';
import { switchesBody } from './truelayer/switches.ts';

export interface SandboxDesk {
  store: BankStore;
  accounts: Accounts;
  consents: Consents;
  calls: Calls;
  calendar: Calendar;
  clock: BankClock;
  truelayer: TrueLayer;
}

const NOON_MS = 12 * 3_600_000;

const credit = z.strictObject({
  owner_id: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/),
  amount: z.int().refine((amount) => amount !== 0),
  payer: z.string().min(1).max(70).optional(),
  reference: z.string().min(1).max(500),
  account: z.enum(ACCOUNT_KINDS).default('current'),
  booked_on: z.string().refine(isCalendarDate).optional(),
  from_account: z.enum(['savings', 'current']).optional(),
});
const clockMove = z.strictObject({ offset_ms: z.int().min(0) });

/** What no real bank offers. Returns false if there is no such operation. */
export function serveSandbox(desk: SandboxDesk, exchange: BankExchange): boolean {
  const { method, url } = exchange;
  const operation = `${method} ${url.pathname.replace(/^(\/sandbox\/(?:accounts|consents))\/[^/]+\//, '$1/{id}/')}`;
  const run = OPERATIONS[operation];
  run?.(desk, exchange);
  return run !== undefined;
}

type Operation = (desk: SandboxDesk, exchange: BankExchange) => void;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET /sandbox/movements': ({ store }, { url, answer }) =>
    answer(200, { items: store.movements(url.searchParams.get('payment_id')) }),
  'GET /sandbox/accounts': ({ accounts }, exchange) => {
    const owner = ownerIn(exchange);
    const found = owner === null ? accounts.all() : accounts.accountsOf(owner).reverse();
    exchange.answer(200, { items: found.map(accountOf) });
  },
  'GET /sandbox/consents': (desk, exchange) => exchange.answer(200, { items: consentsOf(desk, ownerIn(exchange)) }),
  'GET /sandbox/calls': ({ calls }, exchange) => exchange.answer(200, { items: calls.list(ownerIn(exchange)) }),
  'POST /sandbox/credits': (desk, exchange) => {
    const { success, data } = credit.safeParse(objectIn(exchange.body));
    if (!success || data.from_account === data.account) {
      refuse(exchange, 400, 'The body is not a credit.');
      return;
    }
    const id = bookCredit(desk, data);
    if (id === null) {
      refuse(exchange, 409, 'The account is closed.');
      return;
    }
    exchange.answer(201, { transaction_id: id });
  },
  'POST /sandbox/accounts/{id}/close': ({ accounts, consents, calendar }, exchange) => {
    const id = idIn(exchange);
    if (!accounts.close(id)) {
      refuse(exchange, 404, 'There is no open account with this id.');
      return;
    }
    consents.reportAccount(id);
    calendar.changed();
    exchange.answer(204, null);
  },
  'POST /sandbox/consents/{id}/revoke': ({ consents, truelayer, calendar }, exchange) => {
    const consent = consents.find(idIn(exchange));
    if (consent === undefined && truelayer.revoke(idIn(exchange))) {
      exchange.answer(204, null);
      return;
    }
    if (consent === undefined) {
      refuse(exchange, 404, 'There is no consent with this id.');
      return;
    }
    consents.revoke(consent);
    calendar.changed();
    exchange.answer(204, null);
  },
  'PUT /sandbox/switches': ({ truelayer }, exchange) => {
    const { success, data } = switchesBody.safeParse(objectIn(exchange.body));
    if (!success) {
      refuse(exchange, 400, 'The body is not {"owner_id": ID, "switches": {NAME: true or N}}, or has an unknown name.');
      return;
    }
    truelayer.setSwitches(data);
    exchange.answer(200, data);
  },
  'PUT /sandbox/clock': ({ clock }, exchange) => {
    const { success, data } = clockMove.safeParse(objectIn(exchange.body));
    if (!success) {
      refuse(exchange, 400, 'The body is not {"offset_ms": N} with N of 0 or more.');
      return;
    }
    clock.move(data.offset_ms);
    exchange.answer(200, { offset_ms: data.offset_ms, now: clock.now().toISOString() });
  },
};

/** Newest first, over both APIs. */
function consentsOf({ consents, truelayer }: SandboxDesk, ownerId: string | null) {
  const own = consents.list(ownerId).map(({ id, kind, status, createdAt }) => ({
    consent_id: id,
    api: 'obie-4.0',
    kind,
    status,
    created_at: createdAt,
  }));
  const others = truelayer.list(ownerId).map(({ id, isOver, createdAt }) => ({
    consent_id: id,
    api: 'truelayer-v1',
    kind: 'accounts',
    status: isOver ? 'EXPD' : 'AUTH',
    created_at: createdAt,
  }));
  return [...own, ...others].sort((one, other) => other.created_at.localeCompare(one.created_at));
}

/** Returns the transaction's id, or null if an account is closed. */
function bookCredit({ accounts, clock }: SandboxDesk, order: z.output<typeof credit>): string | null {
  const { owner_id, amount, payer = null, reference, booked_on, from_account } = order;
  const own = accounts.accountsOf(owner_id);
  const to = own.find(({ kind }) => kind === order.account);
  const from = own.find(({ kind }) => kind === from_account);
  if (to === undefined || (from_account !== undefined && from === undefined)) return null;
  const noon = booked_on === undefined ? null : new Date(startOfLondonDay(booked_on).getTime() + NOON_MS);
  const bookedAt = (noon ?? clock.now()).toISOString();
  const booked = { bookedAt, reference };
  const into = { ...booked, accountId: to.id, amount };
  if (from === undefined) return accounts.book({ ...into, partyName: payer, partyAccount: null });
  return accounts.transfer(
    { ...booked, accountId: from.id, amount: -amount, ...partyOf(to) },
    { ...into, ...partyOf(from) },
  );
}

function partyOf({ holder, sortCode, accountNumber }: Account): Pick<Transaction, 'partyName' | 'partyAccount'> {
  return { partyName: holder, partyAccount: `${sortCode}${accountNumber}` };
}

function accountOf({ id, kind, currency, sortCode, accountNumber, balance, creditLine }: Account) {
  return {
    account_id: id,
    kind,
    currency,
    sort_code: sortCode,
    account_number: accountNumber,
    balance,
    credit_line: creditLine,
  };
}

function ownerIn({ url }: BankExchange): string | null {
  return url.searchParams.get('owner_id');
}

function idIn({ url }: BankExchange): string {
  return decodeURIComponent(url.pathname.split('/')[3] ?? '');
}

function refuse({ answer }: BankExchange, status: number, error: string): void {
  answer(status, { error });
}
