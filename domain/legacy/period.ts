import { dateIn, DATE_TEXT, MONTH_NAME } from './printed-dates.ts';

/** The first day of a range may take its year from the last day: `1 May - 31 May 2025`. */
const FROM_TEXT = String.raw`(?:${DATE_TEXT}|\d{1,2}(?:st|nd|rd|th)?\s+${MONTH_NAME}(?!\w)|(?<![\d\/.])\d{1,2}[\/.]\d{1,2}(?![\d\/.]))`;
const RANGE = new RegExp(
  String.raw`^(?:from |between )?${FROM_TEXT}\s*(?:-|–|—|to|t0|until|and|\/)\s*${DATE_TEXT}`,
  'i',
);
const MONTH_YEAR = new RegExp(String.raw`^${MONTH_NAME}[\s\-\/,]*(?:20\d{2}|['’]?\d{2})\b(?!\s*[\/\-]?\s*\d{4})`, 'i');
const NUMBERED =
  /^(?:(?:tax )?(?:month|week|mth|wk|period|m|w)\.?(?: no\.?)?[ :]*0?(\d{1,2})(?: of \d{2}| ?\/ ?\d{2,4})?)$/i;
const ALONE = new RegExp(String.raw`^${MONTH_NAME}$`, 'i');

const tidy = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/^[:\-–]\s*/, '')
    .trim();

export function rangeIn(text: string): string | null {
  const range = new RegExp(RANGE.source.slice(1), 'i').exec(text);
  return range === null ? null : evenly(range[0].trim());
}

/** A range of days, a month, a numbered tax month or week, or a day. */
export function periodIn(text: string): string | null {
  const bare = tidy(text);
  for (const pattern of [RANGE, MONTH_YEAR]) {
    const found = pattern.exec(bare);
    if (found !== null) return found[0].trim();
  }
  if (NUMBERED.test(bare)) return bare;
  const date = dateIn(bare);
  if (date !== null && bare.startsWith(date.text)) return date.text;
  return ALONE.test(bare) ? bare : null;
}

/** OCR loses spaces (`31 DEC2025`), splits ordinals (`31 st`) and misreads letters of months. */
export const spaced = (text: string): string =>
  text
    .replace(/(?<=\d)(?=(?!(st|nd|rd|th)\b)[a-z]{2})|(?<=[a-z]{2})(?=\d)/gi, ' ')
    .replace(/(?<=\d) (?=(st|nd|rd|th)\b)/gi, '')
    .replace(/(?<=\d),(?=\d{4})/g, ', ')
    .replace(/[a-z]{4,9}/gi, likelyMonth);

const MONTHS = 'january february march april june july august september october november december'.split(' ');

/** The only month that differs in at most one letter. Otherwise the word itself. */
function likelyMonth(word: string): string {
  const letters = word.toLowerCase().replace('rn', 'm');
  const isNear = (month: string): boolean =>
    month.length === letters.length && Array.from(month).filter((letter, at) => letter !== letters[at]).length < 2;
  const [month, ...more] = MONTHS.filter(isNear);
  if (month === undefined || more.length > 0) return word;
  if (word === word.toUpperCase()) return month.toUpperCase();
  return /^[A-Z]/.test(word) ? month.charAt(0).toUpperCase() + month.slice(1) : month;
}

const BOUNDS = new RegExp(
  String.raw`^(?:from |between )?(${FROM_TEXT})\s*(-|–|—|to|t0|until|and)\s*(${DATE_TEXT})$`,
  'i',
);

/** Puts single spaces around the hyphen or `to` of a range. */
export function evenly(value: string): string {
  const span = BOUNDS.exec(value);
  if (span === null) return value;
  const between = /^[tu]/i.test(span[2]!) ? span[2]!.replace('0', 'O') : '-';
  return `${span[1]!} ${between} ${span[3]!}`;
}
