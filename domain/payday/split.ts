import { sum, type Pence } from '../money.ts';

/** How many entries the wage covers: entries at the end of the list are left out until the rest is covered. */
export function coveredBy(wage: Pence, amounts: readonly Pence[]): number {
  let covered = amounts.length;
  while (covered > 0 && sum(amounts.slice(0, covered)) > wage) covered -= 1;
  return covered;
}
