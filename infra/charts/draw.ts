import { createRequire } from 'node:module';
import { parseXml } from '@rgrove/parse-xml';
import type { EChartsOption } from 'echarts';
import type { ChartWords } from './index.ts';
import { INK, MUTED } from './palette.ts';
import { printSvg, withoutOddCharacters } from './svg.ts';

/** `import` would load hundreds of files instead of one bundle, which takes ten times as long. */
const echarts = createRequire(import.meta.url)('echarts') as typeof import('echarts');

export const SIZE = { width: 800, height: 450 } as const;
/** In pixels. Leaves space, because some fonts are a fifth wider than echarts calculates. */
const TITLE_WIDTH = 560;

export function draw(words: ChartWords, option: EChartsOption): string {
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
    // echarts does not remove characters that XML forbids.
    const drawn = parseXml(withoutOddCharacters(chart.renderToSVGString({ useViewBox: true })));
    return printSvg(drawn.root!, words);
  } finally {
    chart.dispose();
  }
}
