import type { DocumentFailure, DocumentStatus } from '../../../domain/documents.ts';
import type { DocumentType } from '../../../domain/legacy/reading.ts';
import { query } from '../sql.ts';

export type MediaType = 'application/pdf' | 'image/jpeg' | 'image/png';

/** A document without its original. */
export interface DocumentRow {
  doc_id: string;
  owner_id: string;
  media_type: MediaType;
  size: number;
  hint: DocumentType | null;
  status: DocumentStatus;
  failure: DocumentFailure | null;
  reads: number;
  /** Null once it is erased. */
  key_sealed: string | null;
  reading_sealed: string | null;
  ni_number_ref: string | null;
  uploaded_at: string;
  parsed_at: string | null;
  version: number;
}

const COLUMNS = `doc_id, owner_id, media_type, size, hint, status, failure, reads, key_sealed, reading_sealed, ni_number_ref,
  uploaded_at, parsed_at, version`;

/** Id, owner, fingerprint, media type, size, hint, sealed key, its version, at, application or null. No row where the owner has that file already. */
export const insertDocument = query<{ doc_id: string }>(
  'legacy.insertDocument',
  `insert into documents (doc_id, owner_id, fingerprint, media_type, size, hint, status, key_sealed, key_version, uploaded_at,
                          updated_at, app_id)
   values ($1, $2, $3, $4, $5, $6, 'processing', $7, $8, $9, $9, $10)
   on conflict (owner_id, fingerprint) do nothing returning doc_id`,
);

export const insertOriginal = query(
  'legacy.insertOriginal',
  'insert into document_originals (doc_id, sealed) values ($1, $2)',
);

export const documentByFingerprint = query<{ doc_id: string }>(
  'legacy.byFingerprint',
  'select doc_id from documents where owner_id = $1 and fingerprint = $2',
);

/** Until the transaction ends, nobody else stores a document that counts for the same: an application, or an owner. */
export const lockRoom = query(
  'legacy.lockRoom',
  `select pg_advisory_xact_lock(hashtextextended($1, 4713))::text as locked`,
);

/** What counts of an owner's documents, or of an application's; `next_s`: seconds until the day has room again, null where it has. */
export interface RoomRow {
  in_progress: number;
  next_s: number | null;
}

/** A day is 24 hours by the database's clock. Where it is full, room comes with the end of the oldest that counts. */
const roomOf = (whose: 'owner_id' | 'app_id') =>
  query<RoomRow>(
    `legacy.roomOf.${whose}`,
    `select (select count(*)::int from documents where ${whose} = $1 and status = 'processing') as in_progress,
            (select extract(epoch from received_at + interval '24 hours' - clock_timestamp())::float8 from documents
              where ${whose} = $1 and received_at > now() - interval '24 hours'
              order by received_at desc offset $2::int - 1 limit 1) as next_s`,
  );

/** Owner or application, how many a day has room for. */
export const roomOfOwner = roomOf('owner_id');
export const roomOfApp = roomOf('app_id');

/** Whose turn it is; `party` is the application, or the person, for whom it is read. */
export interface TurnRow {
  doc_id: string;
  party: string;
  status: DocumentStatus;
}

/**
 * Gives the next of these documents its turn: $1 the documents, $2 the parties that are not to have one now. The party comes first whose
 * last turn is longest ago, of its owners the one likewise, of theirs the oldest. Any that is not to be read any more comes before all.
 * What somebody else holds is left out; it is to be asked for again.
 */
export const claimTurn = query<TurnRow>(
  'legacy.claimTurn',
  `update documents set claimed_at = clock_timestamp()
    where doc_id = (
      select d.doc_id from documents d
       cross join lateral (
         select (select max(o.claimed_at) from documents o
                  where coalesce(o.app_id, o.owner_id) = coalesce(d.app_id, d.owner_id)) as of_party,
                (select max(o.claimed_at) from documents o where o.owner_id = d.owner_id) as of_owner) last
       where d.doc_id = any($1::text[])
         and (d.status <> 'processing' or coalesce(d.app_id, d.owner_id) <> all($2::text[]))
       order by d.status = 'processing', last.of_party nulls first, last.of_owner nulls first, d.seq
       limit 1 for update of d skip locked)
   returning doc_id, coalesce(app_id, owner_id) as party, status`,
);

export const documentById = query<DocumentRow>('legacy.byId', `select ${COLUMNS} from documents where doc_id = $1`);

export const lockDocument = query<DocumentRow>(
  'legacy.lock',
  `select ${COLUMNS} from documents where doc_id = $1 for update`,
);

export const originalOf = query<{ sealed: Buffer }>(
  'legacy.originalOf',
  'select sealed from document_originals where doc_id = $1',
);

/** Counts that it is begun to be read; no row where that is not to be any more. */
export const countRead = query<{ reads: number }>(
  'legacy.countRead',
  `update documents set reads = reads + 1 where doc_id = $1 and status = 'processing' returning reads`,
);

/** Takes back that it was begun. */
export const uncountRead = query(
  'legacy.uncountRead',
  `update documents set reads = reads - 1 where doc_id = $1 and status = 'processing' and reads > 0`,
);

/** Id, sealed reading, reference of the NI number, at. */
export const storeReading = query(
  'legacy.storeReading',
  `update documents set status = 'parsed', reading_sealed = $2, ni_number_ref = $3, parsed_at = $4, updated_at = $4
    where doc_id = $1`,
);

/** Id, failure, at. */
export const storeFailure = query(
  'legacy.storeFailure',
  `update documents set status = 'failed', failure = $2::jsonb, updated_at = $3 where doc_id = $1`,
);

export const deleteOriginal = query('legacy.deleteOriginal', 'delete from document_originals where doc_id = $1');

/** Id, at. What is left says that there was one. */
export const eraseDocument = query(
  'legacy.erase',
  `update documents set status = 'erased', fingerprint = null, key_sealed = null, reading_sealed = null, ni_number_ref = null,
                        failure = null, erased_at = $2, updated_at = $2
    where doc_id = $1`,
);

/** An owner's documents that were read, in the order of their upload. */
export const parsedOfOwner = query<DocumentRow>(
  'legacy.parsedOfOwner',
  `select ${COLUMNS} from documents where owner_id = $1 and status = 'parsed' order by seq`,
);

/** Those that nothing was heard of since $1, at most $2. */
export const stalledDocuments = query<{ doc_id: string; owner_id: string }>(
  'legacy.stalled',
  `select doc_id, owner_id from documents where status = 'processing' and updated_at <= $1 order by updated_at limit $2`,
);
