import { addMonths, type CalendarDate } from '../../domain/dates.ts';
import { axisName, leftOf, monthAxis, poundAxis, toPounds } from './axes.ts';
import { draw, type ChartTexts } from './draw.ts';
import { BARS, LINE_COLOUR, MUTED } from './palette.ts';

/** Amounts are in pence. */
interface BalanceAndInterest extends ChartTexts {
  start: CalendarDate;
  /** The balance at the start, and at the end of each month. */
  balances: readonly number[];
  interest: readonly number[];
}

const PANELS = [
  { top: 96, height: 140 },
  { top: 268, height: 116 },
];

const NAMES = ['In the vaults', 'Interest'];

/** Draws two panels, because interest is far smaller than the balance. */
export function balanceAndInterest({ start, balances, interest, ...texts }: BalanceAndInterest): string {
  const months = interest.length;
  const axis = monthAxis(start, months);
  const mosts = [balances, interest].map((values) => Math.max(0, ...values));
  const { left, nameGap } = leftOf(...mosts);
  return draw(texts, {
    grid: PANELS.map((panel) => ({ ...panel, left, right: 44, outerBoundsMode: 'none' })),
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
    yAxis: mosts.map((most, gridIndex) => ({
      ...poundAxis(most),
      splitNumber: 3,
      gridIndex,
      ...axisName(NAMES[gridIndex]!, nameGap),
    })),
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
