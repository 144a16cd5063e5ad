import { covers, type Principal, type Scope } from '../../domain/auth.ts';
import type { Period } from '../../domain/dates.ts';
import { DomainError, requireNoFaults } from '../../domain/errors.ts';
import { incomeFaults } from '../../domain/paycheck.ts';
import type { Services } from '../../infra/services.ts';
import { incomeOfDocument } from '../legacy/income.ts';

/** One of `gross_pay`, in pence, `payslip_doc_id` and `wage_id`. */
interface IncomeRequest {
  principal: Principal;
  employee_id: string;
  gross_pay?: number;
  payslip_doc_id?: string;
  wage_id?: string;
}

interface Income {
  /** Absent with a wage, which the calculation itself reads. */
  gross_pay?: number;
  /** Null if the document does not state the days that it covers. Absent without a document. */
  document_period?: Period | null;
}

export async function readIncome(services: Services, request: IncomeRequest): Promise<Income> {
  const { principal, employee_id, payslip_doc_id, wage_id } = request;
  requireNoFaults(incomeFaults(request));
  if (wage_id !== undefined) requireSourceScope(principal, 'read:bank', 'wage');
  if (payslip_doc_id === undefined) return {};
  requireSourceScope(principal, 'read:documents', 'document');
  const document = { principal, doc_id: payslip_doc_id, owner_id: employee_id };
  const { income, period } = await incomeOfDocument(services, document);
  return { gross_pay: income, document_period: period };
}

/** A paycheck shows part of what its income comes from. */
function requireSourceScope({ scopes }: Principal, scope: Scope, source: 'document' | 'wage'): void {
  if (covers(scopes, scope)) return;
  throw new DomainError(
    'insufficient-scope',
    `A calculation from a ${source} needs the scope ${scope}, which the access token or API key does not have.`,
    { scope },
  );
}
