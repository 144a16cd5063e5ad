import * as echarts from 'echarts/dist/echarts.esm.min.mjs';
import type { EChartsOption } from 'echarts';
import type { ChartWords } from './index.ts';
import { INK, MUTED } from './palette.ts';
import { printSvg, type Element } from './svg.ts';

export type Option = EChartsOption;

export const SIZE = { width: 800, height: 450 } as const;
/** Fonts differ: the widest needs a fifth more than is reckoned with. */
const TITLE_WIDTH = 560;

/** Has echarts lay the chart out, and prints what came of it. Nothing in it moves, links or runs. */
export function draw(words: ChartWords, option: Option): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, ...SIZE });
  try {
    chart.setOption({
      animation: false,
      backgroundColor: '#ffffff',
      title: {
        text: words.title,
        ...(words.subtitle !== undefined && { subtext: words.subtitle }),
        left: 16,
        top: 12,
        itemGap: 6,
        textStyle: { color: INK, fontSize: 18, fontWeight: 'bold', width: TITLE_WIDTH, overflow: 'truncate' },
        subtextStyle: { color: MUTED, fontSize: 13, width: TITLE_WIDTH, overflow: 'truncate' },
      },
      ...option,
    });
    return printSvg(laidOut(chart), words);
  } finally {
    chart.dispose();
  }
}

/** The tree that `renderToSVGString` would print with styles and classes that a strict policy forbids. */
function laidOut(chart: echarts.ECharts): Element {
  const { painter } = chart.getZr() as unknown as { painter: { renderToVNode(how: object): Element } };
  return painter.renderToVNode({ animation: false, emphasis: false, compress: true, useViewBox: true });
}
