import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { faultsInEachLook, readPalette } from '../helpers/appearance.ts';
import { axeFaults, expectNarrow, layoutFaults, withBrowser } from '../helpers/browser.ts';
import { startFaultStack } from '../helpers/faults.ts';
import { tabTo } from '../helpers/keyboard.ts';
import { lookAs } from '../helpers/looks.ts';
import { freePort } from '../helpers/ports.ts';
import * as person from './person.ts';
import { differenceOf, photograph, PICTURE, register, takePicture } from './picture.ts';
import { serveBuilt, serveExample, type Served } from './serve.ts';

/* The example page, as `vite build` makes it, on a real stack in real Chromium. */

const { press, shows } = person;
/** Of all cells of the picture. Another font changes about two in a hundred, lost colours more than seven. */
const MOST_DIFFERENT = 0.04;

const stack = startFaultStack();
const browser = withBrowser();
let folder: string;
let origin: string;
let served: Served | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-example-'));
  origin = `http://localhost:${await freePort()}`;
  // Registers the page as a client at this origin.
  await (await serveExample(stack, origin)).end();
  served = await serveBuilt(stack, origin, folder);
});
afterAll(async () => {
  await served?.end();
  rmSync(folder, { recursive: true, force: true });
});

/** Faults of accessibility, layout and appearance in each look. The page shows refused calls of the API itself. */
async function faultsOf(page: Page): Promise<string[]> {
  const faults: string[] = [];
  const seen = await faultsInEachLook(page, async ({ scheme, width }) => {
    const found = [...(await axeFaults(page)), ...(await layoutFaults(page)), ...(await chartFaults(page))];
    faults.push(...found.map((fault) => `${scheme} ${width}: ${fault}`));
  });
  return [...seen.filter((fault) => !/ 4\d\d for \S+\/api\/v1\//.test(fault)), ...faults];
}

/** The parts of the ring and the marks of its legend must stand out from the card by 3:1. */
async function chartFaults(page: Page): Promise<string[]> {
  const measure = `(() => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const light = (colour) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      const linear = [...canvas.getImageData(0, 0, 1, 1).data]
        .map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    };
    return [...document.querySelectorAll('.ring circle, .swatch, .owed')].filter((part) => part.checkVisibility()).flatMap((part) => {
      const { stroke, fill, backgroundColor } = getComputedStyle(part);
      const colour = part.matches('circle') ? stroke : part.matches('.owed') ? fill : backgroundColor;
      const both = [light(colour), light(getComputedStyle(part.closest('.card')).backgroundColor)].sort((a, b) => b - a);
      const ratio = (both[0] + 0.05) / (both[1] + 0.05);
      return ratio >= 3 ? [] : [part.outerHTML + ' has a contrast of only ' + ratio.toFixed(2)];
    });
  })()`;
  return (await page.evaluate(measure)) as string[];
}

async function signedIn(email: string): Promise<Page> {
  await register(stack, email);
  const page = await browser.newPage();
  await lookAs(page, { scheme: 'light', width: 1_280 });
  await person.signIn(page, origin, email);
  return page;
}

test('the start page is in the service’s colours in each look, and says what to do without a connection', async () => {
  const page = await browser.newPage();
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    const isService = request.url().startsWith(stack.url);
    void (isService ? request.abort('connectionfailed') : request.continue());
  });
  await page.goto(origin);
  await page.waitForSelector('#welcome:not([hidden])');
  expect(await faultsOf(page)).toEqual([]);
  await press(page, '#sign-in');
  await shows(page, '#welcome', 'The service does not answer.');
  await shows(page, '#welcome', `Open ${stack.url}/docs`);
  expect(await faultsOf(page)).toEqual([]);
});

test('reports a denied consent, and lets the person try again', async () => {
  const page = await browser.newPage();
  await page.goto(origin);
  await press(page, '#sign-in');
  await person.enterAccount(page, 'example@example.org', person.PASSWORD);
  await page.click('button[value=deny]');
  await shows(page, '#welcome', 'You did not allow this page to see your money. Sign in to try again.');
  await press(page, '#sign-in');
  await page.waitForSelector('button[value=allow]');
});

test('takes a person from a payslip to a score, sound in each look after each action', async () => {
  const faults: string[] = [];
  const page = await signedIn('grace@example.org');
  page.on('pageerror', (error) => faults.push(String(error)));
  await shows(page, '#no-bills', 'Split a wage first.');
  await shows(page, '#payments', 'No payments yet.');
  await shows(page, '#plan', 'No plan yet.');
  expect(await faultsOf(page)).toEqual([]);

  await person.enter(page, 'wage', '100');
  await press(page, '#split');
  await shows(
    page,
    '#split',
    'Your bills come to £1,155.50 more than your wage. Lower a bill, or enter a higher wage.',
  );
  await press(page, '#proof');
  await shows(page, '#proof', 'No bill counts yet. Pay a bill of £1 or more');
  expect(await faultsOf(page)).toEqual([]);

  await person.readPayslip(page);
  await shows(page, '#figures', 'Example Street Bakery Ltd');
  await person.splitWage(page);
  await shows(page, '#summary', 'You can spend £1,307.11. £1,255.50 is kept for bills.');
  await shows(page, '#movements', 'Put aside for Council tax\n+£163.00');
  expect(await faultsOf(page)).toEqual([]);

  await person.pay(page, 'Energy, £142.50', 'Sandbox Instant Energy');
  await shows(page, '#timeline', 'The bank has paid it.');
  await shows(page, '#picture', 'Paid\t£142.50');
  await shows(page, '#picture', 'Together\t£2,847.35');
  expect(await faultsOf(page)).toEqual([]);

  await press(page, '#debt');
  await shows(page, '#plan', 'After 12 months, with £397.80 of interest.');
  await press(page, '#proof');
  await shows(page, '#credential', 'A good start');
  await shows(
    page,
    '#credential',
    'You paid every bill on time, in 1 month. Each further month like this raises the score.',
  );
  await page.click('#credential summary');
  await shows(page, '#credential', 'Bills paid on time\n117 of 700');
  expect(await faultsOf(page)).toEqual([]);
  await expectNarrow(page);

  const address = await page.$eval('#credential a', (link) => link.getAttribute('href')!);
  await page.reload();
  await shows(page, '#picture', 'Paid\t£142.50');
  await shows(page, '#timeline', 'The bank has paid it.');
  await shows(page, '#plan', 'After 12 months');
  expect(faults).toEqual([]);
  await page.goto(address);
  await shows(page, 'h1', 'valid');
});

test('a payment that fails says why, and the person pays it by trying again', async () => {
  const page = await signedIn('edith@example.org');
  await person.splitWage(page);
  await person.pay(page, 'Rent, £950.00', 'Sandbox Reject Once Telecom');
  await shows(page, '#timeline', 'The bank of the payee gave no reason.');
  await shows(page, '#timeline', 'Try again, or choose another payee above.');
  await shows(page, '#payments', 'Not paid');
  await shows(page, '#movements', 'Back in Rent\n+£950.00');
  expect(await faultsOf(page)).toEqual([]);
  await press(page, '#payments');
  await shows(page, '#timeline', 'The bank has paid it.');
  await shows(page, '#payments', 'Sandbox Reject Once Telecom\n£950.00');
  await shows(page, '#payments', 'Paid');
  expect(await page.$('#payments button')).toBeNull();
  expect(await faultsOf(page)).toEqual([]);
});

test('a payment that another try cannot help has no button for it, and says what to do', async () => {
  const page = await signedIn('mary@example.org');
  await person.splitWage(page);
  await person.pay(page, 'Energy, £142.50', 'Sandbox Forbidden Card');
  await shows(page, '#timeline', 'Another try will not help. Choose another payee above.');
  await shows(page, '#payments', 'Payments to this kind of account are forbidden.');
  expect(await page.$$('#timeline button, #payments button')).toEqual([]);
});

test('a person adds a payee and pays it, and reads why the payment does not count towards the score', async () => {
  const page = await signedIn('rosa@example.org');
  await person.splitWage(page);
  await person.addPayee(page, 'Larch Lettings', '40-12', '12345678');
  await shows(page, '#add-payee', 'The sort code must be six digits, such as 40-12-76. Correct it, then try again.');
  expect(await faultsOf(page)).toEqual([]);
  await person.enter(page, 'sort_code', '40-12-76');
  await press(page, '#add-payee');
  await shows(page, '#payee-added', 'Larch Lettings is added and chosen. Press Pay to pay.');
  expect(await faultsOf(page)).toEqual([]);
  await press(page, '#pay');
  await shows(page, '#timeline', '£950.00 to Larch Lettings');
  await shows(page, '#payments', 'Paid');
  await press(page, '#proof');
  await shows(page, '#proof', '1 payment did not count, because nobody has confirmed the payee.');
});

test('a person renames a vault and removes a payee, and reads why a vault with money stays', async () => {
  const page = await signedIn('joan@example.org');
  await person.splitWage(page);
  await person.addPayee(page, 'Larch Lettings', '40-12-76', '12345678');
  await shows(page, '#payee-added', 'Larch Lettings is added and chosen.');
  await page.click('#tidying summary');
  await page.select('#thing', await person.valueOf(page, 'Vault: Rent'));
  await person.enter(page, 'new_name', 'Home');
  await press(page, '#tidy');
  await shows(page, '#picture', 'Home\t£950.00');
  await page.select('#thing', await person.valueOf(page, 'Payee: Larch Lettings'));
  await press(page, '#closing');
  await page.waitForFunction(`!document.getElementById('thing').textContent.includes('Larch')`);
  await press(page, '#closing');
  await shows(page, '#closing', 'This vault is still in use.');
  expect(await faultsOf(page)).toEqual([]);
});

test('the page works with the keyboard alone', async () => {
  const page = await signedIn('ruth@example.org');
  await page.focus('#who button');
  await tabTo(page, 'summary');
  await tabTo(page, 'input wage');
  await page.keyboard.press('Enter');
  await shows(page, '#picture', '£1,307.11');
  await tabTo(page, 'select bill');
  await tabTo(page, 'select payee');
  await page.keyboard.type('Sandbox Instant');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await shows(page, '#timeline', 'The bank has paid it.');
});

test('the README’s picture shows the page as it is today, and not a page that loses its colours', async () => {
  const page = await browser.newPage();
  const different = (picture: Uint8Array) => differenceOf(picture, readFileSync(PICTURE));
  expect(await different(await takePicture(page, stack, origin))).toBeLessThan(MOST_DIFFERENT);
  const names = Object.keys(readPalette().light);
  await page.addStyleTag({ content: `:root { ${names.map((name) => `--${name}: initial;`).join(' ')} }` });
  expect(await different(await photograph(page))).toBeGreaterThan(MOST_DIFFERENT);
  expect(await faultsOf(page)).toContainEqual(expect.stringContaining('--accent is undefined'));
});
