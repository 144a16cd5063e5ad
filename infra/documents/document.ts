import { PRINTED } from '../../domain/legacy/confidence.ts';
import type { Page, Word } from '../../domain/legacy/page.ts';
import {
  AMOUNT_FIELDS,
  type DocumentType,
  type Extract,
  type Extraction,
  type ReadOutcome,
} from '../../domain/legacy/reading.ts';
import { failedBy, Unreadable } from './failure.ts';
import { pictureOf } from './image.ts';
import { fileIn } from './kind.ts';
import type { Budget } from './messages.ts';
import { MOST_PAGES, outcomeOf, type Found, type Read, type ReadBy } from './outcome.ts';
import { openPdf, type Pdf } from './pdf.ts';
import { readPicture, readUpright } from './reader.ts';
import type { TextLayer } from './text-layer.ts';

interface ReadOptions {
  hint?: DocumentType | undefined;
  extract: Extract;
  /** Called with the pages that the outcome is based on. */
  onPages?: (pages: readonly Page[]) => void;
  /** After this much processor time, OCR reads no further page. */
  budget?: Budget;
  /** Called before OCR, if the document has no text. */
  onPictures?: () => void;
  /** Called with the result from the text, before the remaining pages are read. */
  onText?: (outcome: ReadOutcome) => void;
}

/** A page with at most this many letters counts as an image with a stamp. */
const FEW_LETTERS = 60;
const USUAL_BUDGET: Budget = { textMs: 3_000, picturesMs: 30_000 };

/** An unreadable file is an outcome. @throws Error for an internal error. */
export async function readDocument(bytes: Uint8Array, options: ReadOptions): Promise<ReadOutcome> {
  try {
    const read = await readAny(bytes, options);
    options.onPages?.(read.found.pages);
    return await outcomeOf(read, options.extract);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return failedBy(error);
  }
}

async function readAny(given: Uint8Array, options: ReadOptions): Promise<Read> {
  if (given.length === 0)
    throw new Unreadable('The file is empty. Check that you can open the file, and send it again.');
  const { type, bytes } = await fileIn(given);
  if (type !== 'application/pdf' && type !== 'image/png' && type !== 'image/jpeg')
    throw new Unreadable('The file is not a PDF, PNG or JPEG file. Send the document in one of these formats.');
  if (type !== 'application/pdf') {
    options.onPictures?.();
    const pages = [{ number: 1, ...(await readPicture(await pictureOf(bytes))) }];
    return { found: { pages, reading: await options.extract(pages, options.hint) }, by: 'ocr', pages, pageCount: 1 };
  }
  const pdf = await openPdf(bytes);
  try {
    return { ...(await readPdf(pdf, options)), pageCount: pdf.pageCount };
  } finally {
    await pdf.close();
  }
}

interface Source {
  number: number;
  layer: TextLayer;
}

/** Reads text page by page, and then images by OCR, until the main amounts are found. */
async function readPdf(pdf: Pdf, options: ReadOptions): Promise<Omit<Read, 'pageCount'>> {
  const { extract, hint, budget = USUAL_BUDGET } = options;
  const before = process.cpuUsage();
  const hasTime = (mostMs: number) => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000 < mostMs;
  };
  const reportText = async (found: Found) => {
    const { pages } = found;
    options.onText?.(await outcomeOf({ found, by: 'text', pages, pageCount: pdf.pageCount }, extract));
  };
  const sources: Source[] = [];
  let found: Found = { pages: [], reading: null };
  while (sources.length < Math.min(MOST_PAGES, pdf.pageCount)) {
    const number = sources.length + 1;
    const layer = await pdf.text(number);
    sources.push({ number, layer });
    if (layer.letters <= FEW_LETTERS) continue;
    const pages = [...found.pages, pageOf(number, layer, layer.words)];
    found = better(found, { pages, reading: await extract(pages, hint) });
    if (!isComplete(found.reading)) continue;
    await reportText(found);
    return { found, by: 'text', pages: [...pages, ...(await laterText(pdf, number, () => hasTime(budget.textMs)))] };
  }
  const hasText = sources.some(({ layer }) => layer.letters > FEW_LETTERS);
  if (!hasText) options.onPictures?.();
  if (found.reading !== null) await reportText(found);
  const mostMs = hasText ? budget.textMs : budget.picturesMs;
  return readPictures(pdf, sources, { found, extract, hint, hasTime: () => hasTime(mostMs) });
}

/** Later pages may contain another payslip. Stops at a page that cannot be read. */
async function laterText(pdf: Pdf, after: number, hasTime: () => boolean): Promise<Page[]> {
  const pages: Page[] = [];
  for (let number = after + 1; number <= Math.min(MOST_PAGES, pdf.pageCount) && hasTime(); number += 1) {
    try {
      const layer = await pdf.text(number);
      if (layer.letters > FEW_LETTERS) pages.push(pageOf(number, layer, layer.words));
    } catch (error) {
      if (error instanceof Unreadable) break;
      throw error;
    }
  }
  return pages;
}

interface PictureOptions {
  found: Found;
  extract: Extract;
  hint: DocumentType | undefined;
  hasTime: () => boolean;
}

async function readPictures(pdf: Pdf, sources: readonly Source[], { found, extract, hint, hasTime }: PictureOptions) {
  let best = found;
  const pages: Page[] = [];
  let [read, later] = [0, 0];
  for (const { number, layer } of sources) {
    const hasText = layer.letters > FEW_LETTERS;
    // Once the payslip is complete, OCR still reads one more image, which may show another payslip.
    if (isComplete(best.reading)) later += 1;
    if ((hasText && number > 1) || later > 1 || (read > 0 && !hasTime())) {
      if (hasText) pages.push(pageOf(number, layer, layer.words));
      continue;
    }
    read += 1;
    const drawn = await pdf.draw(number, layer.rotation).catch((error: unknown) => {
      if (later > 0 && error instanceof Unreadable) return undefined;
      throw error;
    });
    if (drawn === undefined) continue;
    const { picture, scale } = drawn;
    let seen: Found | undefined;
    if (!hasText) {
      pages.push({ number, ...(await readPicture(picture)) });
    } else {
      const words = (await readUpright(picture)).words.map((word) => scaled(word, 1 / scale));
      const alone = pageOf(number, layer, words);
      seen = { pages: [...pages, alone], reading: await extract([...pages, alone], hint) };
      pages.push(pageOf(number, layer, [...layer.words, ...words.filter((word) => !isCovered(word, layer.words))]));
    }
    if (later > 0) continue;
    const together = { pages: [...pages], reading: await extract(pages, hint) };
    best = better(best, seen === undefined ? together : surer(together, seen));
  }
  return { found: best, by: byOf(best.pages), pages };
}

function byOf(pages: readonly Page[]): ReadBy {
  const sources = new Set(pages.flatMap(({ words }) => words.map(({ source }) => source)));
  return sources.size > 1 ? 'both' : sources.has('text') ? 'text' : 'ocr';
}

function pageOf(number: number, { width, height, stamps }: TextLayer, words: readonly Word[]): Page {
  return { number, width, height, words, ...(stamps.length > 0 && { stamps }) };
}

function scaled(word: Word, factor: number): Word {
  return {
    ...word,
    x: word.x * factor,
    y: word.y * factor,
    width: word.width * factor,
    height: word.height * factor,
  };
}

const COVERED_SHARE = 0.25;

function isCovered(seen: Word, own: readonly Word[]): boolean {
  const area = seen.width * seen.height;
  return own.some(({ x, y, width, height }) => {
    const across = Math.min(seen.x + seen.width, x + width) - Math.max(seen.x, x);
    const down = Math.min(seen.y + seen.height, y + height) - Math.max(seen.y, y);
    return across > 0 && down > 0 && across * down > COVERED_SHARE * Math.min(area, width * height);
  });
}

function isComplete(reading: Extraction | null): boolean {
  return reading !== null && PRINTED[reading.document_type].every((field) => reading[field] !== null);
}

const TEXT_AND_AMOUNTS = ['employer_name', 'pay_period', ...AMOUNT_FIELDS] as const;

/** If both have as many amounts, the sum of the confidences decides. */
function surer(one: Found, other: Found): Found {
  const sureness = ({ reading }: Found) =>
    TEXT_AND_AMOUNTS.reduce((sum, field) => sum + (reading?.[field]?.confidence ?? 0), 0);
  return worthOf(other) > worthOf(one) || (worthOf(other) === worthOf(one) && sureness(other) > sureness(one))
    ? other
    : one;
}

/** If both have as many amounts, the earlier reading wins. */
function better(one: Found, other: Found): Found {
  return worthOf(other) > worthOf(one) || (one.pages.length === 0 && worthOf(one) === -1) ? other : one;
}

function worthOf({ reading }: Found): number {
  return reading === null ? -1 : PRINTED[reading.document_type].filter((field) => reading[field] !== null).length;
}
