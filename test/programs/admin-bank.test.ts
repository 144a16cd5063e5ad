import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adminOf, expectRefused, said } from '../helpers/admin.ts';
import { withDatabase } from '../helpers/database.ts';
import { sqlOf } from '../helpers/oauth.ts';
import { newBankFolder, sandboxEntry, startSandboxBank } from '../helpers/sandbox-bank.ts';

const dataDir = await newBankFolder();
const bank = await startSandboxBank(dataDir);
const services = withDatabase();
const sql = sqlOf(services);
const settings = { RINGFENCE_DATA: dataDir, RINGFENCE_PORT_BANK: String(bank.port) };
const { admin } = adminOf(services, settings);

afterAll(() => bank.stop());

/** The sandbox bank as production would name a bank, in a file. */
function fileWith(changes: object): Record<string, string> {
  const { other: _other, ...entry } = sandboxEntry(bank.config);
  const file = join(dataDir, 'banks.json');
  writeFileSync(file, JSON.stringify([{ ...entry, id: 'big-bank', sweeping: true, ...changes }]));
  return { BANKS_FILE: file, BANK_HOUSE: 'big-bank', BANK_CONSENT_ID: 'house-1' };
}

test('bank list shows what each bank reads and pays, and the state of the house account', async () => {
  expect(said(await admin('bank', 'list'))).toEqual({
    items: [
      {
        bank_id: 'sandbox',
        name: 'Sandbox bank',
        reads: true,
        pays: expect.arrayContaining(['HOUSING', 'OWN_ACCOUNT']) as unknown,
        regulated_by: 'Ringfence sandbox bank',
        house_account: 'granted by the sandbox',
      },
      expect.objectContaining({ bank_id: 'sandbox-truelayer', reads: true, pays: [], house_account: null }) as unknown,
    ],
  });
  const house = adminOf(services, { ...settings, ...fileWith({}) });
  const { items } = await house.reply<{ items: { house_account: string }[] }>('bank', 'list');
  // The bank knows no such consent.
  expect(items.map(({ house_account }) => house_account)).toEqual(['revoked']);
});

test('bank check goes through all steps, and ends with exit code 1 at the first that fails, without a secret', async () => {
  const { steps } = said<{ steps: { step: string; ok: boolean }[] }>(await admin('bank', 'check', 'sandbox'));
  expect(steps.map(({ ok }) => ok)).not.toContain(false);
  expect(steps.length).toBeGreaterThan(5);
  const wrong = fileWith({ client_id: 'somebody-else' });
  const { stdout, stderr, exitCode } = await adminOf(services, { ...settings, ...wrong }).admin(
    'bank',
    'check',
    'big-bank',
  );
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^token for accounts failed: .+\n$/);
  const told = JSON.parse(stdout) as { steps: { ok: boolean }[] };
  expect(told.steps.map(({ ok }) => ok)).toEqual([true, true, false]);
  expect(stdout + stderr).not.toMatch(/eyJ|PRIVATE/);
});

test('bank connect prints a link that is stored as a hash, for the bank of the house account alone', async () => {
  expectRefused(await admin('bank', 'connect', 'sandbox'), 1, 'There is nothing to connect.');
  const known = 'There is no bank "none". The configured banks are sandbox, sandbox-truelayer.';
  expectRefused(await admin('bank', 'check', 'none'), 1, known);
  const house = adminOf(services, { ...settings, ...fileWith({}) });
  const { url, expires_at } = await house.reply<{ url: string; expires_at: string }>('bank', 'connect', 'big-bank');
  expect(url).toMatch(/\/api\/v1\/bank\/house-account\?link=rf_hl_[\w-]{43}$/);
  expect(Math.abs(Date.parse(expires_at) - Date.now() - 1_800_000)).toBeLessThan(60_000);
  const [row] = await sql.many<{ line: string }>('select l::text as line from bank_house_links l');
  expect(row!.line).not.toContain(url.slice(-43));
  const { BANK_HOUSE: _house, ...others } = fileWith({});
  const without = adminOf(services, { ...settings, ...others });
  expectRefused(await without.admin('bank', 'connect', 'big-bank'), 1, 'Set BANK_HOUSE and BANK_CONSENT_ID.');
});
