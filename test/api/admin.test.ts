import type { AuditKind } from '../../domain/frozen-strings.ts';
import { authActivities } from '../../activities/auth.ts';
import { assignOwner } from '../../activities/owners.ts';
import { paymentsOf } from '../helpers/activities.ts';
import { probeTemporal } from '../../infra/temporal/client.ts';
import { startApi } from '../helpers/api.ts';
import { anyKey, fund } from '../helpers/money.ts';
import { auditThen, ownerSql } from '../helpers/owner.ts';
import { temporalAddress } from '../helpers/temporal.ts';

const AT = new Date('2026-03-14T09:30:00.000Z');
const api = startApi({ env: { TEMPORAL_ADDRESS: 'localhost:1' } });
const audit = (subject: string, kind: AuditKind, { actor = 'service', at = AT, data = {} } = {}) =>
  auditThen(api.services, [{ subject, kind, actor, data, at }]);

// First, because it expects an empty outbox.
describe('readHealth', () => {
  test('200: names the part that is down, and the size of the backlog', async () => {
    const { status, body } = await api.get('/api/v1/admin/health', { token: await api.apiKey(['admin:audit']) });
    expect(status).toBe(200);
    expect(body.status).toBe('degraded');
    const states = Object.fromEntries(body.parts.map(({ name, status: up }: Record<string, string>) => [name, up]));
    expect(states).toMatchObject({ database: 'up', temporal: 'down', 'key-service': 'up' });
    expect(body.queues).toMatchObject({ outbox: 0, outbox_oldest_s: 0, payments_open: 0, payments_for_operator: 0 });
    const probe = probeTemporal({ address: await temporalAddress(), namespace: 'default', tls: false });
    await expect(probe.check()).resolves.toBeUndefined();
  });
});

describe('listAuditEvents', () => {
  let token: string;
  beforeAll(async () => {
    token = await api.apiKey(['admin:audit', 'admin:owners']);
    await audit('pay_1', 'payment.resolved', { data: { n: 1 } });
    await audit('pay_1', 'payment.contradiction', { at: new Date('2026-03-15T00:00:00.000Z') });
    await audit('pay_2', 'payment.resolved', { actor: 'usr_1' });
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
});

describe('listAuditEvents by a key without admin:owners', () => {
  const auth = () => authActivities(api.services);
  const ids = (body: { items: { subject: string }[] }) => body.items.map(({ subject }) => subject);
  const [apps, tokens, keyIds]: [string[], string[], string[]] = [[], [], []];

  beforeAll(async () => {
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
    await audit(payment_id, 'payment.acknowledged');
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
      await audit(subject, kind, { actor: 'operator' });
      for (const query of [`subject=${subject}`, `kind=${kind}`])
        expect(ids(await list(tokens[0]!, query))).toEqual([]);
    },
  );

  test('hides sign-ins, upkeep and clock moves, even those by the application’s own key', async () => {
    const { userId } = await api.registerUser();
    const moved = await api.post('/api/v1/sandbox/clock', { token: tokens[0]!, body: { advance: 'PT1S' } });
    expect(moved.status).toBe(200);
    await audit('kid', 'credential-key.made');
    for (const query of [`subject=${userId}`, 'kind=clock.moved', 'kind=credential-key.made'])
      expect([query, ids(await list(tokens[0]!, query))]).toEqual([query, []]);
    const { items } = await list(tokens[0]!, `actor=${keyIds[0]!}`);
    expect(items.map(({ kind }: { kind: string }) => kind)).not.toContain('clock.moved');
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
