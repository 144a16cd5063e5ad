/*
 * Limits on pdfjs' work for one page. Lines that `pdf-worker.ts` adds to pdfjs' worker call these functions, where
 * operators are read and streams are inflated. So nested forms, patterns and drawn typefaces count each time.
 */

/** Drawing operators of a page, including those of everything that it draws. */
export const MOST_OPERATORS = 20_000;
/** Bytes of a page's content streams after inflating. */
export const MOST_CONTENT_BYTES = 20_000_000;
/** The limit of any one stream: the bytes of the largest picture that is drawn, four to a pixel. */
const MOST_STREAM_BYTES = 160_000_000;

/** The page exceeds a limit. pdfjs may catch this error; `isPageTooComplex` still reports it afterwards. */
class PageTooComplex extends Error {
  override readonly name = 'PageTooComplex';
}

const none = { operators: 0, inflated: 0, parsed: 0, exceeded: false };
let page = { ...none };
/** A page's content streams, and how many bytes of each were counted. */
let contents = new WeakMap<object, number>();

/** Starts counting from zero. Only one page is read at a time. */
export function beginPage(): void {
  page = { ...none };
  contents = new WeakMap();
}

/** Whether the latest page exceeded a limit. */
export function isPageTooComplex(): boolean {
  return page.exceeded;
}

/** @throws PageTooComplex for the first operator over the limit, and for all that follow. */
export function countOperator(): void {
  page.operators += 1;
  refuseWhere(page.operators > MOST_OPERATORS);
}

/** Marks the streams of a page's content. @param content a stream, several, or something else. */
export function markContent(content: unknown): void {
  for (const stream of Array.isArray(content) ? (content as unknown[]) : [content])
    if (typeof stream === 'object' && stream !== null && !contents.has(stream)) contents.set(stream, 0);
}

interface ContentStream {
  length?: number;
  /** Present on a stream that inflates. */
  ensureBuffer?: unknown;
  /** The streams that it joins. */
  streams?: ContentStream[];
}

/** Counts a content stream when parsing begins: uncompressed bytes at once, the rest as it is inflated. */
export function countParsed(stream: ContentStream): void {
  for (const part of stream.streams ?? [stream]) {
    if ('ensureBuffer' in part) markContent(part);
    else page.parsed += part.length ?? 0;
  }
  refuseWhere(page.parsed > MOST_CONTENT_BYTES);
}

/** Counts a stream's current size, in bytes. @throws PageTooComplex for too many. */
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
