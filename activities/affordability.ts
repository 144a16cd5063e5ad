import { assess, standing } from '../domain/affordability.ts';
import type { Principal } from '../domain/auth.ts';
import { addMonths, londonDateOf } from '../domain/dates.ts';
import { DomainError } from '../domain/errors.ts';
import { PAYCHECKS_COUNTED, type Finances, type Frequency } from '../domain/finances.ts';
import { pence } from '../domain/money.ts';
import { PAYEE_CATEGORIES, type PayeeCategory } from '../domain/payments.ts';
import * as queries from '../infra/db/queries/affordability.ts';
import type { Tx } from '../infra/db/transaction.ts';
import type { Services } from '../infra/services.ts';
import type { AffordabilityRequest } from '../openapi/types.ts';
import { countStored } from './day-limits.ts';
import { DEFAULT_LIMIT, pagesOf, type QueryOf } from './page.ts';
import { readOutlook } from './outlook.ts';
import { countHistory } from './payment-history.ts';

const MONTHS_BACK = 12;

type AffordabilityServices = Pick<Services, 'db' | 'clock' | 'keys' | 'threads'>;

export type PreparedCheck = Awaited<ReturnType<typeof financesNow>>;

export async function simulateAffordability(
  tx: Tx,
  { newId, config }: Pick<Services, 'newId' | 'config'>,
  { principal, ...request }: AffordabilityRequest & { principal: Principal },
  { finances, now }: PreparedCheck,
) {
  const { user_id, proposed_amount, frequency, category = null } = request;
  const check = {
    check_id: newId('chk'),
    owner_id: user_id,
    proposed_amount,
    frequency,
    category,
    result: assess(finances, { amount: pence(proposed_amount), frequency, category }),
    calculated_at: now.toISOString(),
  };
  await tx.run(queries.insertCheck(check));
  await countStored(tx, { config }, { by: principal, ownerId: user_id, kind: 'checks', at: now });
  return checkOf(check);
}

export const affordabilityActivities = (services: AffordabilityServices) => ({
  /** Happens before the transaction, because a thread judges many payments. */
  prepareCheck: ({ user_id }: { user_id: string }) => financesNow(services, user_id),

  async readAffordabilityScore({ user_id }: { user_id: string }) {
    const { finances, now } = await financesNow(services, user_id);
    return { user_id, ...standing(finances), calculated_at: now.toISOString() };
  },

  async listAffordabilityChecks(request: QueryOf<'listAffordabilityChecks'> & { user_id: string }) {
    const { user_id, limit = DEFAULT_LIMIT, cursor } = request;
    const pages = pagesOf(services, { operation: 'listAffordabilityChecks', filter: { user_id } });
    const rows = await services.db.many(queries.checksOfOwner(user_id, await pages.after(cursor), limit + 1));
    return pages.page(rows, limit, checkOf);
  },
});

async function financesNow(
  { db, clock, threads }: Pick<AffordabilityServices, 'db' | 'clock' | 'threads'>,
  ownerId: string,
) {
  const now = await clock.now(db);
  const today = londonDateOf(now);
  const period = { from: addMonths(today, -MONTHS_BACK), to: today };
  const counted = { owner_id: ownerId, ...period, categories: PAYEE_CATEGORIES };
  const row = await db.one(queries.financesOf(counted, PAYCHECKS_COUNTED));
  if (row.income_basis === null) {
    throw new DomainError(
      'no-income-on-record',
      'This owner has no paycheck yet. Calculate a paycheck first, then check again.',
    );
  }
  const finances: Finances = {
    ...(row.running ? await lowestAhead({ db, clock }, ownerId) : { safeToSpend: pence(row.safe_to_spend) }),
    buffer: pence(row.buffer),
    grossPays: row.gross_pays.map(pence),
    incomeBasis: row.income_basis,
    payments: await countHistory(threads, { payments: row.payments, now }),
  };
  return { finances, now };
}

/** With a standing split, money that is safe to spend now can be needed by the next bill. */
async function lowestAhead(services: Pick<Services, 'db' | 'clock'>, ownerId: string) {
  const { lowest } = await readOutlook(services, { user_id: ownerId });
  return { safeToSpend: pence(Math.max(0, lowest.amount)), lowestOn: lowest.date };
}

function checkOf(check: Omit<queries.CheckRow, 'seq'>) {
  const { check_id, owner_id, proposed_amount, frequency, category, result, calculated_at } = check;
  return {
    check_id,
    user_id: owner_id,
    proposed_amount,
    frequency: frequency as Frequency,
    category: category as PayeeCategory | null,
    ...(result as ReturnType<typeof assess>),
    calculated_at,
  };
}
