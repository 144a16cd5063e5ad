import { inPounds } from '../../domain/money.ts';
import { task } from '../../infra/threads/task.ts';

/** Amounts are in pence. */
export interface ShownSplit {
  gross_income: number;
  locked_for_bills: number;
  locked_buffer: number;
  clean_safe_to_spend: number;
  vaults: readonly { type: string; amount: number }[];
}

export const splitChartTask = task<typeof splitChart>(import.meta.url, 'splitChart');

export async function splitChart(shown: ShownSplit): Promise<string> {
  // Loaded on demand, because the module is slow to load.
  const { bars, MOST_BARS } = await import('../../infra/charts/index.ts');
  const { vaults } = shown;
  const [gross, bills] = [inPounds(shown.gross_income), inPounds(shown.locked_for_bills)];
  const [buffer, safe] = [inPounds(shown.locked_buffer), inPounds(shown.clean_safe_to_spend)];
  const slots = MOST_BARS - 2;
  const byAmount = vaults.toSorted((a, b) => b.amount - a.amount);
  const own = byAmount.length > slots ? byAmount.slice(0, slots - 1) : byAmount;
  const others = byAmount.slice(own.length);
  const together = {
    label: `${others.length} other bills`,
    amount: others.reduce((sum, { amount }) => sum + amount, 0),
  };
  const count = vaults.length === 1 ? 'one bill' : `${vaults.length} bills`;
  return bars({
    title: 'Where the wage goes',
    subtitle: `A wage of ${gross}`,
    description: `Of ${gross}, ${bills} are for ${count}, ${buffer} are the buffer, and ${safe} are safe to spend.`,
    xLabel: 'Pounds',
    bars: [
      ...own.map(({ type, amount }) => ({ label: type, amount })),
      ...(others.length > 0 ? [together] : []),
      { label: 'Safety buffer', amount: shown.locked_buffer },
      { label: 'Safe to spend', amount: shown.clean_safe_to_spend },
    ],
  });
}
