import type { Principal } from '../../domain/auth.ts';
import { incomeOf } from '../../domain/documents.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Period } from '../../domain/dates.ts';
import { daysOfPeriod } from '../../domain/legacy/period-days.ts';
import type { Pence } from '../../domain/money.ts';
import { documentById } from '../../infra/db/queries/legacy.ts';
import type { Services } from '../../infra/services.ts';
import { openReading, requireDocument, requireKept, auditAccess } from './record.ts';

/** `period` is null if the document does not state the days that it covers. */
export async function incomeOfDocument(
  services: Services,
  { principal, doc_id, owner_id }: { principal: Principal; doc_id: string; owner_id: string },
): Promise<{ income: Pence; period: Period | null }> {
  const row = await services.db.maybe(documentById(doc_id));
  const document = requireKept(requireDocument(row?.owner_id === owner_id ? row : undefined));
  const { status } = document;
  if (status !== 'parsed') {
    const detail =
      status === 'failed'
        ? 'The document could not be read. Send the income as gross_pay instead.'
        : 'The document is still being read. Try again once its status is parsed.';
    throw new DomainError('document-not-parsed', detail, { document_status: status });
  }
  const reading = await openReading(services, document);
  await auditAccess(services, principal, doc_id, 'income');
  return { income: incomeOf(reading), period: daysOfPeriod(reading) };
}
