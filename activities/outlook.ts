import { MOST_CREDITS, WAGES_WITHIN_DAYS, isUsual } from '../domain/bank/wages.ts';
import { nextWageDays } from '../domain/bank/next-wages.ts';
import { addDays, londonDateOf, type CalendarDate } from '../domain/dates.ts';
import { least, MAX_AMOUNT, pence } from '../domain/money.ts';
import { OUTLOOK_DAYS, outlookOf, type Prospects, type StandingEntry } from '../domain/outlook.ts';
import { openPlanOf, type OpenPlan, type Paying } from '../domain/outlook/debts.ts';
import { DEFAULT_BUFFER_RATE } from '../domain/paycheck.ts';
import { balancesOfOwner } from '../infra/db/queries/allocations.ts';
import * as queries from '../infra/db/queries/outlook.ts';
import type { Tx } from '../infra/db/transaction.ts';
import type { Services } from '../infra/services.ts';
import { historiesOf } from './debt/history.ts';

/** The wages of so many payers are expected. */
const MOST_PAYERS = 20;

type OutlookServices = Pick<Services, 'db' | 'clock'>;

interface OutlookRequest {
  user_id: string;
  days?: number;
}

export async function readOutlook({ db, clock }: OutlookServices, { user_id, days = OUTLOOK_DAYS }: OutlookRequest) {
  const today = londonDateOf(await clock.now(db));
  const prospects = await db.transaction(async (tx) => {
    await tx.run(queries.oneSnapshot());
    return prospectsOf(tx, user_id, { today, to: addDays(today, days - 1) });
  });
  return outlookOf(prospects, days);
}

interface Ahead {
  today: CalendarDate;
  to: CalendarDate;
}

async function prospectsOf(tx: Tx, ownerId: string, { today, to }: Ahead): Promise<Prospects> {
  const split = await tx.one(queries.splitNow(ownerId));
  const { safe_to_spend, vaults } = await tx.one(balancesOfOwner(ownerId));
  const open = await tx.many(queries.openPayments(ownerId, to));
  const entries = split.running ? await tx.many(queries.entriesWithMonths(ownerId, today)) : [];
  // A payment of a paused split fails when it is due.
  const scheduled = open.filter(({ status, of_split }) => status === 'pending' && (split.running || !of_split));
  return {
    today,
    safeToSpend: pence(safe_to_spend),
    bufferRate: split.buffer_rate ?? DEFAULT_BUFFER_RATE,
    wages: await nextWages(tx, ownerId, { today, to }),
    entries: entries.map(entryOf),
    vaults: vaults
      .filter(({ closed_at }) => closed_at === null)
      .map(({ vault_type, label, balance }) => ({ category: vault_type, type: label, balance: pence(balance) })),
    scheduled: scheduled.map(({ execute_on, type, ...payment }) => ({
      ...payingOf(payment),
      on: execute_on ?? today,
      type,
    })),
    sent: open.filter(({ status }) => status === 'processing').map(payingOf),
    plans: await plansOf(tx, ownerId, today),
  };
}

async function nextWages(tx: Tx, ownerId: string, { today, to }: Ahead): Promise<Prospects['wages']> {
  const since = addDays(today, -WAGES_WITHIN_DAYS);
  const wanted = { ownerId, since, mostPayers: MOST_PAYERS, mostCredits: MOST_CREDITS };
  const payers = await tx.many(queries.payersWithCredits(wanted));
  return payers.flatMap(({ amount, credits }) => {
    const wages = credits.filter((credit) => isUsual(credit.amount, amount));
    const days = { wages: wages.map(({ on }) => on), credits: credits.map(({ on }) => on) };
    // At this limit, the sums of all days stay exact.
    const expected = least(pence(amount), MAX_AMOUNT);
    return nextWageDays(days, { from: today, to }).map((on) => ({ on, amount: expected }));
  });
}

async function plansOf(tx: Tx, ownerId: string, today: CalendarDate): Promise<OpenPlan[]> {
  const open = await tx.many(queries.openPlans(ownerId));
  if (open.length === 0) return [];
  const plans: OpenPlan[] = [];
  const wanted = { ownerId, planIds: new Set(open.map(({ plan_id }) => plan_id)), from: open.at(-1)!.seq };
  for await (const { history, revisions } of historiesOf(tx, wanted)) {
    plans.push(openPlanOf(revisions.at(-1)!.name, history, today));
  }
  return plans;
}

function entryOf(row: queries.EntryWithMonths): StandingEntry {
  const { type, category, amount, provider_id, pay_day, pay_amount, pays_from, paid_months } = row;
  const entry = { type, category, amount: pence(amount) };
  if (provider_id === null) return { ...entry, bill: null };
  const bill = { providerId: provider_id, payDay: pay_day, amount: pence(pay_amount ?? amount) };
  return { ...entry, bill: { ...bill, paysFrom: pays_from, paidMonths: paid_months } };
}

function payingOf({ provider_id, amount }: Pick<queries.OpenPayment, 'provider_id' | 'amount'>): Paying {
  return { providerId: provider_id, amount: pence(amount) };
}
