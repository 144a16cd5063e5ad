import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { DEFAULT_BYTE_RANGE_PLACEHOLDER } from '@signpdf/utils';
import PDFDocument from 'pdfkit';

/** A node of the PDF's structure tree, which screen readers use. */
export type Element = PDFKit.PDFStructureElement;

interface Form {
  Fields: unknown[];
  NeedAppearances?: boolean;
  SigFlags?: number;
}

interface Typeface {
  hasGlyphForCodePoint(code: number): boolean;
  stream: TableStream;
  _getTableStream(tag: string): TableStream | null;
}

interface TableStream {
  pos: number;
}

/** pdfkit's document, with members that its types omit. */
export type Document = Omit<PDFKit.PDFDocument, 'ref' | 'file' | 'annotate' | 'struct' | 'page'> & {
  _root: { data: { AcroForm?: { data: Form } } };
  _font: { font: Typeface };
  page: { width: number; height: number; dictionary: unknown; annotations: unknown[] };
  ref(data: object): { end(content?: string): void };
  file(content: Uint8Array, options: PDFKit.Mixins.PDFAttachmentOptions & { relationship: string }): unknown;
  annotate(x: number, y: number, width: number, height: number, options: object): unknown;
  struct(type: string, options?: TagOptions, child?: () => void): Element;
};

/** In points. The origin is the top left of the page. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** `bbox` is left, top, right and bottom, in points. */
export interface TagOptions {
  alt?: string;
  /** The real text, if the drawn characters differ from it. */
  actual?: string | undefined;
  scope?: 'Row' | 'Column';
  placement?: 'Block' | 'Inline';
  bbox?: [number, number, number, number];
}

export type Weight = 400 | 600 | 700;
/** Subsets of the typeface. The first subset contains all characters of the page's own texts. */
export const SCRIPTS = ['latin', 'latin-ext', 'greek', 'cyrillic', 'vietnamese', 'greek-ext', 'cyrillic-ext'] as const;
export type Script = (typeof SCRIPTS)[number];

/** The PDF/UA-1 identifier, which pdfkit does not write for PDF/A. PDF/A requires a schema for this identifier. */
const ACCESSIBLE = `
  <rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">
    <pdfuaid:part>1</pdfuaid:part>
  </rdf:Description>
  <rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
    xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
    <pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
      <pdfaSchema:schema>PDF/UA identification</pdfaSchema:schema>
      <pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>
      <pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>
      <pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource">
        <pdfaProperty:name>part</pdfaProperty:name>
        <pdfaProperty:valueType>Integer</pdfaProperty:valueType>
        <pdfaProperty:category>internal</pdfaProperty:category>
        <pdfaProperty:description>Part of ISO 14289</pdfaProperty:description>
      </rdf:li></rdf:Seq></pdfaSchema:property>
    </rdf:li></rdf:Bag></pdfaExtension:schemas>
  </rdf:Description>`;

const TYPEFACE = dirname(createRequire(import.meta.url).resolve('@fontsource/inter/files/inter-latin-400-normal.woff'));

/** Creates an A4 page without margins, for archiving (PDF/A-3a) and accessibility (PDF/UA-1). */
export function newDocument(title: string): Document {
  const document = new PDFDocument({
    size: 'A4',
    margin: 0,
    pdfVersion: '1.7',
    subset: 'PDF/A-3a',
    tagged: true,
    lang: 'en-GB',
    displayTitle: true,
    // No default font: a standard font would be referenced without being embedded.
    font: '',
    info: { Title: title, Author: 'Ringfence', Creator: 'Ringfence', Producer: 'Ringfence (PDFKit)' },
  }) as unknown as Document;
  document.appendXML(ACCESSIBLE);
  return document;
}

export function useFont(document: Document, weight: Weight, script: Script = 'latin'): Document {
  document.font(join(TYPEFACE, `inter-${script}-${weight}-normal.woff`));
  inflateOnce(document._font.font);
  return document;
}

export function hasGlyph(document: Document, code: number, weight: Weight, script: Script): boolean {
  return useFont(document, weight, script)._font.font.hasGlyphForCodePoint(code);
}

/** Without this cache, fontkit inflates the outlines again for each glyph, which takes ten times as long. */
function inflateOnce(font: Typeface): void {
  if (Object.hasOwn(font, '_getTableStream')) return;
  const inflated = font._getTableStream.bind(font);
  const streams = new Map<string, TableStream>();
  font._getTableStream = (tag) => {
    const known = streams.get(tag);
    if (known !== undefined) return Object.assign(known, { pos: 0 });
    const stream = inflated(tag);
    // fontkit reads uncompressed tables from the file itself.
    if (stream !== null && stream !== font.stream) streams.set(tag, stream);
    return stream;
  };
}

/** Draws content for screen readers, in a new structure element below `parent`. */
export function tagged(
  document: Document,
  parent: Element,
  type: string,
  draw: () => void,
  options: TagOptions = {},
): void {
  // SignPdf would replace its placeholder inside this text too.
  const isSafe = options.actual?.includes(DEFAULT_BYTE_RANGE_PLACEHOLDER) !== true;
  parent.add(document.struct(type, isSafe ? options : { ...options, actual: undefined }, draw));
}

export function group(document: Document, parent: Element, type: string): Element {
  const element = document.struct(type);
  parent.add(element);
  return element;
}

export function rule(
  document: Document,
  [x, y, toX, toY]: readonly [number, number, number, number],
  { width, colour }: { width: number; colour: string },
): void {
  document.moveTo(x, y).lineTo(toX, toY).lineWidth(width).stroke(colour);
}

/** Screen readers skip decorations. */
export function decoration(document: Document, draw: () => void): void {
  document.markContent('Artifact', { type: 'Layout' });
  draw();
  document.endMarkedContent();
}
