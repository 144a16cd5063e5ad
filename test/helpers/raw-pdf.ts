import { deflateSync } from 'node:zlib';

/** Objects are numbered from 1. Object 1 is the catalogue. */
export function rawPdf(objects: readonly (string | Buffer)[]): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let at = parts[0]!.length;
  objects.forEach((object, index) => {
    offsets.push(at);
    const part = Buffer.concat([
      Buffer.from(`${index + 1} 0 obj\n`),
      Buffer.from(object as string),
      Buffer.from('\nendobj\n'),
    ]);
    parts.push(part);
    at += part.length;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

/** The page is object 3. The objects of `more` are numbered from 4. */
export const onePage = (page: string, ...more: (string | Buffer)[]): Buffer =>
  rawPdf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [3 0 R] /Count 1 >>', page, ...more]);

const stream = (data: Buffer, entries: string): Buffer =>
  Buffer.concat([Buffer.from(`<< /Length ${data.length} ${entries} >>\nstream\n`), data, Buffer.from('\nendstream')]);

const packed = (text: string | Buffer, entries = ''): Buffer =>
  stream(deflateSync(text, { level: 9 }), `/Filter /FlateDecode ${entries}`);

const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
const pageOf = (resources: string, contents = '4 0 R') =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${contents} /Resources << ${resources} >> >>`;
const FORM = '/Type /XObject /Subtype /Form /BBox [0 0 595 842]';

let copies = 0;
/** Makes the bytes unique without any effect on the page. */
const asNew = (pdf: Buffer): Buffer =>
  Buffer.concat([pdf, Buffer.from(`% ${(copies += 1)} ${process.pid} ${Date.now()}\n%%EOF\n`)]);

/** The texts are at up to 4,000 positions. */
export function manyTexts(count: number, say = (index: number) => `${index % 10}`): Buffer {
  const lines = Array.from(
    { length: count },
    (_, index) => `1 0 0 1 ${index % 500} ${(index * 7) % 800} Tm (${say(index)}) Tj`,
  );
  return asNew(onePage(pageOf('/Font << /F1 5 0 R >>'), packed(`BT /F1 8 Tf\n${lines.join('\n')}\nET`), FONT));
}

/** The PDF has about ten kilobytes. */
export const fourHundredThousand = (): Buffer =>
  asNew(
    onePage(
      pageOf('/Font << /F1 5 0 R >>'),
      packed(`BT /F1 8 Tf\n${'1 0 0 1 9 9 Tm (Net Pay) Tj\n'.repeat(400_000)}ET`),
      FONT,
    ),
  );

/** Each form XObject draws the next form ten times. */
export function nestedForms(depth: number): Buffer {
  const forms = Array.from({ length: depth }, (_, level) =>
    level === depth - 1
      ? packed('BT /F1 8 Tf 9 9 Td (Net) Tj ET', `${FORM} /Resources << /Font << /F1 5 0 R >> >>`)
      : packed('/X Do '.repeat(10), `${FORM} /Resources << /XObject << /X ${level + 7} 0 R >> >>`),
  );
  return asNew(onePage(pageOf('/XObject << /X 6 0 R >>'), packed('/X Do '.repeat(10)), FONT, ...forms));
}

/** The font has one glyph of a hundred thousand lines. */
export const drawnTypeface = (): Buffer =>
  asNew(
    onePage(
      pageOf('/Font << /F1 5 0 R >>'),
      packed('BT /F1 8 Tf 9 9 Td (aaa) Tj ET'),
      '<< /Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [0.1 0 0 0.1 0 0] /CharProcs << /a 6 0 R >> /Encoding << /Differences [97 /a] >> /FirstChar 97 /LastChar 97 /Widths [9] >>',
      packed(`9 0 d0 ${'0 0 m 9 9 l S\n'.repeat(100_000)}`),
    ),
  );

/** The tiling pattern has a hundred thousand lines. */
export const pattern = (): Buffer =>
  asNew(
    onePage(
      pageOf('/Pattern << /P 5 0 R >>'),
      packed('/Pattern cs /P scn 0 0 595 842 re f'),
      packed(
        '0 0 m 9 9 l S\n'.repeat(100_000),
        '/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 9 9] /XStep 9 /YStep 9 /Resources << >>',
      ),
    ),
  );

export const inlineImages = (): Buffer =>
  asNew(onePage(pageOf(''), packed('BI /W 1 /H 1 /BPC 8 /CS /G ID a EI\n'.repeat(40_000))));

/** Megabytes of spaces as page content, in one stream or several. */
export function spaces(streams: number, megabytes: number): Buffer {
  const each = packed(Buffer.alloc(megabytes * 1_000_000, ' '));
  const contents = Array.from({ length: streams }, (_, index) => `${index + 4} 0 R`).join(' ');
  return asNew(onePage(pageOf('', `[${contents}]`), ...Array.from({ length: streams }, () => each)));
}

/** Forty streams of 100 MB of spaces, each compressed twice. The PDF has about twenty kilobytes. */
export function gigabytes(): Buffer {
  const twice = deflateSync(deflateSync(Buffer.alloc(100_000_000, ' '), { level: 9 }), { level: 9 });
  const streams = Array.from({ length: 40 }, () => stream(twice, '/Filter [/FlateDecode /FlateDecode]'));
  const contents = streams.map((_stream, index) => `${index + 4} 0 R`).join(' ');
  return asNew(onePage(pageOf('', `[${contents}]`), ...streams));
}

/** An operator whose array has millions of items. */
export const longArray = (): Buffer =>
  asNew(onePage(pageOf('/Font << /F1 5 0 R >>'), packed(`BT /F1 8 Tf [${'(a) 1 '.repeat(3_000_000)}] TJ ET`), FONT));

/** A PostScript function computes the colour of each point. */
export const programmedShading = (): Buffer =>
  asNew(
    onePage(
      pageOf('/Shading << /S 5 0 R >>'),
      packed('q 595 0 0 842 0 0 cm /S sh Q\n'.repeat(1_000)),
      '<< /ShadingType 1 /ColorSpace /DeviceRGB /Domain [0 1 0 1] /Function 6 0 R >>',
      stream(
        Buffer.from(`{ ${'dup mul sqrt sin cos '.repeat(400)} dup dup 3 1 roll }`),
        '/FunctionType 4 /Domain [0 1 0 1] /Range [0 1 0 1 0 1]',
      ),
    ),
  );
