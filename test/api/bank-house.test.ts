import { createHouseLink } from '../../activities/bank/house.ts';
import { houseAccess } from '../../activities/payments/house.ts';
import type { JourneyAnswer } from '../../infra/bank/interface.ts';
import { startApi } from '../helpers/api.ts';
import { sqlOf } from '../helpers/oauth.ts';
import { playedBanks } from '../helpers/played-banks.ts';
import { newVisitor, type Visitor } from '../helpers/visitor.ts';

const PAGE = '/api/v1/bank/house-account';
const played = playedBanks();
const port = played.local;
const house = { bank: played.all[0]!, consentRef: 'house-consent' };
const api = startApi({ banks: { ...played, house } });
const { services } = api;
const sql = sqlOf(services);

const newLink = async () => {
  const { url } = await createHouseLink({ ...services, operator: 'operator:ada' }, { bank_id: 'played-local' });
  return url.slice(url.indexOf(PAGE));
};

/** The operator has pressed Continue, and is at the bank. */
async function atBank(visitor: Visitor, link: string) {
  const went = await visitor.submit(await visitor.get(link), PAGE, {});
  expect([went.status, went.text]).toEqual([303, '']);
  return String(went.headers.location);
}

async function back(visitor: Visitor, answer: JourneyAnswer) {
  const kept = await visitor.get(`/api/v1/bank/callback?${new URLSearchParams(answer).toString()}`);
  return visitor.get(String(kept.headers.location));
}

const eventsNow = () =>
  sql.many<{ kind: string; actor: string }>(
    `select kind, actor, data ->> 'reason' as reason from audit_events where subject = 'house-account' order by seq`,
  );

test('an operator grants the house account by a link, at the bank and back in one browser, and payments then use the sealed token', async () => {
  expect(await houseAccess(services)).toMatchObject({ consentRef: 'house-consent', secret: null });
  const link = await newLink();
  const visitor = newVisitor(api);
  const page = await visitor.get(link);
  expect(page.text).toContain('Connect the house account?');
  expect(port.calls).toEqual([]);
  const sendTo = await atBank(visitor, link);
  port.consents.get('house-consent')!.state = 'authorised';
  const done = await back(visitor, port.answerOf(sendTo));
  expect([done.status, done.text]).toEqual([200, expect.stringContaining('The house account is connected')]);
  const { secret } = await houseAccess(services);
  expect(secret!.current).toBe('token-house-consent-1');
  const stored = await sql.many<{ line: string }>('select c::text as line from bank_consents c');
  expect(stored[0]!.line).not.toContain('token-house-consent');
  expect(await eventsNow()).toEqual([
    { kind: 'house-account.link-created', actor: 'operator:ada', reason: null },
    { kind: 'house-account.journey-begun', actor: 'operator:ada', reason: null },
    { kind: 'house-account.connected', actor: 'operator:ada', reason: null },
  ]);
});

test('a link works once, within 30 minutes, and none that nobody made does', async () => {
  const link = await newLink();
  await atBank(newVisitor(api), link);
  expect((await newVisitor(api).get(link)).text).toContain('The link is not valid');
  const late = await newLink();
  await sql.run(`update bank_house_links set expires_at = now() - interval '1 second'`);
  for (const other of [late, `${PAGE}?link=rf_hl_nobody`]) {
    const refused = await newVisitor(api).get(other);
    expect([refused.status, refused.text]).toEqual([401, expect.stringContaining('The link is not valid')]);
  }
});

test.each<[string, (sendTo: string) => JourneyAnswer, boolean, string]>([
  ['another browser brings the answer', (sendTo) => port.answerOf(sendTo), true, 'another-browser'],
  ['the code is somebody else’s', (sendTo) => ({ ...port.answerOf(sendTo), code: 'stolen' }), false, 'code-refused'],
])('if %s, the house account keeps the token that it had', async (_what, answerOf, isElsewhere, reason) => {
  const before = (await houseAccess(services)).secret?.current;
  const visitor = newVisitor(api);
  const sendTo = await atBank(visitor, await newLink());
  port.consents.get('house-consent')!.state = 'authorised';
  const page = await back(isElsewhere ? newVisitor(api) : visitor, answerOf(sendTo));
  expect(page.text).toContain('The house account was not connected');
  expect((await houseAccess(services)).secret?.current).toBe(before);
  expect((await eventsNow()).at(-1)).toMatchObject({ kind: 'house-account.journey-failed', reason });
});
