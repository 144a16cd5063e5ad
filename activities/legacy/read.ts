import type { Principal } from '../../domain/auth.ts';
import type { FieldReading } from '../../domain/legacy/reading.ts';
import { documentById, type DocumentRow } from '../../infra/db/statements/legacy.ts';
import type { Services } from '../../infra/services.ts';
import type { ExtractedPayslip, PayslipDocument } from '../../openapi/types.ts';
import { onceDone } from '../once-done.ts';
import { keptDocument, openReading, requireKept, tellAccess, type StoredReading } from './record.ts';

const EXTRACTED = [
  'employer_name',
  'pay_period',
  'gross_pay',
  'net_pay',
  'tax_deducted',
  'ni_deducted',
  'pension_deducted',
] as const;
const FIELDS = [...EXTRACTED, 'pay_date', 'tax_year', 'tax_code', 'paye_reference'] as const;
interface ReadRequest {
  principal: Principal;
  doc_id: string;
  wait_ms?: number;
  signal?: AbortSignal;
}

export async function getPayslip(
  services: Services,
  request: ReadRequest,
): Promise<{ document: PayslipDocument; version: number }> {
  const { principal, doc_id } = request;
  const first = await keptDocument(services, doc_id);
  const row = requireKept(await onceRead(services, first, request));
  if (row.status !== 'parsed') return { document: viewOf(row), version: row.version };
  const reading = await openReading(services, row);
  await tellAccess(services, principal, doc_id, 'read');
  return { document: { ...viewOf(row), ...viewOfReading(reading) }, version: row.version };
}

async function onceRead(
  services: Services,
  first: DocumentRow,
  { wait_ms = 0, signal }: ReadRequest,
): Promise<DocumentRow> {
  if (wait_ms === 0 || first.status !== 'processing') return first;
  return onceDone(services, first.doc_id, {
    read: () => services.db.one(documentById(first.doc_id)),
    isDone: ({ status }) => status !== 'processing',
    withinMs: wait_ms,
    signal,
  });
}

function viewOf({ doc_id, owner_id, status, failure, uploaded_at, parsed_at }: DocumentRow): PayslipDocument {
  return {
    doc_id,
    user_id: owner_id,
    status: status as PayslipDocument['status'],
    document_type: null,
    extracted: null,
    confidence: null,
    fields: null,
    checks: [],
    needs_review: false,
    review_reasons: [],
    pay_date: null,
    tax_year: null,
    tax_code: null,
    paye_reference: null,
    failure,
    uploaded_at,
    parsed_at,
  };
}

function viewOfReading(reading: StoredReading) {
  const { document_type, confidence, review_reasons, checks, pay_date, tax_year, tax_code, paye_reference } = reading;
  return {
    document_type,
    extracted: extractedOf(reading),
    confidence,
    fields: Object.fromEntries(FIELDS.map((name) => [name, surenessOf(reading[name])])) as PayslipDocument['fields'],
    checks: checks.map(({ name, holds }) => ({ name, holds })),
    needs_review: review_reasons.length > 0,
    review_reasons: [...review_reasons],
    pay_date: pay_date?.value ?? null,
    tax_year: tax_year?.value ?? null,
    tax_code: tax_code?.value ?? null,
    paye_reference: paye_reference?.value ?? null,
  };
}

export function extractedOf(reading: StoredReading): ExtractedPayslip {
  return {
    employer_name: reading.employer_name?.value ?? null,
    pay_period: reading.pay_period?.value ?? null,
    gross_pay: reading.gross_pay?.value ?? null,
    net_pay: reading.net_pay?.value ?? null,
    tax_deducted: reading.tax_deducted?.value ?? null,
    ni_deducted: reading.ni_deducted?.value ?? null,
    pension_deducted: reading.pension_deducted?.value ?? null,
  };
}

function surenessOf(field: FieldReading<unknown> | null) {
  return field && { confidence: field.confidence, page: field.page };
}
