import { readFileSync } from 'node:fs';
import type { Page } from 'puppeteer-core';
import { lookAs, LOOKS } from './looks.ts';

const PALETTE = new URL('../../api/pages/palette.css', import.meta.url);
/** These scripts run in the page. */
const SCRIPT = ['paint', 'colour', 'layout', 'styles']
  .map((name) => readFileSync(new URL(`appearance/${name}.js`, import.meta.url), 'utf8'))
  .join('\n');

type Colours = Readonly<Record<string, string>>;

/** The colours of `api/pages/palette.css`, such as `paper`. Throws if a dark colour equals the light one. */
export function readPalette(): { light: Colours; dark: Colours } {
  const [first = '', second = ''] = readFileSync(PALETTE, 'utf8').split('@media (prefers-color-scheme: dark)');
  const coloursOf = (text: string) =>
    Object.fromEntries([...text.matchAll(/--([\w-]+): (#[\da-f]{6});/g)].map(([, name, colour]) => [name!, colour!]));
  const [light, dark] = [coloursOf(first), coloursOf(second)];
  for (const name of ['paper', 'ink', ...Object.keys(light)])
    if (dark[name] === undefined || dark[name] === light[name]) throw new Error(`palette.css: --${name} is not dark`);
  return { light, dark };
}

/**
 * Measures what the page paints, in its present size and scheme. Returns a sentence for each fault of contrast, colours or layout, and
 * for each style that is missing.
 */
export async function appearanceFaults(page: Page): Promise<string[]> {
  const palette = JSON.stringify(readPalette());
  const faults = await page.evaluate(`(() => {
    for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
    ${SCRIPT}
    const scheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    return [
      ...loadFaults(), ...variableFaults(), ...paletteFaults(${palette}[scheme]), ...textContrastFaults(), ...controlFaults(),
      ...widthFaults(), ...textLayoutFaults(),
    ];
  })()`);
  return [...new Set(faults as string[])];
}

/** The faults in light and dark mode, on a phone and on a desktop. `see` is called in each look, after the measurement. */
export async function faultsInEachLook(
  page: Page,
  see: (look: (typeof LOOKS)[number]) => Promise<unknown> = () => Promise.resolve(),
): Promise<string[]> {
  const faults: string[] = [];
  for (const look of LOOKS) {
    await lookAs(page, look);
    faults.push(...(await appearanceFaults(page)).map((fault) => `${look.scheme} ${look.width}: ${fault}`));
    await see(look);
  }
  return faults;
}
