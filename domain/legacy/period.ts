import type { CalendarDate } from '../dates.ts';
import type { Sheet } from './cells.ts';
import { labelled, type Labelled } from './labelled.ts';
import { dateIn, DATE_TEXT, MONTH_NAME } from './printed-dates.ts';
import { respelled } from './spelling.ts';

/** Matches the first day of a range, which may take its year from the last day: `1 May - 31 May 2025`. */
const FROM_TEXT = String.raw`(?:${DATE_TEXT}|\d{1,2}(?:st|nd|rd|th)?\s+${MONTH_NAME}(?!\w)|(?<![\d\/.])\d{1,2}[\/.]\d{1,2}(?![\d\/.]))`;
const RANGE = new RegExp(String.raw`^(?:from )?${FROM_TEXT}\s*(?:-|–|—|to|t0|until|\/)\s*${DATE_TEXT}`, 'i');
const MONTH_YEAR = new RegExp(String.raw`^${MONTH_NAME}[\s\-\/,]*(?:20\d{2}|['’]?\d{2})\b(?!\s*[\/\-]?\s*\d{4})`, 'i');
const NUMBERED =
  /^(?:(?:tax )?(?:month|week|mth|wk|period|m|w)\.?(?: no\.?)?[ :]*0?(\d{1,2})(?: of \d{2}| ?\/ ?\d{2,4})?)$/i;
const ALONE = new RegExp(String.raw`^${MONTH_NAME}$`, 'i');

const tidy = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/^[:\-–]\s*/, '')
    .trim();

/** Returns the range of days in a text, with single spaces around its hyphen or `to`; null if there is none. */
export function rangeIn(text: string): string | null {
  const range = new RegExp(RANGE.source.slice(1), 'i').exec(text);
  return range === null ? null : evenly(range[0].trim());
}

/** Returns the words of a text that name a period: a range of days, a month, a numbered tax month or week, or a day. */
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

const PERIOD_LABEL =
  /^(for )?(the )?(pay |payroll |pay ?run |payment |tax |wage |salary |earnings )?period( (covered|dates?|of pay|from to|details|from|worked))?$|^(for )?(the )?(pay |tax |payroll |wage )?(period|month|mth|week|wk|fortnight|4 weeks)( (ending|ended|end|of|to|commencing|beginning|starting))( date)?$|^(w ?[ec]|[mp] ?e)( date)?$|^(for )?(the )?(2|3|4|5|two|three|four|five) weeks (ending|ended|to)$|^for$|^pay (month|week|for)$|^(payslip|pay slip|pay advice|pay statement|salary|wage) for( (the )?(month|period|week|fortnight|(2|3|4|5|two|three|four|five) weeks))?( (of|ending|ended|to))?$|^(dates|period) (from|of)$/;
const TAX_PERIOD = /^((tax|pay|payroll|paye|wage|salary) ?)?(month|week|period|mth|wk)( (number|no))?$/;
const PAY_DATE =
  /^(pay|payment|paid|payroll|bacs|payday) ?(date|day|on)?$|^date (paid|of payment|of pay|payable|of credit)$|^(payment|pay) date.{0,12}$|^date of (pay|payment)$|^(net )?pay(ment)? (due|made|credited) (date|on)$/;
const PROCESS_DATE =
  /^process(ed|ing)? date$|^date( processed)?$|^(payslip|pay slip|pay advice|advice|tax point|cheque|bacs process|issue) date$|^period date$/;

/** Finds the pay date beside its label, or else the processing date. */
export function findPayDate(sheet: Sheet): Labelled<CalendarDate> | null {
  const accept = (text: string): CalendarDate | null => leadingDate(text)?.date ?? null;
  return (
    labelled(sheet, PAY_DATE, accept)[0] ??
    labelled(sheet, PROCESS_DATE, accept)[0] ??
    endOfNumbered(sheet) ??
    toldPaid(sheet)
  );
}

/** Returns the date with which a text begins. Only the name of a weekday may stand before it. */
function leadingDate(text: string): { date: CalendarDate; text: string } | null {
  const bare = tidy(text).replace(/^(mon|tues?|wed(nes)?|thur?s?|fri|sat(ur)?|sun)(day)?,?\s+/i, '');
  const found = dateIn(bare);
  return found !== null && bare.startsWith(found.text) ? found : null;
}

/** Finds the last day of a numbered period, as in `month 5 ended 27/08/2025`, if the page names no other day. */
function endOfNumbered(sheet: Sheet): Labelled<CalendarDate> | null {
  for (const cell of sheet.cells) {
    const ending = /\b(?:month|week) \d{1,2} end(?:ed|ing):? (.+)$/i.exec(cell.text);
    const date = ending === null ? null : leadingDate(ending[1]!);
    if (date !== null) return { value: date.date, text: date.text, label: '', cells: [cell] };
  }
  return null;
}

/** Finds the pay date in a sentence such as `Mrs E Thornton, paid on 15 January 2027`. */
function toldPaid(sheet: Sheet): Labelled<CalendarDate> | null {
  for (const cell of sheet.cells) {
    const told = /\b(?:paid|payable|payment made)(?: to you)?(?: on)?:? (.+)$/i.exec(cell.text);
    const date = told === null ? null : leadingDate(told[1]!);
    if (date !== null) return { value: date.date, text: date.text, label: '', cells: [cell] };
  }
  return null;
}

/**
 * Finds the period as printed: beside its label, or as a tax month or week, or else the processing date or pay date.
 */
export function findPeriod(sheet: Sheet): Labelled<string> | null {
  const found = printedPeriod(sheet);
  if (found === null) return null;
  const isSeen = found.cells.some(({ source }) => source === 'ocr');
  return { ...found, value: evenly(isSeen ? spaced(found.value) : found.value) };
}

/** Adds the spaces that OCR loses around a month, as in `31 DEC2025`, and removes a space before `st` or `th`. */
export const spaced = (text: string): string =>
  text
    .replace(/(?<=\d)(?=[a-z]{3})/gi, ' ')
    .replace(/(?<=[a-z]{3})(?=\d{4})/gi, ' ')
    .replace(/(?<=\d)(?= ?(st|nd|rd|th)\b) /gi, '');

const BOUNDS = new RegExp(String.raw`^(?:from )?(${FROM_TEXT})\s*(-|–|—|to|t0)\s*(${DATE_TEXT})$`, 'i');

/** Prints a range of days with single spaces around its hyphen or `to`. */
export function evenly(value: string): string {
  const span = BOUNDS.exec(value);
  if (span === null) return value;
  const between = /^t/i.test(span[2]!) ? span[2]!.replace('0', 'O') : '-';
  return `${span[1]!} ${between} ${span[3]!}`;
}

function printedPeriod(sheet: Sheet): Labelled<string> | null {
  const worded = labelled(sheet, PERIOD_LABEL, (text) =>
    /^\d{1,2}$/.test(tidy(text)) ? null : (periodIn(text) ?? monthOfYear(tidy(text))),
  );
  const span = worded.find((one) => RANGE.test(one.value)) ?? worded.find((one) => MONTH_YEAR.test(one.value));
  const best =
    span ??
    fromTo(sheet) ??
    titled(sheet, [SPAN]) ??
    worded[0] ??
    titled(sheet, [NAMED]) ??
    numbered(sheet) ??
    titled(sheet, [COUNTED]);
  if (best !== undefined && best !== null) return best;
  const day = (label: RegExp): Labelled<string> | undefined =>
    labelled(sheet, label, (text) => leadingDate(text)?.text ?? null)[0];
  const only = day(PROCESS_DATE) ?? day(PAY_DATE);
  // A single day in place of a period is less certain, so the label is left out.
  return only === undefined ? null : { ...only, label: '' };
}

/** Returns a month such as `05/2025` or `2025/05`. `2011/12` is a tax year instead. */
function monthOfYear(text: string): string | null {
  const [, before, year, after] = /^(?:(\d{1,2})[\/.-])?(20\d{2})(?:[\/.-](\d{2}))?$/.exec(text) ?? [];
  if ((before === undefined) === (after === undefined)) return null;
  const month = Number(before ?? after);
  return month < 1 || month > 12 || (before === undefined && month === (Number(year) + 1) % 100) ? null : text;
}

/** Finds a numbered tax month or week, with the words of its label: `Tax Period 6`. */
function numbered(sheet: Sheet): Labelled<string> | null {
  const isSeen = sheet.cells.some(({ source }) => source === 'ocr');
  const accept = (text: string, label: string): string | null => {
    const bare = tidy(text);
    const number = /^0?(\d{1,2})(?![\d\/.:-])/.exec(bare);
    if (number === null) return periodIn(bare);
    const name = (isSeen ? respelled(label) : label)
      .replace(/[:.\s]+$/, '')
      .replace(/\s*\b(no|number|num)\.?$/i, '')
      .replace(/([a-z])([A-Z])/g, '$1 $2');
    return Number(number[1]) >= 1 && Number(number[1]) <= 56 && leadingDate(bare) === null
      ? `${name} ${number[1]!}`
      : null;
  };
  const found = labelled(sheet, TAX_PERIOD, accept)[0];
  if (found === undefined) return null;
  // The label becomes part of the value.
  const named = sheet.cells.filter(({ text }) => text === found.label);
  return { ...found, cells: [...found.cells, ...named] };
}

/** Joins `From 01/04/2025` and `To 30/04/2025`, which have two labels. */
function fromTo(sheet: Sheet): Labelled<string> | null {
  const day = (label: RegExp): Labelled<string> | undefined =>
    labelled(sheet, label, (text) => leadingDate(text)?.text ?? null)[0];
  const from = day(
    /^((pay )?period )?(from|start|starting|start date|begin|begins)( date)?$|^(pay )?period (from|start)$/,
  );
  const to = day(/^((pay )?period )?(to|end|ending|end date|ends)( date)?$|^(pay )?period (to|end)$/);
  if (from === undefined || to === undefined) return null;
  return { value: `${from.value} - ${to.value}`, text: '', label: from.label, cells: [...from.cells, ...to.cells] };
}

const SPAN = new RegExp(String.raw`(${FROM_TEXT})\s*(?:-|–|—|to|t0)\s*(?:\S\s)?(${DATE_TEXT})`, 'i');
const NAMED = new RegExp(String.raw`\b(${MONTH_NAME} 20\d{2})\b`, 'i');
const COUNTED = /\b((?:tax )?(?:month|week|period) (?:no\.? )?\d{1,2})\b(?! ?[/.])/i;

/** Finds a period that stands alone or in a title, such as `Payslip for April 2025`. */
function titled(sheet: Sheet, patterns: readonly RegExp[]): Labelled<string> | null {
  for (const pattern of patterns)
    for (const cell of sheet.cells) {
      const found = pattern.exec(cell.text);
      if (found === null || /year|birth|start/i.test(cell.text)) continue;
      if (pattern === NAMED && (dateIn(cell.text) !== null || cell.words.length > 6)) continue;
      const value = pattern === SPAN ? spanOf(found) : tidy(found[1]!);
      const plain = found[0] === cell.text.trim() || /pay|slip|month|period|advice|wage|salary/i.test(cell.text);
      if (plain || pattern === SPAN) return { value, text: cell.text, label: '', cells: [cell] };
    }
  return null;
}

/** Returns a range as printed, without a stray mark between its days. */
const spanOf = ([all, from, to]: RegExpExecArray): string =>
  /(?:-|–|—|to)\s*\S\s/i.test(all.slice(from!.length, all.length - to!.length)) ? `${from!} - ${to!}` : tidy(all);
