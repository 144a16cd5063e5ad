import { createHash } from 'node:crypto';
import { authActivities } from '../../activities/auth.ts';
import { vaultActivities } from '../../activities/vault.ts';
import { query } from '../../infra/db/sql.ts';
import { SealBrokenError } from '../../infra/keys/seal.ts';
import { withDatabase } from '../helpers/database.ts';

const services = withDatabase();
const vault = vaultActivities(services);
const BANK = { account_holder_name: 'Zebediah Quux', sort_code: '309634', account_number: '71920483' };

const nameOf = (text: string) => `test.${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
const run = (text: string, values: unknown[] = []) => services.db.run(query(nameOf(text), text), values);
const many = <Row extends Record<string, unknown>>(text: string) => services.db.many(query<Row>(nameOf(text), text));
const storeBank = (owner_id = 'usr_1', data = BANK) => vault.storePii({ pii_type: 'payee_bank', owner_id, data });

/** Every row of every table as text, as a dump would have it. */
async function dump(): Promise<string> {
  const tables = await many<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  expect(tables.length).toBeGreaterThan(20);
  const contents = await Promise.all(
    tables.map(({ name }) => many<{ row: string }>(`select t::text as row from "${name}" t`)),
  );
  return contents
    .flat()
    .map(({ row }) => row)
    .join('\n');
}

describe('storePii', () => {
  test('gives a reference of the specified form, under which the data is found again', async () => {
    const ref = await storeBank();
    expect(ref).toMatch(/^vault:payee_bank:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(await vault.retrievePii<'payee_bank'>(ref)).toEqual(BANK);
  });

  test('leaves nothing behind when the transaction around it fails', async () => {
    const before = await many('select vault_ref from vault_records');
    await expect(
      services.db.transaction(() => storeBank().then(() => Promise.reject(new Error('later')))),
    ).rejects.toThrow('later');
    expect(await many('select vault_ref from vault_records')).toHaveLength(before.length);
  });

  test('a dump of all tables has neither e-mail addresses nor passwords, tokens, keys or bank details in the clear', async () => {
    const auth = authActivities(services);
    const given = { email: 'Penelope.Zyx@Example.org', password: 'seven green lanterns' };
    const { user_id } = await auth.registerUser(given);
    const tokens = await auth.login(given);
    const next = await auth.refreshTokens(tokens);
    await auth.login({ ...given, password: 'not the right one' }).catch(() => undefined);
    await auth.login({ email: 'Unknown.Zyx@example.org', password: given.password }).catch(() => undefined);
    const { app_id } = await auth.createApplication({ name: 'Payroll' });
    const { key } = await auth.issueApiKey({ app_id, scopes: ['read:debt'] });
    const client = {
      app_id,
      name: 'C',
      redirect_uris: ['https://app.example/cb'],
      scopes: ['read:debt'],
      public: false,
    } as const;
    const { client_secret } = await auth.createClient(client);
    await storeBank(user_id);

    const text = (await dump()).toLowerCase();
    expect(text).toContain(user_id);
    const secrets = [
      'penelope.zyx',
      'unknown.zyx',
      given.password,
      tokens.access_token,
      tokens.refresh_token,
      next.refresh_token,
      key,
      client_secret!,
    ];
    for (const secret of [...secrets, BANK.account_holder_name.toLowerCase(), BANK.sort_code, BANK.account_number]) {
      for (const form of [
        secret,
        Buffer.from(secret).toString('hex'),
        Buffer.from(secret).toString('base64').replace(/.?=*$/, ''),
      ]) {
        expect(text).not.toContain(form.toLowerCase());
      }
    }
  });
});

describe('retrievePii', () => {
  test('not found', async () => {
    const retrieving = vault.retrievePii('vault:user_email:018f0000-0000-7000-8000-000000000000');
    await expect(retrieving).rejects.toMatchObject({ code: 'not-found' });
  });

  test('says that it was erased', async () => {
    const ref = await storeBank();
    await run('update vault_records set sealed = null, erased_at = now() where vault_ref = $1', [ref]);
    await expect(vault.retrievePii(ref)).rejects.toMatchObject({ code: 'pii-erased' });
  });

  test('two records whose sealed data was swapped open neither', async () => {
    const [one, other] = await Promise.all([storeBank(), storeBank()]);
    await run(
      `update vault_records a set sealed = b.sealed from vault_records b
        where (a.vault_ref = $1 and b.vault_ref = $2) or (a.vault_ref = $2 and b.vault_ref = $1)`,
      [one, other],
    );
    for (const ref of [one, other]) await expect(vault.retrievePii(ref)).rejects.toThrow(SealBrokenError);
  });

  test.each([
    [`owner_id = 'usr_2'`],
    [`pii_type = 'user_email'`],
    [`vault_ref = 'vault:payee_bank:018f0000-0000-7000-8000-00000000000f'`],
    [`sealed = jsonb_set(sealed::jsonb, '{tag}', to_jsonb('AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'::text))::text`],
    [`sealed = 'not a record'`],
  ])('a record tampered with (%s) does not open', async (change) => {
    const ref = await storeBank();
    await run(`update vault_records set ${change} where vault_ref = $1`, [ref]);
    const moved = change.startsWith('vault_ref') ? change.slice(13, -1) : ref;
    await expect(vault.retrievePii(moved)).rejects.toThrow(SealBrokenError);
  });
});
