import type { EChartsOption } from 'echarts';
import { addMonths, type CalendarDate } from '../../domain/dates.ts';
import { FAINT, MUTED } from './palette.ts';
import { LABEL, MARGIN, widthOf } from './text.ts';

type XAxis = Extract<EChartsOption['xAxis'], { type?: 'category' }>;

const MOST_MONTHS = 6;
const MOST_YEARS = 9;
const MONTH_STEPS = [1, 2, 3, 6];
const YEAR_STEPS = [1, 2, 5, 10, 20];
/** An axis of more months than this shows only years. */
const LONG = MONTH_STEPS.at(-1)! * MOST_MONTHS;

/** In pixels, between an axis and its labels. */
const LABEL_GAP = 8;

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
    ...axisName(isLong ? 'Year' : 'Month', 34),
    axisLine: { lineStyle: { color: MUTED } },
    axisTick: { interval: isLabelled, lineStyle: { color: MUTED } },
    axisLabel: {
      ...LABEL,
      interval: isLabelled,
      margin: 12,
      formatter: (date: string) => (isLong ? date.slice(0, 4) : monthName.format(new Date(date))),
    },
  };
}

/** `gap` is in pixels. */
export function axisName(name: string, gap: number) {
  return { name, nameLocation: 'middle', nameGap: gap, nameMoveOverlap: false, nameTextStyle: LABEL } as const;
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
  return {
    type: 'value' as const,
    min: 0,
    minInterval: digitsUpTo(most) === 0 ? 1 : 0.01,
    splitNumber: 5,
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { lineStyle: { color: FAINT } },
    axisLabel: {
      ...LABEL,
      margin: LABEL_GAP,
      formatter: (value: number) => poundLabel(value, most),
    },
  };
}

/** Places the names of vertical pound axes, whose largest values are `mosts`, to the left of all labels. */
export function leftOf(...mosts: readonly number[]): { nameGap: number; left: number } {
  // The axis of £9 could end at £10.
  const widths = mosts.map((most) =>
    widthOf(poundLabel(10 ** Math.ceil(Math.log10(Math.max(most / 100, 1))), most), LABEL),
  );
  const nameGap = Math.ceil(LABEL_GAP + Math.max(...widths) + 4);
  return { nameGap, left: nameGap + LABEL.lineHeight + MARGIN / 2 };
}

function poundLabel(value: number, most: number): string {
  const [unit, size] = UNITS.find(([, least]) => most / 100 >= least * 10) ?? ['', 1];
  return `${pounds(value / size, digitsUpTo(most))}${value === 0 ? '' : unit}`;
}

function digitsUpTo(most: number): 0 | 2 {
  return most < 500 ? 2 : 0;
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
