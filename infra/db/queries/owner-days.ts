import { sql, type RawBuilder } from 'kysely';
import { query } from '../query.ts';

const KINDS = ['revisions', 'payees', 'payee_reads', 'checks', 'credentials'] as const;

/** What an owner may store a limited number of times a day. */
export type StoredKind = (typeof KINDS)[number];

/** Adds to the owner's counts of a day. A newer day starts at 0. `rows` are of `(owner_id, day, <kind>)`, one for each owner. */
export function counted(kind: StoredKind, rows: RawBuilder<unknown>): RawBuilder<unknown> {
  const added = KINDS.map((one) => {
    const column = sql.ref(one);
    return sql`${column} = excluded.${column} + case when d.day >= excluded.day then d.${column} else 0 end`;
  });
  return sql`
    insert into owner_days as d (owner_id, day, ${sql.ref(kind)}) ${rows}
    on conflict (owner_id) do update set day = greatest(d.day, excluded.day), ${sql.join(added)}`;
}

/** Returns the number with this one. */
export const countOfDay = query(
  'ownerDays.count',
  (kind: StoredKind, { owner_id, day, count }: { owner_id: string; day: string; count: number }) => sql<{
    used: number;
  }>`
    ${counted(kind, sql`values (${owner_id}, ${day}::date, ${count}::int)`)}
    returning ${sql.ref(`d.${kind}`)} as used`,
);
