import type { MacKind, VerifyPart } from '../../domain/frozen-strings.ts';
import type { Services } from '../../infra/services.ts';
import type { Keys } from '../../infra/keys/index.ts';

export type VerifyNeeds = Pick<Services, 'db' | 'clock'> & {
  keys: Keys;
  config: Pick<Services['config'], 'witness' | 'environment'>;
};

/** `id` names a row, and never holds personal data. */
export interface Fault {
  what: string;
  id: string;
}

/** Of 28: what is old takes turns, so each row is checked in 28 nights. */
export const SLICES = 28;

/**
 * What a run checks. With `all`, everything. Otherwise what is new since `verified`, which the newest checkpoint names
 * for each part, and the slice `slice` of what is old. `upto` are the numbers of the newest events and entries.
 */
export interface Scope {
  all: boolean;
  slice: number;
  verified: Readonly<Record<string, number>>;
  upto: { audit: number; ledger: number };
  /** When the last `verify` began, for what has no number. */
  since: string;
}

const SHOWN = 100;

/** What a part found. Keeps at most a hundred faults, and counts all. */
export class Findings {
  checked = 0;
  found = 0;
  readonly faults: Fault[] = [];
  /** The number up to which everything was checked, for parts that check only what is new. */
  mark?: number;
  /** Why nothing was checked. */
  skipped?: string;

  add(checked: number, faults: readonly Fault[]): void {
    this.checked += checked;
    this.found += faults.length;
    this.faults.push(...faults.slice(0, SHOWN - this.faults.length));
  }
}

export interface Part {
  name: VerifyPart | MacKind;
  find(needs: VerifyNeeds, scope: Scope): Promise<Findings>;
}

/** A page of rows: those after the row `after`. With a slice, only its rows (`in_slice`) and those made since `since`. */
export interface SlicedScan {
  after?: string | undefined;
  limit: number;
  slice?: number;
  since?: string;
}

interface ScannedPage {
  checked: number;
  next: string | null;
  faults: Fault[];
}

const PAGE = 500;

/** A part that reads its rows page by page. If it is `sliced`, a nightly run passes a slice. */
export function inPages(
  name: Part['name'],
  find: (db: VerifyNeeds['db'], keys: Keys, scan: SlicedScan) => Promise<ScannedPage>,
  { sliced = false } = {},
): Part {
  return {
    name,
    async find({ db, keys }, { all, slice, since }) {
      const found = new Findings();
      for (let after: string | null | undefined; after !== null;) {
        const page = await find(db, keys, {
          limit: PAGE,
          ...(after !== undefined && { after }),
          ...(sliced && !all && { slice, since }),
        });
        found.add(page.checked, page.faults);
        after = page.next;
      }
      return found;
    },
  };
}
