import { parseXml } from '@rgrove/parse-xml';
import fc from 'fast-check';
import { addMonths } from '../../domain/dates.ts';
import { monthAxis, poundAxis, pounds } from '../../infra/charts/axes.ts';
import { balanceAndInterest } from '../../infra/charts/balance-and-interest.ts';
import {
  bars,
  MOST_SERIES,
  stackedArea,
  withOthers,
  type MonthlyChart,
  type Series,
} from '../../infra/charts/index.ts';
import { areaColours, BAR_COLOUR, INK, LINE_COLOUR, MUTED } from '../../infra/charts/palette.ts';
import { printSvg } from '../../infra/charts/svg.ts';

const falling = (name: string, from: number, months: number): Series => ({
  name,
  values: Array.from({ length: months + 1 }, (_, month) => Math.round(from * (1 - month / months))),
});
const monthly = (given: Partial<MonthlyChart> = {}): MonthlyChart => ({
  title: 'What is owed',
  description: 'It falls to nothing.',
  start: '2026-11-30',
  yLabel: 'Still owed',
  series: [falling('Loan', 300_000, 20), falling('Card', 60_000, 20)],
  ...given,
});
const textsOf = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text!);

const HOSTILE = [
  '</text><script>alert(1)</script>',
  '"><image href="https://evil.example/x.svg" onload="alert(1)"/>',
  '<!--',
  ']]>',
  '<![CDATA[',
  '&lt;&#0;&unknown;',
  "' onmouseover='alert(1)",
  '\u0000\u0008\ufffe\uffff\ud800',
  '{{constructor}} {value} {a|b}',
  '\n\n\n',
  '💷'.repeat(40),
  'ع̴͎̈́ͅ'.repeat(20),
];
const anyText = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('<', '>', '&', '"', "'", '/', '{', '}', '|', '='), maxLength: 40 }),
);

const TAG =
  /^<(?:svg|title|desc|rect|path|text|circle)(?: [a-z0-9-]+="[^"<>&]*")*(?: (?:viewBox)="[^"<>&]*")?(?: [a-z0-9-]+="[^"<>&]*")*\/?>$|^<\/(?:svg|title|desc|text)>$/;
function expectHarmless(svg: string): void {
  const tags = [...svg.matchAll(/<[^>]*>?/g)].map(([tag]) => tag);
  for (const tag of tags) expect(tag).toMatch(TAG);
  expect(tags.join('\n')).not.toMatch(/ (?:on[a-z]+|style|class|href|id="(?!chart-))=|url\(/i);
  // XML 1.0 allows no other characters.
  expect(svg).toMatch(/^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]*$/u);
}

describe('every chart', () => {
  test('contains only shapes and text, for any words and names', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (title, name, description) => {
        const words = { title, description, subtitle: name };
        const series = [falling(name, 1_000, 3), falling(`${name} too`, 500, 3)];
        expectHarmless(stackedArea(monthly({ ...words, series, yLabel: name })));
        expectHarmless(bars({ ...words, xLabel: name, bars: [{ label: name, amount: 5 }] }));
      }),
      { numRuns: 20 },
    );
  });

  test.each(Object.getOwnPropertyNames(Object.prototype))(
    'leaves the prototype of objects alone if a debt is called %s',
    (name) => {
      const before = Object.getOwnPropertyNames(Object.prototype);
      const words = { title: name, subtitle: name, description: name };
      const both = [5, 4].map((amount) => ({ label: name, amount }));
      const drawn = [
        stackedArea(monthly({ ...words, series: [falling(name, 100, 2), falling('Loan', 100, 2)] })),
        bars({ ...words, xLabel: 'Pounds', bars: both }),
      ];
      expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
      for (const svg of drawn) expect(textsOf(svg).join(' ')).toContain(name);
    },
  );

  test('has a text alternative, and is the same every time', () => {
    const svg = stackedArea(monthly({ title: 'A < B', description: 'Tom & "Jerry"' }));
    expect(svg).toBe(stackedArea(monthly({ title: 'A < B', description: 'Tom & "Jerry"' })));
    expect(svg).toMatch(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="800" height="450" viewBox="0 0 800 450" /,
    );
    expect(svg).toContain('role="img" aria-labelledby="chart-title chart-desc">');
    expect(svg).toContain('<title id="chart-title">A &lt; B</title>');
    expect(svg).toContain('<desc id="chart-desc">Tom &amp; &quot;Jerry&quot;</desc>');
  });

  test('shortens names that would not fit', () => {
    const svg = stackedArea(monthly({ series: [falling('A name of a debt that goes on and on and on', 100, 2)] }));
    expect(textsOf(svg).find((text) => text.startsWith('A name'))).toMatch(/^A name.{3,20}\.\.\.$/);
  });

  test('names the months and counts in pounds', () => {
    const texts = textsOf(stackedArea(monthly()));
    expect(texts).toEqual(
      expect.arrayContaining(['Nov 2026', 'May 2028', '£0', '£4,000', 'Month', 'Still owed', 'Loan', 'Card']),
    );
    const long = textsOf(stackedArea(monthly({ series: [falling('Loan', 123_456_789_00, 300)] })));
    expect(long).toEqual(expect.arrayContaining(['2030', '2050', 'Year', '£140m']));
  });

  test('of nothing, of one month and of a hundred years can be drawn', () => {
    for (const series of [[], [{ name: 'A', values: [0] }], [falling('A', 1, 1)], [falling('A', 5e12, 1_200)]]) {
      expectHarmless(stackedArea(monthly({ series })));
    }
    expectHarmless(bars({ title: 'x', description: 'x', xLabel: 'Pounds', bars: [] }));
  });
});

test.each([
  [100, 1],
  [999_999_999, 1_000_000],
])('the panels of a balance of %i pence and interest of %i pence are equally wide', (balance, interest) => {
  const words = { title: 'x', description: 'x', start: '2026-11-30' } as const;
  const svg = balanceAndInterest({ ...words, balances: [balance, balance], interest: [interest] });
  const lines = [...svg.matchAll(/<path d="M([\d.]+) ([\d.]+)L([\d.]+) \2"/g)].map(([, left, , right]) => [
    left,
    right,
  ]);
  expect(lines.length).toBeGreaterThan(4);
  expect(new Set(lines.map(String)).size).toBe(1);
});

describe('the months of an axis', () => {
  const shownOf = (months: number) => {
    const { axisLabel, data, name } = monthAxis('2026-11-30', months) as unknown as {
      axisLabel: { interval: (index: number) => boolean; formatter: (date: string) => string };
      data: string[];
      name: string;
    };
    return { name, shown: data.filter((_, index) => axisLabel.interval(index)).map(axisLabel.formatter) };
  };

  test.each<[number, string, string]>([
    [0, 'Month', 'Nov 2026'],
    [1, 'Month', 'Nov 2026, Dec 2026'],
    [3, 'Month', 'Nov 2026, Dec 2026, Jan 2027, Feb 2027'],
    [13, 'Month', 'Nov 2026, Feb 2027, May 2027, Aug 2027, Nov 2027'],
    [22, 'Month', 'Nov 2026, May 2027, Nov 2027, May 2028'],
    [43, 'Year', '2027, 2028, 2029, 2030'],
    [120, 'Year', '2028, 2030, 2032, 2034, 2036'],
    [1_200, 'Year', '2040, 2060, 2080, 2100, 2120'],
  ])('of %i months are labelled as %s: %s', (months, name, labels) => {
    expect(shownOf(months)).toEqual({ name, shown: labels.split(', ') });
  });

  test('always fit, are mostly at least three, and follow each other', () => {
    const { data } = monthAxis('2026-01-31', 2) as { data: string[] };
    expect(data).toEqual([0, 1, 2].map((n) => addMonths('2026-01-31', n)));
    for (let months = 2; months <= 1_200; months += months < 130 ? 1 : 7) {
      const { shown } = shownOf(months);
      expect(shown.length).toBeLessThanOrEqual(10);
      expect(shown.length).toBeGreaterThanOrEqual(3);
      expect(new Set(shown).size).toBe(shown.length);
    }
  });
});

test.each([
  [0, 0, '£0'],
  [1_234, 0, '£1,234'],
  [1_234.5, 2, '£1,234.50'],
  [0.01, 2, '£0.01'],
  [-3.5, 2, '-£3.50'],
] as const)('%p pounds to %i digits are %s', (value, digits, expected) => {
  expect(pounds(value, digits)).toBe(expected);
});

test.each([
  [499, 1.5, '£1.50'],
  [500, 2, '£2'],
  [100_000_000, 500_000, '£500,000'],
  [1_000_000_000, 2_500_000, '£2.5m'],
  [1_000_000_000, 0, '£0'],
  [100_000_000_000_000, 20_000_000_000, '£20bn'],
])('on an axis up to %i pence, %p pounds are %s', (most, value, expected) => {
  expect(poundAxis(most).axisLabel.formatter(value)).toBe(expected);
});

describe('the rest', () => {
  const four = ['A', 'B', 'C', 'D'].map((name, index) => falling(name, [40, 10, 30, 20][index]!, 10));

  test('is not combined if there is room', () => {
    expect(withOthers(four, 4, String)).toEqual(four);
  });

  test('combines the smallest layers, above the others', () => {
    const shown = withOthers(four, 3, (count) => `${count} others`);
    expect(shown.map(({ name }) => name)).toEqual(['A', 'C', '2 others']);
    expect(shown[2]!.values).toEqual(four[1]!.values.map((value, month) => value + four[3]!.values[month]!));
  });
});

describe('colours', () => {
  test('of layers go from dark to light, to be distinguishable in grey', () => {
    for (let count = 1; count <= MOST_SERIES; count += 1) {
      const colours = areaColours(count);
      expect(new Set(colours).size).toBe(count);
      const lightness = colours.map(luminance);
      expect(lightness).toEqual(lightness.toSorted((a, b) => a - b));
    }
  });

  test('of text and lines contrast with white', () => {
    expect(contrast(INK)).toBeGreaterThan(12);
    expect(contrast(MUTED)).toBeGreaterThan(4.5);
    for (const colour of [BAR_COLOUR, LINE_COLOUR]) {
      expect(contrast(colour)).toBeGreaterThan(4);
    }
  });
});

test('text that is not known to be harmless is not printed', () => {
  const { root } = parseXml(`<svg viewBox="0 0 1 1" width="1" height="1" onload="x">
    <script>alert(1)</script>
    <g onclick="x"><path d="M0 0" fill="#000" onclick="x"/></g>
    <text style="font-size:12px;fill:url(x)">&lt;b&gt;</text>
    <path d="M1 1" fill="none"/>
  </svg>`);
  const svg = printSvg(root!, { title: 't', description: 'd' });
  expect(svg.split('\n').slice(3)).toEqual([
    '<path d="M0 0" fill="#000"/>',
    '<text font-size="12px">&lt;b&gt;</text>',
    '</svg>',
    '',
  ]);
});

// Relative luminance (WCAG 2.2).
function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function contrast(colour: string): number {
  return 1.05 / (luminance(colour) + 0.05);
}
