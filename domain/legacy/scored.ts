import type { Sheet } from './cells.ts';
import type { Token } from './features.ts';

/** In the order of the model's output. */
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

/** In the order of the model's output. */
export const KINDS = ['payslip', 'p60', 'p45', 'register', 'other'] as const;
export type Kind = (typeof KINDS)[number];

/** `roles` has one row of `ROLES` for each token. */
export interface Scores {
  roles: Float32Array;
  kinds: Float32Array;
}

export interface ScoredSheet {
  sheet: Sheet;
  tokens: readonly Token[];
  scores: Scores;
}

const AT = Object.fromEntries(ROLES.map((role, at) => [role, at])) as Record<Role, number>;

export const probabilityOf = ({ scores }: ScoredSheet, token: number, role: Role): number =>
  scores.roles[token * ROLES.length + AT[role]]!;
