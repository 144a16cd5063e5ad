import type { ReaderConfig } from '../../infra/config/index.ts';
import { openReader } from '../../infra/documents/index.ts';
import { drawPayslip, pdfOf } from '../helpers/ocr.ts';
import * as pdfs from '../helpers/raw-pdf.ts';
import { READER_PROGRAM } from '../helpers/reader-program.ts';

const CONFIG: ReaderConfig = {
  memoryMb: 1_200,
  timeoutMs: 120_000,
  textCpuMs: 6_000,
  pictureCpuMs: 60_000,
  idleMs: 60_000,
};
const reader = openReader(CONFIG, READER_PROGRAM);
afterAll(() => reader.close());

const payslip = await pdfOf((pdf) => drawPayslip(pdf));

const EARLY: Record<string, () => Buffer> = {
  'of 400,000 texts': pdfs.fourHundredThousand,
  'of forms within forms, ten to the sixth': () => pdfs.nestedForms(6),
};
/** The limits of processor time and memory end these readings, or the page has nothing to read. */
const LATE: Record<string, () => Buffer> = {
  'of 10,000 texts': () => pdfs.manyTexts(10_000),
  'of an array of six million items': pdfs.longArray,
  'of small pictures without end': pdfs.inlineImages,
  'of 500 MB of space in one stream': () => pdfs.spaces(1, 500),
  'of 4 GB of space that were packed twice': pdfs.gigabytes,
  'of 120 MB of space in forty streams': () => pdfs.spaces(40, 3),
  'of a typeface that is drawn': pdfs.drawnTypeface,
  'of a pattern of 100,000 lines': pdfs.pattern,
};

describe('a page', () => {
  test.each(Object.entries(EARLY))('%s is refused early', async (_name, make) => {
    const bytes = make();
    expect(bytes.length).toBeLessThan(5_242_880);
    await reader.read({ bytes: payslip });
    const { pid } = reader;
    expect(await reader.read({ bytes })).toMatchObject({ kind: 'failed', code: 'document-too-complex' });
    // The limit of processor time would have killed the process.
    expect(reader.pid).toBe(pid);
  });

  test.each(Object.entries(LATE))('%s is refused, and the next document is read', async (_name, make) => {
    const bytes = make();
    expect(bytes.length).toBeLessThan(5_242_880);
    const startedAt = performance.now();
    expect(await reader.read({ bytes })).toMatchObject({ kind: 'failed' });
    expect(performance.now() - startedAt).toBeLessThan(CONFIG.timeoutMs);
    expect(await reader.read({ bytes: payslip })).toMatchObject({ kind: 'read' });
  });

  test('of thousands of lines is read', async () => {
    const bytes = await pdfOf((pdf) => {
      drawPayslip(pdf);
      for (let line = 0; line < 4_000; line += 1) pdf.moveTo(50, 700).lineTo(500, 700).stroke();
    });
    expect(await reader.read({ bytes })).toMatchObject({ kind: 'read', reading: { net_pay: { value: 256_075 } } });
  });
});

/**
 * The first reading loads the reader's code. A later text takes a fraction of that time, and OCR of a page takes more. A process
 * that reached its limit in the first reading is gone, and says nothing about the second.
 */
async function strictest() {
  for (let textCpuMs = 250; ; textCpuMs *= 1.25) {
    const strict = openReader({ ...CONFIG, textCpuMs }, READER_PROGRAM);
    if ((await strict.read({ bytes: payslip })).kind === 'read' && strict.pid !== undefined) return strict;
    await strict.close();
  }
}

describe('processor time', () => {
  test('of a document with text is limited to six seconds', async () => {
    const words = ['Gross', 'Net', 'Tax', 'Pay', 'NI'];
    const bytes = pdfs.manyTexts(9_900, (index) => `${words[index % 5]} ${index % 10}`);
    const startedAt = performance.now();
    const outcome = await reader.read({ bytes });
    expect(outcome).toMatchObject({ kind: 'failed', code: 'document-too-complex' });
    // The killed process is gone, and the next process counts its processor time from zero.
    expect(reader.pid).toBeUndefined();
    expect(performance.now() - startedAt).toBeGreaterThan(5_000);
    expect(await reader.read({ bytes: payslip })).toMatchObject({ kind: 'read' });
  });

  test('is counted for each document, not for the process', async () => {
    const short = openReader({ ...CONFIG, textCpuMs: 1_500 }, READER_PROGRAM);
    for (let round = 0; round < 12; round += 1)
      expect(await short.read({ bytes: payslip })).toMatchObject({ kind: 'read' });
    await short.close();
  });

  test('of a scanned document has a separate limit', async () => {
    const strict = openReader({ ...CONFIG, pictureCpuMs: 1_500 }, READER_PROGRAM);
    const outcome = await strict.read({ bytes: pdfs.programmedShading() });
    expect(outcome).toMatchObject({ kind: 'failed', code: 'document-too-complex' });
    await strict.close();
  });

  test('beyond the limit, spent on OCR of pictures, loses nothing of the PDF’s text', async () => {
    const strict = await strictest();
    const { pid } = strict;
    const bytes = await pdfOf((pdf) => {
      const text = pdf.text.bind(pdf) as (...given: unknown[]) => typeof pdf;
      const without = (said: string, ...where: unknown[]) =>
        /National Insurance|185\.38/.test(said) ? pdf : text(said, ...where);
      drawPayslip(Object.assign(pdf, { text: without }));
    });
    expect(await strict.read({ bytes })).toMatchObject({
      kind: 'read',
      by: 'text',
      reading: { net_pay: { value: 256_075 }, ni_deducted: null },
    });
    // The reader's process was killed during OCR.
    expect(strict.pid).not.toBe(pid);
    await strict.close();
  });
});
