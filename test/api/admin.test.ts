import type { AuditKind } from '../../domain/frozen-strings.ts';
import { authActivities } from '../../activities/auth.ts';
import { assignOwner } from '../../activities/owners.ts';
import { paymentsOf } from '../helpers/activities.ts';
import { startApi } from '../helpers/api.ts';
import { anyKey, fund } from '../helpers/money.ts';
import { auditThen, ownerSql } from '../helpers/owner.ts';
import { temporalAddress } from '../helpers/temporal.ts';

const AT = new Date('2026-03-14T09:30:00.000Z');

describe('listAuditEvents', () => {
  const api = startApi();
  const write = (subject: string, kind: AuditKind, actor: string, at = AT) =>
    auditThen(api.services, [{ subject, kind, actor, data: { n: 1 }, at }]);
  let token: string;
  beforeAll(async () => {
    token = await api.apiKey(['admin:audit', 'admin:owners']);
    await write('pay_1', 'payment.resolved', 'service');
    await write('pay_1', 'payment.contradiction', 'service', new Date('2026-03-15T00:00:00.000Z'));
    await write('pay_2', 'payment.resolved', 'usr_1');
  });
  const list = (query: string) => api.get(`/api/v1/admin/audit-events?${query}`, { token });

  test('200: events newest first, each with the hashes that chain it to the previous one', async () => {
    const { status, body } = await list('subject=pay_1');
    expect(status).toBe(200);
    const [second, first] = body.items;
    expect(first).toMatchObject({ subject_seq: 1, previous_hash: '', actor: 'service', data: { n: 1 } });
    expect(second).toMatchObject({ subject_seq: 2, kind: 'payment.contradiction', previous_hash: first.hash });
    expect(body.next_cursor).toBeNull();
  });

  test.each([
    ['kind=payment.resolved', ['pay_2', 'pay_1']],
    ['actor=usr_1', ['pay_2']],
    ['actor=usr_1&kind=payment.returned', []],
    ['subject=pay_1&kind=payment.resolved', ['pay_1']],
    ['subject=pay_1&actor=usr_1', []],
    ['subject=pay_1&to=2026-03-14', ['pay_1']],
    ['subject=pay_1&from=2026-03-15', ['pay_1']],
    ['subject=pay_1&from=2026-03-16', []],
  ])('200: %s finds exactly the matching events', async (query, subjects) => {
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

  test('400: an invalid kind, date or cursor', async () => {
    for (const query of [
      'kind=UPPER',
      'from=2026-02-30',
      'to=0000-01-01',
      'cursor=zzz',
      'subject=',
      'limit=101',
      'other=1',
    ]) {
      expect([query, (await list(query)).status]).toEqual([query, 400]);
    }
  });

  test('sign-ins, failed sign-ins and sign-outs are audited without the address', async () => {
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

describe('listAuditEvents by a key without admin:owners', () => {
  const api = startApi();
  const auth = () => authActivities(api.services);
  const ids = (body: { items: { subject: string }[] }) => body.items.map(({ subject }) => subject);
  let apps: string[];
  let tokens: string[];
  let keyIds: string[];

  beforeAll(async () => {
    apps = [];
    tokens = [];
    keyIds = [];
    for (const name of ['Payroll', 'Housing']) {
      const { app_id } = await auth().createApplication({ name });
      const scopes = ['admin:audit', 'write:paycheck', 'write:allocations', 'write:payments'] as const;
      const { key_id, key } = await auth().issueApiKey({ app_id, scopes });
      apps.push(app_id);
      tokens.push(key);
      keyIds.push(key_id);
      await assignOwner(api.services, { owner_id: `owner-of-${name}`, app_id });
    }
  });

  const list = async (token: string, query = '') => {
    const { status, body } = await api.get(`/api/v1/admin/audit-events?${query}`, { token });
    expect(status).toBe(200);
    return body;
  };

  test('shows events of its own application, keys and owners, and none of another', async () => {
    const body = await list(tokens[0]!);
    expect(new Set(ids(body))).toEqual(new Set([apps[0], keyIds[0], 'owner-of-Payroll']));
  });

  test.each(['subject', 'actor', 'kind'])('does not show events of another application by %s', async (filter) => {
    const values: Record<string, string> = { subject: 'owner-of-Housing', actor: keyIds[1]!, kind: 'owner.assigned' };
    const found = ids(await list(tokens[0]!, `${filter}=${values[filter]!}`));
    expect(found).toEqual(filter === 'kind' ? ['owner-of-Payroll'] : []);
  });

  test('shows payments of the application’s owners, whoever made them', async () => {
    const { allocationId } = await fund(api.services, 'owner-of-Payroll', 5_000);
    const payments = paymentsOf(api.services);
    await payments.ensureSandboxPayees();
    const { payment_id } = await payments.executePayment({
      principal: anyKey,
      vault_allocation_id: allocationId,
      amount: 100,
      currency: 'GBP',
      provider_id: 'prov_sandbox_instant',
    });
    await auditThen(api.services, [
      { subject: payment_id, kind: 'payment.acknowledged', actor: 'service', data: {}, at: AT },
    ]);
    expect(ids(await list(tokens[0]!, `subject=${payment_id}`))).toEqual([payment_id, payment_id]);
    expect(ids(await list(tokens[1]!, `subject=${payment_id}`))).toEqual([]);
  });

  test.each([
    ['vault', 'vault.refused'],
    ['master-key', 'master-key.retired'],
    ['sip_of-all', 'provider.created'],
  ] as const)(
    'hides events about the service from the application whose owner has the id %s',
    async (subject, kind) => {
      const insert = 'insert into owner_applications (owner_id, app_id, bound_at) values ($1, $2, now())';
      await ownerSql(api.services, insert, [subject, apps[0]]);
      await auditThen(api.services, [{ subject, kind, actor: 'operator', data: {}, at: AT }]);
      for (const query of [`subject=${subject}`, `kind=${kind}`])
        expect(ids(await list(tokens[0]!, query))).toEqual([]);
    },
  );

  test('hides sign-ins, upkeep and clock moves, even those by the application’s own key', async () => {
    const { userId } = await api.registerUser();
    const moved = await api.post('/api/v1/sandbox/clock', { token: tokens[0]!, body: { advance: 'PT1S' } });
    expect(moved.status).toBe(200);
    await auditThen(api.services, [
      { subject: 'kid', kind: 'credential-key.made', actor: 'service', data: {}, at: AT },
    ]);
    for (const query of [`subject=${userId}`, 'kind=clock.moved', 'kind=credential-key.made', `actor=${keyIds[0]!}`]) {
      expect([query, ids(await list(tokens[0]!, query))]).toEqual([query, expect.not.arrayContaining([userId, 'kid'])]);
      expect([query, (await list(tokens[0]!, query)).items.map(({ kind }: { kind: string }) => kind)]).toEqual([
        query,
        expect.not.arrayContaining(['clock.moved']),
      ]);
    }
  });

  test('reaches every event of the application by cursor, past a thousand others', async () => {
    const others = Array.from({ length: 1_200 }, (_, place) => ({
      subject: `unrelated-${place}`,
      kind: 'payment.acknowledged' as const,
      actor: 'service',
      data: {},
      at: AT,
    }));
    await auditThen(api.services, others);
    const seen: string[] = [];
    let cursor = '';
    let calls = 0;
    do {
      const body = await list(tokens[1]!, `limit=2${cursor}`);
      seen.push(...ids(body));
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
      calls += 1;
    } while (cursor !== '' && calls < 20);
    expect(new Set(seen)).toEqual(new Set([apps[1], keyIds[1], 'owner-of-Housing']));
    expect(seen).toHaveLength(3);
  });
});

describe('readHealth', () => {
  const api = startApi({ env: { TEMPORAL_ADDRESS: 'localhost:1' } });

  test('200: names the part that is down, and the size of the backlog', async () => {
    const { status, body } = await api.get('/api/v1/admin/health', { token: await api.apiKey(['admin:audit']) });
    expect(status).toBe(200);
    expect(body.status).toBe('degraded');
    const states = Object.fromEntries(body.parts.map(({ name, status: up }: Record<string, string>) => [name, up]));
    expect(states).toMatchObject({ database: 'up', temporal: 'down', 'key-service': 'up' });
    expect(body.queues).toMatchObject({ outbox: 0, outbox_oldest_s: 0, payments_open: 0, payments_for_operator: 0 });
  });

  test('200: Temporal is up if it answers', async () => {
    const { probeTemporal } = await import('../../infra/temporal/client.ts');
    const probe = probeTemporal({ address: await temporalAddress(), namespace: 'default', tls: false });
    await expect(probe.check()).resolves.toBeUndefined();
  });
});
