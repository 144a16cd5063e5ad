import { isEmail } from '../../../domain/auth.ts';
import { isCalendarDate } from '../../../domain/dates.ts';
import { isOwnerId } from '../../../domain/owners.ts';
import { isReadable } from '../../../domain/text.ts';

/** Regular expressions of some languages lack Unicode categories, so the contract names formats instead of patterns. */
export const FORMATS: Readonly<Record<string, (value: string) => boolean>> = {
  printable: (value) => /^\P{C}*$/u.test(value),
  'printable-text': isReadable,
  'owner-id': isOwnerId,
  'idn-email': isEmail,
  date: isCalendarDate,
};
