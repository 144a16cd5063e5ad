import { createRequire } from 'node:module';
import { parseXml, XmlElement, XmlText } from '@rgrove/parse-xml';
import type { EChartsOption } from 'echarts';
import type { ChartWords } from './index.ts';
import { INK, MUTED } from './palette.ts';
import { printSvg, withoutOddCharacters, type Element } from './svg.ts';

export type Option = EChartsOption;

/** By `require` it is one file; by `import` it is hundreds, which take ten times as long to load. */
const echarts = createRequire(import.meta.url)('echarts') as typeof import('echarts');

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
    // echarts prints the characters of names as they are.
    const drawn = parseXml(withoutOddCharacters(chart.renderToSVGString({ useViewBox: true })));
    return printSvg(elementOf(drawn.root!), words);
  } finally {
    chart.dispose();
  }
}

/** What echarts prints has styles and classes that a strict policy forbids, so the SVG is parsed and printed again without them. */
function elementOf({ name, attributes, children }: XmlElement): Element {
  const text = children.filter((child) => child instanceof XmlText).map((child) => child.text);
  return {
    tag: name,
    attrs: attributes,
    children: children.filter((child) => child instanceof XmlElement).map(elementOf),
    ...(text.length > 0 && { text: text.join('') }),
  };
}
