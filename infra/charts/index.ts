import type { CalendarDate } from '../../domain/dates.ts';
import { axisName, leftOf, monthAxis, poundAxis, pounds, toPounds } from './axes.ts';
import { draw, SIZE, type ChartTexts } from './draw.ts';
import { areaColours, BARS, INK, MUTED } from './palette.ts';
import { LABEL, MARGIN, shortened, widthOf } from './text.ts';

/* Amounts are in pence. The service draws charts in a thread, because loading echarts takes 80 ms. */

/** The values are in pence: one at the start, and one for each month. */
export interface Series {
  name: string;
  values: readonly number[];
}

export interface MonthlyChart extends ChartTexts {
  start: CalendarDate;
  yLabel: string;
  /** From the lowest layer up, at most `MOST_SERIES`. */
  series: readonly Series[];
}

interface BarChart extends ChartTexts {
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
  const most = Math.max(...totals, 0);
  const { left, nameGap } = leftOf(most);
  return draw(chart, {
    grid: { ...GRID, left, right: LEGEND.width + 20 },
    xAxis: monthAxis(start, Math.max(totals.length - 1, 0)),
    yAxis: { ...poundAxis(most), ...axisName(yLabel, nameGap) },
    legend: {
      data: series.map((_, index) => ({ name: String(index) })).toReversed(),
      orient: 'vertical',
      left: SIZE.width - LEGEND.width,
      top: GRID.top,
      icon: 'rect',
      itemWidth: 16,
      itemHeight: 14,
      itemGap: 12,
      selectedMode: false,
      formatter: (index) => shortened(series[Number(index)]!.name, LABEL, LEGEND.text),
      textStyle: LABEL,
    },
    series: [
      ...series.map(({ values }, index) => ({
        type: 'line' as const,
        name: String(index),
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

export function bars({ bars: all, xLabel, ...texts }: BarChart): string {
  const most = Math.max(0, ...all.map(({ amount }) => amount));
  const widestValue = Math.max(0, ...all.map(({ amount }) => widthOf(valueLabel(toPounds(amount)), LABEL)));
  return draw(texts, {
    grid: { ...GRID, left: NAME.width + NAME.gap + MARGIN, right: VALUE.gap + widestValue + MARGIN },
    xAxis: { ...poundAxis(most), splitNumber: 3, ...axisName(xLabel, 34) },
    yAxis: {
      type: 'category',
      inverse: true,
      data: all.map((_, index) => String(index)),
      axisLine: { lineStyle: { color: MUTED } },
      axisTick: { show: false },
      axisLabel: {
        ...LABEL,
        interval: 0,
        margin: NAME.gap,
        formatter: (index: string) => shortened(all[Number(index)]!.label, LABEL, NAME.width),
      },
    },
    series: [
      {
        type: 'bar',
        data: all.map(({ amount }) => toPounds(amount)),
        ...BARS,
        label: {
          show: true,
          position: 'right',
          distance: VALUE.gap,
          ...LABEL,
          formatter: ({ value }) => valueLabel(Number(value)),
        },
      },
    ],
  });
}

/** Keeps the series with the largest start values, and adds up the others. Returns at most `most` series. */
export function withOthers(series: readonly Series[], most: number, nameOf: (count: number) => string): Series[] {
  if (series.length <= most) return [...series];
  const largest = new Set(series.toSorted((a, b) => b.values[0]! - a.values[0]!).slice(0, most - 1));
  const others = series.filter((one) => !largest.has(one));
  const values = others[0]!.values.map((_, month) => sumAt(others, month));
  return [...series.filter((one) => largest.has(one)), { name: nameOf(others.length), values }];
}

/* Pixels. */
const GRID = { top: 84, bottom: 62, outerBoundsMode: 'none' } as const;
const LEGEND = { width: 208, text: 168 };
const NAME = { width: 166, gap: 8 };
const VALUE = { gap: 5 };

function valueLabel(value: number): string {
  return pounds(value, 2);
}

function sumAt(series: readonly Series[], month: number): number {
  return series.reduce((total, { values }) => total + values[month]!, 0);
}
