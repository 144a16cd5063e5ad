import { callerOf, type Principal } from '../../domain/auth.ts';
import { taxHistory, type TaxDocument } from '../../domain/legacy/tax-history.ts';
import { parsedOfOwner, type DocumentRow } from '../../infra/db/statements/legacy.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import type { TaxHistory } from '../../openapi/types.ts';
import { extractedOf } from './read.ts';
import { openReading } from './record.ts';

export async function getTaxHistory(
  services: Services,
  { principal, user_id }: { principal: Principal; user_id: string },
): Promise<TaxHistory> {
  const rows = await services.db.many(parsedOfOwner(user_id));
  const documents: TaxDocument[] = [];
  for (const row of rows) documents.push(await taxDocument(services, row));
  if (principal.kind === 'api_key' && rows.length > 0) {
    const data = { documents: rows.length, key_id: principal.keyId };
    const event = { subject: user_id, kind: 'document.tax-history-read', actor: callerOf(principal), data } as const;
    await audit(services, event);
  }
  return { user_id, tax_years: taxHistory(documents) };
}

async function taxDocument(services: Services, row: DocumentRow): Promise<TaxDocument> {
  const reading = await openReading(services, row);
  return {
    doc_id: row.doc_id,
    document_type: reading.document_type,
    ...extractedOf(reading),
    pay_date: reading.pay_date?.value ?? null,
    tax_year: reading.tax_year?.value ?? null,
    paye_reference: reading.paye_reference?.value ?? null,
  };
}
