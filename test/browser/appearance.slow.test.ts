import { appearanceFaults, faultsInEachLook } from '../helpers/appearance.ts';
import { lookAs, withBrowser } from '../helpers/browser.ts';
import { layout } from '../../api/pages/layout.ts';

const browser = withBrowser();

/** `styles` come after the styles of all pages. */
async function faultsOf(content: string, styles = '', scheme = 'light'): Promise<string[]> {
  const page = await browser.newPage();
  await lookAs(page, { scheme, width: 375 });
  await page.setContent(layout('A page', `<main>${content}</main>`).html + `<style>${styles || ':root{}'}</style>`);
  return appearanceFaults(page);
}

const GOOD = '<h1>Heading</h1><p>Some <a href="/">link</a></p><form><input name="a"><button>Send</button></form>';

test('a page in the style of all pages has no fault in any look', async () => {
  const page = await browser.newPage();
  await page.setContent(layout('A page', `<main>${GOOD}</main>`).html);
  expect(await faultsInEachLook(page)).toEqual([]);
});

test.each([
  ['black on white in dark mode', 'body { color: black; background: white }', /^palette: the page is #ffffff/],
  ['a white panel in dark mode', 'form { background: white }', /^palette: #ffffff is the surface of form/],
  ['a link in the browser’s blue', 'a { color: #0000ee }', /^palette: #0000ee is the text of a/],
  [
    'a heading in the colour of the page',
    'h1 { color: var(--paper) }',
    /^contrast 1\.00 < 4\.5: "Heading"|^contrast 1\.00 < 3/,
  ],
  ['a heading that is nearly transparent', 'h1 { opacity: 0.2 }', /^contrast 1\.\d\d < 3: "Heading"/],
  ['a placeholder that is too light', '::placeholder { color: var(--line) }', /^contrast .*"Type here"/],
  ['a field without a border', 'input { border: 0; background: none }', /^control without border or fill: input/],
  [
    'a button that is hard to see',
    'button { background: var(--wash); border-color: var(--line); color: var(--ink) }',
    /^control at 1/,
  ],
  ['a custom property that nothing defines', 'p { color: var(--missing) }', /^--missing is undefined in p/],
  [
    'a style sheet that does not load',
    '@import url("https://localhost:1/x.css"); p { margin: 0 }',
    /^@import not loaded/,
  ],
  ['a page that is too wide', 'p { width: 900px }', /^the page is \d+ wide in 375: p/],
  [
    'text that is cut off',
    'p { width: 2ch; overflow: hidden; white-space: nowrap }',
    /^cut off: "Some"|^cut off: "link"/,
  ],
  ['text that lies on other text', 'p { margin-top: -2.5rem }', /^overlap: "Heading" and "Some"/],
])('it finds %s', async (what, styles, fault) => {
  const content = GOOD.replace('name="a"', 'name="a" placeholder="Type here"');
  const scheme = what.includes('dark') ? 'dark' : 'light';
  expect(await faultsOf(content, styles, scheme)).toContainEqual(expect.stringMatching(fault));
});
