import { sql } from 'kysely';
import { accrualFaults } from '../../activities/yield/tampering.ts';
import type { Database } from '../../infra/db/database.ts';
import { query } from '../../infra/db/query.ts';
import { ledgerFaults } from '../../infra/db/queries/ledger.ts';
import { openClock } from '../../infra/clock.ts';
import type { Keys } from '../../infra/keys/index.ts';
import type { Tools } from './command.ts';
import { FaultsFoundError } from './errors.ts';

interface ChainsRow {
  events: number;
  subjects: number;
  broken: number;
  /** Null if there is no fault. `event_id` is null if the fault is at the end of a chain. */
  first_broken: { event_id: string | null; subject: string; subject_seq: number; fault: string } | null;
}

/** Recomputes each event's hash, and compares each chain's end with the stored end. */
const verifyChains = query(
  'admin.verifyChains',
  () => sql<ChainsRow>`
    with chain as (
      select e.event_id, e.seq, e.subject, e.subject_seq, e.created_at,
             case when e.hash is distinct from audit_hash(e) then 'its content does not match its hash'
                  when e.subject_seq <> coalesce(lag(e.subject_seq) over w, 0) + 1 then 'an event before it is missing'
                  when e.previous_hash <> coalesce(lag(e.hash) over w, '') then 'it does not follow the event before it'
             end as fault
        from audit_events e window w as (partition by e.subject order by e.subject_seq)
      union all
      select null, null, subject, h.subject_seq, null,
             case when e.subject is null then 'all its events are missing'
                  else 'the end of its chain is missing or was changed' end
        from audit_heads h full join (
               select distinct on (subject) subject, subject_seq, hash from audit_events order by subject, subject_seq desc
             ) as e using (subject)
       where h.subject_seq is distinct from e.subject_seq or h.hash is distinct from e.hash)
    select count(event_id) as events, count(distinct subject) as subjects, count(fault) as broken,
           (select jsonb_build_object('event_id', event_id, 'subject', subject, 'subject_seq', subject_seq,
                                      'created_at', created_at, 'fault', fault)
              from chain where fault is not null order by seq limit 1) as first_broken
      from chain`,
);

const countLedger = query(
  'admin.countLedger',
  () => sql<{ transfers: number; entries: number }>`
    select (select count(*) from ledger_transfers) as transfers, (select count(*) from ledger_entries) as entries`,
);

/** @throws FaultsFoundError */
export async function verifyAudit(db: Database) {
  const { broken, first_broken, ...counts } = await db.one(verifyChains());
  const reply = { ok: broken === 0, ...counts, broken, first_broken };
  if (!first_broken) return reply;
  throw new FaultsFoundError(
    `The audit log was tampered with: ${broken} faults in ${counts.events} events. The first fault is in the chain of ${first_broken.subject}: ${first_broken.fault}.`,
    reply,
  );
}

const MOST_FAULTS = 100;

/** @throws FaultsFoundError */
export async function verifyLedger(db: Database) {
  const counts = await db.one(countLedger());
  const faults = [...(await db.many(ledgerFaults())), ...(await accrualFaults(db))].slice(0, MOST_FAULTS);
  const reply = { ok: faults.length === 0, ...counts, faults };
  if (reply.ok) return reply;
  throw new FaultsFoundError(`The ledger does not add up: ${faults.length} faults.`, reply);
}

/** @throws FaultsFoundError */
export async function verifyDatabase({ db, config, keys }: Tools & { keys: Keys }, all: boolean) {
  const { verify } = await import('../../activities/verify/index.ts');
  const { recordVerified } = await import('../../activities/verify/loop.ts');
  const needs = { db, config, keys, clock: openClock(config) };
  const { ok, parts, ...done } = await verify(needs, { all });
  const written = await recordVerified(needs, done).catch((error: unknown) => ({ not: String(error) }));
  const checkpoint = 'number' in written ? { checkpoint: written.number } : { checkpoint: null, because: written.not };
  const faults = parts.flatMap((part) => part.faults.map((fault) => ({ part: part.part, ...fault })));
  const reply = { ok, ...checkpoint, parts: parts.map(({ faults: _faults, ...part }) => part), faults };
  if (ok) return reply;
  const found = parts.filter((part) => part.found > 0).map((part) => `${part.found} in ${part.part}`);
  throw new FaultsFoundError(`Somebody changed the database, or it is damaged. Faults: ${found.join(', ')}.`, reply);
}
