import { inPounds } from '../../domain/money.ts';
import type { Output } from '../../client/src/index.ts';
import type { Person } from './account.ts';
import { WAGE } from './documents.ts';
import type { Row } from './print.ts';
import { must, mustBe, operatorCommand, type Stage } from './stage.ts';

export type Paycheck = Output<'calculatePaycheck'>;
type Balances = Output<'listVaults'>;

/** In pence. */
const HOLIDAY = 20_000;

const OBLIGATIONS = [
  { type: 'Rent', amount: 95_000, category: 'FIXED' },
  { type: 'Energy', amount: 14_250, category: 'FIXED' },
  { type: 'Council tax', amount: 16_300, category: 'FIXED' },
] as const;

export async function calculatePaycheck(
  { client, teller }: Stage,
  { userId }: Person,
  docId: string,
): Promise<Paycheck> {
  teller.step(
    'Calculate the paycheck',
    'The net pay of the payslip is split to the penny. This moves money in the ledger: each obligation gets a vault with an allocation.',
  );
  const paycheck = await client.calculatePaycheck({
    body: {
      employee_id: userId,
      payslip_doc_id: docId,
      obligations: [...OBLIGATIONS],
      buffer_rate: '0.10',
      include_history: false,
    },
  });
  const { gross_income, locked_for_bills, locked_buffer, clean_safe_to_spend, vaults } = paycheck;
  teller.answered(201, `${paycheck.id}, revision ${paycheck.revision} of the paycheck of ${paycheck.pay_date}:`);
  teller.table([
    { what: 'Wage', amount: gross_income },
    ...vaults.map(({ type, amount, category }): Row => ({
      what: `- ${type}`,
      amount,
      remark: `into its ${category} vault`,
    })),
    { what: '- Safety buffer', amount: locked_buffer, remark: '10 % of the wage is £284.735; half a penny rounds up' },
    { what: '= Safe to spend', amount: clean_safe_to_spend, total: true },
  ]);
  mustBe('The wage', gross_income, WAGE);
  mustBe('The sum locked for bills', locked_for_bills, 125_550);
  mustBe('The safety buffer', locked_buffer, 28_474);
  mustBe('What is safe to spend', clean_safe_to_spend, 130_711);
  return paycheck;
}

export async function showVaults(stage: Stage, { userId }: Person, paycheck: Paycheck): Promise<void> {
  const { teller } = stage;
  teller.step('Show the vaults', 'Where the money is now: all balances, read from the ledger at one moment.');
  const balances = await readBalances(stage, userId);
  teller.answered(200, `${balances.vaults.length} vaults, and the money outside them:`);
  teller.table([...vaultRows(balances), ...otherRows(balances)]);
  for (const { type, amount, vault_id } of paycheck.vaults) {
    mustBe(`The ${type} vault`, balances.vaults.find((vault) => vault.vault_id === vault_id)?.balance ?? 0, amount);
  }
}

export async function allocate({ client, teller }: Stage, { userId }: Person): Promise<void> {
  teller.step(
    'Save something',
    `${inPounds(HOLIDAY)} from safe to spend into a SAVINGS vault. One penny too many would be refused with 422 exceeds-safe-to-spend.`,
  );
  const allocation = await client.allocate({
    body: { user_id: userId, vault_type: 'SAVINGS', amount: HOLIDAY, label: 'Holiday' },
  });
  teller.answered(
    201,
    `${allocation.allocation_id} holds ${inPounds(allocation.available)}; ${inPounds(allocation.safe_to_spend_remaining)} stay safe to spend`,
  );
  mustBe('What is safe to spend after it', allocation.safe_to_spend_remaining, 130_711 - HOLIDAY);
}

export async function addUp(stage: Stage, { userId }: Person, paid: number): Promise<void> {
  const { teller } = stage;
  teller.step('Add it all up', 'Every penny of the wage must be somewhere, once.');
  const balances = await readBalances(stage, userId);
  const sum = [
    ...balances.vaults.map(({ balance }) => balance),
    balances.safe_to_spend,
    balances.buffer,
    balances.in_flight,
    paid,
  ].reduce((a, b) => a + b, 0);
  teller.answered(200, 'the balances, and what the bank moved:');
  teller.table([
    ...vaultRows(balances),
    ...otherRows(balances),
    { what: 'Paid to payees', amount: paid, remark: 'according to the bank' },
    { what: '= Together', amount: sum, total: true, remark: `the wage was ${inPounds(WAGE)}` },
  ]);
  must(balances.in_flight === 0, `Nothing should be in flight now, but ${inPounds(balances.in_flight)} are.`);
  must(sum === WAGE, `The ledger does not add up: ${inPounds(sum)} instead of ${inPounds(WAGE)}.`);
  teller.found('vaults + safe to spend + buffer + in flight + paid = the wage');
  teller.look('The whole ledger, checked by the service itself', operatorCommand(stage.config, 'ledger verify'));
}

export async function isBack(stage: Stage, paycheck: Paycheck, type: string): Promise<void> {
  const { vaults, in_flight } = await readBalances(stage, paycheck.employee_id);
  const booked = paycheck.vaults.find((vault) => vault.type === type);
  const balance = vaults.find(({ vault_id }) => vault_id === booked?.vault_id)?.balance ?? 0;
  stage.teller.answered(
    200,
    `the ${type} vault holds ${inPounds(balance)} again, and ${inPounds(in_flight)} are in flight`,
  );
  mustBe(`The ${type} vault, in pence,`, balance, booked?.amount ?? 0);
  mustBe('What is in flight, in pence,', in_flight, 0);
}

function readBalances({ client }: Stage, userId: string): Promise<Balances> {
  return client.listVaults({ path: { user_id: userId } });
}

function vaultRows({ vaults }: Balances): Row[] {
  return vaults.map(({ label, vault_type, balance }) => ({
    what: label ?? vault_type,
    amount: balance,
    remark: vault_type,
  }));
}

function otherRows({ safe_to_spend, buffer, in_flight }: Balances): Row[] {
  return [
    { what: 'Safe to spend', amount: safe_to_spend },
    { what: 'Safety buffer', amount: buffer },
    { what: 'In flight', amount: in_flight, remark: 'taken from vaults by payments that have not settled' },
  ];
}
