import type { Sheet } from './cells.ts';
import type { Token } from './features.ts';

/** What a word or an amount may be; the order is that of the scorer's answer. */
export const ROLES = [
  'none',
  'gross',
  'net',
  'tax',
  'ni',
  'pension',
  'deductions',
  'other-deduction',
  'payment',
  'year',
  'employers',
  'base',
  'employer',
  'period',
  'date',
  'code',
  'reference',
] as const;
export type Role = (typeof ROLES)[number];

/** What a page may be; the order is that of the scorer's answer. */
export const KINDS = ['payslip', 'p60', 'p45', 'register', 'other'] as const;
export type Kind = (typeof KINDS)[number];

/** The scorer's answer for a page: probabilities, one row of roles for each token. */
export interface Scores {
  roles: Float32Array;
  kinds: Float32Array;
}

/** A page with the scorer's opinion of it. */
export interface ScoredSheet {
  sheet: Sheet;
  tokens: readonly Token[];
  scores: Scores;
}

const AT = Object.fromEntries(ROLES.map((role, at) => [role, at])) as Record<Role, number>;

/** The probability that a token has a role. */
export const probabilityOf = ({ scores }: ScoredSheet, token: number, role: Role): number =>
  scores.roles[token * ROLES.length + AT[role]]!;
