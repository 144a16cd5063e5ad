import { userInfo } from 'node:os';
import type { IncomeLimits } from '../../domain/auth.ts';
import { isCalendarDate, type CalendarDate } from '../../domain/dates.ts';
import { UsageError } from './errors.ts';

export interface Given {
  /** For the audit log, such as `operator:ada`. */
  operator: string;
  words: readonly string[];
  option(name: string): string | undefined;
  options(name: string): readonly string[];
  flag(name: string): boolean;
}

const MOST_ROWS = 1_000;

/** `--by`, or else the name of the user who runs the command. */
export function operatorBy(by: string | undefined): string {
  const name = (by ?? loginName()).trim();
  if (!/^[^\p{C}]{1,64}$/u.test(name)) throw new UsageError('--by must have 1 to 64 printable characters.');
  return `operator:${name}`;
}

/** A container can run under a number that has no name. */
function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

export function limitOf(given: Given): number {
  const limit = wholeNumber(given, 'limit') ?? 100;
  if (limit >= 1 && limit <= MOST_ROWS) return limit;
  throw new UsageError(`--limit must be a whole number from 1 to ${MOST_ROWS}.`);
}

/** A day in London. */
export function dayOf(given: Given, name: string): CalendarDate | undefined {
  const day = given.option(name);
  if (day === undefined || isCalendarDate(day)) return day;
  throw new UsageError(`--${name} is "${day}", but must be a date in the form YYYY-MM-DD.`);
}

export function required(given: Given, name: string): string {
  const value = given.option(name);
  if (value === undefined || value.trim() === '') throw new UsageError(`--${name} is missing.`);
  return value;
}

/** What an operator says of a payment, from `PAYMENT_ID --as …|… --reason TEXT`. */
export function saidOfPayment<As extends string>(given: Given, choices: readonly [As, As]) {
  const said = required(given, 'as');
  const as = choices.find((choice) => choice === said);
  if (as === undefined) throw new UsageError(`--as must be ${choices.join(' or ')}.`);
  return { payment_id: given.words[0]!, as, reason: required(given, 'reason'), actor: given.operator };
}

export function requiredList(given: Given, name: string): readonly string[] {
  const values = given.options(name);
  if (values.length === 0) throw new UsageError(`--${name} is missing.`);
  return values;
}

/** Requires both limits or neither, because one limit alone does not prevent abuse. */
export function incomeLimits(given: Given): IncomeLimits | undefined {
  const perOwner = wholeNumber(given, 'income-per-owner', 15);
  const perMonth = wholeNumber(given, 'income-per-month', 15);
  if (perOwner === undefined && perMonth === undefined) return undefined;
  if (perOwner === undefined || perMonth === undefined) {
    throw new UsageError('--income-per-owner and --income-per-month must be set together.');
  }
  return { perOwner, perMonth };
}

export function perMinute(given: Given): number | undefined {
  const asked = wholeNumber(given, 'per-minute', 7);
  if (asked === undefined || (asked >= 1 && asked <= 1_000_000)) return asked;
  throw new UsageError('--per-minute must be a whole number from 1 to 1000000.');
}

export function wholeNumber(given: Given, name: string, digits = 4): number | undefined {
  const value = given.option(name);
  if (value === undefined) return undefined;
  if (!/^\d+$/.test(value) || value.length > digits)
    throw new UsageError(`--${name} is "${value}", but must be a whole number.`);
  return Number(value);
}
