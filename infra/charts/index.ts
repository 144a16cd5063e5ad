import type { CalendarDate } from '../../domain/dates.ts';
import { axisName, monthAxis, poundAxis, pounds, toPounds } from './axes.ts';
import { draw, SIZE } from './draw.ts';
import { areaColours, BARS, INK, MUTED } from './palette.ts';

/* Amounts are in pence. The service draws charts in a thread, because loading echarts takes 80 ms. */

/** `description` says in one or two sentences what the chart shows. */
export interface ChartWords {
  title: string;
  subtitle?: string;
  description: string;
}

/** The values are in pence: one at the start, and one for each month. */
export interface Series {
  name: string;
  values: readonly number[];
}

export interface MonthlyChart extends ChartWords {
  start: CalendarDate;
  yLabel: string;
  /** From the lowest layer up, at most `MOST_SERIES`. */
  series: readonly Series[];
}

interface BarChart extends ChartWords {
  xLabel: string;
  /** From top to bottom, at most `MOST_BARS`. Amounts are in pence. */
  bars: readonly { label: string; amount: number }[];
}

/** Readers cannot distinguish more layers. */
export const MOST_SERIES = 8;
export const MOST_BARS = 14;

export function stackedArea(chart: MonthlyChart): string {
  const { start, yLabel, series } = chart;
  const colours = areaColours(series.length);
  const totals = (series[0]?.values ?? []).map((_, month) => sumAt(series, month));
  return draw(chart, {
    grid: { ...GRID, right: LEGEND.width + 20 },
    xAxis: monthAxis(start, Math.max(totals.length - 1, 0)),
    yAxis: {
      ...poundAxis(Math.max(...totals, 0)),
      ...axisName(yLabel, 74),
    },
    legend: {
      data: series.map(({ name }) => ({ name })).toReversed(),
      orient: 'vertical',
      left: SIZE.width - LEGEND.width,
      top: GRID.top,
      icon: 'rect',
      itemWidth: 16,
      itemHeight: 14,
      itemGap: 12,
      selectedMode: false,
      textStyle: { color: INK, fontSize: 13, width: LEGEND.text, overflow: 'truncate' },
    },
    series: [
      ...series.map(({ name, values }, index) => ({
        type: 'line' as const,
        name,
        data: values.map(toPounds),
        stack: 'all',
        clip: false,
        silent: true,
        showSymbol: false,
        itemStyle: { color: colours[index]! },
        lineStyle: { color: '#ffffff', width: 1.5 },
        areaStyle: { color: colours[index]!, opacity: 1 },
      })),
      {
        type: 'line',
        data: totals.map(toPounds),
        clip: false,
        silent: true,
        showSymbol: false,
        lineStyle: { color: INK, width: 1.5 },
      },
    ],
  });
}

export function bars({ bars: all, xLabel, ...words }: BarChart): string {
  const most = Math.max(0, ...all.map(({ amount }) => amount));
  return draw(words, {
    grid: { ...GRID, left: 190, right: 140 },
    xAxis: {
      ...poundAxis(most),
      ...axisName(xLabel, 34),
    },
    yAxis: {
      type: 'category',
      inverse: true,
      data: all.map(({ label }) => label),
      axisLine: { lineStyle: { color: MUTED } },
      axisTick: { show: false },
      axisLabel: { interval: 0, color: INK, fontSize: 13, width: 140, overflow: 'truncate' },
    },
    series: [
      {
        type: 'bar',
        data: all.map(({ amount }) => toPounds(amount)),
        ...BARS,
        label: {
          show: true,
          position: 'right',
          color: INK,
          fontSize: 13,
          formatter: ({ value }) => pounds(Number(value), 2),
        },
      },
    ],
  });
}

/** Keeps the series with the largest start values, and adds up the others. Returns at most `most` series. */
export function withRest(series: readonly Series[], most: number, nameOf: (count: number) => string): Series[] {
  if (series.length <= most) return [...series];
  const largest = new Set(series.toSorted((a, b) => b.values[0]! - a.values[0]!).slice(0, most - 1));
  const rest = series.filter((one) => !largest.has(one));
  const values = rest[0]!.values.map((_, month) => sumAt(rest, month));
  return [...series.filter((one) => largest.has(one)), { name: nameOf(rest.length), values }];
}

const GRID = { top: 84, bottom: 62, left: 92, right: 24 };
/** In pixels. Leaves space, because some fonts are a fifth wider than echarts calculates. */
const LEGEND = { width: 192, text: 124 };

function sumAt(series: readonly Series[], month: number): number {
  return series.reduce((total, { values }) => total + values[month]!, 0);
}
