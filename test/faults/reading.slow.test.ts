import sharp from 'sharp';
import {
  amountsOf,
  FULL_AMOUNTS,
  fullPayslip,
  PAYSLIP_FIELDS,
  photoOf,
  pictureAsPdf,
  withOcr,
} from '../helpers/ocr.ts';

/* Realistic photos take seconds each. `test/infra/documents.slow.test.ts` tests simple photos. */

const ocr = withOcr();

describe('a picture', () => {
  let page: Buffer;
  beforeAll(async () => {
    page = await ocr.draw(await fullPayslip());
  });

  test.each([
    ['a photograph, three degrees askew', (png: Buffer) => photoOf(png, 3)],
    ['a photograph, six degrees askew the other way', (png: Buffer) => photoOf(png, -6)],
    ['turned to the right', (png: Buffer) => sharp(png).rotate(90).jpeg().toBuffer()],
    ['upside down', (png: Buffer) => sharp(png).rotate(180).jpeg().toBuffer()],
    [
      'turned to the left in a PDF',
      async (png: Buffer) => pictureAsPdf(await sharp(png).rotate(270).jpeg().toBuffer()),
    ],
    [
      'as its camera says it is turned',
      (png: Buffer) => sharp(png).rotate(90).withMetadata({ orientation: 8 }).jpeg().toBuffer(),
    ],
    ['small', (png: Buffer) => sharp(png).resize({ height: 1_300 }).png().toBuffer()],
    [
      'see-through',
      (png: Buffer) =>
        sharp(png)
          .toColourspace('b-w')
          .negate()
          .toBuffer()
          .then((ink) =>
            sharp({ create: { width: 1654, height: 2339, channels: 3, background: '#101040' } })
              .joinChannel(ink)
              .png()
              .toBuffer(),
          ),
    ],
  ] as const)('%s gives every amount, digit for digit', async (_name, make) => {
    const read = await ocr.read(await make(page));
    expect(amountsOf(read.words)).toEqual(FULL_AMOUNTS);
    expect(read.outcome).toMatchObject({ kind: 'read', by: 'ocr', reading: PAYSLIP_FIELDS });
    expect(new Set(read.words.map(({ source }) => source))).toEqual(new Set(['ocr']));
  });
});
