import type { IncomeLimits } from '../../domain/auth.ts';
import { UsageError } from './errors.ts';

export interface Given {
  words: readonly string[];
  option(name: string): string | undefined;
  options(name: string): readonly string[];
  flag(name: string): boolean;
}

export function required(given: Given, name: string): string {
  const value = given.option(name);
  if (value === undefined || value.trim() === '') throw new UsageError(`--${name} is missing.`);
  return value;
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
