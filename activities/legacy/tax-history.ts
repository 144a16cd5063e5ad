import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { callerOf, type Principal } from '../../domain/auth.ts';
import { MOST_DOCUMENTS, taxHistory, type TaxDocument } from '../../domain/legacy/tax-history.ts';
import { newestParsed } from '../../infra/db/queries/legacy.ts';
import type { Services } from '../../infra/services.ts';
import { task } from '../../infra/threads/task.ts';
import { audit } from '../audit.ts';
import type { TaxHistory } from '../../openapi/types.ts';
import { extractedOf } from './read.ts';
import { openReading, type WithReading } from './record.ts';

/** How many documents are decrypted before other requests run. */
const AT_ONCE = 16;
/** Every pair of documents is compared, so a worker thread compares more documents than these. */
const FEW = 100;

const historyTask = task<typeof taxHistory>(
  new URL('../../domain/legacy/tax-history.ts', import.meta.url).href,
  'taxHistory',
);

export async function getTaxHistory(
  services: Services,
  { principal, user_id }: { principal: Principal; user_id: string },
): Promise<TaxHistory> {
  const rows = (await services.db.many(newestParsed(user_id, MOST_DOCUMENTS))).toReversed();
  const documents: TaxDocument[] = [];
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const some = rows.slice(from, from + AT_ONCE);
    documents.push(...(await Promise.all(some.map((row) => taxDocument(services, row)))));
    await yieldToOthers();
  }
  if (principal.kind === 'api_key' && rows.length > 0) {
    const data = { documents: rows.length, key_id: principal.keyId };
    const event = { subject: user_id, kind: 'document.tax-history-read', actor: callerOf(principal), data } as const;
    await audit(services.db, services, event);
  }
  const { threads } = services;
  const tax_years = documents.length <= FEW ? taxHistory(documents) : await threads.run(historyTask, documents);
  return { user_id, tax_years };
}

async function taxDocument(services: Services, row: WithReading): Promise<TaxDocument> {
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
