import { query } from '../query.ts';
import { columnsOf, tables, type Row } from '../tables.ts';

export type SplitRow = Row<'standing_splits'>;
export type EntryRow = Row<'standing_entries'>;

export const splitOf = query('payday.splitOf', (ownerId: string) =>
  tables.selectFrom('standing_splits').select(columnsOf('standing_splits')).where('owner_id', '=', ownerId),
);

/** In the order of the standing split. Without dropped ones. */
export const entriesOf = query('payday.entriesOf', (ownerId: string) =>
  tables
    .selectFrom('standing_entries')
    .select(columnsOf('standing_entries'))
    .where('owner_id', '=', ownerId)
    .where('dropped_at', 'is', null)
    .orderBy('position'),
);
