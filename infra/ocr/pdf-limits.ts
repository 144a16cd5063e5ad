/*
 * How much pdfjs may do for one page. Its worker calls these functions from the lines that `pdf-worker.ts` adds to it, where operators are
 * read and streams are inflated. So forms within forms, patterns and drawn typefaces count each time.
 */

/** Drawing operators of a page, with those of all that it draws. */
export const MOST_OPERATORS = 20_000;
/** Bytes of a page's content streams once they are inflated. */
export const MOST_CONTENT_BYTES = 20_000_000;
/** Any one stream: as many bytes as the largest picture that is drawn has, four to a pixel. */
const MOST_STREAM_BYTES = 160_000_000;

/** A page holds too much. pdfjs may swallow it: `isPageTooComplex` tells afterwards. */
class PageTooComplex extends Error {
  override readonly name = 'PageTooComplex';
}

const none = { operators: 0, inflated: 0, parsed: 0, exceeded: false };
let page = { ...none };
/** Streams that are a page's content, and how many bytes of each were counted. */
let contents = new WeakMap<object, number>();

/** Begins to count anew. One page is read at a time. */
export function beginPage(): void {
  page = { ...none };
  contents = new WeakMap();
}

/** Whether the page that was begun last held too much. */
export function isPageTooComplex(): boolean {
  return page.exceeded;
}

/** @throws PageTooComplex for one operator too many, and for all that follow. */
export function countOperator(): void {
  page.operators += 1;
  refuseWhere(page.operators > MOST_OPERATORS);
}

/** Marks the streams of which a page's content is made. @param content a stream, several, or something else. */
export function markContent(content: unknown): void {
  for (const stream of Array.isArray(content) ? (content as unknown[]) : [content])
    if (typeof stream === 'object' && stream !== null && !contents.has(stream)) contents.set(stream, 0);
}

interface ContentStream {
  length?: number;
  /** A stream that inflates has that. */
  ensureBuffer?: unknown;
  /** Those that it joins. */
  streams?: ContentStream[];
}

/** Counts a content stream that begins to be parsed: at once what lies there in the clear, the rest as it is inflated. */
export function countParsed(stream: ContentStream): void {
  for (const part of stream.streams ?? [stream]) {
    if ('ensureBuffer' in part) markContent(part);
    else page.parsed += part.length ?? 0;
  }
  refuseWhere(page.parsed > MOST_CONTENT_BYTES);
}

/** Counts what a stream has grown to, in bytes. @throws PageTooComplex for too many. */
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
  if (page.exceeded) throw new PageTooComplex('The page holds too much.');
}
