import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { DEFAULT_BYTE_RANGE_PLACEHOLDER } from '@signpdf/utils';
import PDFDocument from 'pdfkit';

/** A node of the tags by which a document is read aloud. */
export type Element = PDFKit.PDFStructureElement;

interface Form {
  Fields: unknown[];
  NeedAppearances?: boolean;
  SigFlags?: number;
}

/** fontkit's font, as far as it is asked here. */
interface Typeface {
  hasGlyphForCodePoint(code: number): boolean;
  stream: unknown;
  _getTableStream(tag: string): TableStream;
}

interface TableStream {
  buffer: Uint8Array;
}

/** pdfkit's document, with what its types leave out. */
export type Document = Omit<PDFKit.PDFDocument, 'ref' | 'file' | 'annotate' | 'struct' | 'page'> & {
  _root: { data: { AcroForm?: { data: Form } } };
  _font: { font: Typeface };
  page: { width: number; height: number; dictionary: unknown; annotations: unknown[] };
  ref(data: object): { end(content?: string): void };
  file(content: Uint8Array, options: PDFKit.Mixins.PDFAttachmentOptions & { relationship: string }): unknown;
  annotate(x: number, y: number, width: number, height: number, options: object): unknown;
  struct(type: string, options?: TagOptions, child?: () => void): Element;
};

/** `bbox`: left, top, right, bottom. */
export interface TagOptions {
  alt?: string;
  /** What stands there, where it reads otherwise. */
  actual?: string | undefined;
  scope?: 'Row' | 'Column';
  placement?: 'Block' | 'Inline';
  bbox?: [number, number, number, number];
}

export type Weight = 400 | 600 | 700;
/** Parts into which the typeface is cut; the first has what the page itself says. */
export const SCRIPTS = ['latin', 'latin-ext', 'greek', 'cyrillic', 'vietnamese', 'greek-ext', 'cyrillic-ext'] as const;
export type Script = (typeof SCRIPTS)[number];

/** The name of PDF/UA-1, which pdfkit gives to what is not PDF/A only; PDF/A wants the names of others explained. */
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

const require = createRequire(import.meta.url);
/** Of the typeface, by name: its bytes, and its tables as far as they were inflated. */
const files = new Map<string, { bytes: Uint8Array; tables: Map<string, Uint8Array> }>();

/** An empty page, A4, without margins; it says of itself that it can be archived (PDF/A-3a) and read aloud (PDF/UA-1). */
export function newDocument(title: string): Document {
  const document = new PDFDocument({
    size: 'A4',
    margin: 0,
    pdfVersion: '1.7',
    subset: 'PDF/A-3a',
    tagged: true,
    lang: 'en-GB',
    displayTitle: true,
    // None: one of the standard ones would be named without being embedded.
    font: '',
    info: { Title: title, Author: 'Ringfence', Creator: 'Ringfence', Producer: 'Ringfence (PDFKit)' },
  }) as unknown as Document;
  document.appendXML(ACCESSIBLE);
  return document;
}

/** Takes the typeface that draws from now on. */
export function useFont(document: Document, weight: Weight, script: Script = 'latin'): Document {
  const name = `inter-${script}-${weight}-normal.woff`;
  const { bytes, tables } = fileOf(name);
  document.registerFont(name, bytes);
  document.font(name);
  inflateOnce(document._font.font, tables);
  return document;
}

/** Whether the typeface has a character. */
export function hasGlyph(document: Document, code: number, weight: Weight, script: Script): boolean {
  return useFont(document, weight, script)._font.font.hasGlyphForCodePoint(code);
}

function fileOf(name: string): { bytes: Uint8Array; tables: Map<string, Uint8Array> } {
  const known = files.get(name);
  if (known !== undefined) return known;
  const file = { bytes: readFileSync(require.resolve(`@fontsource/inter/files/${name}`)), tables: new Map() };
  files.set(name, file);
  return file;
}

/** fontkit would inflate the table of all outlines again for each glyph: a page would take ten times as long. */
function inflateOnce(font: Typeface, tables: Map<string, Uint8Array>): void {
  if (Object.hasOwn(font, '_getTableStream')) return;
  const inflated = font._getTableStream.bind(font);
  let Stream: (new (bytes: Uint8Array) => TableStream) | undefined;
  font._getTableStream = (tag) => {
    const known = tables.get(tag);
    if (known !== undefined && Stream !== undefined) return new Stream(known);
    const stream = inflated(tag);
    // Tables that are not compressed are read from the file itself.
    if (stream === null || stream === font.stream) return stream;
    Stream = stream.constructor as typeof Stream;
    tables.set(tag, stream.buffer);
    return stream;
  };
}

/** The bytes, once the document was ended. */
export async function bytesOf(document: Document): Promise<Buffer> {
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((done, failed) => {
    document.on('end', done);
    document.on('error', failed);
  });
  document.end();
  await ended;
  return Buffer.concat(chunks);
}

/** Draws what is read aloud, as a part of `parent`. */
export function tagged(
  document: Document,
  parent: Element,
  type: string,
  draw: () => void,
  options: TagOptions = {},
): void {
  // SignPdf would take a place that reads like its own for it.
  const isSafe = options.actual?.includes(DEFAULT_BYTE_RANGE_PLACEHOLDER) !== true;
  parent.add(document.struct(type, isSafe ? options : { ...options, actual: undefined }, draw));
}

/** A part that holds others. */
export function group(document: Document, parent: Element, type: string): Element {
  const element = document.struct(type);
  parent.add(element);
  return element;
}

/** Draws what says nothing: lines, areas. */
export function decoration(document: Document, draw: () => void): void {
  document.markContent('Artifact', { type: 'Layout' });
  draw();
  document.endMarkedContent();
}
