import type { Principal } from '../../domain/auth.ts';
import { AMOUNT_FIELDS } from '../../domain/legacy/reading.ts';
import type { DocumentRow } from '../../infra/db/queries/legacy.ts';
import type { Services } from '../../infra/services.ts';
import type { ExtractedPayslip, PayslipDocument } from '../../openapi/types.ts';
import { onceDone } from '../once-done.ts';
import { keptDocument, openReading, auditAccess, type StoredReading } from './record.ts';

const EXTRACTED = ['employer_name', 'pay_period', ...AMOUNT_FIELDS] as const;
const FIELDS = [...EXTRACTED, 'pay_date', 'tax_year', 'tax_code', 'paye_reference'] as const;
interface ReadRequest {
  principal: Principal;
  doc_id: string;
  wait_ms?: number;
  signal?: AbortSignal;
}

export async function getPayslip(
  services: Services,
  { principal, doc_id, wait_ms = 0, signal }: ReadRequest,
): Promise<{ document: PayslipDocument; version: number }> {
  const read = () => keptDocument(services, doc_id);
  const isDone = ({ status }: DocumentRow) => status !== 'processing';
  const first = await read();
  const isWaiting = wait_ms > 0 && !isDone(first);
  const row = isWaiting ? await onceDone(services, doc_id, { read, isDone, withinMs: wait_ms, signal }) : first;
  if (row.status !== 'parsed') return { document: viewOf(row, null), version: row.version };
  const reading = await openReading(services, row);
  await auditAccess(services, principal, doc_id, 'read');
  return { document: viewOf(row, reading), version: row.version };
}

function viewOf(row: DocumentRow, reading: StoredReading | null): PayslipDocument {
  const review_reasons = [...(reading?.review_reasons ?? [])];
  return {
    doc_id: row.doc_id,
    user_id: row.owner_id,
    status: row.status as PayslipDocument['status'],
    document_type: reading?.document_type ?? null,
    extracted: reading && extractedOf(reading),
    confidence: reading?.confidence ?? null,
    fields: reading && surenessOf(reading),
    checks: reading?.checks.map(({ name, holds }) => ({ name, holds })) ?? [],
    needs_review: review_reasons.length > 0,
    review_reasons,
    pay_date: reading?.pay_date?.value ?? null,
    tax_year: reading?.tax_year?.value ?? null,
    tax_code: reading?.tax_code?.value ?? null,
    paye_reference: reading?.paye_reference?.value ?? null,
    net_pay_seen: null,
    failure: row.failure,
    uploaded_at: row.uploaded_at,
    parsed_at: row.parsed_at,
  };
}

export function extractedOf(reading: StoredReading): ExtractedPayslip {
  return Object.fromEntries(EXTRACTED.map((name) => [name, reading[name]?.value ?? null])) as ExtractedPayslip;
}

function surenessOf(reading: StoredReading) {
  const fields = FIELDS.map((name) => {
    const field = reading[name];
    return [name, field && { confidence: field.confidence, page: field.page }];
  });
  return Object.fromEntries(fields) as PayslipDocument['fields'];
}
