import { sql } from 'kysely';
import { OWN_MOVE_DAYS, PAYSLIP_DAYS } from '../../../domain/bank/wages.ts';
import type { DocumentFailure, DocumentStatus } from '../../../domain/documents.ts';
import { insertion, query } from '../query.ts';
import { columnsOf, tables, type NewRow, type Row } from '../tables.ts';

/** `key_sealed` is null after erasure. */
export type DocumentRow = Row<'documents'>;

// A literal, because PostgreSQL would not use the partial index with a parameter.
const PROCESSING = sql.lit<DocumentStatus>('processing');

const documents = () => tables.selectFrom('documents').select(columnsOf('documents'));

type NewDocument = Omit<NewRow<'documents'>, 'status' | 'updated_at'>;

/** Returns no row if the owner already has this file. */
export const insertDocument = query('legacy.insertDocument', (document: NewDocument) =>
  tables.insertInto('documents').values({ ...document, status: 'processing', updated_at: document.uploaded_at }),
);

export const insertOriginal = insertion('legacy.insertOriginal', 'document_originals');

export const documentByFingerprint = query('legacy.byFingerprint', (ownerId: string, fingerprint: string) =>
  tables
    .selectFrom('documents')
    .select('doc_id')
    .where('owner_id', '=', ownerId)
    .where('fingerprint', '=', fingerprint),
);

/** Serialises the uploads of one owner or application. */
export const lockUploads = query(
  'legacy.lockUploads',
  (payer: string) => sql`select pg_advisory_xact_lock(hashtextextended(${payer}, 4713))::text as locked`,
);

/** `next_s`: seconds until the daily limit allows another upload. Null if the limit allows an upload now. */
export interface UploadCounts {
  in_progress: number;
  next_s: number | null;
}

/** At the daily limit, another upload is allowed when the oldest counted upload is a day old. */
const uploadsOf = (whose: 'owner_id' | 'app_id') =>
  query(
    `legacy.uploadsOf.${whose}`,
    (payerId: string, perDay: number) => sql<UploadCounts>`
      select (select count(*)::int from documents where ${sql.ref(whose)} = ${payerId} and status = 'processing') as in_progress,
             (select extract(epoch from received_at + interval '24 hours' - clock_timestamp())::float8 from documents
               where ${sql.ref(whose)} = ${payerId} and received_at > now() - interval '24 hours'
               order by received_at desc offset ${perDay}::int - 1 limit 1) as next_s`,
  );

export const uploadsOfOwner = uploadsOf('owner_id');
export const uploadsOfApp = uploadsOf('app_id');

/** `party` is the application or person whose document this is. */
interface ClaimedDocument {
  doc_id: string;
  party: string;
  status: DocumentStatus;
}

/**
 * First claims documents that no longer need reading. Then claims a document of the queue that has waited longest, and
 * within the queue, of the owner that has waited longest. The first wait begins with the upload.
 * Skips unread documents of the parties in `busy`.
 */
export const claimNext = query(
  'legacy.claimNext',
  (docIds: readonly string[], busy: readonly string[]) => sql<ClaimedDocument>`
    update documents set claimed_at = clock_timestamp()
     where doc_id = (
       select d.doc_id from documents d
        cross join lateral (
          select (select max(o.claimed_at) from documents o
                   where coalesce(o.shared_queue, o.app_id, o.owner_id)
                       = coalesce(d.shared_queue, d.app_id, d.owner_id)) as of_queue,
                 (select max(o.claimed_at) from documents o where o.owner_id = d.owner_id) as of_owner) last
        where d.doc_id = any(${docIds}::text[])
          and (d.status <> 'processing' or coalesce(d.app_id, d.owner_id) <> all(${busy}::text[]))
        order by d.status = 'processing', coalesce(last.of_queue, d.received_at) nulls first,
                 coalesce(last.of_owner, d.received_at) nulls first, d.seq
        limit 1 for update of d skip locked)
    returning doc_id, coalesce(app_id, owner_id) as party, status`,
);

export const documentById = query('legacy.byId', (docId: string) => documents().where('doc_id', '=', docId));

export const lockDocument = query('legacy.lock', (docId: string) =>
  documents().where('doc_id', '=', docId).forUpdate(),
);

export const originalOf = query('legacy.originalOf', (docId: string) =>
  tables.selectFrom('document_originals').select('sealed').where('doc_id', '=', docId),
);

/** Returns no row if the document no longer needs reading. */
export const countRead = query('legacy.countRead', (docId: string) =>
  tables
    .updateTable('documents')
    .set(({ eb }) => ({ reads: eb('reads', '+', 1) }))
    .where('doc_id', '=', docId)
    .where('status', '=', PROCESSING)
    .returning('reads'),
);

export const uncountRead = query('legacy.uncountRead', (docId: string) =>
  tables
    .updateTable('documents')
    .set(({ eb }) => ({ reads: eb('reads', '-', 1) }))
    .where('doc_id', '=', docId)
    .where('status', '=', PROCESSING)
    .where('reads', '>', 0),
);

const change = (docId: string) => tables.updateTable('documents').where('doc_id', '=', docId);

/** What a payslip says was paid. Both are null for any other document, and for a payslip that lacks one of them. */
export type PayslipPaid = Pick<DocumentRow, 'net_pay' | 'pay_date'>;

export const storeReading = query(
  'legacy.storeReading',
  (docId: string, read: Pick<DocumentRow, 'reading_sealed' | 'ni_number_ref' | keyof PayslipPaid>, at: Date) =>
    change(docId).set({ ...read, status: 'parsed', parsed_at: at.toISOString(), updated_at: at.toISOString() }),
);

export const storeFailure = query('legacy.storeFailure', (docId: string, failure: DocumentFailure, at: Date) =>
  change(docId).set({ status: 'failed', failure, updated_at: at.toISOString() }),
);

export const deleteOriginal = query('legacy.deleteOriginal', (docId: string) =>
  tables.deleteFrom('document_originals').where('doc_id', '=', docId),
);

/** Keeps the row, as a record that the document existed. */
export const eraseDocument = query('legacy.erase', (docId: string, at: Date) =>
  change(docId).set({
    status: 'erased',
    fingerprint: null,
    key_sealed: null,
    reading_sealed: null,
    ni_number_ref: null,
    net_pay: null,
    pay_date: null,
    failure: null,
    erased_at: at.toISOString(),
    updated_at: at.toISOString(),
  }),
);

/**
 * Newest first. Selects only what decryption needs, because a thousand whole rows keep the event loop busy for tens of
 * milliseconds.
 */
export const newestParsed = query('legacy.newestParsed', (ownerId: string, most: number) =>
  tables
    .selectFrom('documents')
    .select(['doc_id', 'owner_id', 'key_sealed', 'reading_sealed'])
    .where('owner_id', '=', ownerId)
    .where('status', '=', 'parsed')
    .orderBy('seq', 'desc')
    .limit(most),
);

export const stalledDocuments = query('legacy.stalled', (silentSince: Date, most: number) =>
  tables
    .selectFrom('documents')
    .select(['doc_id', 'owner_id'])
    .where('status', '=', PROCESSING)
    .where('updated_at', '<=', silentSince.toISOString())
    .orderBy('updated_at')
    .limit(most),
);

interface Paid {
  owner_id: string;
  /** In pence. */
  amount: number;
  paid_on: string;
  /** A keyed hash of the employer's name, or null. */
  employer_hash: string | null;
}

/**
 * The credit of this amount within `PAYSLIP_DAYS`: one from the employer first, then the nearest day, then the earliest. Returns no row
 * if there is none but from an own account, by its number or by an equal debit within a day.
 */
export const creditOf = query(
  'legacy.creditOf',
  ({ owner_id, amount, paid_on, employer_hash }: Paid) => sql<{ transaction_id: string; payer_is_employer: boolean }>`
    select t.transaction_id, coalesce(t.payer_hash = ${employer_hash}, false) as payer_is_employer
      from bank_transactions t
     where t.owner_id = ${owner_id} and t.amount = ${amount} and t.amount > 0
       and t.booked_on between ${paid_on}::date - ${PAYSLIP_DAYS}::int and ${paid_on}::date + ${PAYSLIP_DAYS}::int
       and not exists (select from own_account_numbers o where o.owner_id = t.owner_id and o.number_hash = t.debtor_hash)
       and not exists (
         select from bank_transactions d
          where d.owner_id = t.owner_id and d.account_id <> t.account_id and d.amount = -t.amount
            and d.booked_on between t.booked_on - ${OWN_MOVE_DAYS}::int and t.booked_on + ${OWN_MOVE_DAYS}::int)
     order by payer_is_employer desc, abs(t.booked_on - ${paid_on}::date), t.booked_on, t.seq limit 1`,
);
