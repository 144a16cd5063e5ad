import type { VaultType } from '../../domain/ledger.ts';
import { pence } from '../../domain/money.ts';
import type { BookedPaycheck, Obligation, Split } from '../../domain/paycheck.ts';
import type { ObligationJson } from '../../infra/db/entities/paycheck.ts';
import type { BookedRow, CalculationRow } from '../../infra/db/queries/paycheck.ts';

export function figures(split: Split) {
  return {
    gross_income: split.grossIncome,
    locked_for_bills: split.lockedForBills,
    locked_buffer: split.lockedBuffer,
    clean_safe_to_spend: split.safeToSpend,
  };
}

export function splitOf(row: Omit<CalculationRow, 'seq'>): Split {
  return {
    grossIncome: pence(row.gross_income),
    lockedForBills: pence(row.locked_for_bills),
    lockedBuffer: pence(row.locked_buffer),
    safeToSpend: pence(row.safe_to_spend),
  };
}

export function calculationOf(row: Omit<CalculationRow, 'seq'>) {
  return {
    id: row.calculation_id,
    employee_id: row.owner_id,
    pay_date: row.pay_date,
    revision: row.revision,
    ...figures(splitOf(row)),
    vaults: row.obligations.map((obligation) => ({
      ...obligationOf(obligation),
      vault_id: obligation.vault_id,
      allocation_id: obligation.allocation_id,
    })),
    buffer_rate: row.buffer_rate,
    income_evidence: row.income_evidence,
    ...sourceOf({ payslip_doc_id: row.payslip_doc_id ?? undefined, wage_id: row.wage_id ?? undefined }),
    calculated_at: row.calculated_at,
  };
}

interface Source {
  payslip_doc_id?: string;
  wage_id?: string;
}

export function sourceOf({ payslip_doc_id, wage_id }: { [Name in keyof Source]: string | undefined }): Source {
  return { ...(payslip_doc_id !== undefined && { payslip_doc_id }), ...(wage_id !== undefined && { wage_id }) };
}

export function bookedOf(row: BookedRow): BookedPaycheck {
  return {
    grossIncome: pence(row.gross_income),
    lockedBuffer: pence(row.locked_buffer),
    safeToSpend: pence(row.safe_to_spend),
    obligations: row.obligations.map((obligation) => ({
      ...obligationOf(obligation),
      vaultId: obligation.vault_id,
      allocationId: obligation.allocation_id,
      available: pence(obligation.available),
    })),
  };
}

type Given = Pick<ObligationJson, 'type' | 'amount' | 'category'>;

export function obligationOf({ type, amount, category }: Given): Obligation {
  return { type, amount: pence(amount), category: category as VaultType };
}
