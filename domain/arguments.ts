import { invalidInput } from './errors.ts';

/** Anybody with access to Temporal can call activities with values of the wrong type, so numbers are checked. */
export function requireWhole(pointer: string, value: number, { least, most }: { least: number; most: number }): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw invalidInput(pointer, `must be a whole number from ${least} to ${most}`);
}

export function requireOneOf<T extends string>(pointer: string, value: string, choices: readonly T[]): T {
  const choice = choices.find((known) => known === value);
  if (choice === undefined) throw invalidInput(pointer, `must be one of ${choices.join(', ')}`);
  return choice;
}

export function requireInstant(pointer: string, value: string): Date {
  const at = typeof value === 'string' ? new Date(value) : new Date(Number.NaN);
  if (Number.isNaN(at.getTime())) throw invalidInput(pointer, 'must be a time such as 2026-01-31T12:00:00Z');
  return at;
}

export const MOST_INT = 2_147_483_647;
