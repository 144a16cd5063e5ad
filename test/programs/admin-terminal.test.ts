import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { inTerminal } from '../../programs/admin/terminal.ts';
import { adminOf } from '../helpers/admin.ts';
import { withDatabase } from '../helpers/database.ts';

const services = withDatabase();
const { admin, env, reply, shown } = adminOf(services);
const ROOT = resolve(import.meta.dirname, '..', '..');

test('a list is a table, as wide as needed, and an empty list says so', async () => {
  expect(await shown('app', 'list')).toBe('None.\n');
  const { app_id } = await reply<{ app_id: string }>('app', 'create', '--name', 'Payroll');
  const [head, row, ...more] = (await shown('app', 'list')).split('\n');
  expect(head).toMatch(/^app_id +name +created_at +owner_prefix$/);
  expect(row).toMatch(new RegExp(`^${app_id}  Payroll  20\\S+Z  -$`));
  expect(more).toEqual(['']);
});

test('a result is a sentence, or its fields one below another', async () => {
  expect(await shown('app', 'create', '--name', 'X')).toMatch(/^The application has the id app_[\da-f-]{36}\.\n$/);
  expect(await shown('owner', 'show', 'emp-1')).toBe('owner_id  emp-1\napp_id    -\nbound_at  -\n');
});

test('--json prints JSON in a terminal too, wherever it stands, and --by names the operator', async () => {
  const script = 'import sys, pty; sys.exit(pty.spawn(sys.argv[1:]))';
  const run = (...args: string[]) =>
    promisify(execFile)('python3', ['-c', script, process.execPath, `${ROOT}/programs/admin/main.ts`, ...args], {
      env: { ...process.env, ...env() },
    });
  expect((await run('owner', 'show', 'emp-1')).stdout).toBe('owner_id  emp-1\r\napp_id    -\r\nbound_at  -\r\n');
  const created = await run('--json', 'app', 'create', '--name', 'In a terminal', '--by', ' Ada ');
  const { app_id } = JSON.parse(created.stdout) as { app_id: string };
  expect(await reply('audit', 'list', '--subject', app_id)).toMatchObject({ items: [{ actor: 'operator:Ada' }] });
  for (const by of ['', 'a\nb', 'x'.repeat(65)])
    expect((await admin('app', 'list', '--by', by)).stderr).toBe('--by must have 1 to 64 printable characters.\n');
});

test('found faults are a table, not the sentence for none', () => {
  const reply = { ok: false, faults: [{ fault: 'transfer does not balance', subject: 'tra_1' }] };
  const text = inTerminal(reply, 'The ledger adds up.', { columns: 80 });
  expect(text).toBe('ok  no\n\nfaults:\nfault                      subject\ntransfer does not balance  tra_1');
});

test('items too wide for the terminal are shown one below another, with amounts in pounds', () => {
  const payments = [{ payment_id: 'pay_1', amount: 123_456, retryable: true, scopes: ['a', 'b'], failure: null }];
  expect(inTerminal({ payments }, undefined, { columns: 30 })).toBe(
    'payment_id  pay_1\namount      £1,234.56\nretryable   yes\nscopes      a b\nfailure     -',
  );
});

test('text of a bank cannot control the terminal or reorder a line', () => {
  const detail = 'closed\u001b]0;x\u0007\u009b2J\u202eoot\r\nadmin';
  const text = inTerminal({ items: [{ detail }] }, undefined, { columns: 200 });
  expect(text).toBe('detail\nclosed\ufffd]0;x\ufffd\ufffd2J\ufffdoot\ufffd admin');
});
