import { inPounds } from '../../domain/money.ts';
import type { SandboxPayeeId } from '../../domain/sandbox-payees.ts';
import type { Person } from './account.ts';
import { readAgain, type ReadWage } from './bank.ts';
import { WAGE } from './documents.ts';
import type { Paycheck } from './money.ts';
import { follow, payFrom, printPayment } from './payments.ts';
import { must, mustBe, type Stage } from './stage.ts';

/** Of a consent, in pence. */
interface Limits {
  per_payment: number;
  per_month: number;
  valid_until: string | null;
}

export const [RENT, ENERGY] = [95_000, 14_250];
const LIMITS: Limits = { per_payment: RENT, per_month: RENT, valid_until: null };
export const LANDLORD = 'prov_sandbox_lost_reply';

/** The person says that the credit is a wage, and it is split. */
export async function splitWage(stage: Stage, { userId }: Person, { transaction_id }: ReadWage): Promise<Paycheck> {
  const { client, teller } = stage;
  teller.step(
    'Say that it is a wage',
    'Only the person can name a payer for the first time. From now on, wages of this payer are confirmed by themselves.',
  );
  const wage = await client.confirmWage({ body: { transaction_id } });
  teller.answered(201, `${wage.wage_id}: ${inPounds(wage.amount)} from ${wage.payer ?? '?'}, ${wage.status}`);
  mustBe('The status of the wage', wage.status, 'confirmed');

  teller.step(
    'Calculate the paycheck from it',
    'The bank says the amount and the day, and a wage counts once. It replaces the figure that was only stated for this day.',
  );
  const obligations = [
    { type: 'Rent', amount: RENT, category: 'FIXED' as const },
    { type: 'Energy', amount: ENERGY, category: 'FIXED' as const },
  ];
  const body = { employee_id: userId, wage_id: wage.wage_id, obligations, include_history: false };
  const paycheck = await client.calculatePaycheck({ body });
  teller.answered(
    201,
    `${paycheck.id}, revision ${paycheck.revision} of the paycheck of ${paycheck.pay_date}; evidence: ${paycheck.income_evidence}`,
  );
  mustBe('The wage', paycheck.gross_income, WAGE);
  mustBe('The evidence', paycheck.income_evidence, 'bank');
  return paycheck;
}

export async function payFromOwnBank(
  stage: Stage,
  person: Person,
  paycheck: Paycheck,
  reading: ReadWage,
): Promise<void> {
  const { client, teller } = stage;
  teller.step(
    'Let the service pay the rent from this bank',
    `One consent pays one payee, within limits that the person sees and agrees to: here ${inPounds(RENT)} a month.`,
  );
  const path = await connectPayee(stage, person, LANDLORD, LIMITS);

  teller.step(
    'Pay the rent from it',
    'The payment finds the connection of its payee. This payee drops the reply of the bank: the service asks what became of the payment, and pays once.',
  );
  const payment = await client.executePayment(payFrom(paycheck, 'Rent', LANDLORD));
  printPayment(stage, 201, payment);
  mustBe('The connection of the payment', payment.connection_id ?? 'none', path.connection_id);
  await follow(stage, payment, 'completed');
  const { limits, used_this_month } = await client.getConnection({ path });
  mustBe('What the month has used, in pence,', used_this_month ?? 0, RENT);
  teller.answered(200, `used this month: ${inPounds(RENT)} of ${inPounds(limits?.per_month ?? 0)}`);

  teller.step('Find it in the account', 'The bank booked it like any other payment. The accounts are read again.');
  const items = await readAgain(stage, reading);
  const booked = items.filter(({ amount, reference }) => amount === -RENT && reference === 'RENT');
  must(booked.length === 1, `The rent should be in the account once, but it is there ${booked.length} times.`);
  teller.found('the rent left the person’s own account, once');
}

/** The person grants a connection that pays one payee. @returns its path */
export async function connectPayee(
  { api, client, teller }: Stage,
  person: Person,
  provider_id: SandboxPayeeId,
  limits: Limits,
): Promise<{ connection_id: string }> {
  const body = { user_id: person.userId, bank_id: 'sandbox', kind: 'payments', provider_id, limits } as const;
  const { connection_id, status, authorise_url } = await client.connectBank({ body });
  teller.answered(201, `the connection ${connection_id}, ${status}`);
  await api.approve({ ...person, customer: person.userId, authoriseUrl: authorise_url! });
  const path = { connection_id };
  const granted = await client.getConnection({ path });
  mustBe('The status of the connection', granted.status, 'authorised');
  teller.answered(200, `${granted.status}; it pays from ${granted.paying_account?.account_number_masked ?? '?'}`);
  return path;
}
