import {
  GIVEN_UP,
  MOST_READS,
  requireTried,
  type DocumentFailure,
  type DocumentStatus,
} from '../../domain/documents.ts';
import { DomainError } from '../../domain/errors.ts';
import type { ReadOutcome, Reading } from '../../domain/legacy/reading.ts';
import {
  countRead,
  documentById,
  lockDocument,
  storeFailure,
  storeReading,
  uncountRead,
  type DocumentRow,
  type PayslipPaid,
} from '../../infra/db/queries/legacy.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { findWagesOf } from '../bank/find-wages.ts';
import { sealPii } from '../vault/own.ts';
import { keepSealed, type SealedRecord } from '../vault/store.ts';
import { openOriginal, requireDocument, sealReading, type StoredReading } from './record.ts';
import { openFairQueue, type FairQueue } from './fair-queue.ts';

/** The workflow receives no other data about the document, because Temporal would store it. */
export interface DocumentRef {
  doc_id: string;
}

export interface ReadingResult {
  status: DocumentStatus;
  failure_code?: string;
}

const ACTOR = 'documents-workflow';

export function readingActivities(services: Services) {
  const queue = openFairQueue(services);
  return {
    async readDocument(ref: DocumentRef, signal?: AbortSignal): Promise<ReadingResult> {
      const result = await readWhenNext(services, queue, { ...ref, signal });
      // Also if an earlier try has stored the reading: it may have stopped before this.
      if (result.status === 'parsed') await recogniseWages(services, ref);
      return result;
    },
    giveUpDocument: (ref: DocumentRef) => giveUpDocument(services, ref),
  };
}

/** The bank may have reported the payslip's net pay already. */
async function recogniseWages(services: Services, { doc_id }: DocumentRef): Promise<void> {
  const { owner_id, net_pay } = requireDocument(await services.db.maybe(documentById(doc_id)));
  if (net_pay !== null) await findWagesOf(services, owner_id);
}

type ReadRequest = DocumentRef & { signal: AbortSignal | undefined };

async function giveUpDocument(services: Services, ref: DocumentRef): Promise<ReadingResult> {
  const document = requireDocument(await services.db.maybe(documentById(ref.doc_id)));
  if (document.status === 'processing') requireTried(document, await services.clock.now(services.db));
  return settle(services, ref, { kind: 'failed', ...GIVEN_UP });
}

/** Safe to repeat. Gives up on a document that has crashed the reader several times. */
async function readWhenNext(services: Services, queue: FairQueue, request: ReadRequest): Promise<ReadingResult> {
  const { db } = services;
  const before = requireDocument(await db.maybe(documentById(request.doc_id)));
  if (before.status !== 'processing') return resultOf(before);
  const endReading = await queue.next(request.doc_id, request.signal);
  try {
    return await readDocument(services, request);
  } finally {
    endReading();
  }
}

async function readDocument(services: Services, request: ReadRequest): Promise<ReadingResult> {
  const { db } = services;
  const { doc_id } = request;
  const document = requireDocument(await db.maybe(documentById(doc_id)));
  if (document.status !== 'processing') return resultOf(document);
  const bytes = await originalOrNothing(services, document);
  if (bytes === undefined) return settle(services, request, { kind: 'failed', ...DAMAGED });
  const counted = await db.maybe(countRead(doc_id));
  if (!counted) return resultOf(requireDocument(await db.maybe(documentById(doc_id))));
  if (counted.reads > MOST_READS) return settle(services, request, { kind: 'failed', ...GIVEN_UP });
  const outcome = await readOrUncount(services, document, { bytes, signal: request.signal });
  return outcome.kind === 'failed' ? settle(services, request, outcome) : settleReading(services, request, outcome);
}

/** Does not count the attempt if the reader was unavailable or was stopped. */
async function readOrUncount(
  { db, reader }: Services,
  { doc_id, hint }: DocumentRow,
  { bytes, signal }: { bytes: Uint8Array; signal: AbortSignal | undefined },
): Promise<ReadOutcome> {
  try {
    return await reader.read({ bytes, hint: hint ?? undefined, signal });
  } catch (error) {
    const isAway = error instanceof DomainError && error.code === 'dependency-unavailable';
    if (isAway || signal?.aborted) await db.run(uncountRead(doc_id));
    throw error;
  }
}

const DAMAGED: DocumentFailure = {
  code: 'unreadable',
  detail:
    'The stored file cannot be decrypted, so the service did not read it. Erase the document and upload the file again.',
};

async function originalOrNothing(services: Services, document: DocumentRow): Promise<Uint8Array | undefined> {
  try {
    return await openOriginal(services, document);
  } catch (error) {
    if (error instanceof DomainError && error.code === 'pii-damaged') return undefined;
    throw error;
  }
}

interface SealedReading {
  kind: 'sealed';
  reading: string;
  /** Null if the document states no NI number. */
  niNumber: SealedRecord | null;
  paid: PayslipPaid;
  /** For the audit log. */
  data: Readonly<Record<string, unknown>>;
}

async function settleReading(
  services: Services,
  { doc_id }: DocumentRef,
  { reading, pages_read, by }: Extract<ReadOutcome, { kind: 'read' }>,
): Promise<ReadingResult> {
  // Read again, because a rotation of the master keys might have encrypted the document's key again meanwhile.
  const document = requireDocument(await services.db.maybe(documentById(doc_id)));
  if (document.status !== 'processing') return resultOf(document);
  const { ni_number, ...kept } = reading;
  return settle(services, document, {
    kind: 'sealed',
    reading: await sealReading(services, document, kept),
    niNumber: ni_number && (await sealNiNumber(services, document, ni_number)),
    paid: paidOf(kept),
    data: { document_type: kept.document_type, confidence: kept.confidence, pages_read, by },
  });
}

function paidOf({ document_type, net_pay, pay_date }: StoredReading): PayslipPaid {
  if (document_type !== 'payslip' || net_pay === null || pay_date === null) return { net_pay: null, pay_date: null };
  return { net_pay: net_pay.value, pay_date: pay_date.value };
}

async function sealNiNumber(
  services: Services,
  { owner_id }: DocumentRow,
  { value }: NonNullable<Reading['ni_number']>,
): Promise<SealedRecord> {
  const data = { national_insurance_number: value };
  return sealPii(services, { pii_type: 'user_national_insurance', owner_id, data, purpose: 'document', actor: ACTOR });
}

async function settle(
  services: Services,
  { doc_id }: DocumentRef,
  outcome: Extract<ReadOutcome, { kind: 'failed' }> | SealedReading,
): Promise<ReadingResult> {
  return services.db.transaction(async (tx) => {
    const document = requireDocument(await tx.maybe(lockDocument(doc_id)));
    if (document.status !== 'processing') return resultOf(document);
    return outcome.kind === 'failed' ? fail(tx, services, doc_id, outcome) : keep(tx, services, doc_id, outcome);
  });
}

type Storing = Pick<Services, 'clock' | 'newId'>;

async function fail(
  tx: Tx,
  services: Storing,
  docId: string,
  { code, detail }: DocumentFailure,
): Promise<ReadingResult> {
  const at = await services.clock.now(tx);
  await tx.run(storeFailure(docId, { code, detail }, at));
  await audit(tx, services, { subject: docId, kind: 'document.failed', actor: ACTOR, data: { code }, at });
  return { status: 'failed', failure_code: code };
}

async function keep(
  tx: Tx,
  services: Storing,
  docId: string,
  { reading, niNumber, paid, data }: SealedReading,
): Promise<ReadingResult> {
  const ni_number_ref = niNumber && (await keepSealed(tx, niNumber)).vault_ref;
  const at = await services.clock.now(tx);
  await tx.run(storeReading(docId, { reading_sealed: reading, ni_number_ref, ...paid }, at));
  await audit(tx, services, { subject: docId, kind: 'document.parsed', actor: ACTOR, data, at });
  return { status: 'parsed' };
}

function resultOf({ status, failure }: DocumentRow): ReadingResult {
  return { status, ...(failure && { failure_code: failure.code }) };
}
