import { audit } from '../../activities/audit.ts';
import { startApi } from '../helpers/api.ts';
import { temporalAddress } from '../helpers/temporal.ts';

const AT = new Date('2026-03-14T09:30:00.000Z');

describe('listAuditEvents', () => {
  const api = startApi();
  const write = (subject: string, kind: string, actor: string, at = AT) =>
    audit(api.services, { subject, kind, actor, data: { n: 1 }, at });
  let token: string;
  beforeAll(async () => {
    token = await api.apiKey(['admin:audit']);
    await write('pay_1', 'payment.completed', 'service');
    await write('pay_1', 'payment.returned', 'service', new Date('2026-03-15T00:00:00.000Z'));
    await write('pay_2', 'payment.completed', 'usr_1');
  });
  const list = (query: string) => api.get(`/api/v1/admin/audit-events?${query}`, { token });

  test('200: the newest event first, with the hashes that chain it to the one before', async () => {
    const { status, body } = await list('subject=pay_1');
    expect(status).toBe(200);
    const [second, first] = body.items;
    expect(first).toMatchObject({ subject_seq: 1, previous_hash: '', actor: 'service', data: { n: 1 } });
    expect(second).toMatchObject({ subject_seq: 2, kind: 'payment.returned', previous_hash: first.hash });
    expect(body.next_cursor).toBeNull();
  });

  test.each([
    ['kind=payment.completed', ['pay_2', 'pay_1']],
    ['actor=usr_1', ['pay_2']],
    ['actor=usr_1&kind=payment.returned', []],
    ['subject=pay_1&kind=payment.completed', ['pay_1']],
    ['subject=pay_1&actor=usr_1', []],
    ['subject=pay_1&to=2026-03-14', ['pay_1']],
    ['subject=pay_1&from=2026-03-15', ['pay_1']],
    ['subject=pay_1&from=2026-03-16', []],
  ])('200: %s finds just what fits', async (query, subjects) => {
    const { body } = await list(query);
    expect(body.items.map(({ subject }: { subject: string }) => subject)).toEqual(subjects);
  });

  test('200: pages hold every event once', async () => {
    const seen: string[] = [];
    let cursor = '';
    for (;;) {
      const { body } = await list(`limit=2${cursor}`);
      seen.push(...body.items.map(({ event_id }: { event_id: string }) => event_id));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThanOrEqual(5);
  });

  test('400: a kind, a date or a cursor that cannot be', async () => {
    for (const query of ['kind=UPPER', 'from=2026-02-30', 'cursor=zzz', 'subject=', 'limit=101', 'other=1']) {
      expect([query, (await list(query)).status]).toEqual([query, 400]);
    }
  });

  test('403: a user, or a key without admin:audit', async () => {
    const user = await api.registerUser();
    for (const other of [user.token, await api.apiKey(['read:payments', 'reveal:vault'])]) {
      const { status, body } = await api.get('/api/v1/admin/audit-events', { token: other });
      expect([status, body.code]).toEqual([403, 'insufficient-scope']);
    }
  });

  test('signing in, failing to, and signing out are on record, without the address', async () => {
    const { userId, email, password } = await api.registerUser();
    await api.post('/api/v1/auth/login', { body: { email, password: 'not the password' } });
    const { body: tokens } = await api.post('/api/v1/auth/login', { body: { email, password } });
    await api.post('/api/v1/auth/logout', { token: tokens.access_token });
    const { body, text } = await list(`subject=${userId}`);
    const kinds = body.items.map(({ kind }: { kind: string }) => kind);
    expect(kinds.slice(0, 3)).toEqual(['sign-out', 'sign-in.succeeded', 'sign-in.failed']);
    expect(kinds).toContain('user.registered');
    expect(text).not.toContain(email);
  });
});

describe('readHealth', () => {
  const api = startApi({ env: { TEMPORAL_ADDRESS: 'localhost:1' } });

  test('200: names the part that is down, and how much waits', async () => {
    const { status, body } = await api.get('/api/v1/admin/health', { token: await api.apiKey(['admin:audit']) });
    expect(status).toBe(200);
    expect(body.status).toBe('degraded');
    const states = Object.fromEntries(body.parts.map(({ name, status: up }: Record<string, string>) => [name, up]));
    expect(states).toMatchObject({ database: 'up', temporal: 'down', 'key-service': 'up' });
    expect(body.queues).toMatchObject({ outbox: 0, outbox_oldest_s: 0, payments_open: 0, payments_for_operator: 0 });
  });

  test('200: Temporal is up where it answers', async () => {
    const { probeTemporal } = await import('../../infra/temporal/client.ts');
    const probe = probeTemporal({ address: await temporalAddress(), namespace: 'default', uiUrl: '', tls: false });
    await expect(probe.check()).resolves.toBeUndefined();
  });
});
