import { isCalendarDate } from '../../../domain/dates.ts';

const matching = (pattern: RegExp) => (value: string) => pattern.test(value);

/** Regular expressions of some languages lack Unicode categories, so the contract names formats instead of patterns. */
export const FORMATS: Readonly<Record<string, (value: string) => boolean>> = {
  printable: matching(/^\P{C}*$/u),
  'printable-text': matching(/^(?=.*\S)\P{C}*$/u),
  /** RFC 6531 without quotes and comments. The domain has at least two labels. */
  'idn-email': matching(
    /^(?=[^@]{1,64}@)[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+\p{L}(?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])$/u,
  ),
  date: isCalendarDate,
};
