import { DomainError } from '../../domain/errors.ts';
import { pence } from '../../domain/money.ts';
import { coveredBy } from '../../domain/payday/split.ts';
import * as queries from '../../infra/db/queries/payday.ts';
import type { EntryRow } from '../../infra/db/queries/payday.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { calculatePaycheck } from '../paycheck/index.ts';
import { end, goesOn, leaveOut, openPayday, type OpenPayday } from './record.ts';

export interface PaydayRef {
  wage_id: string;
}

/** The entries whose bills are left to pay. */
export interface BillsToPay {
  entry_ids: string[];
}

type Needs = Pick<Services, 'clock' | 'config' | 'keys' | 'log' | 'metrics' | 'newId'>;

/**
 * A step of the workflow: sets aside what the standing split says. Done once, however often it is called. If the wage
 * cannot be split, the payday ends, and the person should look at it.
 */
export async function splitWage(services: Services, { wage_id }: PaydayRef): Promise<BillsToPay> {
  const { db } = services;
  try {
    return await db.transaction((tx) => split(tx, services, wage_id));
  } catch (error) {
    if (!(error instanceof DomainError) || error.code === 'dependency-unavailable') throw error;
    // A confirmed wage can only have been reversed meanwhile.
    const reason = error.code === 'wage-not-confirmed' ? 'wage-reversed' : error.code;
    await db.transaction((tx) => giveUp(tx, services, { wage_id, reason }));
    return { entry_ids: [] };
  }
}

async function split(tx: Tx, services: Needs, wageId: string): Promise<BillsToPay> {
  const open = await openPayday(tx, services, wageId);
  const { owner, payday, wage } = open;
  if (payday.ended_at !== null) return { entry_ids: [] };
  if (!goesOn(open)) {
    await end(open, services, wage.status === 'confirmed' ? null : 'wage-reversed');
    return { entry_ids: [] };
  }
  const entries = await tx.many(queries.entriesOf(owner.id));
  if (payday.calculation_id === null) await setAside(open, services, entries);
  const done = new Set((await tx.many(queries.billsOf(wageId))).map(({ entry_id }) => entry_id));
  const left = entries.filter(({ entry_id, provider_id }) => provider_id !== null && !done.has(entry_id));
  return { entry_ids: left.map(({ entry_id }) => entry_id) };
}

/** A paycheck that somebody calculated from the wage before stays as it is. */
async function setAside(open: OpenPayday, services: Needs, entries: readonly EntryRow[]): Promise<void> {
  const { owner, wage, split: standing } = open;
  const calculationId = wage.calculation_id ?? (await calculate());
  await owner.tx.run(queries.paydaySplit(wage.wage_id, calculationId));

  async function calculate(): Promise<string> {
    const covered = coveredBy(
      pence(wage.amount),
      entries.map(({ amount }) => pence(amount)),
    );
    const obligations = entries
      .slice(0, covered)
      .map(({ type, amount, category }) => ({ type, amount, category: category }));
    const rate = standing?.buffer_rate ?? undefined;
    const { id } = await calculatePaycheck(owner.tx, services, {
      ...{ principal: null, employee_id: owner.id, wage_id: wage.wage_id, obligations },
      ...(rate !== undefined && { buffer_rate: rate }),
    });
    for (const entry of entries.slice(covered)) {
      leaveOut(open, services, { entry, amount: entry.amount, reason: 'not-covered' });
    }
    return id;
  }
}

async function giveUp(tx: Tx, services: Needs, { wage_id, reason }: PaydayRef & { reason: string }): Promise<void> {
  const open = await openPayday(tx, services, wage_id);
  const isWithout = open.payday.calculation_id === null && open.payday.ended_at === null;
  if (isWithout) await end(open, services, reason);
}

/** The last step of the workflow. @returns why the person should look at the payday, or null. */
export async function endPayday(services: Services, { wage_id }: PaydayRef): Promise<{ attention: string | null }> {
  return services.db.transaction(async (tx) => {
    const open = await openPayday(tx, services, wage_id);
    const { payday, wage } = open;
    // Without a calculation, `splitWage` ends the payday.
    if (payday.ended_at !== null || payday.calculation_id === null) return { attention: payday.attention };
    const attention = wage.status === 'confirmed' ? null : 'wage-reversed';
    await end(open, services, attention);
    return { attention };
  });
}
