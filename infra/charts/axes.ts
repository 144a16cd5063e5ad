import type { EChartsOption } from 'echarts';
import { addMonths, type CalendarDate } from '../../domain/dates.ts';
import { FAINT, INK, MUTED } from './palette.ts';

type XAxis = Extract<EChartsOption['xAxis'], { type?: 'category' }>;

const MOST_MONTHS = 7;
const MOST_YEARS = 9;
const MONTH_STEPS = [1, 2, 3, 6];
const YEAR_STEPS = [1, 2, 5, 10, 20];
/** An axis of more months than this shows only years. */
const LONG = MONTH_STEPS.at(-1)! * MOST_MONTHS;

const monthName = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' });

/** A long axis labels only Januaries. */
export function monthAxis(start: CalendarDate, months: number): XAxis {
  const dates = Array.from({ length: months + 1 }, (_, month) => addMonths(start, month));
  const isLong = months > LONG;
  const isLabelled = isLong ? yearLabels(dates) : monthLabels(months);
  return {
    type: 'category',
    boundaryGap: false,
    data: dates,
    ...axisName(isLong ? 'Year' : 'Month', 36),
    axisLine: { lineStyle: { color: MUTED } },
    axisTick: { interval: isLabelled, lineStyle: { color: MUTED } },
    axisLabel: {
      interval: isLabelled,
      color: INK,
      fontSize: 13,
      hideOverlap: true,
      formatter: (date: string) => (isLong ? date.slice(0, 4) : monthName.format(new Date(date))),
    },
  };
}

/** `gap` is in pixels. */
export function axisName(name: string, gap: number) {
  return { name, nameLocation: 'middle', nameGap: gap, nameTextStyle: { color: INK, fontSize: 13 } } as const;
}

function monthLabels(months: number): (index: number) => boolean {
  const step = MONTH_STEPS.find((candidate) => months / candidate <= MOST_MONTHS) ?? MONTH_STEPS.at(-1)!;
  return (index) => index % step === 0;
}

function yearLabels(dates: readonly CalendarDate[]): (index: number) => boolean {
  const years = dates.length / 12;
  const step = YEAR_STEPS.find((candidate) => years / candidate <= MOST_YEARS) ?? YEAR_STEPS.at(-1)!;
  return (index) => {
    const date = dates[index] ?? '';
    return date.slice(5, 7) === '01' && Number(date.slice(0, 4)) % step === 0;
  };
}

/** `most` is in pence. Labels of large amounts have a unit, such as `£12.5m`. */
export function poundAxis(most: number) {
  const fraction = most < 500 ? 2 : 0;
  const [unit, size] = UNITS.find(([, least]) => most / 100 >= least * 10) ?? ['', 1];
  return {
    type: 'value' as const,
    min: 0,
    minInterval: fraction === 0 ? 1 : 0.01,
    splitNumber: 5,
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { lineStyle: { color: FAINT } },
    axisLabel: {
      color: INK,
      fontSize: 13,
      hideOverlap: true,
      formatter: (value: number) => `${pounds(value / size, fraction)}${value === 0 ? '' : unit}`,
    },
  };
}

const UNITS = [
  ['tn', 1e12],
  ['bn', 1e9],
  ['m', 1e6],
] as const;

/** `value` is in pounds, or in the unit that the caller appends, such as millions of pounds. `digits` is the minimum number of decimal places. */
export function pounds(value: number, digits: 0 | 2): string {
  const shown = { minimumFractionDigits: digits, maximumFractionDigits: 2 };
  return `${value < 0 ? '-' : ''}£${Math.abs(value).toLocaleString('en-GB', shown)}`;
}

export function toPounds(amount: number): number {
  return amount / 100;
}
