import { silentBank, TEST_TRAITS } from './banks.ts';
import {
  BankError,
  type Bank,
  type BankAccount,
  type BankBalance,
  type BankRow,
  type BankRows,
  type Banks,
  type BeginOrder,
  type ConfiguredBank,
  type ConsentAccess,
  type ConsentState,
  type Finished,
  type Institution,
  type JourneyAnswer,
  type RowsWanted,
  type Traits,
} from '../../infra/bank/interface.ts';
import { PAYEE_CATEGORIES } from '../../domain/payments.ts';

export interface PlayedConsent {
  order: BeginOrder;
  state: ConsentState;
  /** What `finish` or a renewal returned last. Null until somebody has finished a journey of the consent. */
  secret: string | null;
}

export interface PlayedAccount extends BankAccount {
  balance: Omit<BankBalance, 'asOf'>;
  rows: BankRow[];
}

interface Read {
  call: 'accounts' | 'balance' | 'transactions';
  access: ConsentAccess;
  /** Of the account. */
  ref: string | undefined;
  wanted: RowsWanted | undefined;
}

/** A bank's port whose behaviour a test sets. It keeps consents, and redeems each code once. */
export interface PlayedPort extends Bank {
  traits: Traits;
  readonly consents: Map<string, PlayedConsent>;
  /** The names of the calls, oldest first, such as `end consent-1`. */
  readonly calls: string[];
  /** If set, every call throws it. */
  failure: BankError | null;
  /** The results of the next calls of `finish`, before the port answers by itself. */
  readonly finishes: Finished[];
  /** Whether `look` and `end` exchange the secret first. */
  renews: boolean;
  /** Runs at the start of each exchange of a secret, and may throw as after a lost reply. */
  onRenew: (secret: string) => void | Promise<void>;
  institutionList: Institution[];
  accountList: PlayedAccount[];
  pageSize: number;
  /** Runs at the start of each read, and may throw. */
  onRead: (read: Read) => void | Promise<void>;
  /** Changes a page before the service gets it. */
  turnPage: (page: BankRows, wanted: RowsWanted) => BankRows;
  /** What the browser brings back after the person approved at `sendTo`, or refused with `error`. */
  answerOf(sendTo: string, error?: string): JourneyAnswer;
}

export interface PlayedBanks extends Banks {
  readonly all: readonly (ConfiguredBank & { port: PlayedPort })[];
  /** Reads and pays every category. Reconfirms locally and renews the same consent. */
  readonly local: PlayedPort;
  /** Only reads, at institutions. Reconfirms and renews by a new journey. */
  readonly journey: PlayedPort;
}

const LOCAL: Traits = { ...TEST_TRAITS, pays: Object.fromEntries(PAYEE_CATEGORIES.map((one) => [one, 'other'])) };
const JOURNEY: Traits = { ...LOCAL, pays: {}, reconfirm: 'journey', reauthorise: 'new', events: false };
const INSTITUTIONS = [
  { institutionId: 'ob-first', name: 'First Bank', country: 'GB' },
  { institutionId: 'ob-second', name: 'Second Bank', country: 'GB' },
];

const JOURNEY_MS = 15 * 60_000;

/** Two banks, `played-local` and `played-journey`, without a house account. */
export function playedBanks(): PlayedBanks {
  const local = playedPort(LOCAL, []);
  const journey = playedPort(JOURNEY, INSTITUTIONS);
  const all = [configured('played-local', 'Local Bank', local), configured('played-journey', 'Journey Bank', journey)];
  return {
    all,
    local,
    journey,
    house: null,
    find: (bankId) => all.find((bank) => bank.bankId === bankId),
    close: () => Promise.resolve(),
  };
}

function configured(bankId: string, name: string, port: PlayedPort): ConfiguredBank & { port: PlayedPort } {
  return {
    bankId,
    name,
    redirectUri: 'https://ringfence.example/api/v1/bank/callback',
    regulated: { name: 'Regulated Ltd', termsUrl: 'https://regulated.example/terms' },
    port,
  };
}

export function playedPort(traits: Traits, institutionList: Institution[]): PlayedPort {
  let made = 0;
  const codes = new Map<string, string>();
  const called = (call: string): Promise<void> => {
    port.calls.push(call);
    return port.failure ? Promise.reject(port.failure) : Promise.resolve();
  };
  const consentOf = (consentRef: string) => port.consents.get(consentRef);
  const port: PlayedPort = {
    ...silentBank(),
    traits,
    consents: new Map(),
    calls: [],
    failure: null,
    finishes: [],
    renews: false,
    onRenew: () => undefined,
    institutionList,
    accountList: [],
    pageSize: 100,
    onRead: () => undefined,
    turnPage: (page) => page,
    async accounts(access) {
      await called('accounts');
      await port.onRead({ call: 'accounts', access, ref: undefined, wanted: undefined });
      return port.accountList.map(({ balance: _balance, rows: _rows, ...account }) => account);
    },
    async balance(access, { ref }) {
      await called(`balance ${ref}`);
      await port.onRead({ call: 'balance', access, ref, wanted: undefined });
      return { ...accountOf(port, ref).balance, asOf: new Date() };
    },
    async transactions(access, wanted) {
      const { account, from, to, cursor } = wanted;
      await called(`transactions ${account.ref} ${from} ${to}`);
      await port.onRead({ call: 'transactions', access, ref: account.ref, wanted });
      const rows = accountOf(port, account.ref).rows.filter(({ bookedOn }) => bookedOn >= from && bookedOn <= to);
      const end = Number(cursor ?? 0) + port.pageSize;
      const next = end < rows.length ? String(end) : null;
      return port.turnPage(
        { items: rows.slice(Number(cursor ?? 0), end), refused: 0, cursor: next, complete: true },
        wanted,
      );
    },
    async institutions() {
      await called('institutions');
      return port.institutionList;
    },
    async begin(order) {
      await called('begin');
      const consentRef = order.consentRef ?? `consent-${++made}`;
      const secret = consentOf(consentRef)?.secret ?? null;
      port.consents.set(consentRef, { order, state: 'awaiting', secret });
      const sendTo = `https://bank.example/authorise?consent=${consentRef}&state=${encodeURIComponent(order.state)}`;
      const named = port.traits.reauthorise === 'same' ? { consentRef } : {};
      return { ...named, sendTo, secret: `verifier-${consentRef}`, expiresAt: new Date(Date.now() + JOURNEY_MS) };
    },
    async finish({ order, answer, secret }) {
      await called('finish');
      const set = port.finishes.shift();
      if (set) return set;
      if (answer.state !== order.state) return { kind: 'failed', reason: 'state-mismatch' };
      const consentRef = secret.replace('verifier-', '');
      const consent = consentOf(consentRef);
      if (!consent) return { kind: 'failed', reason: 'unknown-consent' };
      if (answer.error !== undefined) {
        if (consent.state === 'rejected') return { kind: 'refused' };
        return { kind: 'failed', reason: 'refusal-not-confirmed' };
      }
      if (answer.code === undefined || codes.get(answer.code) !== consentRef) {
        return { kind: 'failed', reason: 'code-refused' };
      }
      codes.delete(answer.code);
      consent.secret = `token-${consentRef}-1`;
      return authorisedBy(consentRef, consent);
    },
    async look(access) {
      await called(`look ${access.consentRef}`);
      await renewIfSet(port, access);
      return consentOf(access.consentRef)?.state ?? 'unknown';
    },
    async end(access) {
      await called(`end ${access.consentRef}`);
      await renewIfSet(port, access);
      const consent = consentOf(access.consentRef);
      if (!consent || consent.state === 'revoked') return 'already';
      consent.state = 'revoked';
      return 'done';
    },
    check: () => called('check'),
    answerOf(sendTo, error): JourneyAnswer {
      const { consent: consentRef = '', state = '' } = Object.fromEntries(new URL(sendTo).searchParams);
      port.consents.get(consentRef)!.state = error === undefined ? 'authorised' : 'rejected';
      if (error !== undefined) return { state, error };
      const code = `code-${consentRef}-${codes.size}`;
      codes.set(code, consentRef);
      return { state, code };
    },
  };
  return port;
}

function accountOf({ accountList }: PlayedPort, ref: string): PlayedAccount {
  const found = accountList.find((account) => account.ref === ref);
  if (found) return found;
  throw new BankError('account-gone', 'The bank has no such account.');
}

async function renewIfSet(port: PlayedPort, { secret, consentRef }: ConsentAccess): Promise<void> {
  if (!port.renews || secret === null) return;
  await secret.renew(async (given) => {
    await port.onRenew(given);
    const consent = port.consents.get(consentRef);
    if (consent && consent.secret !== given) throw new BankError('reauthorise', 'The secret was used before.');
    const fresh = given.replace(/\d+$/, (n) => String(Number(n) + 1));
    if (consent) consent.secret = fresh;
    return fresh;
  });
}

function authorisedBy(consentRef: string, { order, secret }: PlayedConsent): Finished {
  const pays = order.payments !== null;
  const reconfirmBy = new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10);
  return {
    kind: 'authorised',
    consentRef,
    secret: secret!,
    validUntil: order.payments?.limits.validUntil ?? null,
    reconfirmBy: pays ? null : reconfirmBy,
    payee: order.payments?.payee ?? null,
    limits: order.payments?.limits ?? null,
    payingAccount: pays ? { sortCode: '207106', accountNumber: '44417021' } : null,
  };
}
