import type { Queries } from '../../infra/db/connection.ts';
import type { IncomeEvidence } from '../../domain/paycheck/evidence.ts';
import type { LockedOwner } from '../../infra/db/locked-owner.ts';
import { pageOfIncomes, type MacedIncome } from '../../infra/db/queries/macs.ts';
import type { BookedRow } from '../../infra/db/queries/paycheck.ts';
import { ownerEvidence } from '../../infra/db/queries/payments.ts';
import type { Services } from '../../infra/services.ts';
import { isGenuine, scanned, type Authentic, type MacedKind, type Scan, type Scanned } from '../macs.ts';

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
 * `evidenced` is the asserted income that the service itself stored, plus interest if all income is such. `spent` leaves out
 * the payment.
 */
export async function evidenceOfOwner(
  { id, tx }: LockedOwner,
  services: Authentic,
  paymentId: string | null,
): Promise<{ evidenced: number; spent: number }> {
  const { asserted, interest, spent } = await tx.one(ownerEvidence(id, paymentId));
  const readAt = performance.now();
  let evidenced = 0;
  let allGenuine = true;
  for (const income of asserted) {
    if (await isGenuine(services, INCOME_MACS, income, readAt)) evidenced += income.gross_income;
    else allGenuine = false;
  }
  return { evidenced: evidenced + (allGenuine ? interest : 0), spent };
}

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
