import { createRequire } from 'node:module';
import PDFDocument from 'pdfkit';

export type Typeface = 'helvetica' | 'times' | 'courier' | 'roboto' | 'lato' | 'source-serif' | 'inconsolata' | 'archivo-narrow' | 'inter'; // prettier-ignore

const STANDARD: Partial<Record<Typeface, readonly [string, string]>> = {
  helvetica: ['Helvetica', 'Helvetica-Bold'],
  times: ['Times-Roman', 'Times-Bold'],
  courier: ['Courier', 'Courier-Bold'],
};
const PACKAGES: Partial<Record<Typeface, string>> = {
  roboto: 'roboto',
  lato: 'lato',
  'source-serif': 'source-serif-4',
  inconsolata: 'inconsolata',
  'archivo-narrow': 'archivo-narrow',
  inter: 'inter',
};

export interface TextStyle {
  size?: number;
  bold?: boolean;
  /** The part of the text that is at `x`; left by default. */
  align?: 'left' | 'right' | 'center';
  colour?: string;
  font?: Typeface;
  /** Draws outlines instead of text. Not possible with the standard fonts. */
  artwork?: boolean;
  /** Extra space between letters, in points. */
  spacing?: number;
  /** Draws the text upwards. Left-aligned text only. */
  upward?: boolean;
}

export interface BoxStyle {
  fill?: string;
  stroke?: string;
  thickness?: number;
  radius?: number;
}

/** A page. Lengths are points from the top left; the `y` of a text is its baseline. */
export interface Sheet {
  width: number;
  height: number;
  text(x: number, y: number, text: string, style?: TextStyle): void;
  lines(x: number, y: number, leading: number, lines: readonly string[], style?: TextStyle): void;
  box(x: number, y: number, width: number, height: number, style?: BoxStyle): void;
  line(x1: number, y1: number, x2: number, y2: number, style?: { stroke?: string; thickness?: number; dash?: number }): void; // prettier-ignore
  widthOf(text: string, style?: TextStyle): number;
  nextPage(): void;
  finish(): Promise<Buffer>;
}

interface SheetOptions {
  /** In points. */
  size: readonly [number, number];
  font: Typeface;
  /** In points. */
  fontSize: number;
  producer?: string;
}

export const A4 = [595.28, 841.89] as const;
export const A4_LANDSCAPE = [841.89, 595.28] as const;
export const A5_LANDSCAPE = [595.28, 419.53] as const;
/** Two thirds of A4, like pre-printed payslips. */
export const TWO_THIRDS = [595.28, 561.26] as const;

/** Starts a PDF. Its bytes depend only on what is drawn. */
export function newSheet(options: SheetOptions): Sheet {
  const made = new Date('2026-11-01T09:00:00Z');
  const document = new PDFDocument({
    size: [options.size[0], options.size[1]],
    margin: 0,
    info: { CreationDate: made, ModDate: made, Producer: options.producer ?? 'Payroll', Creator: options.producer ?? 'Payroll' },
  }); // prettier-ignore
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve) => document.on('end', resolve));

  const choose = (style: TextStyle) => {
    document.font(...fontOf(style.font ?? options.font, style.bold === true)).fontSize(style.size ?? options.fontSize);
    document.fillColor(style.colour ?? 'black');
  };
  const more = (style: TextStyle) => ({ characterSpacing: style.spacing ?? 0 });
  const widthOf = (text: string, style: TextStyle = {}) => {
    choose(style);
    return document.widthOfString(text, more(style));
  };
  const write = (x: number, y: number, text: string, style: TextStyle = {}) => {
    const width = style.align === undefined || style.align === 'left' ? 0 : widthOf(text, style);
    const left = x - (style.align === 'right' ? width : style.align === 'center' ? width / 2 : 0);
    choose(style);
    if (style.upward) document.save().rotate(-90, { origin: [left, y] });
    if (style.artwork) outlines(document, left, y, text, style.size ?? options.fontSize);
    else document.text(text, left, y, { lineBreak: false, baseline: 'alphabetic', ...more(style) });
    if (style.upward) document.restore();
  };
  return {
    width: options.size[0],
    height: options.size[1],
    text: write,
    lines: (x, y, leading, lines, style) => lines.forEach((line, n) => write(x, y + n * leading, line, style)),
    widthOf,
    box(x, y, width, height, { fill, stroke, thickness, radius } = {}) {
      document.roundedRect(x, y, width, height, radius ?? 0).lineWidth(thickness ?? 0.6);
      if (fill !== undefined && stroke !== undefined) document.fillAndStroke(fill, stroke);
      else if (fill !== undefined) document.fill(fill);
      else document.stroke(stroke ?? 'black');
    },
    line(x1, y1, x2, y2, { stroke, thickness, dash } = {}) {
      document
        .moveTo(x1, y1)
        .lineTo(x2, y2)
        .lineWidth(thickness ?? 0.6);
      if (dash !== undefined) document.dash(dash, { space: dash });
      document.stroke(stroke ?? 'black');
      if (dash !== undefined) document.undash();
    },
    nextPage() {
      document.addPage();
    },
    async finish() {
      document.end();
      await ended;
      return Buffer.concat(chunks);
    },
  };
}

const require = createRequire(import.meta.url);

function fontOf(face: Typeface, bold: boolean): [string] {
  const standard = STANDARD[face];
  if (standard) return [standard[bold ? 1 : 0]];
  const name = PACKAGES[face]!;
  return [require.resolve(`@fontsource/${name}/files/${name}-latin-${bold ? 700 : 400}-normal.woff`)];
}

/** An embedded font in pdfkit, parsed by fontkit. */
interface Outlined {
  _font: { font: { unitsPerEm: number; layout(text: string): { glyphs: { path: { toSVG(): string } }[]; positions: { xAdvance: number }[] } } }; // prettier-ignore
}

function outlines(document: PDFKit.PDFDocument, x: number, y: number, text: string, size: number): void {
  const { font } = (document as unknown as Outlined)._font;
  const scale = size / font.unitsPerEm;
  const run = font.layout(text);
  let at = 0;
  run.glyphs.forEach((glyph, n) => {
    const outline = glyph.path.toSVG();
    if (outline !== '') {
      document.save().translate(x + at * scale, y).scale(scale, -scale).path(outline).fill().restore(); // prettier-ignore
    }
    at += run.positions[n]!.xAdvance;
  });
}

export async function pictureAsPdf(picture: Buffer, size: readonly [number, number]): Promise<Buffer> {
  const made = new Date('2026-11-01T09:00:00Z');
  const document = new PDFDocument({ size: [size[0], size[1]], margin: 0, info: { CreationDate: made, Producer: 'Scanner' } }); // prettier-ignore
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve) => document.on('end', resolve));
  document.image(picture, 0, 0, { width: size[0], height: size[1] });
  document.end();
  await ended;
  return Buffer.concat(chunks);
}
