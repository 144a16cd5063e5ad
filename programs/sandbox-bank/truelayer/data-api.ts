import type { Provider } from 'oidc-provider';
import { addDays, isCalendarDate, londonDateOf } from '../../../domain/dates.ts';
import type { Account, Accounts } from '../accounts.ts';
import type { Calls } from '../calls.ts';
import type { BankClock } from '../clock.ts';
import type { BankExchange } from '../exchange.ts';
import { accountIdOf, accountOf, balanceOf, cardOf, meOf, refusal, results, type Reply } from './answers.ts';
import type { TrueLayerConsent, TrueLayerConsents } from './consents.ts';
import type { Scope } from './providers.ts';
import { COUNTED_READS, pendingRowsOf, rowsOf } from './rows.ts';
import type { Switches, SwitchesOn } from './switches.ts';

export interface DataDesk {
  provider: Provider;
  consents: TrueLayerConsents;
  switches: Switches;
  accounts: Accounts;
  calls: Calls;
  clock: BankClock;
  unattendedReadsPerDay: number;
  /** Such as `https://localhost:8451/truelayer`. */
  base: string;
}

export interface Reader {
  clientId: string;
  consent: TrueLayerConsent;
  scopes: ReadonlySet<string>;
  switches: SwitchesOn;
}

type Resource = 'balance' | 'transactions' | 'transactions/pending';

const API = 'truelayer-v1';
const DAY_MS = 86_400_000;
const FARTHEST_DAYS = 90;
/** How long after the customer was at the bank older rows can be read. */
const FRESH_MS = 300_000;
const PATH = /^\/data\/v1\/(me|accounts|cards)(?:\/([^/]+)\/(balance|transactions(?:\/pending)?))?$/;
const NO_TOKEN = refusal(401, 'invalid_token', 'The access token is unknown, or has ended.');

/** Undefined unless the access token is good. One of a consent that is over is good only if `stale_me` says so. */
export async function readerOf(desk: DataDesk, { header }: BankExchange): Promise<Reader | undefined> {
  const value = /^Bearer (\S+)$/i.exec(header('authorization') ?? '')?.[1];
  const token = value === undefined ? undefined : await desk.provider.AccessToken.find(value);
  const consent = token?.grantId === undefined ? undefined : desk.consents.ofGrant(token.grantId);
  if (token === undefined || consent === undefined) return undefined;
  const switches = desk.switches.of(consent.ownerId);
  if (consent.isOver && !switches.isOn('stale_me')) return undefined;
  return { clientId: token.clientId, scopes: token.scopes, consent, switches };
}

/** `path` is the part after `/truelayer/api`. */
export async function serveData(desk: DataDesk, path: string, exchange: BankExchange): Promise<void> {
  const reader = await readerOf(desk, exchange);
  noteCall(desk, { path, exchange, reader });
  sendReply(desk, exchange, reader === undefined ? NO_TOKEN : replyTo(desk, reader, { path, exchange }));
}

/** Clients know the bank's time by the header. */
export function sendReply({ clock }: Pick<DataDesk, 'clock'>, { answer }: BankExchange, reply: Reply): void {
  answer(reply.status, reply.body, { date: clock.now().toUTCString(), ...reply.headers });
}

export function noteCall(
  { calls, clock }: DataDesk,
  { path, exchange, reader }: { path: string; exchange: BankExchange; reader: Reader | undefined },
): void {
  const { method, header, onAnswer } = exchange;
  const attended = header('x-psu-ip') !== undefined;
  const ownerId = reader?.consent.ownerId ?? null;
  onAnswer((status) => calls.add(ownerId, { api: API, method, path, status, attended, at: clock.now().toISOString() }));
}

interface Request {
  path: string;
  exchange: BankExchange;
}

function replyTo(desk: DataDesk, reader: Reader, request: Request): Reply {
  const { consent, switches, scopes, clientId } = reader;
  const [, list, id, resource] = PATH.exec(request.path) ?? [];
  if (list === undefined || (list === 'me' && id !== undefined) || request.exchange.method !== 'GET')
    return refusal(501, 'endpoint_not_supported', 'The bank does not offer this.');
  if (list === 'me') return results([meOf(consent, { clientId, scopes: [...scopes], base: desk.base })]);
  const needed: Scope[] = [list as 'accounts' | 'cards'];
  if (resource !== undefined) needed.push(resource === 'balance' ? 'balance' : 'transactions');
  if (consent.isOver || !needed.every((scope) => scopes.has(scope)))
    return refusal(403, 'access_denied', 'The customer has not consented to this, or has ended the consent.');
  if (desk.switches.spend(consent.ownerId, 'throttle'))
    return refusal(429, 'provider_too_many_requests', 'The bank has too many requests.', { 'retry-after': '2' });
  const shared = consent.accountIds.map((one) => desk.accounts.find(one)).filter((account) => account !== undefined);
  const listed = shared.filter(({ kind }) => (kind === 'card') === (list === 'cards'));
  if (id === undefined) return replyWithList(desk, reader, { list, listed });
  const account = listed.find((one) => accountIdOf(one, consent) === decodeURIComponent(id));
  if (account === undefined) return refusal(404, 'account_not_found', 'The consent has no account with this id.');
  if (account.kind === 'savings' && switches.isOn('account_error'))
    return refusal(403, 'access_denied', 'The bank does not show this account.');
  if (isTooOften(desk, request))
    return refusal(429, 'unattended_calls_limit_exceeded', 'The customer was not present too often today.');
  return replyOnAccount(desk, reader, { account, resource: resource as Resource, exchange: request.exchange });
}

function replyWithList(
  { accounts, clock, base }: DataDesk,
  { consent, switches }: Reader,
  { list, listed }: { list: string; listed: readonly Account[] },
): Reply {
  const current = accounts.accountsOf(consent.ownerId).find(({ kind }) => kind === 'current');
  const listing = { consent, switches, current, base, now: clock.now().toISOString() };
  return results(listed.map((account) => (list === 'cards' ? cardOf : accountOf)(account, listing)));
}

/** By the path, so each resource of an account has a count of its own. */
function isTooOften({ calls, clock, unattendedReadsPerDay: most }: DataDesk, { path, exchange }: Request): boolean {
  if (most === 0 || exchange.header('x-psu-ip') !== undefined) return false;
  const since = new Date(clock.now().getTime() - DAY_MS).toISOString();
  return calls.unattended({ api: API, path, since }) >= most;
}

function replyOnAccount(
  desk: DataDesk,
  { consent, switches }: Reader,
  { account, resource, exchange }: { account: Account; resource: Resource; exchange: BankExchange },
): Reply {
  const now = desk.clock.now();
  if (resource === 'balance') {
    // Balances alone, so that rows come with all switches on.
    if (switches.isOn('failed_status')) return results([], 'Failed');
    return results([balanceOf(account, now.toISOString())]);
  }
  if (resource === 'transactions/pending') return results(pendingRowsOf({ account, switches }));
  const range = rangeIn(exchange.url.searchParams, now);
  if (range === null) return refusal(400, 'invalid_date_range', 'from and to must be dates or times, in this order.');
  const isFresh = Date.now() - consent.authorizedMs < FRESH_MS && !switches.isOn('sca');
  if (!isFresh && londonDateOf(new Date(range.from)) < addDays(londonDateOf(now), -FARTHEST_DAYS))
    return refusal(403, 'sca_exceeded', 'The customer must be at the bank for rows of more than 90 days ago.');
  const booked = desk.accounts.transactions(account.id, { ...range, after: 0, most: Number.MAX_SAFE_INTEGER });
  const rows = rowsOf({ account, switches, ...range }, booked);
  if (account.kind === 'current')
    for (const name of countedIn(range, switches)) desk.switches.count(consent.ownerId, name);
  return results(rows);
}

/** The switches whose row was in the answer. */
function countedIn({ from, to }: Range, switches: SwitchesOn) {
  return COUNTED_READS.filter((name) => {
    const since = switches.since(name);
    return since !== null && since >= from && since <= to;
  });
}

interface Range {
  from: string;
  to: string;
}

/** Without dates, the last 90 days. A day alone is meant to its end. */
function rangeIn(asked: URLSearchParams, now: Date): Range | null {
  const [from, to] = [asked.get('from'), asked.get('to')];
  if (from === null && to === null)
    return { from: new Date(now.getTime() - FARTHEST_DAYS * DAY_MS).toISOString(), to: now.toISOString() };
  const range = { from: instantIn(from, 'T00:00:00.000Z'), to: instantIn(to, 'T23:59:59.999Z') };
  const isRange = range.from !== null && range.to !== null && range.from <= range.to;
  return isRange ? (range as Range) : null;
}

function instantIn(text: string | null, end: string): string | null {
  if (text === null) return null;
  const at = new Date(isCalendarDate(text) ? `${text}${end}` : text);
  return /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(at.getTime()) ? at.toISOString() : null;
}
