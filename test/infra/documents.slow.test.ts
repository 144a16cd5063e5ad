import sharp from 'sharp';
import type { Word } from '../../domain/legacy/page.ts';
import {
  amountsOf,
  animated,
  DEDUCTIONS,
  drawPayslip,
  FULL_AMOUNTS,
  fullPayslip,
  PAYSLIP_FIELDS,
  pdfOf,
  withOcr,
} from '../helpers/ocr.ts';

const ocr = withOcr();

const find = (words: readonly Word[], text: string): Word => {
  const found = words.filter((word) => word.text === text);
  expect({ text, found: found.length }).toEqual({ text, found: 1 });
  return found[0]!;
};

describe('the text of a PDF', () => {
  const words = (pdf: PDFKit.PDFDocument) => {
    drawPayslip(pdf);
    pdf.font('Helvetica-Bold').fontSize(16).text('Zephyr', 60, 500, { lineBreak: false });
    pdf.font('Helvetica').fontSize(10).text('Alpha Beta', 60, 560, { lineBreak: false });
    pdf.text('71.23', 200, 560, { lineBreak: false });
    pdf.font('Courier').text('Each letter of this line is as wide as any other one.', 60, 600, { lineBreak: false });
  };
  const expectInPlace = (found: readonly Word[]) => {
    expect(find(found, 'Zephyr')).toMatchObject({ source: 'text', probability: 1, height: 16 });
    for (const [text, x, y] of [
      ['Zephyr', 60, 500],
      ['Alpha', 60, 560],
      ['Beta', 89.5, 560],
      ['71.23', 200, 560],
      ['letter', 60 + 6 * 5, 600],
    ] as const) {
      const word = find(found, text);
      expect([text, Math.abs(word.x - x) < 1.5, Math.abs(word.y - y) < 3]).toEqual([text, true, true]);
    }
    expect(Math.abs(find(found, '71.23').width - 25)).toBeLessThan(0.5);
  };

  test('consists of words at their positions', async () => {
    const read = await ocr.read(await pdfOf(words));
    expect(read.pages).toMatchObject([{ number: 1, width: 595.28, height: 841.89 }]);
    expectInPlace(read.words);
    expect(read.outcome).toMatchObject({ kind: 'read', by: 'text', reading: PAYSLIP_FIELDS });
  });

  test.each([
    [
      'by the page’s own turn',
      (pdf: PDFKit.PDFDocument) => ((pdf.page.dictionary.data as { Rotate?: number }).Rotate = 90),
      0,
    ],
    ['by a quarter to the right', () => {}, 90],
    ['by a quarter to the left', () => {}, 270],
    ['by half', () => {}, 180],
  ] as const)('is upright if it was drawn rotated %s', async (_how, turn, degrees) => {
    const size = degrees === 180 ? [595.28, 841.89] : [841.89, 595.28];
    const turned = await pdfOf(
      (pdf) => {
        turn(pdf);
        const [width, height] = [pdf.page.width, pdf.page.height];
        const quarters = degrees === 0 ? 270 : degrees;
        if (quarters === 90) pdf.translate(width, 0);
        if (quarters === 180) pdf.translate(width, height);
        if (quarters === 270) pdf.translate(0, height);
        pdf.rotate(quarters);
        words(pdf);
      },
      { size: size as [number, number] },
    );
    const read = await ocr.read(turned);
    expect([read.pages[0]!.width, read.pages[0]!.height]).toEqual([595.28, 841.89]);
    expectInPlace(read.words);
  });

  test('has whole words if letters were set one by one, and omits watermarks across the page', async () => {
    const read = await ocr.read(
      await pdfOf((pdf) => {
        words(pdf);
        pdf.font('Helvetica').fontSize(12);
        let x = 300;
        for (const letter of 'Kilmarnock') {
          pdf.text(letter, x, 620, { lineBreak: false });
          x += pdf.widthOfString(letter);
        }
        pdf
          .rotate(45, { origin: [300, 400] })
          .fontSize(60)
          .text('SPECIMEN', 200, 400, { lineBreak: false });
      }),
    );
    expect(Math.abs(find(read.words, 'Kilmarnock').x - 300)).toBeLessThan(1);
    expect(read.words.map(({ text }) => text)).not.toContain('SPECIMEN');
  });
});

test('a PDF after 1,024 other bytes is read like any other PDF', async () => {
  const { outcome } = await ocr.read(Buffer.concat([Buffer.alloc(1_024, 'x'), await fullPayslip()]));
  expect(outcome).toMatchObject({ kind: 'read', by: 'text', reading: PAYSLIP_FIELDS });
});

describe('a picture', () => {
  const PAGE = { kind: 'read', by: 'ocr', reading: PAYSLIP_FIELDS };
  let page: Buffer;
  beforeAll(async () => {
    page = await ocr.draw(await fullPayslip());
  });

  test('gives every amount, digit for digit, in words of about the right height at their positions', async () => {
    const { words, outcome } = await ocr.read(page);
    expect(amountsOf(words)).toEqual(FULL_AMOUNTS);
    expect(outcome).toMatchObject(PAGE);
    expect(new Set(words.map(({ source }) => source))).toEqual(new Set(['ocr']));
    const scale = 200 / 72;
    const word = find(words, 'Overtime');
    expect(Math.abs(word.x / scale - 50)).toBeLessThan(3);
    expect(Math.abs(word.y / scale - 188)).toBeLessThan(4);
    expect(word.height / scale).toBeGreaterThan(7);
    expect(word.height / scale).toBeLessThan(13);
  });

  const insurance = DEDUCTIONS.find(({ label }) => label === 'National Insurance')!.amount;
  const lineAlone = async () =>
    await ocr.draw(
      await pdfOf(
        (pdf) =>
          pdf
            .font('Helvetica-Bold')
            .fontSize(10)
            .text('National Insurance', 50, 20, { lineBreak: false })
            .text(insurance, 190, 20, { lineBreak: false }),
        { size: [240, 60] },
      ),
    );

  test('that is an animated PNG, or a JPEG after a line end, gives its amounts', async () => {
    const line = await lineAlone();
    for (const file of [animated(line), Buffer.concat([Buffer.from('\n'), await sharp(line).jpeg().toBuffer()])])
      expect(amountsOf((await ocr.read(file)).words)).toEqual([insurance]);
  });

  test("of a line adds what the PDF's text lacks, and nothing is read twice", async () => {
    const band = await lineAlone();
    const pdf = await pdfOf((page) => {
      const text = page.text.bind(page);
      page.text = ((words: string, ...rest: Parameters<typeof text> extends [string, ...infer Rest] ? Rest : never) =>
        words === 'National Insurance' || words === insurance ? page : text(words, ...rest)) as typeof page.text;
      drawPayslip(page);
      page.image(band, 310 - 50, 188 - 20, { width: 240 });
    });
    const { outcome, words } = await ocr.read(pdf);
    expect(outcome).toMatchObject({ kind: 'read', by: 'both', reading: PAYSLIP_FIELDS });
    for (const { amount } of DEDUCTIONS) find(words, amount);
    expect(words.filter(({ source }) => source === 'ocr').map(({ text }) => text)).toEqual([
      'National',
      'Insurance',
      insurance,
    ]);
  });
});
