import { secretHolder } from '../../activities/bank/secret.ts';
import { proveWithoutPassword } from '../../activities/auth/claim.ts';
import { removeProvider } from '../../activities/payments/payee-changes.ts';
import { vaultKeyActivities } from '../../activities/vault-keys.ts';
import { CONNECTION_STATUSES, mayBecome, type ConnectionStatus } from '../../domain/bank/connections.ts';
import { BankError } from '../../infra/bank/interface.ts';
import { consentById } from '../../infra/db/queries/bank.ts';
import { paymentsOf } from '../helpers/activities.ts';
import { withReaders } from '../helpers/bank-books.ts';
import { authorise } from '../helpers/connections.ts';
import { openTestServices } from '../helpers/database.ts';
import { lettersTo, sendAllMail } from '../helpers/mail.ts';
import { codeOf } from '../helpers/paying.ts';
import { registerPerson } from '../helpers/proved.ts';

const { banks, local, services, bank, sql, at, rowOf } = withReaders();
const LIMITS = { per_payment: 95_000, per_month: 120_000 };

beforeAll(() => paymentsOf(services).ensureSandboxPayees());
beforeEach(() => void (local.renews = false));

async function person() {
  const { email, user_id, principal } = await registerPerson(services, { proved: false });
  const connect = async (more: object = {}) => {
    const wanted = { user_id, bank_id: 'played-local', kind: 'accounts', principal, ...more } as const;
    return (await bank.connectBank(wanted)).connection_id;
  };
  const connected = async (more: object = {}) => {
    const connection_id = await connect(more);
    await authorise(services, banks, connection_id);
    return connection_id;
  };
  return { user_id, email, principal, connect, connected };
}

/** A person with a connection that was granted. */
async function granted(more: object = {}) {
  const who = await person();
  return { ...who, connection_id: await who.connected(more) };
}

const pays = (provider_id: string, limits: object = LIMITS) => ({ kind: 'payments', provider_id, limits });
const statusOf = async (connection_id: string) => (await rowOf(connection_id)).status;
const consentOf = async (connection_id: string) =>
  services.db.one(consentById((await rowOf(connection_id)).consent_id!));
const messagesOf = async (consent_id: string) =>
  (await sql.many<{ kind: string }>('select kind from outbox_messages where workflow_id = $1', [consent_id])).length;
const auditOf = (connection_id: string) =>
  sql.many<{ kind: string; text: string }>(
    'select kind, data::text as text from audit_events where subject = $1 order by subject_seq',
    [connection_id],
  );

describe('the database', () => {
  test('lets a connection take each step that the rules allow, and no other', async () => {
    const { connection_id } = await granted();
    const stepOf = async (from: ConnectionStatus, to: ConnectionStatus) => {
      const id = `${connection_id} ${from} ${to}`;
      await sql.run(
        `insert into bank_connections (connection_id, owner_id, bank_id, kind, status, consent_id, authorised_at, created_at)
         select $1, owner_id, bank_id, kind, $2, consent_id, authorised_at, created_at
           from bank_connections where connection_id = $3`,
        [id, from, connection_id],
      );
      const step = sql.run('update bank_connections set status = $2 where connection_id = $1', [id, to]);
      return step.then(
        () => true,
        () => false,
      );
    };
    for (const from of CONNECTION_STATUSES) {
      const others = CONNECTION_STATUSES.filter((to) => to !== from);
      const taken = await Promise.all(others.map((to) => stepOf(from, to)));
      expect(others.filter((_, index) => taken[index])).toEqual(others.filter((to) => mayBecome(from, to)));
    }
  });

  test('refuses a change of whose a granted connection is, of its bank, payee and limits', async () => {
    const { connection_id } = await granted(pays('prov_sandbox_instant'));
    const changes = [`owner_id = 'usr_other'`, `bank_id = 'other'`, `provider_id = 'prov_sandbox_slow'`];
    for (const change of [...changes, 'per_month = per_month + 1', `valid_until = '2099-01-01'`]) {
      const changed = sql.run(`update bank_connections set ${change} where connection_id = $1`, [connection_id]);
      await expect(changed).rejects.toThrow('cannot change');
    }
  });
});

test('what readers see is right the moment the time is over, and the row follows', async () => {
  const { principal, user_id, connect, connected } = await person();
  const waiting = await connect();
  const limited = await connected(pays('prov_sandbox_instant', { ...LIMITS, valid_until: '2026-12-01' }));
  await sql.run(`update bank_connections set authorise_until = now() where connection_id = $1`, [waiting]);
  await at('2026-12-02T00:00:00Z');
  const { items } = await bank.listConnections({ principal, status: 'expired', limit: 10 });
  expect(items.map(({ connection_id }) => connection_id)).toEqual([limited, waiting]);
  expect(items[1]).toMatchObject({ status: 'expired', authorise_url: null, expires_at: null, user_id });
  await expect(authorise(services, banks, waiting)).rejects.toMatchObject({ code: 'bank-consent-ended' });
  expect(await bank.expireConnections({ limit: 10 })).toBe(2);
  expect(await bank.expireConnections({ limit: 10 })).toBe(0);
  expect((await auditOf(limited)).map(({ kind }) => kind)).toEqual([
    ...['connection.created', 'connection.authorised', 'connection.expired'],
  ]);
  expect(await messagesOf((await consentOf(limited)).consent_id)).toBe(1);
});

describe('the secret of a consent', () => {
  let connection_id: string;
  const holderOf = async (options: { waitMs?: number } = {}, of = services) =>
    (await secretHolder(of, await consentOf(connection_id), options))!;
  beforeEach(async () => void ({ connection_id } = await granted()));

  test('is exchanged by one process, and the others take what it got', async () => {
    const other = await openTestServices(services.config.database.url, { banks, clock: services.clock });
    const holders = [await holderOf(), await holderOf({}, other), await holderOf()];
    let exchanges = 0;
    const exchange = async (secret: string) => {
      exchanges += 1;
      await new Promise((done) => setTimeout(done, 100));
      return `${secret}+`;
    };
    const before = holders[0]!.current;
    const got = await Promise.all(holders.map((holder) => holder.renew(exchange)));
    await other.close();
    expect([got, exchanges]).toEqual([[`${before}+`, `${before}+`, `${before}+`], 1]);
    expect(holders.map(({ current }) => current)).toEqual(got);
  });

  test('is stored sealed, is rewrapped when the master key rotates, and then still renews', async () => {
    const holder = await holderOf();
    const before = await consentOf(connection_id);
    expect(before.secret_sealed).not.toContain(holder.current);
    const vaultKeys = vaultKeyActivities(services);
    const { version } = await vaultKeys.makeMasterKey({ from_version: (await vaultKeys.readMasterKey()).version });
    await vaultKeys.rewrapPage({ table: 'bank_consents', version, after: null });
    expect((await consentOf(connection_id)).secret_sealed).not.toBe(before.secret_sealed);
    expect(await holder.renew((secret) => Promise.resolve(`${secret}+`))).toBe((await holderOf()).current);
  });

  test('stays after a lost reply, and is tried once more', async () => {
    const holder = await holderOf();
    const before = holder.current;
    const lost = holder.renew(() => Promise.reject(new BankError('away', 'no reply')));
    await expect(lost).rejects.toMatchObject({ kind: 'away' });
    const tried: string[] = [];
    await holder.renew((secret) => {
      tried.push(secret);
      return Promise.resolve('fresh');
    });
    expect([tried, (await holderOf()).current]).toEqual([[before], 'fresh']);
  });

  test('is not overwritten by a process whose lease has ended, and a busy one is not waited for without end', async () => {
    const [slow, fast] = [await holderOf(), await holderOf({ waitMs: 300 })];
    const { consent_id } = await consentOf(connection_id);
    const got = await slow.renew(async () => {
      await expect(fast.renew(() => Promise.resolve('never'))).rejects.toMatchObject({ kind: 'away' });
      await sql.run('update bank_consents set lease_until = now() where consent_id = $1', [consent_id]);
      await fast.renew(() => Promise.resolve('newer'));
      return 'stale';
    });
    expect([got, slow.current, (await holderOf()).current]).toEqual(['newer', 'newer', 'newer']);
  });
});

describe('the end of a connection', () => {
  const left = async (connection_id: string) => {
    const { secret_sealed, ended_at } = await consentOf(connection_id);
    return { status: await statusOf(connection_id), secret: secret_sealed !== null, atBank: ended_at !== null };
  };

  test.each([
    [null, true],
    ['away', false],
    ['configuration', false],
    ['ended', true],
    ['reauthorise', true],
  ] as const)('holds here at once, and the token goes once the bank knows it, if that says %s', async (kind, ended) => {
    const { principal, connection_id } = await granted();
    Object.assign(local, { renews: true, failure: kind && new BankError(kind, 'played') });
    expect(await bank.disconnectBank({ connection_id, principal })).toEqual({ ended });
    const { consent_id } = await consentOf(connection_id);
    if (!ended) {
      expect(await left(connection_id)).toEqual({ status: 'revoked', secret: true, atBank: false });
      expect(await messagesOf(consent_id)).toBe(1);
      await expect(bank.endConsent({ consent_id })).rejects.toMatchObject({ kind });
      local.failure = null;
      expect(await bank.endConsent({ consent_id })).toEqual({ status: 'ended' });
    }
    const calls = local.calls.length;
    expect(await bank.disconnectBank({ connection_id, principal })).toEqual({ ended: true });
    expect(local.calls).toHaveLength(calls);
    expect(await left(connection_id)).toEqual({ status: 'revoked', secret: false, atBank: true });
  });

  test('is started again if it was lost, and not for what is in use', async () => {
    const { principal, connected } = await person();
    const [used, ended] = [await connected(), await connected()];
    local.failure = new BankError('away', 'played');
    await bank.disconnectBank({ connection_id: ended, principal });
    const { consent_id } = await consentOf(ended);
    await sql.run('delete from outbox_messages');
    await bank.restartConsentEnds({ silent_for_s: 0, limit: 10 });
    expect([await messagesOf(consent_id), await messagesOf((await consentOf(used)).consent_id)]).toEqual([1, 0]);
    expect(await codeOf(bank.endConsent(await consentOf(used)))).toBe('not-found');
  });

  test('follows the removal of its payee, and concerns no other payee', async () => {
    const { principal, connected } = await person();
    const account = { category: 'UTILITIES', sort_code: '401276', account_number: '12345678' } as const;
    const payee = { principal, name: 'Energy', ...account };
    const { provider_id } = await paymentsOf(services).addProvider(payee);
    const [theirs, other] = [await connected(pays(provider_id)), await connected(pays('prov_sandbox_instant'))];
    await removeProvider(services, { principal, provider_id });
    expect([await statusOf(theirs), await statusOf(other)]).toEqual(['revoked', 'authorised']);
    expect(await messagesOf((await consentOf(theirs)).consent_id)).toBe(1);
    const again = { user_id: 'usr_x', bank_id: 'played-local', principal, ...pays(provider_id) } as const;
    expect(await codeOf(bank.connectBank({ ...again, kind: 'payments', limits: LIMITS }))).toBe('unknown-provider');
  });

  test('follows a claim of the account, also for what waits, and concerns no other person', async () => {
    const [theirs, other] = [await person(), await person()];
    const ids = [await theirs.connected(), await theirs.connect(), await other.connected()];
    const claim = { userId: theirs.user_id, passwordHash: null, reason: 'claimed', data: {}, at: new Date() };
    await services.db.transaction((tx) => proveWithoutPassword(tx, services, claim));
    expect(await Promise.all(ids.map(statusOf))).toEqual(['revoked', 'expired', 'authorised']);
  });
});

test('two emails go out before reading stops, none after the person has confirmed, and they name no bank', async () => {
  const { email, user_id, connection_id } = await granted();
  await sql.run(`update bank_connections set reconfirm_by = '2027-02-27' where connection_id = $1`, [connection_id]);
  const sent: number[] = [];
  for (const day of ['02-12', '02-13', '02-14', '02-24', '02-27', '02-28']) {
    await at(`2027-${day}T12:00:00Z`);
    await bank.remindToReconfirm({ limit: 1_000 });
    await sendAllMail(services);
    sent.push((await lettersTo(services, email)).filter(({ subject }) => subject?.includes('reading')).length);
  }
  expect(sent).toEqual([0, 1, 1, 2, 2, 2]);
  const { text } = (await lettersTo(services, email)).findLast(({ subject }) => subject?.includes('reading'))!;
  expect(text).toContain(`/api/v1/bank/connections/${connection_id}/reconfirm`);
  expect(text).toContain('27 February 2027');
  expect(text).not.toContain('Local Bank');
  await at('2027-02-24T12:00:00Z');
  const confirmed = await bank.reconfirmConnection({ connection_id, actor: user_id });
  expect(confirmed.reconfirm_by).toBe('2027-05-25');
  expect((await rowOf(connection_id)).reminders).toBe(0);
});

test('the audit log tells each change, and nothing about the person or the account', async () => {
  const { principal, connection_id } = await granted(pays('prov_sandbox_instant'));
  await bank.disconnectBank({ connection_id, principal });
  const lines = [...(await auditOf(connection_id)), ...(await auditOf((await consentOf(connection_id)).consent_id))];
  expect(lines.map(({ kind }) => kind)).toEqual([
    ...['connection.created', 'connection.authorised', 'connection.revoked', 'connection.consent-ended'],
  ]);
  for (const { text } of lines) expect(text).not.toMatch(/207106|44417021|played|token|consent-\d/);
});
