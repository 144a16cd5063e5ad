import { addMonths, type CalendarDate } from '../../domain/dates.ts';
import { axisName, monthAxis, poundAxis, toPounds } from './axes.ts';
import { draw } from './draw.ts';
import type { ChartWords } from './index.ts';
import { BARS, LINE_COLOUR, MUTED } from './palette.ts';

/** Amounts are in pence. */
interface BalanceAndInterest extends ChartWords {
  start: CalendarDate;
  /** The balance at the start, and at the end of each month. */
  balances: readonly number[];
  interest: readonly number[];
}

const SIDES = { left: 92, right: 44 };
const PANELS = [
  { ...SIDES, top: 96, height: 140 },
  { ...SIDES, top: 268, height: 116 },
];

/** Draws two panels, because interest is far smaller than the balance. */
export function balanceAndInterest({ start, balances, interest, ...words }: BalanceAndInterest): string {
  const months = interest.length;
  const axis = monthAxis(start, months);
  return draw(words, {
    grid: PANELS,
    xAxis: [
      { ...axis, gridIndex: 0, name: '', axisLabel: { show: false } },
      // The bar of a month is drawn between the month's start and end.
      {
        type: 'category',
        gridIndex: 1,
        boundaryGap: true,
        data: interest.map((_, month) => addMonths(start, month)),
        axisLabel: { show: false },
        axisTick: { show: false },
        axisLine: { lineStyle: { color: MUTED } },
      },
      { ...axis, gridIndex: 1, position: 'bottom' },
    ],
    yAxis: [named('In the vaults', 0, balances), named('Interest', 1, interest)],
    series: [
      {
        type: 'line',
        xAxisIndex: 0,
        yAxisIndex: 0,
        data: balances.map(toPounds),
        clip: false,
        silent: true,
        symbol: 'none',
        lineStyle: { color: LINE_COLOUR, width: 2.5 },
      },
      {
        type: 'bar',
        xAxisIndex: 1,
        yAxisIndex: 1,
        data: interest.map(toPounds),
        ...BARS,
      },
    ],
  });
}

function named(name: string, gridIndex: number, values: readonly number[]) {
  return {
    ...poundAxis(Math.max(0, ...values)),
    splitNumber: 3,
    gridIndex,
    ...axisName(name, 74),
  };
}
