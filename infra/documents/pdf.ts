import { createCanvas } from '@napi-rs/canvas';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  getDocument,
  PasswordException,
  type PDFDocumentProxy,
  type PDFPageProxy,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
import { Unreadable } from './failure.ts';
import { LONGEST_SIDE, readingSide } from './image.ts';
import type { Grey } from './pixels.ts';
import { textLayerOf } from './text-layer.ts';

export type Pdf = Awaited<ReturnType<typeof openPdf>>;

const PACKAGE = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
const folder = (name: string) => join(PACKAGE, name, '/');
const POINTS_PER_INCH = 72;
const DOTS_PER_INCH = 200;
/** Larger images within a PDF are not drawn. */
const MOST_PICTURE_PIXELS = 40_000_000;
/** In points. A page smaller than a stamp or larger than a wall is not a payslip. */
const SIDE_POINTS = { least: 20, most: 15_000 };

/** Runs no script and fetches nothing. @throws Unreadable if the PDF is damaged, cut off or encrypted. */
export async function openPdf(bytes: Uint8Array) {
  if (isCutOff(bytes)) throw damaged('The PDF is incomplete: its end is missing.');
  const loading = getDocument({
    // pdfjs takes over the bytes that it gets, so it gets a copy.
    data: new Uint8Array(bytes),
    disableFontFace: true,
    enableXfa: false,
    maxImageSize: MOST_PICTURE_PIXELS,
    stopAtErrors: false,
    useWorkerFetch: false,
    verbosity: 0,
    cMapUrl: folder('cmaps'),
    iccUrl: folder('iccs'),
    standardFontDataUrl: folder('standard_fonts'),
    wasmUrl: folder('wasm'),
  });
  let pdf: PDFDocumentProxy;
  try {
    pdf = await loading.promise;
  } catch (error) {
    await loading.destroy();
    throw unopened(error);
  }
  return {
    pageCount: pdf.numPages,
    /** Pages count from 1. @throws Unreadable. */
    text: (number: number) => onPage(pdf, number, textLayerOf),
    /** About 200 dpi. `rotation` is in degrees, `scale` in pixels per point. @throws Unreadable. */
    draw: (number: number, rotation: number) => onPage(pdf, number, (page) => drawPage(page, rotation)),
    close: () => loading.destroy(),
  };
}

async function onPage<T>(pdf: PDFDocumentProxy, number: number, work: (page: PDFPageProxy) => Promise<T>): Promise<T> {
  let page: PDFPageProxy | undefined;
  try {
    page = await pdf.getPage(number);
    return await work(page);
  } catch (error) {
    throw error instanceof Unreadable ? error : damaged(`Page ${number} of the PDF is damaged.`);
  } finally {
    page?.cleanup();
  }
}

function unopened(error: unknown): Unreadable {
  if (error instanceof PasswordException)
    return new Unreadable(
      'The PDF is protected by a password. Save it without a password (open it and print it as a PDF), and send that file.',
      'encrypted-pdf',
    );
  return damaged('The PDF cannot be opened.');
}

function damaged(what: string): Unreadable {
  return new Unreadable(`${what} Download or save the file again, and send that file.`);
}

/** pdfjs would read what is left of a file without an end mark, or with objects after the last end mark. */
function isCutOff(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = text.lastIndexOf('%%EOF');
  const after = text.subarray(end === -1 ? Math.max(0, text.length - 1024) : end).toString('latin1');
  return end === -1 ? !/startxref\s+\d+\s*$/.test(after) : /\b\d+\s+\d+\s+obj\b/.test(after);
}

async function drawPage(page: PDFPageProxy, rotation: number): Promise<{ picture: Grey; scale: number }> {
  const { width, height } = page.getViewport({ scale: 1, rotation });
  const [least, most] = [Math.min(width, height), Math.max(width, height)];
  if (!(least >= SIDE_POINTS.least && most <= SIDE_POINTS.most))
    throw new Unreadable('A page of the PDF has an unusual size. Print the document to an A4 PDF, and send that file.');
  const wanted = DOTS_PER_INCH / POINTS_PER_INCH;
  const scale = Math.min(LONGEST_SIDE, readingSide(width * wanted, height * wanted)) / most;
  const viewport = page.getViewport({ scale, rotation });
  const canvas = createCanvas(Math.ceil(viewport.width), Math.ceil(viewport.height));
  await page.render({ canvas: canvas as never, viewport, background: '#ffffff' }).promise;
  const picture = { data: greyOf(canvas.data()), width: canvas.width, height: canvas.height };
  canvas.width = canvas.height = 1;
  return { picture, scale };
}

/** Perceived brightness by Rec. 601, in 256ths. */
function greyOf(rgba: Uint8Array): Uint8Array {
  const grey = new Uint8Array(rgba.length / 4);
  for (let to = 0, from = 0; to < grey.length; to += 1, from += 4)
    grey[to] = (77 * rgba[from]! + 150 * rgba[from + 1]! + 29 * rgba[from + 2]! + 128) >> 8;
  return grey;
}
