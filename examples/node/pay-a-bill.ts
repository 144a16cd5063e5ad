// How to run this program: `examples/README.md`.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
// In your own project, import from '@ringfence/client' and '@ringfence/client/node'.
import { createClient } from '../../client/src/index.ts';
import { tlsFetch } from '../../client/src/node.ts';

process.on('uncaughtException', ({ message }) => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
});

const { RF = 'https://localhost:8443', CA = '.data/pki/ca.crt', KEY } = process.env;
if (!KEY) throw new Error('Set KEY to an API key; examples/README.md shows how to get one.');

const client = createClient({
  baseUrl: RF,
  fetch: tlsFetch({ ca: readFileSync(CA) }),
  credential: { apiKey: KEY },
});
// Your own id for an employee. Each run uses a new id, so that the employee starts without money.
const employee = `emp-${randomUUID()}`;
const print = (line: string) => process.stdout.write(`${line}\n`);
const inPounds = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP' });
const amount = (name: string, pence: number) => print(name.padEnd(12) + inPounds.format(pence / 100).padStart(9));

const paycheck = await client.calculatePaycheck({
  body: {
    employee_id: employee,
    gross_pay: 284_735,
    obligations: [
      { type: 'Rent', amount: 95_000, category: 'FIXED' },
      { type: 'Energy', amount: 14_250, category: 'FIXED' },
    ],
  },
});
amount('Wage', paycheck.gross_income);

const landlord = await client.addProvider({
  body: { name: 'Larch Lettings', category: 'HOUSING', sort_code: '20-00-00', account_number: '55779911' },
});
print(`${'Payee'.padEnd(12)}${landlord.name}, account ${landlord.account_number}`);

const rent = paycheck.vaults.find(({ type }) => type === 'Rent')!;
const { payment_id } = await client.executePayment({
  body: {
    vault_allocation_id: rent.allocation_id,
    amount: rent.amount,
    currency: 'GBP',
    provider_id: landlord.provider_id,
    reference: 'RENT NOV',
  },
});
const payment = await client.untilPaymentEnds(payment_id);
for (const { status, detail } of payment.timeline) print(status.padEnd(12) + detail);
if (payment.status !== 'completed') throw new Error(`The payment is ${payment.status}.`);

const { vaults, buffer, safe_to_spend } = await client.listVaults({ path: { user_id: employee } });
for (const { label, balance } of vaults) amount(label ?? 'Vault', balance);
amount('Buffer', buffer);
amount('To spend', safe_to_spend);
amount('Paid', payment.amount);
