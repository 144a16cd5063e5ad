import { setTimeout as sleep } from 'node:timers/promises';
import { addDays, addMonths, daysBetween, londonDateOf, type CalendarDate } from '../../domain/dates.ts';
import { inPounds } from '../../domain/money.ts';
import type { Client, Output } from '../../client/src/index.ts';
import { paydayWorkflowId } from '../../workflows/ids.ts';
import type { Person } from './account.ts';
import { readAgain, readBacking, receiveWage, type ReadWage } from './bank.ts';
import { WAGE } from './documents.ts';
import { connectPayee, ENERGY, LANDLORD, RENT } from './own-bank.ts';
import { issueKey, must, mustBe, soon, workflowPage, type Stage } from './stage.ts';

type Payday = Output<'listPaydays'>['items'][number] & { atOnce: readonly string[] };

/** The month in which the standing split begins: its first day, and a client that moves the clock. */
interface Month {
  began: CalendarDate;
  operator: Client;
}

const ENERGY_COMPANY = 'prov_sandbox_instant';
/** The boiler service costs twice what a wage sets aside for it. */
const [BOILER, HOLIDAY] = [4_000, 20_000];
const BOILER_SERVICE = 2 * BOILER;
const BUFFER = 28_474;
/** Days from the start of a month to the rent's day. */
const UNTIL_RENT = 7;
const LIMITS = { per_payment: ENERGY, per_month: ENERGY + BOILER_SERVICE, valid_until: null };
const DAYS_AHEAD = 35;
/** The sandbox bank follows the clock within this time. */
const BANK_FOLLOWS_MS = 1_000;

export async function setStandingSplit(stage: Stage, person: Person): Promise<Month> {
  const { api, client, teller } = stage;
  teller.step(
    'Let the service pay the energy company too',
    'For each payee there is a consent of its own. The person can end each one alone.',
  );
  await connectPayee(stage, person, ENERGY_COMPANY, LIMITS);

  const operator = api.clientFor({ apiKey: await issueKey(stage, 'admin:audit') }, { quiet: true });
  const began = await moveClock(operator, 'P1M');
  const fixed = { category: 'FIXED', provider_id: ENERGY_COMPANY, pay_on: 'on_arrival' } as const;
  teller.step(
    'Say once what happens with each wage',
    `A month has passed: it is ${began}. The standing split sets amounts aside and pays bills: on a day of the month, or when the wage arrives. A bill may cost more than one wage sets aside.`,
  );
  const rent = { type: 'Rent', amount: RENT, category: 'FIXED', provider_id: LANDLORD, reference: 'RENT' } as const;
  const split = await client.setStandingSplit({
    path: { user_id: person.userId },
    body: {
      obligations: [
        { ...rent, pay_on: Number(addDays(began, UNTIL_RENT).slice(8)) },
        { ...fixed, type: 'Energy', amount: ENERGY, reference: 'ENERGY' },
        { ...fixed, type: 'Boiler service', amount: BOILER, pay_amount: BOILER_SERVICE, reference: 'BOILER' },
        { type: 'Holiday', amount: HOLIDAY, category: 'SAVINGS' },
      ],
      buffer_rate: '0.10',
    },
  });
  teller.answered(200, `version ${split.version}, with ${split.obligations.length} entries`);
  mustBe('The number of entries', split.obligations.length, 4);
  return { began, operator };
}

/** The rent is scheduled, the energy is paid, and the boiler service waits. */
export async function waitForPayday(stage: Stage, person: Person, reading: ReadWage): Promise<Payday> {
  stage.teller.step(
    'Wait for payday',
    'The next wage comes from a payer whom the person has named, so it is confirmed by itself. Then its payday begins: one calculation, and a payment for each bill.',
  );
  await receiveWage(stage, person, reading);
  const payday = await paydayAfter(stage, 0);
  mustBe('What the payday left out', leftOut(payday), `Boiler service ${BOILER_SERVICE} vault-short`);
  mustBe('The number of payments', payday.payments.length, 2);
  await allComplete(stage, payday.atOnce);
  stage.teller.found('the rent waits for its day; the boiler service waits until its vault has enough');
  return payday;
}

/** The account shows each bill once. */
export async function findBillsInAccount(
  stage: Stage,
  { operator }: Month,
  { payments }: Payday,
  reading: ReadWage,
): Promise<void> {
  const { quiet, teller } = stage;
  const today = await moveClock(operator, `P${UNTIL_RENT}D`);
  teller.step('Let the day of the rent come', `It is ${today}. The workflow of the payment has slept until today.`);
  await allComplete(stage, payments);

  teller.step(
    'Find each bill in the account',
    'After a sync, the service looks for the payments in the account that paid them: by amount, reference and day.',
  );
  await readAgain(stage, reading);
  for (const payment_id of payments) {
    const look = async () => {
      const payment = await quiet.getPayment({ path: { payment_id } });
      return payment.reconciliation.status === 'matched' ? payment : undefined;
    };
    const { amount, reconciliation } = await soon(look, `The payment ${payment_id} should be in the account.`);
    const { items } = await quiet.listTransactions();
    const booked = items.filter(({ matched }) => matched?.id === payment_id);
    mustBe(
      'The transactions of the payment',
      booked.map(({ transaction_id }) => transaction_id).join(),
      reconciliation.transaction_id ?? '',
    );
    mustBe('The amount of the transaction, in pence,', booked[0]!.amount, -amount);
    teller.answered(200, `${payment_id}: ${inPounds(amount)}, found as ${booked[0]!.transaction_id}`);
  }
  teller.found('each bill left the account once');
}

/** The next wage completes what the boiler service costs. */
export async function saveUp(
  stage: Stage,
  person: Person,
  { began, operator }: Month,
  reading: ReadWage,
): Promise<void> {
  const days = daysBetween(addDays(began, UNTIL_RENT), addMonths(began, 1));
  const today = await moveClock(operator, `P${days}D`);
  stage.teller.step(
    'Let the next wage come',
    `It is ${today}. The rent is paid once a calendar month, and now there is enough for the boiler service.`,
  );
  await receiveWage(stage, person, reading);
  const payday = await paydayAfter(stage, 1);
  mustBe('What the payday left out', leftOut(payday), '');
  mustBe('The number of payments', payday.payments.length, 3);
  await allComplete(stage, payday.atOnce);
  stage.teller.found('the boiler service is paid from two wages');
}

export async function lookAhead(stage: Stage, person: Person): Promise<void> {
  const { client, quiet, teller } = stage;
  const path = { user_id: person.userId };
  teller.step(
    'Look ahead',
    'Three wages of this payer show a rhythm, so the service expects the next one. Each day shows what will be safe to spend.',
  );
  const outlook = await client.readOutlook({ path, query: { days: DAYS_AHEAD } });
  const eventful = outlook.days.filter(({ in: added, out, bills }) => added + out + bills.length > 0);
  teller.answered(
    200,
    `from ${inPounds(outlook.starts_with)}; the lowest is ${inPounds(outlook.lowest.amount)} on ${outlook.lowest.date}:`,
  );
  teller.table(
    eventful.map(({ date, in: added, out, balance, bills }) => ({
      what: `  ${date}`,
      amount: balance,
      remark: [
        ...(added > 0 ? [`a wage leaves ${inPounds(added)}`] : []),
        ...bills.map(({ type, amount }) => `${type} ${inPounds(amount)}`),
        ...(out > 0 ? [`${inPounds(out)} is not set aside`] : []),
      ].join(', '),
    })),
  );
  const { safe_to_spend } = await quiet.listVaults({ path });
  mustBe('What is safe to spend now', outlook.starts_with, safe_to_spend);
  const wages = eventful.map((day) => day.in).filter((added) => added > 0);
  mustBe('What the next wage leaves', wages.join(), String(WAGE - RENT - ENERGY - BOILER - HOLIDAY - BUFFER));
  const rents = eventful.flatMap(({ bills }) => bills).filter(({ type }) => type === 'Rent');
  must(rents.length > 0, 'The outlook should have the rent.');
  must(outlook.short_on === null, `Money should never be short, but it is on ${outlook.short_on ?? ''}.`);

  teller.step('Ask again whether the money is there', 'The bills have left the vaults and the account alike.');
  const { covered } = await readBacking(stage, person);
  must(covered, 'The accounts should hold all that is set aside.');
}

/** @returns the newest payday, once it has ended. */
async function paydayAfter({ config, client, quiet, teller }: Stage, earlier: number): Promise<Payday> {
  const [found] = await soon(async () => {
    const { items } = await quiet.listPaydays();
    return items.length > earlier && items[0]?.ended_at ? items : undefined;
  }, 'The payday should have ended by now.');
  const { items } = await client.listPaydays({ query: { limit: 1 } });
  mustBe('The newest payday', items[0]?.wage_id ?? 'none', found!.wage_id);
  const { wage_id, calculation_id, payments, left_out, attention_reason } = found!;
  mustBe('What needs attention', attention_reason ?? 'nothing', 'nothing');
  teller.answered(200, `${calculation_id ?? '?'} of ${wage_id}:`);
  const paid = await Promise.all(payments.map((payment_id) => quiet.getPayment({ path: { payment_id } })));
  teller.table([
    ...paid.map(({ provider_id, amount, execute_on, status }) => ({
      what: `  ${provider_id}`,
      amount,
      remark: execute_on === null ? status : `${status} until ${execute_on}`,
    })),
    ...left_out.map(({ type, amount, reason }) => ({ what: `  ${type}`, amount, remark: `left out: ${reason}` })),
  ]);
  teller.look('Its workflow', workflowPage(config, paydayWorkflowId(wage_id)));
  return {
    ...found!,
    atOnce: paid.filter(({ execute_on }) => execute_on === null).map(({ payment_id }) => payment_id),
  };
}

/** @returns the new day */
async function moveClock(operator: Client, advance: string): Promise<CalendarDate> {
  const { now } = await operator.moveClock({ body: { advance } });
  await sleep(BANK_FOLLOWS_MS);
  return londonDateOf(new Date(now));
}

const leftOut = ({ left_out }: Payday) =>
  left_out.map(({ type, amount, reason }) => `${type} ${amount} ${reason}`).join();

async function allComplete({ quiet, teller }: Stage, payments: readonly string[]): Promise<void> {
  for (const payment_id of payments) {
    const { amount, status, connection_id } = await quiet.untilPaymentEnds(payment_id);
    mustBe(`The status of ${payment_id}`, status, 'completed');
    must(connection_id !== null, `The own bank should pay ${payment_id}.`);
    teller.answered(200, `${payment_id}: ${inPounds(amount)}, ${status}`);
  }
}
