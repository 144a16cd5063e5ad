import type { CalendarDate } from '../../domain/dates.ts';
import { Foreseen } from '../process/foreseen.ts';

/** A booked entry of a bank statement in pounds. */
export interface Entry {
  /** In pence, and negative if the account is debited. */
  amount: number;
  bookedOn: CalendarDate;
  /** Whatever names the entry, the other party or its account. */
  texts: readonly string[];
  /** The bank's own id of the entry, if it gives one. */
  bankReference: string | null;
}

export interface Statement {
  /** As the file says it. Null if it does not. */
  accounts: readonly string[];
  entries: readonly Entry[];
}

/** The file cannot be read for certain. The message names no content but a line and a column's head. */
export class StatementError extends Foreseen {
  override readonly name = 'StatementError';
}

/** @returns undefined if the text is no amount of pounds. */
export function penceIn(text: string): number | undefined {
  const bare = text.replaceAll(/[\s£]|GBP/g, '');
  const parts =
    /^(?<open>\()?(?<sign>[+-])?(?<pounds>\d+|\d{1,3}(?:,\d{3})+)(?:\.(?<pence>\d{1,2}))?(?<after>-|CR|DR)?(?<close>\))?$/iu.exec(
      bare,
    )?.groups;
  if (!parts || (parts.open === undefined) !== (parts.close === undefined)) return undefined;
  const amount = Number(parts.pounds!.replaceAll(',', '')) * 100 + Number((parts.pence ?? '').padEnd(2, '0'));
  const after = parts.after?.toUpperCase();
  const signs = [parts.open !== undefined, parts.sign === '-', after === '-' || after === 'DR'].filter(Boolean).length;
  if (signs > 1 || !Number.isSafeInteger(amount)) return undefined;
  return signs === 1 && amount !== 0 ? -amount : amount;
}
