import { startOfLondonDay } from '../../../domain/dates.ts';
import { BankError, type Bank, type BankAccount, type ConsentAccess, type RowsWanted } from '../interface.ts';
import { accountIn, balanceIn } from './accounts.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import { exactObjectIn, list, objectIn, record } from './json.ts';
import type { Resources } from './resources.ts';
import { grantedTokens } from './tokens.ts';
import { entriesIn, rowsIn } from './transactions.ts';
import { LARGEST_ANSWER_BYTES, type Answer } from './transport.ts';

const LONGEST_LINK = 4_000;
const MOST_PAGES_OF_ACCOUNTS = 20;

interface Reader {
  resources: Resources;
  server: AuthorizationServer;
  /** The address under which the bank's API is. */
  base: string;
}

interface Page {
  data: Record<string, unknown>;
  /** The path of the next page. Null if there is none, or the bank names one that is not its own. */
  next: string | null;
  complete: boolean;
}

export function readingAt(reader: Reader): Pick<Bank, 'accounts' | 'balance' | 'transactions'> {
  const read = (access: ConsentAccess, path: string, about: About) => page(reader, access, path, about);
  return {
    async accounts(access) {
      const found = new Map<string, BankAccount>();
      let path: string | null = '/aisp/accounts';
      for (let pages = 0; path !== null; pages += 1) {
        if (pages === MOST_PAGES_OF_ACCOUNTS) throw new BankError('away', 'the list of accounts does not end');
        const { data, next, complete }: Page = await read(access, path, 'accounts');
        if (!complete) throw new BankError('away', 'the list of accounts goes on at an address that is not the bank’s');
        for (const entry of listed(data, 'Account')) {
          const account = accountIn(entry);
          if (account !== null) found.set(account.ref, account);
        }
        path = next;
      }
      return [...found.values()];
    },

    async balance(access, account) {
      const { data } = await read(access, `${pathOf(account)}/balances`, 'account');
      return balanceIn(listed(data, 'Balance'), account);
    },

    async transactions(access, wanted) {
      const path = wanted.cursor ?? firstPage(wanted);
      const { data, next, complete } = await read(access, path, wanted.cursor === null ? 'days' : 'account');
      return { ...rowsIn(listed(data, 'Transaction'), wanted), cursor: next, complete };
    },
  };
}

const pathOf = ({ ref }: Pick<BankAccount, 'ref'>) => `/aisp/accounts/${encodeURIComponent(ref)}`;

/** Banks ignore the zone of a time, and their clock may be London's or UTC. So this asks for the days of both. */
function firstPage({ account, from, to }: RowsWanted): string {
  const days = new URLSearchParams({
    fromBookingDateTime: startOfLondonDay(from).toISOString().slice(0, 19),
    toBookingDateTime: `${to}T23:59:59`,
  });
  return `${pathOf(account)}/transactions?${days.toString()}`;
}

function listed(data: Record<string, unknown>, name: string): readonly unknown[] {
  const entries = entriesIn(data, name);
  if (entries === null) throw new BankError('away', 'the bank answers what is no list');
  return entries;
}

/** What the request is about, which decides what a refusal means. */
type About = 'accounts' | 'account' | 'days';

/** @throws BankError */
async function page(reader: Reader, access: ConsentAccess, path: string, about: About): Promise<Page> {
  const { resources, server, base } = reader;
  const { secret, present } = access;
  if (secret === null) throw new BankError('configuration', 'only a person can let the service read an account');
  const own = linkUnder(base, `${base}${path}`);
  if (own === null) throw new BankError('away', 'the page is not at the bank’s own address');
  const answer = await resources.ask({
    ...{ method: 'GET', path: own, scope: 'accounts', grouped: false },
    ...{ tokens: grantedTokens(server, secret), present, mostBytes: LARGEST_ANSWER_BYTES },
  });
  if (answer.status !== 200) throw refused(answer, about);
  const { Data, Links, Meta } = exactObjectIn(answer.body) ?? {};
  if (typeof Data !== 'object' || Data === null) throw new BankError('away', 'the bank answers what is no page');
  return { data: record(Data), ...nextIn(record(Links), record(Meta), { base, isFirst: about === 'days' }) };
}

function nextIn(
  { Next: next }: Record<string, unknown>,
  { TotalPages: pages }: Record<string, unknown>,
  { base, isFirst }: { base: string; isFirst: boolean },
): Pick<Page, 'next' | 'complete'> {
  if (next === undefined || next === null || next === '')
    return { next: null, complete: !(isFirst && Number(pages ?? 1) > 1) };
  const path = typeof next === 'string' ? linkUnder(base, next) : null;
  return { next: path, complete: path !== null };
}

/** The path of a link, if that is under the address of the bank's API. */
function linkUnder(base: string, link: string): string | null {
  if (link.length > LONGEST_LINK || !URL.canParse(link)) return null;
  const [root, url] = [new URL(`${base}/`), new URL(link)];
  const isOwn = url.origin === root.origin && url.pathname.startsWith(root.pathname);
  if (!isOwn || url.username !== '' || url.password !== '') return null;
  return `/${url.pathname.slice(root.pathname.length)}${url.search}`;
}

const REFUSALS = [400, 403, 404];
/** Codes of OBExternalStatusReason1Code, for a consent that is not authorised, and a person who must authenticate. */
const CONSENT = ['U008', 'U009', 'U028'];
/** There is no such account, or it is closed. */
const NO_ACCOUNT = ['U011', 'AC04'];
const DATE = 'U003';
const FIELD = 'U002';

/** The consent is asked for next, because these answers do not prove that it is over. */
function refused({ status, body }: Answer, about: About): BankError {
  const { ErrorCode, Path } = record(list(objectIn(body)?.['Errors'])[0]);
  const [code, path] = [ErrorCode, Path].map((each) => (typeof each === 'string' ? each : ''));
  const fault = `the bank responded with ${status} ${code!.slice(0, 40)}`.trim();
  if (status === 401) return new BankError('reauthorise', fault);
  if (!REFUSALS.includes(status)) return new BankError('away', fault);
  if (CONSENT.includes(code!)) return new BankError('reauthorise', fault);
  if (NO_ACCOUNT.includes(code!)) return new BankError(about === 'accounts' ? 'reauthorise' : 'account-gone', fault);
  const isAboutDays = code === DATE || (code === FIELD && /BookingDateTime/i.test(path!));
  return new BankError(about === 'days' && isAboutDays ? 'range' : 'away', fault);
}
