import pg from 'pg';
import { audit } from '../../activities/audit.ts';
import { ledgerFaults } from '../../infra/db/queries/ledger.ts';
import { verifyAudit } from '../../programs/admin/verify.ts';
import { APPEND_ONLY_TABLES, GUARDED_TABLES, KEPT_TABLES, UNCHANGED_TABLES } from '../../infra/db/roles.ts';
import { withDatabase } from '../helpers/database.ts';
import { declaredIn, MODULES } from '../helpers/declared-queries.ts';
import { fund } from '../helpers/money.ts';
import { asOwner, ownerSql } from '../helpers/owner.ts';

const services = withDatabase();
let client: pg.Client;

beforeAll(async () => {
  client = new pg.Client({ connectionString: services.config.database.url });
  // This connection fails if the database is dropped first.
  client.on('error', () => undefined);
  await client.connect();
});
afterAll(() => client.end());

// With the service's database role.
const attack = (text: string, values: unknown[] = []) => client.query<Record<string, unknown>>(text, values);
const NOT_ALLOWED = '42501';
const refused = (text: string, values: unknown[] = []) =>
  expect(attack(text, values)).rejects.toMatchObject({ code: NOT_ALLOWED });

const INTEREST = 'select interest_post($1, $2, $3, false)';
const moveOf = (owner: string, amount: number, at: Date | string) => ({
  text: `select ledger_move(array[row($1, $2, 'paycheck', 'calc_forged', $3::timestamptz,
           array[row($1 || 'a', 'employer', '', 'allocation', -$4::bigint, null)::ledger_leg,
                 row($1 || 'b', 'safe_to_spend', '', 'allocation', $4::bigint, null)::ledger_leg],
           '{}', '{}', '{}')::ledger_movement])`,
  values: [`mov_${owner}`, owner, at, amount],
});
const eventOf = (subject: string, at: Date | string | null) => ({
  text: `select audit_append(array[$1 || 'evt'], array[$1], array['forged'], array['nobody'], array['{}'], array[$2::timestamptz])`,
  values: [subject, at],
});
const secondsAway = (seconds: number) => new Date(Date.now() + seconds * 1_000);

/** A row with a value in every column. */
async function storeOne(table: string): Promise<void> {
  const { rows } = await attack(
    `select attname::text as name, format_type(atttypid, atttypmod) as type from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and attidentity = ''`,
    [table],
  );
  const valueOf = ({ name, type }: Record<string, unknown>) => {
    if (name === 'vouched_by') return `'sandbox'`;
    const value = { text: `'key_1'`, 'text[]': `'{}'`, jsonb: `'{}'`, boolean: 'true', integer: '1', bigint: '1' }[
      String(type)
    ];
    return value ?? 'now()';
  };
  await attack(
    `insert into ${table} (${rows.map(({ name }) => name).join(', ')}) values (${rows.map(valueOf).join(', ')})`,
  );
}

describe('the role of the service', () => {
  test('cannot forge a balanced transfer or a back-dated event through the trigger of a temporary table', async () => {
    await refused('create temporary table lever (pulled int)');
    await refused('create schema elsewhere');
    await refused('create table lever (pulled int)');
    await refused(`create function pull() returns trigger language plpgsql as 'begin return null; end'`);
    await refused('update ledger_accounts set balance = balance + 1');
    await refused(`update audit_heads set subject_seq = subject_seq + 1`);
    await refused(`insert into ledger_transfers (transfer_id, owner_id, kind, subject_id, created_at)
                   values ('mov_forged', 'owner', 'paycheck', 'none', now())`);
    await refused(`insert into audit_events (event_id, subject, kind, actor, data, created_at, subject_seq, previous_hash, hash)
                   values ('evt_forged', 'x', 'x', 'x', '{}', '2020-01-01', 1, '', '')`);
  });

  test.each(GUARDED_TABLES)('cannot write, empty, change, lock or take over %s', async (table) => {
    const { rows } = await attack(
      `select string_agg(privilege, ',' order by privilege) as held
         from unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN']) as p (privilege)
        where has_table_privilege(current_user, $1, privilege) or privilege in ('INSERT', 'UPDATE')
          and has_any_column_privilege(current_user, $1, privilege)`,
      [table],
    );
    expect(rows).toEqual([{ held: 'SELECT' }]);
    await refused(`alter table ${table} disable trigger all`);
    await refused(`alter table ${table} owner to current_user`);
    await refused(`drop table ${table} cascade`);
    await refused(`truncate ${table} cascade`);
    await refused(`create trigger lever before update on ${table} for each row execute function refuse_change()`);
    await refused(`do $$ begin lock table ${table} in access exclusive mode; end $$`);
  });

  test('owns nothing, and cannot become another role', async () => {
    const { rows } = await attack(
      `select relname from pg_class where pg_get_userbyid(relowner) = current_user
       union all select proname from pg_proc where pg_get_userbyid(proowner) = current_user`,
    );
    expect(rows).toEqual([]);
    await refused('create role another');
    await refused('create database another');
    await refused('set role ringfence');
    await refused('set session authorization ringfence');
    await refused('set session_replication_role = replica');
    await refused('alter function ledger_move security invoker');
    await refused(`drop function require_present(timestamptz[])`);
    await refused(`create or replace function require_present(p_ats timestamptz[]) returns void language sql as ''`);
    await refused('alter sequence audit_events_seq_seq restart');
    // PostgreSQL does not refuse this statement. It only warns that nothing was granted.
    await attack('grant insert on audit_events to current_user');
    expect((await attack(`select has_table_privilege('audit_events', 'INSERT') as held`)).rows).toEqual([
      { held: false },
    ]);
  });

  test.each([
    ...APPEND_ONLY_TABLES.map((table) => [table, 'INSERT'] as const),
    ...KEPT_TABLES.map((table) => [table, 'INSERT,UPDATE'] as const),
    ...UNCHANGED_TABLES.map((table) => [table, 'INSERT,DELETE'] as const),
  ])('may write to %s only by %s', async (table, rights) => {
    const { rows } = await attack(
      `select string_agg(privilege, ',' order by ordinal) as held
         from unnest(array['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER']) with ordinality as p (privilege, ordinal)
        where has_table_privilege(current_user, $1, privilege)
           or privilege = 'UPDATE' and has_any_column_privilege(current_user, $1, privilege)`,
      [table],
    );
    expect(rows).toEqual([{ held: rights }]);
  });

  test('has the rights that each query of the service needs', async () => {
    const refusedQueries: string[] = [];
    const ofTheOwner = ['deployment.record', 'deployment.recordFile', 'deployment.recordStack', 'yield.recordRate'];
    for (const { statement } of (await Promise.all(MODULES.map((file) => declaredIn(file)))).flat()) {
      if (!/^\s*(select|with|insert|update|delete)\b/i.test(statement.text)) continue;
      await attack(`explain (generic_plan) ${statement.text}`).catch(() => refusedQueries.push(statement.name));
    }
    expect(refusedQueries.toSorted()).toEqual(ofTheOwner.toSorted());
  });

  test.each([
    ['api_keys', 'revoked_at = null'],
    ['token_families', 'ended_at = null'],
    ['sessions', `ended_at = ended_at + interval '1 day'`],
    ['oauth_clients', 'removed_at = null'],
    ['identity_providers', 'removed_at = null'],
    ['payees', 'removed_at = null'],
    ['payees', 'own_account_of = null'],
    ['payees', `vouched_by = 'operator'`],
    ['payees', `held_by = 'usr_thief'`],
    ['payees', `account_fingerprint = 'another'`],
    ['payment_attempts', `requested_by = 'usr_thief'`],
    ['payment_attempts', `bank_id = 'another'`],
    ['payment_attempts', 'family_id = null'],
  ])('cannot take back or change what is set: of %s, %s', async (table, change) => {
    await client.query('begin');
    try {
      await storeOne(table);
      await expect(attack(`update ${table} set ${change}`)).rejects.toThrow('stays as it is');
    } finally {
      await client.query('rollback');
    }
  });

  test('cannot turn production into a sandbox, or the reverse', async () => {
    await refused(`update deployment set environment = 'production'`);
    await refused('delete from deployment');
    await expect(ownerSql(services, `update deployment set environment = 'production'`)).rejects.toThrow('stays what');
  });

  test('can raise the counter that shows a restore, but neither lower it nor write what was taken away', async () => {
    const raise = async () => Number((await attack('select witness_raise(-10) as counter')).rows[0]!.counter);
    expect(await raise()).toBeLessThan(await raise());
    await refused('select taken_away_note()');
  });

  test('may use tables of a later version', async () => {
    await ownerSql(services, 'create table made_later (id bigserial primary key, note text)');
    await attack(`insert into made_later (note) values ('one')`);
    expect((await attack('select note from made_later')).rows).toEqual([{ note: 'one' }]);
    await refused('truncate made_later');
    await ownerSql(services, 'drop table made_later');
  });
});

describe('the functions that write guarded tables', () => {
  test('are seven, have a fixed search path that ends with temporary tables, and are only for the service', async () => {
    const rows = await ownerSql(
      services,
      `select proname::text as name, proconfig as config, pg_get_userbyid(proowner)::text as owner,
              (select string_agg(case grantee when 0 then 'public' else pg_get_userbyid(grantee)::text end, ' ' order by grantee)
                 from aclexplode(proacl)) as callers
         from pg_proc where prosecdef and pronamespace = 'public'::regnamespace order by proname`,
    );
    const safe = {
      config: ['search_path=pg_catalog, public, pg_temp'],
      owner: 'ringfence',
      callers: expect.not.stringContaining('public') as string,
    };
    expect(rows).toEqual(
      [
        ...['audit_append', 'interest_post', 'ledger_move', 'taken_away_copied', 'taken_away_note'],
        ...['vault_change', 'witness_raise'],
      ].map((name) => ({ name, ...safe })),
    );
  });

  test('never check the trigger depth', async () => {
    const found = await ownerSql(
      services,
      `select proname::text as name from pg_proc where pronamespace = 'public'::regnamespace and prosrc like '%trigger_depth%'
       union all select tgname::text from pg_trigger where pg_get_triggerdef(oid) like '%trigger_depth%'`,
    );
    expect(found).toEqual([]);
  });

  test.each([-3_600, -61, 61, 86_400, Infinity, -Infinity])('refuse a time %d seconds from now', async (seconds) => {
    const at = Number.isFinite(seconds) ? secondsAway(seconds).toISOString() : String(seconds).toLowerCase();
    for (const { text, values } of [
      moveOf('timed', 5, at),
      eventOf('timed', at),
      { text: INTEREST, values: [at, [], '2020-01-01'] },
    ])
      await expect(attack(text, values)).rejects.toMatchObject({ code: 'RF002' });
  });

  test('accept a time within a minute, and set their own if an event has none', async () => {
    await client.query(eventOf('early', secondsAway(-55)));
    await client.query(eventOf('late', secondsAway(55)));
    await client.query(eventOf('own', null));
    const { rows } = await attack(
      `select extract(epoch from clock_timestamp() - created_at)::float8 as ago from audit_events where subject = 'own'`,
    );
    expect(Math.abs(rows[0]!.ago as number)).toBeLessThan(30);
  });

  test('accept business time in a sandbox, but not in production', async () => {
    const ahead = secondsAway(86_400 * 30);
    const set = (text: string) => asOwner(services).then(() => ownerSql(services, text));
    await set(`update business_clock set offset_ms = 86400000::bigint * 30`);
    await client.query(eventOf('sandbox', ahead));
    await client.query(eventOf('sandbox real', new Date()));
    await expect(client.query(eventOf('beyond', secondsAway(86_400 * 30 + 70)))).rejects.toMatchObject({
      code: 'RF002',
    });
    await set('alter table deployment disable trigger user');
    await set(`update deployment set environment = 'production'`);
    try {
      await expect(client.query(eventOf('production', ahead))).rejects.toMatchObject({ code: 'RF002' });
      await client.query(eventOf('production real', new Date()));
    } finally {
      await set(`update deployment set environment = 'sandbox'`);
      await set('alter table deployment enable trigger user');
    }
  });

  test('whose refusal of a time reaches a caller as one to try again', async () => {
    const event = { subject: 'x', kind: 'clock.moved', actor: 'x', data: {}, at: secondsAway(-300) } as const;
    const late = audit(services.db, services, event);
    await expect(late).rejects.toMatchObject({ code: 'dependency-unavailable', extra: { dependency: 'clock' } });
  });

  test('refuse interest for a day that has not ended', async () => {
    for (const to of ['2099-01-01', 'infinity', null])
      await expect(attack(INTEREST, [new Date(), [], to])).rejects.toThrow('an accrual ends after today');
  });
});

describe('ledger verify', () => {
  const faultsOf = async () => {
    const faults = await services.db.many(ledgerFaults());
    return faults.map(({ fault, subject }) => `${fault}: ${subject}`);
  };

  test('finds a balanced wage without a calculation', async () => {
    expect(await faultsOf()).toEqual([]);
    await client.query(moveOf('forger', 100_000_000, new Date()));
    expect((await verifyAudit(services.db)).ok).toBe(true);
    expect((await faultsOf()).sort()).toEqual([
      'employer did not pay what was calculated: forger',
      'transfer without its calculation: mov_forger',
    ]);
  });

  test.each([
    ['calculation', ['paycheck', 'paycheck_revision']],
    ['payment', ['payment', 'payment_completed', 'payment_failed', 'payment_cancelled', 'payment_returned']],
    ['accrual', ['interest']],
    ['allocation', ['allocation']],
  ])('finds transfers without their %s: %j', async (cause, kinds) => {
    const insert = `insert into ledger_transfers (transfer_id, owner_id, kind, subject_id, created_at)
                    values ('mov_of_' || $1, 'x', $1, 'nothing', now())`;
    for (const kind of kinds) await ownerSql(services, insert, [kind]);
    const faults = await faultsOf();
    for (const kind of kinds)
      expect(faults.filter((fault) => fault.endsWith(`: mov_of_${kind}`)).sort()).toEqual([
        `transfer without entries: mov_of_${kind}`,
        `transfer without its ${cause}: mov_of_${kind}`,
      ]);
  });

  test('finds a transfer to the wrong account for its kind', async () => {
    const { text, values } = moveOf('wrong', 7, new Date());
    await client.query(text.replace(`'safe_to_spend'`, `'in_flight'`), values);
    expect(await faultsOf()).toContain('transfer between accounts that its kind does not move: mov_wrong');
  });

  test('finds a cause that moved money twice', async () => {
    for (const owner of ['twice-a', 'twice-b']) {
      const { text, values } = moveOf(owner, 7, new Date());
      await client.query(text.replaceAll(`'calc_forged'`, `'calc_twice'`), values);
    }
    expect(await faultsOf()).toContain('more than one transfer for one cause: mov_twice-a');
  });

  test('finds interest for a future day of the business clock', async () => {
    const { vaultId } = await fund(services, 'saver', 1_000, { caused: true });
    await ownerSql(services, 'alter table accruals disable trigger user');
    await ownerSql(
      services,
      `insert into accruals (accrual_id, owner_id, vault_id, from_date, to_date, annual_rate, rate_millionths, balance_days, carried,
                             accrued, remainder, balance_after, entries_before, entries_seen, posted_at)
       select 'accr_' || days, 'saver', $1, business_today(), business_today() + days, '0', 0, 0, 0, 0, 0, 0, 0, 0, now()
         from unnest(array[0, 1]) as days`,
      [vaultId],
    );
    expect((await faultsOf()).filter((fault) => fault.includes('after today'))).toEqual([
      'accrual ends after today: accr_1',
    ]);
  });
});
