import { covers, type Principal } from '../../domain/auth.ts';
import type { Period } from '../../domain/dates.ts';
import { DomainError, requireNoFaults } from '../../domain/errors.ts';
import { incomeFaults } from '../../domain/paycheck.ts';
import type { Services } from '../../infra/services.ts';
import { incomeOfDocument } from '../legacy/income.ts';

/** Either `gross_pay`, in pence, or `payslip_doc_id`. */
interface IncomeRequest {
  principal: Principal;
  employee_id: string;
  gross_pay?: number;
  payslip_doc_id?: string;
}

interface Income {
  gross_pay: number;
  /** Null if the document does not state the days that it covers. Absent without a document. */
  document_period?: Period | null;
}

export async function readIncome(services: Services, request: IncomeRequest): Promise<Income> {
  const { principal, employee_id, gross_pay, payslip_doc_id } = request;
  requireNoFaults(incomeFaults(request));
  if (payslip_doc_id === undefined) return { gross_pay: gross_pay! };
  requireDocumentScope(principal);
  const document = { principal, doc_id: payslip_doc_id, owner_id: employee_id };
  const { income, period } = await incomeOfDocument(services, document);
  return { gross_pay: income, document_period: period };
}

/** A paycheck shows part of the document's content. */
function requireDocumentScope({ scopes }: Principal): void {
  const scope = 'read:documents';
  if (covers(scopes, scope)) return;
  throw new DomainError(
    'insufficient-scope',
    `A calculation from a document needs the scope ${scope}, which the access token or API key does not have.`,
    { scope },
  );
}
