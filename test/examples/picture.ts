import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import puppeteer, { type Page } from 'puppeteer-core';
import sharp from 'sharp';
import { createClient } from '../../client/src/index.ts';
import { tlsFetch } from '../../client/src/node.ts';
import { openStack, type FaultStack } from '../helpers/faults.ts';
import { lookAs } from '../helpers/looks.ts';
import { freePort } from '../helpers/ports.ts';
import { chromiumPath, missingPrograms } from '../helpers/required-programs.ts';
import { addPayee, PASSWORD, pay, press, shows, signIn, splitWage } from './person.ts';
import { serveExample } from './serve.ts';

/* The README's picture: the example page after a person's story on a real stack. `npm run picture` takes it again. */

export const PICTURE = resolve(import.meta.dirname, '../../docs/images/example.png');
const SIZE = { width: 1_280, height: 1_840 };
const PERSON = 'ada@example.org';
/** In pixels. Other fonts and other days hardly change the mean colour of a cell. */
const CELL = 20;
/** Of 255. A larger difference of a mean colour counts. */
const CLEARLY = 12;

export async function register(stack: FaultStack, email: string): Promise<void> {
  const ca = readFileSync(join(stack.env.RINGFENCE_DATA!, 'pki/ca.crt'));
  await createClient({ baseUrl: stack.url, fetch: tlsFetch({ ca }) }).registerUser({
    body: { email, password: PASSWORD },
  });
}

/** A bill fails and is paid at the second try, another bill goes to a new payee, and the person gets a score. */
export async function takePicture(page: Page, stack: FaultStack, origin: string): Promise<Uint8Array> {
  await register(stack, PERSON);
  await lookAs(page, { scheme: 'light', width: SIZE.width });
  await signIn(page, origin, PERSON);
  await splitWage(page);
  await pay(page, 'Energy, £142.50', 'Sandbox Reject Once Telecom');
  await shows(page, '#payments', 'Try again');
  await press(page, '#timeline');
  await shows(page, '#payments', 'Paid');
  await addPayee(page, 'Elm Borough Council', '30-96-26', '21346598');
  await shows(page, '#payee-added', 'Elm Borough Council is added');
  await pay(page, 'Council tax, £163.00', 'Elm Borough Council');
  await shows(page, '#timeline', 'Elm Borough Council');
  await shows(page, '#timeline', 'The bank has paid it.');
  await press(page, '#proof');
  await shows(page, '#credential', 'A good start');
  return photograph(page);
}

/** Nothing has the focus or the pointer, and the size is always the same. */
export async function photograph(page: Page): Promise<Uint8Array> {
  await page.setViewport(SIZE);
  await page.mouse.move(0, 0);
  await page.evaluate('document.activeElement.blur(), scrollTo(0, 0)');
  return page.screenshot({ clip: { x: 0, y: 0, ...SIZE } });
}

/** The share of cells whose mean colours differ clearly, from 0 to 1. */
export async function differenceOf(one: Uint8Array, other: Uint8Array): Promise<number> {
  const [cells, others] = await Promise.all([one, other].map(cellsOf));
  if (cells!.length !== others!.length) throw new Error('The pictures have different sizes.');
  const clearly = cells!.filter((cell, index) =>
    cell.some((channel, place) => Math.abs(channel - others![index]![place]!) > CLEARLY),
  );
  return clearly.length / cells!.length;
}

/** The mean red, green and blue of each cell. */
async function cellsOf(picture: Uint8Array): Promise<number[][]> {
  const { width, height } = await sharp(picture).metadata();
  const size = { width: Math.round(width / CELL), height: Math.round(height / CELL) };
  // One pixel of the small picture is the mean of a cell.
  const small = sharp(picture)
    .removeAlpha()
    .resize({ ...size, fit: 'fill', kernel: 'linear' });
  const values = await small.raw().toBuffer();
  return Array.from({ length: values.length / 3 }, (_, index) => [...values.subarray(index * 3, index * 3 + 3)]);
}

async function main(): Promise<void> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error(missingPrograms());
  const stack = await openStack();
  try {
    const origin = `http://localhost:${await freePort()}`;
    const served = await serveExample(stack, origin);
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const browser = await puppeteer.launch({ executablePath, acceptInsecureCerts: true, args });
    writeFileSync(PICTURE, await takePicture(await browser.newPage(), stack, origin));
    await browser.close();
    await served.end();
  } finally {
    await stack.stop();
  }
}

if (import.meta.main) await main();
