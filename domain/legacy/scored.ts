import type { Sheet } from './cells.ts';
import type { Token } from './features.ts';

/** The roles that a word or an amount may have, in the order of the model's output. */
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

/** The types of page that the model distinguishes, in the order of its output. */
export const KINDS = ['payslip', 'p60', 'p45', 'register', 'other'] as const;
export type Kind = (typeof KINDS)[number];

/** The model's probabilities for a page: a row of roles for each token, and one for each kind of page. */
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
