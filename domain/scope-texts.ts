import type { Scope } from './auth.ts';

/** Each text completes the sentence "It will be able to: …" on the consent page. */
export const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  'read:profile': 'See your email address and the settings of your account',
  'write:profile': 'See your email address, and change your password and the settings of your account',
  'read:paycheck': 'See your wages and how they are split up',
  'write:paycheck': 'See your wages, and record new ones and split them up',
  'read:debt': 'See your debts and plans to repay them',
  'write:debt': 'See, make, change and close plans to repay your debts',
  'read:payments': 'See your payments and whom you pay',
  'write:payments': 'Pay bills with your money, see, cancel and retry payments, and see, add, rename and remove payees',
  'read:bank':
    'See your connections to your banks, the balances and transactions there, and whether they cover what you set aside',
  'write:bank':
    'See the same, have your accounts read, and prepare and end connections to your banks, which only you can grant',
  'read:yield': 'See the interest that your savings earn',
  'write:yield': 'See and post the interest that your savings earn',
  'read:allocations': 'See how much money you have and what it is set aside for',
  'write:allocations':
    'See your money, set it aside, take it back, move it between your vaults, and rename and close vaults',
  'read:credential': 'See the proofs that you pay your bills on time',
  'write:credential': 'See, make and withdraw proofs that you pay your bills on time',
  'read:affordability': 'See your affordability checks and their results',
  'write:affordability': 'See your affordability checks, and work out what you can afford',
  'read:documents': 'See your payslips, P60s and P45s, and the figures found in them',
  'write:documents': 'See, add and delete your payslips, P60s and P45s',
  'read:vault': 'See your personal data, with most of each entry hidden',
  'write:vault': 'Store and delete your personal data',
  'reveal:vault': 'See your personal data in full',
  'admin:audit': 'See the audit log of the whole service',
  'admin:owners': 'Act for every owner of the whole service',
  'assert:income': 'State your wages as evidence for payments',
  'vouch:payees': 'Vouch for the payees that the application adds',
};

/** In the order shown. */
const MOVES_MONEY: readonly Scope[] = ['write:payments', 'write:allocations', 'write:paycheck'];

export interface ScopeLine {
  scope: Scope;
  text: string;
  movesMoney: boolean;
}

/** Omits `read:x` beside `write:x`, which includes `read:x`. */
export function scopeLines(scopes: readonly Scope[]): ScopeLine[] {
  const shown = scopes.filter(
    (scope) => !scope.startsWith('read:') || !scopes.includes(scope.replace(/^read:/, 'write:') as Scope),
  );
  const money = MOVES_MONEY.filter((scope) => shown.includes(scope));
  const others = shown.filter((scope) => !money.includes(scope));
  return [...money, ...others].map((scope) => ({
    scope,
    text: SCOPE_TEXTS[scope],
    movesMoney: money.includes(scope),
  }));
}
