import type { Principal } from '../../domain/auth.ts';
import { AMOUNT_FIELDS } from '../../domain/legacy/reading.ts';
import { creditOf, type DocumentRow } from '../../infra/db/queries/legacy.ts';
import type { Services } from '../../infra/services.ts';
import type { ExtractedPayslip, PayslipDocument } from '../../openapi/types.ts';
import { nameHash } from '../bank/identities.ts';
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
): Promise<{ document: PayslipDocument; etag: string }> {
  const read = () => keptDocument(services, doc_id);
  const isDone = ({ status }: DocumentRow) => status !== 'processing';
  const first = await read();
  const isWaiting = wait_ms > 0 && !isDone(first);
  const row = isWaiting ? await onceDone(services, doc_id, { read, isDone, withinMs: wait_ms, signal }) : first;
  if (row.status !== 'parsed') return { document: viewOf(row), etag: etagOf(row) };
  const reading = await openReading(services, row);
  const seen = await netPaySeen(services, row, reading);
  await auditAccess(services, principal, doc_id, 'read');
  return { document: viewOf(row, reading, seen), etag: etagOf(row, seen) };
}

type Seen = PayslipDocument['net_pay_seen'];

/** A credit may arrive, or go, after the document was read. */
function etagOf({ doc_id, version }: DocumentRow, seen: Seen = null): string {
  return `"${[doc_id, version, ...(seen === null ? [] : [seen.transaction_id])].join('-')}"`;
}

/** Says nothing about the document: anybody can print an amount that they received. */
async function netPaySeen(
  services: Pick<Services, 'db' | 'keys'>,
  { owner_id, net_pay, pay_date }: DocumentRow,
  { employer_name }: StoredReading,
): Promise<Seen> {
  if (net_pay === null || pay_date === null) return null;
  const employer_hash = nameHash(services, owner_id, employer_name?.value ?? null);
  const paid = { owner_id, amount: net_pay, paid_on: pay_date, employer_hash };
  return (await services.db.maybe(creditOf(paid))) ?? null;
}

function viewOf(row: DocumentRow, reading: StoredReading | null = null, net_pay_seen: Seen = null): PayslipDocument {
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
    net_pay_seen,
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
