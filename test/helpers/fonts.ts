import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'puppeteer-core';

interface Font {
  regular: string;
  bold: string;
  /** Descriptors of `@font-face`. */
  as?: string;
}

const { resolve } = createRequire(import.meta.url);
const fontsource = (name: string): Font => ({
  regular: `@fontsource/${name}/files/${name}-latin-400-normal.woff2`,
  bold: `@fontsource/${name}/files/${name}-latin-700-normal.woff2`,
});
/** As wide as Arial. */
const LIBERATION = {
  regular: 'pdfjs-dist/standard_fonts/LiberationSans-Regular.ttf',
  bold: 'pdfjs-dist/standard_fonts/LiberationSans-Bold.ttf',
};

/** No test needs an installed font: the last two have the measures of usual fonts that no package contains. */
const FONTS: Readonly<Record<string, Font>> = {
  inter: fontsource('inter'),
  lato: fontsource('lato'),
  roboto: fontsource('roboto'),
  inconsolata: fontsource('inconsolata'),
  'archivo narrow': fontsource('archivo-narrow'),
  'source serif': fontsource('source-serif-4'),
  liberation: LIBERATION,
  'as wide as verdana': { ...LIBERATION, as: 'size-adjust: 116%' },
  'as tall as noto sans': { ...fontsource('roboto'), as: 'ascent-override: 107%; descent-override: 30%' },
};

export const FONT_NAMES = Object.keys(FONTS);

let rules: string | undefined;

/** Each word of the page's SVG can then be shown in each of `FONT_NAMES`, whatever fonts the machine has. */
export async function loadFonts(page: Page): Promise<void> {
  rules ??= Object.entries(FONTS).map(faces).join('\n');
  const loaded = (await page.evaluate(`(async () => {
    const style = document.createElementNS('http://www.w3.org/2000/svg', 'style');
    style.textContent = ${JSON.stringify(rules)};
    document.documentElement.append(style);
    const faces = await Promise.all([...document.fonts].map((face) => face.load()));
    return faces.filter(({ status }) => status === 'loaded').length;
  })()`)) as number;
  if (loaded !== 2 * FONT_NAMES.length) throw new Error(`Only ${loaded} faces of fonts were loaded`);
}

function faces([name, { regular, bold, as = '' }]: [string, Font]): string {
  const face = (file: string, weight: number) =>
    `@font-face { font-family: 'test ${name}'; font-weight: ${weight}; src: url(data:font/sfnt;base64,${base64(file)}); ${as} }`;
  return `${face(regular, 400)}\n${face(bold, 700)}`;
}

function base64(file: string): string {
  return readFileSync(resolve(file)).toString('base64');
}
