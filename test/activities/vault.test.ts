import { retrievePii, sealPii, type OwnAccess } from '../../activities/vault/own.ts';
import { keepSealed } from '../../activities/vault/store.ts';
import { callerOf, type Principal } from '../../domain/auth.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import { PII_TYPES } from '../../domain/vault/fields.ts';
import type { PiiType } from '../../domain/vault/types.ts';
import { accountsOf, vaultOf } from '../helpers/activities.ts';
import type { Log, LogFields } from '../../infra/telemetry/log.ts';
import { withDatabase } from '../helpers/database.ts';
import { EXAMPLES } from '../helpers/pii.ts';
import { HERE } from '../helpers/here.ts';
import { partsOf } from '../helpers/keys.ts';
import { sqlOf } from '../helpers/oauth.ts';
import { ownerSql } from '../helpers/owner.ts';

const logged: { level: string; fields: LogFields; message: string }[] = [];
const at = (level: string) => (fields: LogFields, message: string) => void logged.push({ level, fields, message });
const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };

const DOOR = 5;
const services = withDatabase({ log, env: { LIMIT_TOKENS_PER_MINUTE: String(DOOR) } });
const operations = vaultOf(services);
afterEach(() => {
  logged.length = 0;
});

const BANK = EXAMPLES.payee_bank;
const ACCESS = { purpose: 'test' };
const principal: Principal = {
  kind: 'api_key',
  keyId: 'key_2',
  appId: 'app_1',
  lineage: 'key_1',
  environment: 'sandbox',
  scopes: ['read:vault', 'write:vault', 'reveal:vault'],
};

const { run, many } = sqlOf(services);
const sealBank = (owner_id = 'usr_1') => sealPii(services, { pii_type: 'payee_bank', owner_id, data: BANK, ...ACCESS });
const storeBank = async (owner_id?: string) => {
  const sealed = await sealBank(owner_id);
  return (await services.db.transaction((tx) => keepSealed(tx, sealed))).vault_ref;
};
const retrieve = (ref: string) => retrievePii<'payee_bank'>(services, ref, ACCESS);
const storeRecord = async (pii_type: PiiType, more: { owner_id?: string; metadata?: Record<string, unknown> } = {}) => {
  const given = { pii_type, data: EXAMPLES[pii_type], owner_id: 'emp-1', principal, ...more };
  return (await operations.storeVaultRecord(given as Parameters<typeof operations.storeVaultRecord>[0])).vault_ref;
};
const read = (vault_ref: string) => operations.getVaultRecord({ principal, vault_ref });
const erase = (vault_ref: string) => operations.eraseVaultRecord({ principal, vault_ref });
const sealedOf = async (ref: string) =>
  (await many<{ sealed: string }>('select sealed from vault_records where vault_ref = $1', [ref]))[0]!.sealed;
const eventsOf = (subject: string) =>
  many<{ kind: string; actor: string; data: Record<string, unknown> }>(
    'select kind, actor, data from audit_events where subject = $1 order by subject_seq',
    [subject],
  );
const kindsOf = async (subject: string) => (await eventsOf(subject)).map(({ kind }) => kind);

async function dump(): Promise<string> {
  const tables = await many<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  expect(tables.length).toBeGreaterThan(20);
  const rows = await Promise.all(
    tables.map(({ name }) => many<{ row: string }>(`select t::text as row from "${name}" t`)),
  );
  return rows
    .flat()
    .map(({ row }) => row)
    .join('\n');
}

/** Also looks for encodings of the secrets, which a plain search would miss. */
function expectHidden(text: string, secrets: readonly string[]): void {
  for (const secret of secrets) {
    const bytes = Buffer.from(secret);
    for (const form of [secret, bytes.toString('hex'), bytes.toString('base64').replace(/.?=*$/, '')])
      expect(text.toLowerCase()).not.toContain(form.toLowerCase());
  }
}

describe('storing what the service keeps for itself', () => {
  test('stores nothing when the surrounding transaction fails, not even in the audit log', async () => {
    const count = () =>
      many('select (select count(*) from vault_records), (select count(*) from audit_events) as told');
    const before = await count();
    const sealed = await sealBank();
    const undone = services.db.transaction(async (tx) => {
      await keepSealed(tx, sealed);
      throw new Error('later');
    });
    await expect(undone).rejects.toThrow('later');
    expect(await count()).toEqual(before);
  });

  test('a dump of all tables has neither email addresses nor passwords, tokens, keys or bank details in the clear', async () => {
    const auth = accountsOf(services);
    const given = { email: 'Penelope.Zyx@Example.org', password: 'seven green lanterns' };
    const { user_id } = await auth.registerUser(given);
    const tokens = await auth.login({ ...given, from: HERE });
    const next = await auth.refreshTokens(tokens);
    for (const wrong of [{ password: 'not the right one' }, { email: 'Unknown.Zyx@example.org' }])
      await auth.login({ from: HERE, ...given, ...wrong }).catch(() => undefined);
    const { app_id } = await auth.createApplication({ name: 'Payroll' });
    const { key } = await auth.issueApiKey({ app_id, scopes: ['read:debt'] });
    const redirect_uris = ['https://app.example/cb'];
    const client = { app_id, name: 'C', redirect_uris, scopes: ['read:debt'], public: false } as const;
    const { client_secret } = await auth.createClient(client);
    await storeBank(user_id);

    const text = await dump();
    expect(text).toContain(user_id);
    const { access_token, refresh_token } = tokens;
    const secrets = [given.password, access_token, refresh_token, next.refresh_token, key, client_secret!];
    expectHidden(text, ['penelope.zyx', 'unknown.zyx', ...secrets, ...Object.values(BANK)]);
  });
});

describe('a record', () => {
  test('of any type, its metadata and every access to it: nothing of it is in the tables or the log in the clear', async () => {
    const metadata = { note: 'Quartzville branch', asked: { by: ['Gwendolyn'], for: { Zephyrine: null } } };
    const refs = await Promise.all(PII_TYPES.map((pii_type) => storeRecord(pii_type, { metadata })));
    for (const [n, vault_ref] of refs.entries()) {
      const [field, value] = Object.entries(EXAMPLES[PII_TYPES[n]!])[0]!;
      await read(vault_ref);
      await operations.getMaskedVaultRecord({ principal, vault_ref });
      await operations.verifyVaultField({ principal, vault_ref, field, value });
      await operations.verifyVaultField({ principal, vault_ref, field, value: 'Gwendolyn' });
    }
    await operations.batchRetrieveVaultRecords({ principal, vault_refs: refs });
    await run(`update vault_records set owner_id = 'emp-2' where vault_ref = $1`, [refs[2]]);
    await read(refs[2]!).catch(() => undefined);
    await Promise.all(refs.map(erase));

    const text = (await dump()) + JSON.stringify(logged);
    for (const ref of refs) expect(text).toContain(ref);
    const values = PII_TYPES.flatMap((pii_type) => Object.values<string>(EXAMPLES[pii_type]));
    const needles = [...values.filter((value) => value.length > 5), 'Gwendolyn', 'Quartzville', 'Zephyrine'];
    expect(needles.length).toBeGreaterThan(25);
    expectHidden(text, needles);
  });
});

describe('a modified record', () => {
  const damaged = { code: 'pii-damaged' };

  test.each([
    ['owner_id', `owner_id = 'emp-2'`],
    ['pii_type', `pii_type = 'employee_bank'`],
    ['pii_type', `pii_type = 'constructor'`],
    ['created_at', `created_at = created_at + interval '1 millisecond'`],
    ['vault_ref', `vault_ref = 'vault:payee_bank:018f0000-0000-7000-8000-00000000000f'`],
    ['vault_ref', `vault_ref = 'vault:user_name:018f0000-0000-7000-8000-00000000000e'`],
    ['sealed', `sealed = ''`],
    ['sealed', `sealed = sealed || ' '`],
    ['sealed', `sealed = left(sealed, -1)`],
  ])('with a change in %s (%s) is refused and reported in every operation', async (_column, change) => {
    const ref = await storeRecord('payee_bank', { metadata: { note: 'n' } });
    await run(`update vault_records set ${change} where vault_ref = $1`, [ref]);
    const moved = change.startsWith('vault_ref') ? change.slice(13, -1) : ref;
    await expect(read(moved)).rejects.toMatchObject(damaged);
    await expect(operations.getMaskedVaultRecord({ principal, vault_ref: moved })).rejects.toMatchObject(damaged);
    await expect(retrievePii(services, moved, ACCESS)).rejects.toMatchObject(damaged);
    const asked = { principal, vault_ref: moved, value: 'x' };
    const field = moved.includes('user_name') ? 'last_name' : 'sort_code';
    await expect(operations.verifyVaultField({ ...asked, field })).rejects.toMatchObject(damaged);
    const events = (await eventsOf(moved)).filter(({ kind }) => kind !== 'vault.stored');
    const byKey = { actor: callerOf(principal), data: { key_id: principal.keyId } };
    const byUs = { actor: 'service', data: { purpose: 'test' } };
    // The service audits each access before it decrypts the record, so the log also has the accesses that failed.
    expect(events).toEqual([
      { kind: 'vault.retrieved', ...byKey },
      { kind: 'vault.tampering-detected', ...byKey },
      { kind: 'vault.masked', ...byKey },
      { kind: 'vault.tampering-detected', ...byKey },
      { kind: 'vault.opened', ...byUs },
      { kind: 'vault.tampering-detected', ...byUs },
      { kind: 'vault.tampering-detected', ...byKey },
    ]);
    const fields = { what: 'record', id: moved };
    const line = { level: 'error', fields, message: 'something other than the service changed a row' };
    expect(logged).toEqual([line, line, line, line]);
    await ownerSql(services, 'delete from vault_records where vault_ref = $1', [moved]);
  });
});

test('a record that the database handed to another application is not opened for it', async () => {
  const ref = await storeRecord('payee_bank');
  await run(`update vault_records set app_id = 'app_thief' where vault_ref = $1`, [ref]);
  const thief: Principal = { ...principal, appId: 'app_thief' };
  await expect(operations.getVaultRecord({ principal: thief, vault_ref: ref })).rejects.toMatchObject({
    code: 'pii-damaged',
  });
});

describe('erasure', () => {
  test('leaves neither the ciphertext nor its key in any table', async () => {
    const ref = await storeRecord('employee_bank');
    const { key, content } = partsOf(await sealedOf(ref));
    await read(ref);
    const secrets = [key.wrapped, content.iv, content.ciphertext, content.tag];
    const before = await dump();
    for (const secret of secrets) expect(before).toContain(secret);
    await erase(ref);
    const after = await dump();
    for (const secret of secrets) expect(after).not.toContain(secret);
    expect(after).toContain(ref);
    const row = 'select sealed, erased_at is not null as erased from vault_records where vault_ref = $1';
    expect(await many(row, [ref])).toEqual([{ sealed: null, erased: true }]);
  });

  test('is permanent: the database restores nothing, and allows no half-erased record', async () => {
    const [ref, other] = [await storeRecord('user_phone'), await storeRecord('user_phone')];
    const sealed = await sealedOf(ref);
    await erase(ref);
    const restore = run('update vault_records set sealed = $2, erased_at = null where vault_ref = $1', [ref, sealed]);
    await expect(restore).rejects.toThrow('erased for good');
    await expect(run('update vault_records set sealed = null where vault_ref = $1', [other])).rejects.toThrow('erased');
    await expect(run('update vault_records set erased_at = now() where vault_ref = $1', [other])).rejects.toThrow();
  });

  test('of each record happens once and is audited once, and reaches no other, whatever is stored at the same time', async () => {
    const doomed = await Promise.all(Array.from({ length: 20 }, () => storeRecord('user_phone')));
    const [kept, outcomes] = await Promise.all([
      Promise.all(Array.from({ length: 40 }, () => storeRecord('user_email'))),
      Promise.allSettled([...doomed, ...doomed].map(erase)),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'pii-erased' });
    for (const ref of doomed) expect((await kindsOf(ref)).filter((kind) => kind === 'vault.erased')).toHaveLength(1);
    for (const ref of kept) expect(await read(ref)).toMatchObject({ data: EXAMPLES.user_email });
  });

  test('during a verification lets the verification return a result or fail, and nothing in between', async () => {
    for (let round = 0; round < 10; round += 1) {
      const vault_ref = await storeRecord('user_phone');
      const asked = { principal, vault_ref, field: 'phone', value: EXAMPLES.user_phone.phone };
      const [answer] = await Promise.allSettled([operations.verifyVaultField(asked), erase(vault_ref)]);
      if (answer.status === 'fulfilled') expect(answer.value.match).toBe(true);
      else expect(answer.reason).toMatchObject({ code: 'pii-erased' });
    }
  });
});

describe("the service's own access", () => {
  const retrieveAll = (refs: readonly string[], access: OwnAccess) =>
    Promise.all(refs.map((ref) => retrievePii<'payee_bank'>(services, ref, access)));

  test('is refused for an unknown record and for an erased one', async () => {
    const unknown = 'vault:user_email:018f0000-0000-7000-8000-000000000000';
    await expect(retrieve(unknown)).rejects.toMatchObject({ code: 'not-found' });
    const vault_ref = await storeRecord('payee_bank');
    await erase(vault_ref);
    await expect(retrieve(vault_ref)).rejects.toMatchObject({ code: 'pii-erased' });
  });

  test('is audited once for each record, with its purpose and the caller', async () => {
    const refs = await Promise.all(Array.from({ length: 20 }, () => storeBank()));
    expect(await retrieveAll(refs, { purpose: 'list', actor: 'usr_7' })).toEqual(refs.map(() => BANK));
    for (const ref of refs)
      expect(await eventsOf(ref)).toEqual([
        { kind: 'vault.stored', actor: 'service', data: { purpose: 'test' } },
        { kind: 'vault.opened', actor: 'usr_7', data: { purpose: 'list' } },
      ]);
  });

  test('to the same records in many orders at once causes no deadlock, and every chain is intact', async () => {
    const refs = await Promise.all(Array.from({ length: 20 }, () => storeBank()));
    const orders = Array.from({ length: 30 }, (_, n) => [...refs.slice(n % 20), ...refs.slice(0, n % 20)]);
    await Promise.all(orders.map((order) => retrieveAll(order, { purpose: 'list' })));
    for (const ref of refs) expect(await kindsOf(ref)).toHaveLength(31);
    const [chains] = await many<{ broken: number }>(
      `select count(*)::int as broken from audit_events e
        where e.hash is distinct from audit_hash(e) or e.subject_seq > 1 and not exists (
          select from audit_events p where p.subject = e.subject and p.subject_seq = e.subject_seq - 1 and p.hash = e.previous_hash)`,
    );
    expect(chains!.broken).toBe(0);
  });
});

describe('refusals', () => {
  const refused = (more: Partial<Parameters<typeof operations.recordRefusal>[0]> = {}) =>
    operations.recordRefusal({
      operation: 'getVaultRecord',
      vault_ref: undefined,
      principal: undefined,
      code: 'client-certificate-missing',
      address: '192.0.2.1',
      ...more,
    });
  const REF = 'vault:user_email:018f0000-0000-7000-8000-00000000abcd';

  test.each<[string, string | undefined, string]>([
    ['a reference of a known type', REF, REF],
    ['no reference', undefined, 'vault'],
    ['somebody for a reference', 'ada@example.org', 'vault'],
    ['a reference of an unknown type', REF.replace('user_email', 'ada'), 'vault'],
  ])('naming %s are audited in the chain of %s: %s', async (_case, vault_ref, subject) => {
    const before = (await eventsOf(subject)).length;
    await refused({ vault_ref, principal, code: 'not-found' });
    const data = { key_id: 'key_2', operation: 'getVaultRecord', code: 'not-found' };
    expect((await eventsOf(subject)).slice(before)).toEqual([{ kind: 'vault.refused', actor: 'key_1', data }]);
    expect(await dump()).not.toContain('ada@example.org');
  });

  test('of strangers are audited without their address, up to a limit a minute', async () => {
    const before = (await eventsOf('vault')).length;
    const address = '198.51.100.7';
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => refused({ address })));
    const data = { operation: 'getVaultRecord', code: 'client-certificate-missing' };
    const told = { kind: 'vault.refused', actor: 'anonymous', data };
    expect((await eventsOf('vault')).slice(before)).toEqual(Array.from({ length: DOOR }, () => told));
    const limited = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(limited).toHaveLength(40 - DOOR);
    for (const { reason } of limited) expect(reason).toMatchObject({ code: 'rate-limited' });
    await refused({ address: '198.51.100.8' });
    expect(await dump()).not.toContain('198.51.100');
  });

  test('of a key without the scope count towards the limit, those of an authorised key do not', async () => {
    const many = (code: ErrorCode, address: string) =>
      Promise.allSettled(Array.from({ length: 20 }, () => refused({ code, address, principal })));
    const fulfilled = (outcomes: PromiseSettledResult<unknown>[]) =>
      outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect(fulfilled(await many('insufficient-scope', '203.0.113.1'))).toBe(DOOR);
    expect(fulfilled(await many('not-found', '203.0.113.2'))).toBe(20);
  });
});
