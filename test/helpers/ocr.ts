import { once } from 'node:events';
import { crc32 } from 'node:zlib';
import PDFDocument from 'pdfkit';
import sharp from 'sharp';
import type { Page, Word } from '../../domain/legacy/page.ts';
import type { ReadOutcome } from '../../domain/legacy/reading.ts';
import { withChild } from './child.ts';
import type { Done, Task } from './ocr-process.ts';

/** Starts the document reader without isolation. Its results include the words that the reader saw. */
export function withOcr() {
  const send = withChild<Done>('ocr-process.ts');
  const ask = async (task: Task): Promise<Done> => {
    const answer = await send(task);
    if ('error' in answer) throw new Error(answer.error);
    return answer;
  };
  return {
    async read(bytes: Uint8Array): Promise<{ outcome: ReadOutcome; pages: Page[]; words: Word[] }> {
      const { outcome, pages } = (await ask({ read: bytes })) as { outcome: ReadOutcome; pages: Page[] };
      return { outcome, pages, words: pages.flatMap(({ words }) => [...words]) };
    },
    /** Draws the first page at about 200 dpi. */
    async draw(pdf: Uint8Array): Promise<Buffer> {
      const { png } = (await ask({ draw: pdf })) as { png: Uint8Array };
      return Buffer.from(png);
    },
  };
}

type PdfOptions = ConstructorParameters<typeof PDFDocument>[0];

export async function pdfOf(draw: (pdf: PDFKit.PDFDocument) => void, options: PdfOptions = {}): Promise<Buffer> {
  const pdf = new PDFDocument({ size: 'A4', margin: 0, ...options });
  const chunks: Buffer[] = [];
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = once(pdf, 'end');
  draw(pdf);
  pdf.end();
  await ended;
  return Buffer.concat(chunks);
}

export function pictureAsPdf(picture: Buffer): Promise<Buffer> {
  return pdfOf((pdf) => pdf.image(picture, 0, 0, { fit: [pdf.page.width, pdf.page.height] }));
}

interface Figure {
  label: string;
  amount: string;
}

export function drawPayslip(pdf: PDFKit.PDFDocument, extra: readonly Figure[] = []): void {
  pdf.font('Helvetica-Bold').fontSize(16).text('Bramble & Stone Ltd', 50, 50, { lineBreak: false });
  pdf.font('Helvetica').fontSize(10);
  const line = (y: number, left: string, right: string, x = 50, width = 200) => {
    pdf.text(left, x, y, { lineBreak: false });
    pdf.text(right, x, y, { width, align: 'right', lineBreak: false });
  };
  line(90, 'Employee', 'Mr T Whitfield');
  line(90, 'Pay Period', 'October 2026', 310, 220);
  line(110, 'NI Number', 'AB123456C');
  line(110, 'Pay Date', '30/10/2026', 310, 220);
  pdf.font('Helvetica-Bold').text('Payments', 50, 150, { lineBreak: false });
  pdf.text('Deductions', 310, 150, { lineBreak: false }).font('Helvetica');
  PAYMENTS.forEach(({ label, amount }, row) => line(170 + 18 * row, label, amount));
  DEDUCTIONS.forEach(({ label, amount }, row) => line(170 + 18 * row, label, amount, 310, 220));
  pdf.font('Helvetica-Bold');
  TOTALS.forEach(({ label, amount }, row) => line(300 + 20 * row, label, amount, 310, 220));
  pdf.font('Helvetica');
  extra.forEach(({ label, amount }, row) => line(400 + 16 * row, label, amount, 50, 300));
}

const PAYMENTS: readonly Figure[] = [
  { label: 'Salary', amount: '3,216.75' },
  { label: 'Overtime', amount: '148.09' },
];
export const DEDUCTIONS: readonly Figure[] = [
  { label: 'PAYE Tax', amount: '451.60' },
  { label: 'National Insurance', amount: '185.38' },
  { label: 'Pension', amount: '167.11' },
];
const TOTALS: readonly Figure[] = [
  { label: 'Total Gross Pay', amount: '3,364.84' },
  { label: 'Total Deductions', amount: '804.09' },
  { label: 'Net Pay', amount: '2,560.75' },
];
const PAYSLIP_AMOUNTS = [...PAYMENTS, ...DEDUCTIONS, ...TOTALS].map(({ amount }) => amount);

export const PAYSLIP_FIELDS = {
  document_type: 'payslip',
  gross_pay: { value: 336_484 },
  net_pay: { value: 256_075 },
  tax_deducted: { value: 45_160 },
  ni_deducted: { value: 18_538 },
  pension_deducted: { value: 16_711 },
};

const MORE_AMOUNTS = Array.from({ length: 14 }, (_, n) => {
  const pence = (n * 7_919_123 + 1_357) % 999_999;
  return `${Math.floor(pence / 100).toLocaleString('en-GB')}.${String(pence % 100).padStart(2, '0')}`;
});
export const fullPayslip = (): Promise<Buffer> => {
  const extra = MORE_AMOUNTS.map((amount, n) => ({ label: `Reference ${String.fromCharCode(65 + n)}`, amount }));
  return pdfOf((pdf) => drawPayslip(pdf, extra));
};
export const FULL_AMOUNTS = [...PAYSLIP_AMOUNTS, ...MORE_AMOUNTS].sort();
export const amountsOf = (words: readonly Word[]): string[] =>
  words
    .map(({ text }) => text)
    .filter((text) => /^[\d,]+\.\d\d$/.test(text))
    .sort();

/** With the chunk that marks an animation, of one picture. */
export function animated(png: Buffer): Buffer {
  const [signature, firstChunk] = [8, 25];
  const chunk = Buffer.alloc(20);
  chunk.writeUInt32BE(8);
  chunk.write('acTL', 4, 'latin1');
  chunk.writeUInt32BE(1, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 16)), 16);
  const after = signature + firstChunk;
  return Buffer.concat([png.subarray(0, after), chunk, png.subarray(after)]);
}

/** Changes a page as a phone's camera does: slightly rotated, in uneven light, with noise, compressed. */
export async function photoOf(png: Buffer, degrees: number): Promise<Buffer> {
  const { data, info } = await sharp(png)
    .toColourspace('b-w')
    .rotate(degrees, { background: '#d8d8d8' })
    .blur(0.6)
    .raw()
    .toBuffer({ resolveWithObject: true });
  let chance = 1;
  for (let index = 0; index < data.length; index += 1) {
    // A linear congruential generator (Numerical Recipes).
    chance = (Math.imul(chance, 1_664_525) + 1_013_904_223) >>> 0;
    const light = 0.62 + 0.33 * ((index % info.width) / info.width);
    data[index] = Math.max(0, Math.min(255, (20 + data[index]! * 0.9) * light + ((chance >>> 24) / 255 - 0.5) * 14));
  }
  const { width, height } = info;
  return sharp(data, { raw: { width, height, channels: 1 } })
    .jpeg({ quality: 75 })
    .toBuffer();
}
