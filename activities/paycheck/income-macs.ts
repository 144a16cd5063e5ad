import type { Queries } from '../../infra/db/connection.ts';
import type { IncomeEvidence } from '../../domain/paycheck/evidence.ts';
import type { LockedOwner } from '../../infra/db/locked-owner.ts';
import { pageOfIncomes, type MacedIncome } from '../../infra/db/queries/macs.ts';
import type { BookedRow } from '../../infra/db/queries/paycheck.ts';
import { ownerEvidence, type Evidencing } from '../../infra/db/queries/payments.ts';
import type { Services } from '../../infra/services.ts';
import { OUTCOME_MACS } from '../payments/outcome-macs.ts';
import { isGenuine, scanned, type Authentic, type Maced, type MacedKind, type Scan, type Scanned } from '../macs.ts';

type IncomeFacts = Omit<MacedIncome, 'mac' | 'mac_version'>;

/** The id and the revision are part of it, so that a copy of a row proves nothing. */
export const INCOME_MACS: MacedKind<IncomeFacts> = {
  what: 'asserted income',
  idOf: ({ calculation_id }) => calculation_id,
  fieldsOf: (income) => [
    ...[income.calculation_id, income.owner_id, income.pay_date, income.number, income.revision],
    ...[income.gross_income, income.income_evidence, income.calculated_by],
  ],
};

/**
 * `evidenced` is the asserted income that the service itself stored. Interest is added if all income is such, and if only the
 * service gave money back. `spent` leaves out the payment.
 */
export async function evidenceOfOwner(
  { id, tx }: LockedOwner,
  services: Authentic,
  wanted: Evidencing = {},
): Promise<{ evidenced: number; spent: number }> {
  const { asserted, interest, returns, sent, given_back } = await tx.one(ownerEvidence(id, wanted));
  const readAt = performance.now();
  const returned = await genuineOf(services, OUTCOME_MACS, given_back, readAt);
  const incomes = await genuineOf(services, INCOME_MACS, asserted, readAt);
  const allGenuine = incomes.length === asserted.length && returned.length === returns;
  const evidenced = sumOf(incomes.map(({ gross_income }) => gross_income)) + (allGenuine ? interest : 0);
  return { evidenced, spent: sent - sumOf(returned.map(({ amount }) => amount)) };
}

async function genuineOf<Row extends Maced>(
  services: Authentic,
  kind: MacedKind<Row>,
  rows: readonly Row[],
  readAt: number,
): Promise<Row[]> {
  const genuine: Row[] = [];
  for (const row of rows) if (await isGenuine(services, kind, row, readAt)) genuine.push(row);
  return genuine;
}

const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

interface Opened {
  income_evidence: IncomeEvidence | null;
  booked: BookedRow | null;
}

/** A false assertion is as stated income. Otherwise a further revision of it would count only the difference. */
export async function evidenceIn(
  services: Authentic,
  { income_evidence, booked }: Opened,
): Promise<IncomeEvidence | null> {
  if (!booked?.asserted) return income_evidence;
  return (await isGenuine(services, INCOME_MACS, booked.asserted)) ? 'asserted' : 'stated';
}

/** Reads all calculations, of which only the asserted ones are checked. */
export async function findIncomeTampering(db: Queries, keys: Services['keys'], scan: Scan): Promise<Scanned> {
  const rows = await db.many(pageOfIncomes(scan.after ?? '', scan.limit));
  return scanned(keys, INCOME_MACS, rows, scan);
}
