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
} from '../../infra/db/statements/legacy.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { storePii } from '../vault/own.ts';
import { openOriginal, requireDocument, sealReading } from './record.ts';
import { openTurns, type Turns } from './turns.ts';

/** The workflow receives no other data about the document. */
export interface DocumentRef {
  doc_id: string;
}

export interface ReadingResult {
  status: DocumentStatus;
  failure_code?: string;
}

const ACTOR = 'documents-workflow';

export function readingActivities(services: Services) {
  const turns = openTurns(services);
  return {
    readDocument: (ref: DocumentRef, signal?: AbortSignal) => readInTurn(services, turns, { ...ref, signal }),
    giveUpDocument: (ref: DocumentRef) => giveUpDocument(services, ref),
  };
}

type Asked = DocumentRef & { signal: AbortSignal | undefined };

async function giveUpDocument(services: Services, ref: DocumentRef): Promise<ReadingResult> {
  const document = requireDocument(await services.db.maybe(documentById(ref.doc_id)));
  if (document.status === 'processing') requireTried(document, await services.clock.now());
  return settle(services, ref, { kind: 'failed', ...GIVEN_UP });
}

/** Safe to repeat. Gives up on a document that has crashed the reader several times. */
async function readInTurn(services: Services, turns: Turns, asked: Asked): Promise<ReadingResult> {
  const { db } = services;
  const before = requireDocument(await db.maybe(documentById(asked.doc_id)));
  if (before.status !== 'processing') return resultOf(before);
  const endTurn = await turns.take(asked.doc_id, asked.signal);
  try {
    return await readDocument(services, asked);
  } finally {
    endTurn();
  }
}

async function readDocument(services: Services, asked: Asked): Promise<ReadingResult> {
  const { db } = services;
  const { doc_id } = asked;
  const document = requireDocument(await db.maybe(documentById(doc_id)));
  if (document.status !== 'processing') return resultOf(document);
  const bytes = await originalOrNothing(services, document);
  if (bytes === undefined) return settle(services, asked, { kind: 'failed', ...DAMAGED });
  const counted = await db.maybe(countRead(doc_id));
  if (!counted) return resultOf(requireDocument(await db.maybe(documentById(doc_id))));
  if (counted.reads > MOST_READS) return settle(services, asked, { kind: 'failed', ...GIVEN_UP });
  return settle(services, asked, await readOrUncount(services, document, { bytes, signal: asked.signal }));
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

async function settle(services: Services, { doc_id }: DocumentRef, outcome: ReadOutcome): Promise<ReadingResult> {
  return services.db.transaction(async () => {
    const document = requireDocument(await services.db.maybe(lockDocument(doc_id)));
    if (document.status !== 'processing') return resultOf(document);
    if (outcome.kind === 'failed') return fail(services, document, outcome);
    return keep(services, document, outcome);
  });
}

async function fail(
  services: Services,
  { doc_id }: DocumentRow,
  { code, detail }: DocumentFailure,
): Promise<ReadingResult> {
  const at = await services.clock.now();
  await services.db.run(storeFailure(doc_id, { code, detail }, at));
  await audit(services, { subject: doc_id, kind: 'document.failed', actor: ACTOR, data: { code }, at });
  return { status: 'failed', failure_code: code };
}

async function keep(
  services: Services,
  document: DocumentRow,
  { reading, pages_read, by }: Extract<ReadOutcome, { kind: 'read' }>,
): Promise<ReadingResult> {
  const { doc_id } = document;
  const { ni_number, ...kept } = reading;
  const sealed = await sealReading(services, document, kept);
  const niNumberRef = await storeNiNumber(services, document, ni_number);
  const at = await services.clock.now();
  await services.db.run(storeReading(doc_id, { reading_sealed: sealed, ni_number_ref: niNumberRef }, at));
  const data = { document_type: reading.document_type, confidence: reading.confidence, pages_read, by };
  await audit(services, { subject: doc_id, kind: 'document.parsed', actor: ACTOR, data, at });
  return { status: 'parsed' };
}

async function storeNiNumber(
  services: Services,
  { owner_id }: DocumentRow,
  ni_number: Reading['ni_number'],
): Promise<string | null> {
  if (ni_number === null) return null;
  const data = { national_insurance_number: ni_number.value };
  return storePii(services, { pii_type: 'user_national_insurance', owner_id, data, purpose: 'document', actor: ACTOR });
}

function resultOf({ status, failure }: DocumentRow): ReadingResult {
  return { status, ...(failure && { failure_code: failure.code }) };
}
