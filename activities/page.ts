import { invalidInput } from '../domain/errors.ts';
import { openUnder, SealBrokenError, sealUnder } from '../infra/keys/seal.ts';
import type { Services } from '../infra/services.ts';
import type { operations } from '../openapi/types.ts';
import { SEAL_USES } from '../domain/frozen-strings.ts';

/** Newest first. On the last page, `next_cursor` is null. */
export interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

/** A cursor is valid only for its own list. */
export interface List {
  operation: string;
  filter: Readonly<Record<string, string | undefined>>;
}

/** The query parameters of a list in the contract. */
export type QueryOf<Op extends keyof operations> = NonNullable<operations[Op]['parameters']['query']>;

type Keys = Pick<Services['keys'], 'blindIndex'>;

export const DEFAULT_LIMIT = 50;

/** Higher than any row's `seq`. */
const NEWEST = Number.MAX_SAFE_INTEGER;

export function pagesOf({ keys }: { keys: Keys }, list: List) {
  return {
    /** Decodes a cursor into a `seq`. Statements must read `limit + 1` rows with a lower `seq`, in descending order. */
    after: async (cursor: string | undefined): Promise<number> =>
      cursor === undefined ? NEWEST : Number(await positionIn(keys, list, cursor)),
    /** Decodes a cursor of a list in another order into what `positionOf` returned. Undefined for the first page. */
    positionAfter: async (cursor: string | undefined): Promise<string | undefined> =>
      cursor === undefined ? undefined : positionIn(keys, list, cursor),
    cursorOf: (seq: number): Promise<string> => sealedCursor(keys, list, String(seq)),
    /** Takes up to `limit + 1` rows. The extra row shows that another page exists. `positionOf` is where a row stands. */
    page: async <Row extends { seq: number }, Item>(
      rows: readonly Row[],
      limit: number,
      toItem: (row: Row) => Item,
      positionOf: (row: Row) => string = ({ seq }) => String(seq),
    ): Promise<Page<Item>> => {
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return {
        items: shown.map(toItem),
        next_cursor: rows.length > limit && last ? await sealedCursor(keys, list, positionOf(last)) : null,
      };
    },
  };
}

/** The cursor is encrypted, because `seq` would reveal how many rows all owners have. */
async function sealedCursor(keys: Keys, list: List, position: string): Promise<string> {
  const sealed = await sealUnder(secretOf(keys), position, contextOf(list));
  return Buffer.from(sealed, 'utf8').toString('base64url');
}

async function positionIn(keys: Keys, list: List, cursor: string): Promise<string> {
  try {
    const sealed = Buffer.from(cursor, 'base64url').toString('utf8');
    return await openUnder(secretOf(keys), sealed, contextOf(list));
  } catch (error) {
    if (!(error instanceof SealBrokenError)) throw error;
    throw invalidInput(
      '/query/cursor',
      'The cursor does not belong to this list. Send next_cursor unchanged and with the same filters, or leave out the cursor to get the first page.',
    );
  }
}

/** The secret that encrypts cursors is the same in all processes, even after rotations of the master keys. */
function secretOf(keys: Keys): string {
  return keys.blindIndex('cursor', 'secret');
}

/** Binds the cursor to its list. */
function contextOf({ operation, filter }: List) {
  const named = Object.entries(filter).filter(([, value]) => value !== undefined);
  return { use: SEAL_USES.cursor, operation, filter: JSON.stringify(named.sort(([a], [b]) => (a < b ? -1 : 1))) };
}
