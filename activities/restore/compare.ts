import { statusOf } from '../../domain/payments.ts';
import { BOOKED_WITHIN_DAYS } from '../../domain/reconciliation.ts';
import { addDays, londonDateOf, startOfLondonDay, type CalendarDate } from '../../domain/dates.ts';
import { matchDebits, type Bookable, type Debit } from '../../domain/restore/match.ts';
import { BankError, UnknownToBank } from '../../infra/bank/interface.ts';
import { readSandboxMovements } from '../../infra/bank/sandbox-movements.ts';
import {
  changeRestore,
  doubtedPayments,
  knownPayments,
  type DoubtedRow,
} from '../../infra/db/queries/restore-steps.ts';
import type { Services } from '../../infra/services.ts';
import type { Statement } from '../../infra/statements/index.ts';
import { audit } from '../audit.ts';
import { actorOf, type Operated } from '../auth/applications.ts';
import { bankOf } from '../payments/consent.ts';
import { recordNews } from '../payments/news.ts';
import { bookedInAccounts } from './accounts.ts';
import { debitIds, keepDebits, type Unexplained } from './debits.ts';
import { lockBegun, requireBegun } from './open.ts';
import { completeDoubted } from './settle.ts';
import { debitsIn, houseBookables } from './house.ts';

type Needs = Services & Operated;

export interface Compared {
  completed: { payment_id: string; by: string }[];
  in_doubt: { payment_id: string; owner_id: string; amount: number; sent_on: string; attempt: number }[];
  /** How many questions no bank answered. */
  unanswered: number;
  unexplained: readonly Unexplained[];
}

/** Looks for the payments in doubt wherever they can be seen, and completes those that are found. Absence proves nothing. */
export async function compareRestore(services: Needs, statements: readonly Statement[]): Promise<Compared> {
  const { db } = services;
  const { restore_id, backup_at } = await requireBegun(db);
  const before = await db.many(doubtedPayments());
  const silent = await askBanks(services, before);
  const places = await look(services, { doubted: before, statements, backupDay: londonDateOf(new Date(backup_at)) });
  const seen = new Map(
    places.toReversed().flatMap(({ by, found }) => found.map((paymentId) => [paymentId, by] as const)),
  );
  const actor = actorOf(services);
  for (const { payment_id } of before) {
    const by = seen.get(payment_id);
    if (by !== undefined) await completeDoubted(services, { payment_id, by, actor });
  }
  const left = await db.many(doubtedPayments());
  const open = new Set(left.map(({ payment_id }) => payment_id));
  const completed = before
    .filter(({ payment_id }) => !open.has(payment_id))
    .map(({ payment_id }) => ({ payment_id, by: seen.get(payment_id) ?? 'the bank, which was asked' }));
  const unanswered = silent + places.filter(({ isSilent }) => isSilent).length;
  const unexplained = await db.transaction(async (tx) => {
    await lockBegun(tx);
    const open = await keepDebits(
      tx,
      restore_id,
      places.flatMap((place) => place.unexplained),
    );
    const counts = { completed: completed.length, in_doubt: left.length, unexplained: open.length };
    await tx.run(changeRestore(restore_id, { compared_at: (await services.clock.real(tx)).toISOString() }));
    await audit(tx, services, { subject: restore_id, kind: 'restore.compared', actor, data: counts });
    return open;
  });
  return { completed, in_doubt: left.map(shown), unanswered, unexplained };
}

interface Place {
  by: string;
  /** Ids of payments. */
  found: readonly string[];
  unexplained: readonly Unexplained[];
  isSilent?: boolean;
}

interface ToLookFor {
  doubted: readonly DoubtedRow[];
  statements: readonly Statement[];
  backupDay: CalendarDate;
}

async function look(services: Needs, { doubted, statements, backupDay }: ToLookFor): Promise<Place[]> {
  const places = isSandbox(services) ? [await inMovements(services, doubted)] : [];
  const booked = await bookedInAccounts(services, doubted);
  places.push({ by: 'the account that pays', found: [...booked.keys()], unexplained: [] });
  // What completed some days before can be booked as late as what is in doubt.
  const since = startOfLondonDay(addDays(earliestOf(doubted, backupDay), -1 - BOOKED_WITHIN_DAYS));
  for (const statement of statements) places.push(await inStatement(services, statement, { since, backupDay }));
  return places;
}

async function inStatement(
  services: Needs,
  statement: Statement,
  { since, backupDay }: { since: Date; backupDay: CalendarDate },
): Promise<Place> {
  const entries = debitsIn(statement);
  const { payments, debits, cameBack } = await houseBookables(services, { since, statement });
  const { found, unexplained } = matchDebits(payments, debits);
  const later = unexplained.filter(({ bookedOn }) => bookedOn >= backupDay);
  const booked = later.map(({ id }) => entries.get(id)!);
  const ids = debitIds(services.keys, booked);
  return {
    by: 'the statement',
    found: [...found.keys()].filter((paymentId) => !cameBack.has(paymentId)),
    unexplained: later.map(({ bookedOn: booked_on, amount, names }, index) => {
      const { bankReference: bank_reference } = booked[index]!;
      return { debit_id: ids[index]!, booked_on, amount, bank_reference, payment_id: names[0] ?? null };
    }),
  };
}

function shown({ payment_id, owner_id, amount, sent_on, attempt }: DoubtedRow): Compared['in_doubt'][number] {
  return { payment_id, owner_id, amount, sent_on, attempt };
}

function earliestOf(doubted: readonly DoubtedRow[], day: string): string {
  return doubted.reduce((earliest, { sent_on }) => (sent_on < earliest ? sent_on : earliest), day);
}

/** Only a payment that the bank calls completed ends its doubt. @returns how many banks did not answer. */
async function askBanks(services: Needs, doubted: readonly DoubtedRow[]): Promise<number> {
  let unanswered = 0;
  for (const { payment_id, attempt, bank_id, bank_payment_id } of doubted) {
    if (bank_payment_id === null) continue;
    try {
      const news = await bankOf(services, bank_id).payment(bank_payment_id);
      if (statusOf(news.status) === 'completed') await recordNews(services, { payment_id, attempt }, news);
    } catch (error) {
      if (!(error instanceof BankError) && !(error instanceof UnknownToBank)) throw error;
      unanswered += 1;
    }
  }
  return unanswered;
}

function isSandbox({ config }: Needs): boolean {
  return config.environment === 'sandbox' && config.bank.banksFile === undefined;
}

const SANDBOX = 'sandbox';

async function inMovements({ db, config, keys }: Needs, doubted: readonly DoubtedRow[]): Promise<Place> {
  const by = 'the movements of the sandbox bank';
  const answer = await readSandboxMovements(config.bank).catch(() => undefined);
  if (answer === undefined) return { by, found: [], unexplained: [], isSilent: true };
  const moved = answer.filter(({ direction }) => direction === 'out');
  const debits = moved.map(({ payment_id, amount, at }, index): Debit => {
    const bookedOn = londonDateOf(new Date(at));
    return { id: String(index), account: SANDBOX, amount, bookedOn, names: [payment_id], says: new Set() };
  });
  const payments = doubted.map(({ payment_id, amount, sent_on }): Bookable => {
    return { paymentId: payment_id, account: SANDBOX, amount, words: null, sentOn: sent_on };
  });
  const { found, unexplained } = matchDebits(payments, debits);
  const known = new Set(
    (await db.many(knownPayments(unexplained.map(({ names }) => names[0]!)))).map(({ payment_id }) => payment_id),
  );
  const lost = unexplained.filter(({ names }) => !known.has(names[0]!));
  const ids = debitIds(
    keys,
    lost.map(({ names }) => names),
  );
  return {
    by,
    found: [...found.keys()],
    unexplained: lost.map(({ bookedOn: booked_on, amount, names }, index) => {
      return { debit_id: ids[index]!, booked_on, amount, bank_reference: null, payment_id: names[0]! };
    }),
  };
}
