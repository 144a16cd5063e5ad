import { covers, type Principal } from '../../domain/auth.ts';
import type { Period } from '../../domain/dates.ts';
import { DomainError, requireNoFaults } from '../../domain/errors.ts';
import { incomeFaults } from '../../domain/paycheck.ts';
import type { Services } from '../../infra/services.ts';
import { incomeOfDocument } from '../legacy/income.ts';

/** What a paycheck is calculated from: an amount in pence, or the document that shows it. */
export interface IncomeRequest {
  principal: Principal;
  employee_id: string;
  gross_pay?: number;
  payslip_doc_id?: string;
}

/** What came in, in pence. */
export interface Income {
  gross_pay: number;
  /** The days that the document covers, where one shows the income; null where it does not say. */
  document_period?: Period | null;
}

/**
 * The income to split: as it was sent, or the net pay of the document that was named.
 * @throws DomainError `invalid-request` unless exactly one was sent; of a document `insufficient-scope`, `not-found`,
 * `document-erased`, `document-not-parsed`, `document-confidence-too-low`.
 */
export async function readIncome(services: Services, request: IncomeRequest): Promise<Income> {
  const { principal, employee_id, gross_pay, payslip_doc_id } = request;
  requireNoFaults(incomeFaults(request));
  if (payslip_doc_id === undefined) return { gross_pay: gross_pay! };
  requireDocumentScope(principal);
  const asked = { principal, doc_id: payslip_doc_id, owner_id: employee_id };
  const { income, period } = await incomeOfDocument(services, asked);
  return { gross_pay: income, document_period: period };
}

/** Who may not read documents does not get to know what stands on one this way. */
function requireDocumentScope({ scopes }: Principal): void {
  const scope = 'read:documents';
  if (covers(scopes, scope)) return;
  throw new DomainError(
    'insufficient-scope',
    `To calculate from a document needs the scope ${scope}, which the credential was not granted.`,
    { scope },
  );
}
