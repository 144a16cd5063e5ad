import { invalidInput } from '../domain/errors.ts';

/** A page of a list, newest first. `next_cursor` asks for the page after it; null on the last one. */
export interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

/** How many items a page holds when the caller does not say. */
export const DEFAULT_LIMIT = 50;

/** Where the first page begins: before every row. */
const NEWEST = Number.MAX_SAFE_INTEGER;

/**
 * The `seq` below which the rows of a page lie; statements read `seq < $n order by seq desc limit $m`, `$m` one more than
 * the page's limit.
 * @throws DomainError `invalid-request` at `/query/cursor` for a text that no page of ours gave out.
 */
export function afterCursor(cursor: string | undefined): number {
  if (cursor === undefined) return NEWEST;
  const seq = Number(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (!Number.isSafeInteger(seq) || seq < 1 || cursorOf(seq) !== cursor) {
    throw invalidInput(
      '/query/cursor',
      'This is no cursor of this list. Take next_cursor as it is, or leave it out for the first page.',
    );
  }
  return seq;
}

/** A page out of at most `limit + 1` rows; the one too many only tells that there are more. */
export function page<Row extends { seq: number }>(rows: readonly Row[], limit: number): Page<Row>;
export function page<Row extends { seq: number }, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
): Page<Item>;
export function page<Row extends { seq: number }, Item>(
  rows: readonly Row[],
  limit: number,
  toItem?: (row: Row) => Item,
): Page<Row | Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: toItem ? shown.map(toItem) : shown,
    next_cursor: rows.length > limit && last ? cursorOf(last.seq) : null,
  };
}

/** Asks for the page of rows below a `seq`. */
export function cursorOf(seq: number): string {
  return Buffer.from(String(seq), 'latin1').toString('base64url');
}
