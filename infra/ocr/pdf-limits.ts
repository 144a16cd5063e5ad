/*
 * Limits the work of pdfjs for one page. `pdf-worker.ts` adds calls of these functions where pdfjs reads drawing
 * operators and decompresses streams. Nested forms, patterns and drawn typefaces therefore count each time that the
 * page draws them.
 */

/** The maximum number of drawing operators of a page, including those of nested forms, patterns and drawn typefaces. */
export const MOST_OPERATORS = 20_000;
/** The maximum size of a page's content streams after decompression, in bytes. */
export const MOST_CONTENT_BYTES = 20_000_000;
/** The maximum size of a single stream in bytes: the largest image that is drawn, at four bytes a pixel. */
const MOST_STREAM_BYTES = 160_000_000;

/** The page exceeds a limit. pdfjs may catch this error; `isPageTooComplex` still reports it afterwards. */
class PageTooComplex extends Error {
  override readonly name = 'PageTooComplex';
}

const none = { operators: 0, inflated: 0, parsed: 0, exceeded: false };
let page = { ...none };
/** The content streams of the current page, and how many bytes of each were counted. */
let contents = new WeakMap<object, number>();

/** Resets the counts. Only one page is read at a time. */
export function beginPage(): void {
  page = { ...none };
  contents = new WeakMap();
}

/** Whether the page that was read last exceeded a limit. */
export function isPageTooComplex(): boolean {
  return page.exceeded;
}

/** Counts a drawing operator. @throws PageTooComplex for each operator above the limit. */
export function countOperator(): void {
  page.operators += 1;
  refuseWhere(page.operators > MOST_OPERATORS);
}

/**
 * Marks a stream, or each in a list of streams, as content of the page, so that its bytes count towards the limit.
 * Ignores anything else.
 */
export function markContent(content: unknown): void {
  for (const stream of Array.isArray(content) ? (content as unknown[]) : [content])
    if (typeof stream === 'object' && stream !== null && !contents.has(stream)) contents.set(stream, 0);
}

interface ContentStream {
  length?: number;
  /** Exists only on compressed streams. */
  ensureBuffer?: unknown;
  /** The streams that this stream joins. */
  streams?: ContentStream[];
}

/**
 * Counts a content stream when parsing begins. Counts the bytes of a compressed stream only as they are decompressed.
 */
export function countParsed(stream: ContentStream): void {
  for (const part of stream.streams ?? [stream]) {
    if ('ensureBuffer' in part) markContent(part);
    else page.parsed += part.length ?? 0;
  }
  refuseWhere(page.parsed > MOST_CONTENT_BYTES);
}

/** Counts the current size of a stream, in bytes. @throws PageTooComplex if the page exceeds a limit. */
export function countInflated(stream: object, bytes: number): void {
  const counted = contents.get(stream);
  if (counted !== undefined && bytes > counted) {
    page.inflated += bytes - counted;
    contents.set(stream, bytes);
  }
  refuseWhere(bytes > MOST_STREAM_BYTES || page.inflated > MOST_CONTENT_BYTES);
}

function refuseWhere(isTooMuch: boolean): void {
  page.exceeded ||= isTooMuch;
  if (page.exceeded) throw new PageTooComplex('The page contains too much.');
}
