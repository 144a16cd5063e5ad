import { createHouseLink } from '../../activities/bank/house.ts';
import { bankJourneyActivities } from '../../activities/bank/settle.ts';
import { houseAccess } from '../../activities/payments/house.ts';
import { BankError, type JourneyAnswer } from '../../infra/bank/interface.ts';
import type { Log } from '../../infra/telemetry/log.ts';
import { startApi, type TestAnswer, type TestUser } from '../helpers/api.ts';
import { playedAccount, syncsOf } from '../helpers/bank-books.ts';
import { settleJourneys } from '../helpers/connections.ts';
import { sqlOf } from '../helpers/oauth.ts';
import { playedBanks } from '../helpers/played-banks.ts';
import { hiddenFields, newVisitor, SESSION, signIn, type Visitor } from '../helpers/visitor.ts';

const logged: string[] = [];
const at = (level: string) => (fields: object, text?: string) =>
  void logged.push(JSON.stringify([level, fields, text]));
const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
const banks = playedBanks();
const port = banks.local;
const house = { bank: banks.all[0]!, consentRef: 'house-consent' };
const api = startApi({ banks: { ...banks, house }, log });
const { services } = api;
const sql = sqlOf(services);
const { restartUnsettledJourneys } = bankJourneyActivities(services);
const settleAll = () => settleJourneys(services);

const CALLBACK = '/api/v1/bank/callback';
const ENDED = ['revoked', 'rejected'];

beforeEach(() => {
  Object.assign(port, { failure: null });
  for (const kept of [port.finishes, port.calls]) kept.length = 0;
});

interface Begun {
  connectionId: string;
  page: string;
  user: TestUser;
  visitor: Visitor;
  sendTo: string;
}

type NewConnection = Partial<Record<'kind' | 'bankId', string>>;

async function newConnection({ kind = 'payments', bankId = 'played-local' }: NewConnection = {}) {
  const user = await api.registerUser({ proved: true });
  const { userId: user_id, token } = user;
  const payee = { name: 'Flat & Sons', category: 'HOUSING', sort_code: '12-34-56', account_number: '87654321' };
  const { body: added } = await api.post('/api/v1/payments/providers', { token, body: payee });
  const limits = { per_payment: 50_000, per_month: 120_000 };
  const pays = kind === 'payments' && { provider_id: added.provider_id as string, limits };
  const made = await api.post('/api/v1/bank/connections', { token, body: { user_id, bank_id: bankId, kind, ...pays } });
  expect(made).toMatchObject({ status: 201, body: { status: 'awaiting_authorisation' } });
  const { connection_id: connectionId, authorise_url } = made.body as Record<string, string>;
  return { connectionId: connectionId!, page: new URL(authorise_url!).pathname, user };
}

const change = (what: string, connectionId: string, ...values: unknown[]) =>
  sql.run(`update bank_connections set ${what} where connection_id = $1`, [connectionId, ...values]);
const reauthorise = ({ connectionId, user: { token } }: Pick<Begun, 'connectionId' | 'user'>) =>
  api.post(`/api/v1/bank/connections/${connectionId}/reauthorise`, { token });

const signedIn = (page: string, user: TestUser, visitor?: Visitor) => signIn(api, page, user, visitor);

const LIMITS = { per_payment: '500.00', per_month: '1,200', valid_until: '' };

async function pressContinue(visitor: Visitor, page: string, limits: Record<string, string> = LIMITS) {
  const answer = await visitor.submit(await visitor.get(page), page.replace(/\?.*/, ''), limits);
  expect([answer.status, answer.text]).toEqual([303, '']);
  return String(answer.headers.location);
}

/** The person looks at the page about a new connection. */
async function opened(given: NewConnection = {}) {
  const made = await newConnection(given);
  return { ...made, ...(await signedIn(made.page, made.user)) };
}

/** The person has pressed Continue, and is at the bank. */
async function atBank(given: NewConnection = {}): Promise<Begun> {
  const made = await opened(given);
  return { ...made, sendTo: await pressContinue(made.visitor, made.page) };
}

const stateOf = ({ sendTo }: Pick<Begun, 'sendTo'>) => new URL(sendTo).searchParams.get('state')!;
const queryOf = (answer: JourneyAnswer) => `${CALLBACK}?${new URLSearchParams(answer).toString()}`;

/** A browser brings the bank's answer. @returns the address at which the same browser goes on. */
async function bring(visitor: Visitor, answer: JourneyAnswer): Promise<string> {
  const kept = await visitor.get(queryOf(answer));
  expect(kept.status).toBe(303);
  expect(kept.headers.location).toMatch(/^\/api\/v1\/bank\/callback\/finish\?answer=rf_ba_[\w-]{43}$/);
  return String(kept.headers.location);
}

/** The same browser brings the answer and finishes. By default, the person approved at the bank. */
async function comeBack(visitor: Visitor, answer: JourneyAnswer | string): Promise<TestAnswer> {
  return visitor.get(await bring(visitor, typeof answer === 'string' ? port.answerOf(answer) : answer));
}

const consentOf = ({ sendTo }: Pick<Begun, 'sendTo'>, at = port) =>
  at.consents.get(new URL(sendTo).searchParams.get('consent')!)!;

async function stored({ connectionId }: Pick<Begun, 'connectionId'>) {
  const [row] = await sql.many<{ status: string; secret: string | null }>(
    `select c.status, s.secret_sealed as secret from bank_connections c
       left join bank_consents s on s.consent_id = c.consent_id where connection_id = $1`,
    [connectionId],
  );
  return row!;
}

async function reasonsOf(subject: string): Promise<string[]> {
  const [row] = await sql.many<{ reasons: string[] }>(
    `select array_agg(data ->> 'reason' order by subject_seq) as reasons from audit_events
      where subject = $1 and kind like '%.journey-failed'`,
    [subject],
  );
  return row!.reasons;
}

/** Expects that the journey left neither a token nor a consent that works. */
async function expectNothingLeft(journey: Begun): Promise<void> {
  await settleAll();
  expect(await stored(journey)).toEqual({ status: 'awaiting_authorisation', secret: null });
  expect(ENDED).toContain(consentOf(journey).state);
  const [left] = await sql.many<{ n: number }>(
    'select count(*)::int as n from bank_journeys where connection_id = $1 and (sealed is not null or settled_at is null)',
    [journey.connectionId],
  );
  expect(left).toEqual({ n: 0 });
}

function expectConnected({ text }: TestAnswer): void {
  expect(text).toContain('Your bank is connected');
}

function expectFailed(answer: TestAnswer, ...says: string[]): void {
  expect(answer.status).toBe(200);
  for (const words of ['Your bank was not connected', ...says]) expect(answer.text).toContain(words);
}

describe('the authorise page', () => {
  test('says what is granted to whom, up to which limits, how to end it and who is the regulated provider', async () => {
    const { shown, user } = await opened();
    const payee = ['Pay Flat &amp; Sons from your bank?', '**-**-56', '****4321', 'Local Bank'];
    const limits = ['value="500.00"', 'value="1200.00"', 'How to end it', 'Continue starts it', '>Continue</button>'];
    for (const words of [...payee, ...limits, 'Regulated Ltd', 'https://regulated.example/terms']) {
      expect(shown.text).toContain(words);
    }
    for (const secret of ['123456', '12-34-56', '87654321', user.email]) expect(shown.text).not.toContain(secret);
    expect(shown.text).not.toContain('<script');
    expect(shown.headers['content-security-policy']).toContain("form-action 'self' https:;");
    expect(port.calls).not.toContain('begin');
  });

  test('asks for the sign-in again after 15 minutes, before the page and before the journey', async () => {
    const { page, user, visitor, shown } = await opened();
    await sql.run("update sessions set created_at = created_at - interval '15 minutes 1 second' where user_id = $1", [
      user.userId,
    ]);
    expect((await visitor.get(page)).text).toContain('<h1>Sign in</h1>');
    expect(await visitor.submit(shown, page, LIMITS)).toMatchObject({ status: 303, headers: { location: page } });
  });

  test('tells anybody else only that it is not theirs, as for a connection that does not exist', async () => {
    const { page } = await newConnection();
    const { visitor, shown } = await signedIn(page, await api.registerUser());
    const unknown = await visitor.get(page.replace(/[0-9a-f]{12}\//, '000000000000/'));
    for (const answer of [shown, unknown]) {
      expect(answer.status).toBe(403);
      expect(answer.text).toContain('This connection is not yours');
      for (const word of ['Flat', 'Local Bank', 'Continue']) expect(answer.text).not.toContain(word);
    }
    expect((await visitor.post(page, { csrf: 'guessed' })).status).toBe(403);
    expect(port.calls).not.toContain('begin');
    const out = await visitor.submit(shown, '/api/v1/auth/sign-out');
    expect(out).toMatchObject({ status: 303, headers: { location: page } });
    expect((await visitor.get(page)).text).toContain('<h1>Sign in</h1>');
  });

  test('shows each fault at its field, and begins nothing', async () => {
    const { page, visitor } = await opened();
    for (const [name, text, fault] of [
      ['per_payment', '12.345', 'The limit of one payment must be an amount in pounds'],
      ['per_payment', '0', 'The limit of one payment must be from £0.01 to £1,000,000,000.00'],
      ['per_payment', '1201', 'The limit of one payment must not be more than the limit of one month'],
      ['valid_until', '2020-01-01', 'The last day must be a date after today'],
    ] as const) {
      const answer = await visitor.submit(await visitor.get(page), page, { ...LIMITS, [name]: text });
      expect(answer.text).toContain(`id="${name}-fault">${fault}`);
      const marked = `name="${name}"[^>]*aria-describedby="${name}-fault[^>]*aria-invalid="true"`;
      expect(answer.text).toMatch(new RegExp(marked));
    }
    expect(port.calls).not.toContain('begin');
  });

  test('Continue leads to the bank with the limits that the person chose, which stay while the bank is away', async () => {
    const { page, visitor } = await opened();
    port.failure = new BankError('away', 'No answer.');
    const { text } = await visitor.submit(await visitor.get(page), page, { ...LIMITS, per_payment: '77' });
    for (const words of ['Your bank cannot be reached at the moment', 'value="77.00"']) expect(text).toContain(words);
    port.failure = null;
    const until = `${new Date().getUTCFullYear() + 2}-03-31`;
    const chosen = { per_payment: '12.50', per_month: '£1,000.01', valid_until: until };
    const sendTo = await pressContinue(visitor, page, chosen);
    const limits = { perPayment: 1_250, perMonth: 100_001, validUntil: until };
    expect(consentOf({ sendTo }).order).toMatchObject({
      kind: 'payments',
      payments: { payee: { name: 'Flat & Sons', sortCode: '123456', accountNumber: '87654321' }, limits },
    });
    const rows = JSON.stringify(await sql.many('select j::text from bank_journeys j'));
    for (const secret of ['verifier-', '87654321', new URL(sendTo).searchParams.get('state')!]) {
      expect(rows).not.toContain(secret);
    }
  });

  test('takes the form of its own page alone, bound to the session and the connection', async () => {
    const [one, other] = [await opened(), await newConnection()];
    const mine = { ...LIMITS, ...hiddenFields(one.shown, one.page) };
    const post = (page: string, fields: Record<string, string>, headers = {}) =>
      one.visitor.post(page, fields, headers);
    const evil = { origin: 'https://evil.example' };
    for (const answer of [await post(one.page, LIMITS), await post(one.page, mine, evil), await post(other.page, mine)])
      expect(answer.status).toBe(403);
  });
});

describe('the way back', () => {
  test('authorised: the page says so, the secret is sealed, and nothing of the answer is stored, audited or logged', async () => {
    const journey = await atBank();
    const answer = port.answerOf(journey.sendTo);
    expectConnected(await comeBack(journey.visitor, answer));
    const { status, secret } = await stored(journey);
    expect([status, secret]).toEqual(['authorised', expect.not.stringContaining('token-')]);
    await settleAll();
    expect(consentOf(journey).state).toBe('authorised');
    const tables = ['journeys', 'answers', 'consents', 'connections'].map((name) => `bank_${name}`);
    const all = [...tables, 'audit_events', 'outbox_messages'];
    const rows = await Promise.all(all.map((table) => sql.many(`select t::text from ${table} t`)));
    for (const value of [answer.code!, answer.state!, 'token-consent']) {
      expect(JSON.stringify(rows)).not.toContain(value);
      expect(logged.join('\n')).not.toContain(value);
    }
    expect(logged.join('\n')).toContain('finishBankJourney');
    expect(logged.join('\n')).not.toContain('rf_ba_');
  });

  test.each([
    ['authorised', undefined],
    ['rejected', 'access_denied'],
  ])('%s leads to the return_url with connection_id and status', async (status, error) => {
    const journey = await atBank();
    // It is checked when the connection is made.
    await change('return_url = $2', journey.connectionId, 'https://app.example.org/back?from=bank');
    const finished = await comeBack(journey.visitor, port.answerOf(journey.sendTo, error));
    const { connectionId } = journey;
    expect(finished).toMatchObject({
      status: 303,
      headers: { location: `https://app.example.org/back?from=bank&connection_id=${connectionId}&status=${status}` },
    });
    expect((await stored(journey)).status).toBe(status);
  });

  test('a form from the bank’s site, without cookies, and a fragment, by a script under a nonce, work too', async () => {
    const journey = await atBank();
    const answer = port.answerOf(journey.sendTo);
    const cookieless = newVisitor(api);
    const bankSite = { origin: 'https://bank.example', 'sec-fetch-site': 'cross-site' };
    const kept = await cookieless.post(CALLBACK, answer, bankSite);
    expect(kept.status).toBe(303);
    expectConnected(await journey.visitor.get(String(kept.headers.location)));
    const [one, two] = [await cookieless.get(CALLBACK), await cookieless.get(CALLBACK)];
    const nonces = [one, two].map(
      ({ headers }) => /'nonce-([^']+)'/.exec(String(headers['content-security-policy']))![1],
    );
    expect(one.text).toContain(`<script type="module" nonce="${nonces[0]}">`);
    expect(nonces[0]).not.toBe(nonces[1]);
    expect(one.text).toContain('<noscript>');
    expect(await cookieless.post(CALLBACK, { ...answer, more: 'x'.repeat(65_536) })).toMatchObject({ status: 413 });
  });

  test('an answer without a state of a journey is refused, stores nothing and ends nothing', async () => {
    const journey = await atBank();
    const unknown = expect.stringContaining('belongs to nothing that was started here') as unknown;
    for (const answer of [{ error: 'access_denied' }, { state: 'x', code: 'y' }, { state: '' }] as JourneyAnswer[])
      expect(await journey.visitor.get(queryOf(answer))).toMatchObject({ status: 400, text: unknown });
    expect(await sql.many('select 1 from bank_answers where expires_at > now()')).toEqual([]);
    expect(consentOf(journey).state).toBe('awaiting');
    expectConnected(await comeBack(journey.visitor, journey.sendTo));
  });

  test('one of five answers counts, a sixth is refused, and a handle that was used or guessed opens nothing', async () => {
    const journey = await atBank();
    const answer = port.answerOf(journey.sendTo);
    const ways = [];
    for (let n = 0; n < 5; n += 1) ways.push(await bring(journey.visitor, answer));
    expect(await journey.visitor.get(queryOf(answer))).toMatchObject({ status: 400 });
    expectConnected(await journey.visitor.get(ways[4]!));
    for (const used of [...ways, ways[4]!.replace(/.{5}$/, 'AAAAA'), `${CALLBACK}/finish?answer=x`]) {
      expect((await journey.visitor.get(used)).text).toContain('This link was used before');
    }
    await settleAll();
    expect(await stored(journey)).toMatchObject({ status: 'authorised', secret: expect.any(String) as string });
    expect(consentOf(journey).state).toBe('authorised');
  });

  test('a connection that is renewed keeps its consent, whatever becomes of the journey', async () => {
    const journey = await atBank();
    await comeBack(journey.visitor, journey.sendTo);
    expect((await journey.visitor.get(journey.page)).text).toContain('There is nothing to do');
    const before = await stored(journey);
    for (const ends of ['failed', 'refused', 'authorised'] as const) {
      if (ends === 'authorised') await change("status = 'reauthorisation_needed'", journey.connectionId);
      expect((await reauthorise(journey)).body.authorise_url).toContain(journey.page);
      const { text } = await journey.visitor.get(journey.page);
      for (const words of ['Renew your connection to Local Bank?', '£500.00', '£1,200.00'])
        expect(text).toContain(words);
      expect(text).not.toContain('name="per_payment"');
      const sendTo = await pressContinue(journey.visitor, journey.page, {});
      expect(consentOf({ sendTo })).toBe(consentOf(journey));
      if (ends !== 'authorised') port.finishes.push({ kind: ends, reason: 'x' });
      const { text: told } = await comeBack(journey.visitor, sendTo);
      expect(told.includes('Your bank is connected')).toBe(ends === 'authorised');
      await settleAll();
      expect(consentOf(journey).state).toBe('authorised');
      expect((await stored(journey)).status).toBe('authorised');
    }
    expect((await stored(journey)).secret).not.toBe(before.secret);
  });

  test('the first consent to reading is read at once, and its renewal has to show an account of it', async () => {
    const journey = await atBank({ kind: 'accounts', bankId: 'played-journey' });
    const { journey: other } = banks;
    other.accountList = [playedAccount()];
    expectConnected(await comeBack(journey.visitor, other.answerOf(journey.sendTo)));
    const open = 'select requested_by, present_sealed is null as absent from bank_syncs where connection_id = $1';
    expect(await sql.many(open, [journey.connectionId])).toEqual([{ requested_by: 'person', absent: false }]);
    await syncsOf(services).run(journey.connectionId);
    await reauthorise(journey);
    const sendTo = await pressContinue(journey.visitor, journey.page, {});
    other.accountList = [playedAccount()];
    const refused = await comeBack(journey.visitor, other.answerOf(sendTo));
    expectFailed(refused, 'none of the accounts that this connection reads');
    await settleAll();
    const states = [journey.sendTo, sendTo].map((way) => consentOf({ sendTo: way }, other).state);
    expect(states).toEqual(['authorised', 'revoked']);
    expect(await sql.many(open, [journey.connectionId])).toEqual([]);
  });

  const late = (table: string, column: string, by: string) => async (journey: Begun) => {
    const way = await bring(journey.visitor, port.answerOf(journey.sendTo));
    await sql.run(`update ${table} set ${column} = ${column} - interval '${by}'`);
    return journey.visitor.get(way);
  };
  const elsewhere = ({ sendTo }: Begun) => comeBack(newVisitor(api), sendTo);
  const asSomebodyElse = async ({ visitor, sendTo, page }: Begun) => {
    visitor.cookies.delete(SESSION);
    await signedIn(page, await api.registerUser(), visitor);
    return comeBack(visitor, sendTo);
  };
  const checked = ({ visitor, sendTo }: Begun) => {
    port.finishes.push({ kind: 'failed', reason: 'nonce-mismatch' });
    return comeBack(visitor, sendTo);
  };
  const denied = ({ visitor, sendTo }: Begun) => {
    const { state } = port.answerOf(sendTo);
    return comeBack(visitor, { state: state!, error: 'access_denied' });
  };
  const gone = async ({ visitor, sendTo }: Begun) => {
    const way = await bring(visitor, port.answerOf(sendTo));
    port.failure = new BankError('away', 'No answer.');
    return visitor.get(way).finally(() => (port.failure = null));
  };

  test.each<[string, string, (journey: Begun) => Promise<TestAnswer>]>([
    ['another browser', 'another-browser', elsewhere],
    ['another person in the same browser', 'another-person', asSomebodyElse],
    ['a handle kept over a minute', 'answer-kept-too-long', late('bank_answers', 'expires_at', '1 minute')],
    ['a journey of over 15 minutes', 'journey-too-long', late('bank_journeys', 'begun_at', '15 minutes')],
    ['an answer that fails the checks of the port', 'nonce-mismatch', checked],
    ['a refusal that the bank denies', 'refusal-not-confirmed', denied],
    ['a bank that goes away', 'bank-away', gone],
  ])(
    '%s: keeps no token, ends the consent at the bank, and the audit log has the reason',
    async (_case, reason, go) => {
      const journey = await atBank();
      expectFailed(await go(journey));
      expect(await reasonsOf(journey.connectionId)).toEqual([reason]);
      await expectNothingLeft(journey);
      const { visitor } = await signedIn(journey.page, journey.user);
      expectConnected(await comeBack(visitor, await pressContinue(visitor, journey.page)));
    },
  );

  test('of two Continues the newer counts, and the consent of the older ends', async () => {
    const older = await atBank();
    const sendTo = await pressContinue(older.visitor, older.page);
    await settleAll();
    expect(consentOf(older).state).toBe('revoked');
    const late = await comeBack(older.visitor, { state: stateOf(older), code: 'any' });
    expect(late.text).toContain('This link was used before');
    expectConnected(await comeBack(older.visitor, sendTo));
    expect(await reasonsOf(older.connectionId)).toEqual(['superseded', 'answered-before']);
  });

  test('a page that was opened before the connection ended cannot begin, and a journey cannot finish', async () => {
    const journey = await atBank();
    const way = await bring(journey.visitor, port.answerOf(journey.sendTo));
    await change("authorise_until = now() - interval '1 second'", journey.connectionId);
    expectFailed(await journey.visitor.get(way), 'The connection ended while you were at your bank');
    expect((await journey.visitor.get(journey.page)).text).toContain('This connection has expired');
    await expectNothingLeft(journey);
  });
});

describe('a process that is killed', () => {
  /** Holds the next call back for good, before or after the bank has done its work. */
  function hang(call: 'begin' | 'finish', when: 'before' | 'after') {
    const { promise: held, resolve: wake } = Promise.withResolvers<undefined>();
    const { promise: hangs, resolve: hung } = Promise.withResolvers<undefined>();
    const real = port[call] as (given: never) => Promise<unknown>;
    const hanging = async (given: never) => {
      const early = when === 'after' ? await real(given) : undefined;
      hung(undefined);
      await held;
      return early ?? real(given);
    };
    Object.assign(port, { [call]: hanging });
    return { hangs, wake: () => (wake(undefined), Object.assign(port, { [call]: real })) };
  }
  const afterAges = () => sql.run("update bank_journeys set begun_at = begun_at - interval '20 minutes'");

  test.each(['before', 'after'] as const)('at Continue, %s the bank made a consent, leaves none', async (when) => {
    const { page, connectionId, visitor, shown } = await opened();
    const { hangs, wake } = hang('begin', when);
    const pressed = visitor.submit(shown, page, LIMITS);
    await hangs;
    await afterAges();
    await settleAll();
    expect(await stored({ connectionId })).toEqual({ status: 'awaiting_authorisation', secret: null });
    wake();
    // The process that was thought dead goes on, and leads nobody to the bank.
    expect(await pressed).toMatchObject({ status: 200 });
    await settleAll();
    expect(ENDED).toContain([...port.consents.values()].at(-1)!.state);
  });

  test.each(['before', 'after'] as const)('while it finishes, %s the bank gave a token, stores none', async (when) => {
    const journey = await atBank();
    const way = await bring(journey.visitor, port.answerOf(journey.sendTo));
    const { hangs, wake } = hang('finish', when);
    const finishing = journey.visitor.get(way);
    await hangs;
    await afterAges();
    await expectNothingLeft(journey);
    wake();
    expectFailed(await finishing);
    await expectNothingLeft(journey);
    expect(await reasonsOf(journey.connectionId)).toEqual(['not-finished']);
  });

  test('between the answer and its finish, or with the person gone for good, is settled by the upkeep', async () => {
    const journey = await atBank();
    await bring(journey.visitor, port.answerOf(journey.sendTo));
    const gone = await atBank();
    const silent = { silent_for_s: 0, limit: 500 };
    const known = await restartUnsettledJourneys(silent);
    await afterAges();
    expect(await restartUnsettledJourneys(silent)).toBeGreaterThanOrEqual(known + 2);
    port.failure = new BankError('away', 'No answer.');
    await expect(settleAll()).rejects.toThrow('No answer.');
    port.failure = null;
    await expectNothingLeft(journey);
    await expectNothingLeft(gone);
    expect(await restartUnsettledJourneys(silent)).toBe(0);
  });
});

describe('the page about reading', () => {
  const at = ({ connectionId }: Begun, page: string) => `/api/v1/bank/connections/${connectionId}/${page}`;
  const signedOut = async (journey: Begun, answer: JourneyAnswer) => {
    await comeBack(journey.visitor, answer);
    journey.visitor.cookies.delete(SESSION);
    return signedIn(at(journey, 'reconfirm'), journey.user, journey.visitor);
  };

  test('lets the owner say, after a sign-in that leads back to it, that reading goes on for 90 days', async () => {
    const journey = await atBank({ kind: 'accounts' });
    const { visitor, shown } = await signedOut(journey, port.answerOf(journey.sendTo));
    await change("reconfirm_by = date '2026-12-01'", journey.connectionId);
    expect(shown.text).toContain('Keep reading your accounts at Local Bank?');
    const kept = await visitor.submit(shown, at(journey, 'keep-reading'));
    expect([kept.status, kept.text]).toEqual([200, expect.stringContaining('Thank you')]);
    const [row] = await sql.many<{ days: number }>(
      'select reconfirm_by - business_today() as days from bank_connections where connection_id = $1',
      [journey.connectionId],
    );
    expect(row).toEqual({ days: 90 });
    const stranger = await signedIn(at(journey, 'reconfirm'), await api.registerUser());
    expect([stranger.shown.status, stranger.shown.text]).toEqual([403, expect.stringContaining('is not yours')]);
  });

  test('leads to the bank where only a journey confirms', async () => {
    const journey = await atBank({ kind: 'accounts', bankId: 'played-journey' });
    const { visitor, shown } = await signedOut(journey, banks.journey.answerOf(journey.sendTo));
    const kept = await visitor.submit(shown, at(journey, 'keep-reading'));
    expect(kept).toMatchObject({ status: 303, headers: { location: journey.page } });
    expect((await visitor.get(journey.page)).text).toContain('Renew your connection to Journey Bank?');
  });
});

describe('the house account', () => {
  const newLink = async () => {
    const { url } = await createHouseLink({ ...services, operator: 'operator:ada' }, { bank_id: 'played-local' });
    return url.slice(url.indexOf('/api/v1/bank/house-account'));
  };
  const atBank = async (visitor = newVisitor(api)) => pressContinue(visitor, await newLink(), {});

  test('is granted by an operator’s link, at the bank and back in one browser, and payments then use the sealed token', async () => {
    expect(await houseAccess(services)).toMatchObject({ consentRef: 'house-consent', secret: null });
    const visitor = newVisitor(api);
    const link = await newLink();
    expect((await visitor.get(link)).text).toContain('Connect the house account?');
    expect(port.calls).toEqual([]);
    const done = await comeBack(visitor, await pressContinue(visitor, link, {}));
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('The house account is connected')]);
    expect((await houseAccess(services)).secret!.current).toBe('token-house-consent-1');
    expect(JSON.stringify(await sql.many('select c::text from bank_consents c'))).not.toContain('token-house-consent');
    const events = await sql.many<{ line: string }>(
      `select kind || ' ' || actor as line from audit_events where subject = 'house-account' order by seq`,
    );
    const kinds = ['link-created', 'journey-begun', 'connected'];
    expect(events.map(({ line }) => line)).toEqual(kinds.map((kind) => `house-account.${kind} operator:ada`));
  });

  test('has links that work once, within 30 minutes, and none that nobody made', async () => {
    const [used, late] = [await newLink(), await newLink()];
    await pressContinue(newVisitor(api), used, {});
    expect((await newVisitor(api).get(used)).text).toContain('The link is not valid');
    await sql.run(`update bank_house_links set expires_at = now() - interval '1 second'`);
    for (const other of [late, late.replace(/=.*/, '=rf_hl_nobody')]) {
      const refused = await newVisitor(api).get(other);
      expect([refused.status, refused.text]).toEqual([401, expect.stringContaining('The link is not valid')]);
    }
  });

  test('keeps the token that it had if another browser brings the answer, or the code is somebody else’s', async () => {
    const before = (await houseAccess(services)).secret?.current;
    const visitor = newVisitor(api);
    const answers = [
      await comeBack(newVisitor(api), await atBank(visitor)),
      await comeBack(visitor, { ...port.answerOf(await atBank(visitor)), code: 'stolen' }),
    ];
    for (const { text } of answers) expect(text).toContain('The house account was not connected');
    expect((await houseAccess(services)).secret?.current).toBe(before);
    expect(await reasonsOf('house-account')).toEqual(['another-browser', 'code-refused']);
  });
});
