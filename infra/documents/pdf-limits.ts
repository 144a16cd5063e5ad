/* `pdf-worker.ts` adds calls of these functions to pdfjs. Nested forms count each time that the page draws them. */

/** Of one page, including the operators of nested forms, patterns and drawn typefaces. */
export const MOST_OPERATORS = 20_000;
/** Of one page's content, after decompression. */
export const MOST_CONTENT_BYTES = 20_000_000;
/** The largest image that is drawn, at four bytes a pixel. */
const MOST_STREAM_BYTES = 160_000_000;

/** pdfjs may catch this error, so `isPageTooComplex` reports the error afterwards. */
class PageTooComplex extends Error {
  override readonly name = 'PageTooComplex';
}

const none = { operators: 0, inflated: 0, parsed: 0, exceeded: false };
let page = { ...none };
/** How many bytes of each content stream of the page were counted. */
let contents = new WeakMap<object, number>();

/** Resets the counts. Only one page is read at a time. */
export function beginPage(): void {
  page = { ...none };
  contents = new WeakMap();
}

export function isPageTooComplex(): boolean {
  return page.exceeded;
}

export function countOperator(): void {
  page.operators += 1;
  refuseWhere(page.operators > MOST_OPERATORS);
}

/** Takes a stream or a list of streams. Ignores anything else. */
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

/** The bytes of a compressed stream count only as they are decompressed. */
export function countParsed(stream: ContentStream): void {
  for (const part of stream.streams ?? [stream]) {
    if ('ensureBuffer' in part) markContent(part);
    else page.parsed += part.length ?? 0;
  }
  refuseWhere(page.parsed > MOST_CONTENT_BYTES);
}

/** `bytes` is the current size of the stream. */
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
