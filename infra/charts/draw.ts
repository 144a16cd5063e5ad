import { createRequire } from 'node:module';
import { parseXml } from '@rgrove/parse-xml';
import type { EChartsOption } from 'echarts';
import { printSvg, withoutOddCharacters } from './svg.ts';
import { MARGIN, shortened, SUBTITLE, TITLE, widthOf } from './text.ts';

/** `description` says in one or two sentences what the chart shows. */
export interface ChartTexts {
  title: string;
  subtitle?: string;
  description: string;
}

/** `import` would load hundreds of files instead of one bundle, which takes ten times as long. */
const echarts = createRequire(import.meta.url)('echarts') as typeof import('echarts');
echarts.setPlatformAPI({
  measureText: (text, font = '') => {
    const fontSize = Number(/([\d.]+)px/.exec(font)?.[1] ?? 12);
    return { width: widthOf(text, { fontSize, ...(font.includes('bold') && { fontWeight: 'bold' }) }) };
  },
});

export const SIZE = { width: 800, height: 450 } as const;
const TITLE_WIDTH = SIZE.width - 2 * MARGIN;

export function draw(texts: ChartTexts, option: EChartsOption): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, ...SIZE });
  try {
    chart.setOption({
      animation: false,
      backgroundColor: '#ffffff',
      title: {
        text: shortened(texts.title, TITLE, TITLE_WIDTH),
        ...(texts.subtitle !== undefined && { subtext: shortened(texts.subtitle, SUBTITLE, TITLE_WIDTH) }),
        left: MARGIN,
        top: 10,
        itemGap: 2,
        textStyle: TITLE,
        subtextStyle: SUBTITLE,
      },
      ...option,
    });
    // echarts does not remove characters that XML forbids.
    const drawn = parseXml(withoutOddCharacters(chart.renderToSVGString({ useViewBox: true })));
    return printSvg(drawn.root!, texts);
  } finally {
    chart.dispose();
  }
}
