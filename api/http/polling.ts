import type { ReplyHeaders } from './operations.ts';

const LONGEST_WAIT_S = 30;

/**
 * How long an answer may be held, in milliseconds, by `Prefer: wait=N` (RFC 7240): N seconds, 30 at most. Nothing, or a
 * preference that is not understood, is 0: preferences are wishes and never refused.
 */
export function waitMsOf(prefer: string | string[] | undefined): number {
  return Math.min(waitOf(prefer) ?? 0, LONGEST_WAIT_S) * 1000;
}

/**
 * How long an answer is held that is to tell the end of something which may take long: by `Prefer: wait=N` so many seconds, by
 * `respond-async` none, else the most. With both, N seconds (RFC 7240, 4.3). `applied` is the wish that was honoured.
 */
export function patienceOf(
  prefer: string | string[] | undefined,
  mostS: number,
): { wait_ms: number; applied: string | undefined } {
  const wait = waitOf(prefer);
  if (wait !== undefined) {
    const seconds = Math.min(wait, mostS);
    return { wait_ms: seconds * 1000, applied: `wait=${seconds}` };
  }
  const isAsync = wishesIn(prefer).some((wish) => /^\s*respond-async\s*(?:;.*)?$/i.test(wish));
  return isAsync ? { wait_ms: 0, applied: 'respond-async' } : { wait_ms: mostS * 1000, applied: undefined };
}

function waitOf(prefer: string | string[] | undefined): number | undefined {
  const seconds = wishesIn(prefer)
    .map((wish) => /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?$/i.exec(wish)?.[1])
    .find((given) => given !== undefined);
  return seconds === undefined ? undefined : Number(seconds);
}

function wishesIn(prefer: string | string[] | undefined): string[] {
  return [prefer ?? []].flat().join(',').split(',');
}

/**
 * The reply with its `ETag`; or 304 without a body, where `If-None-Match` shows that the caller knows it (RFC 9110, 13.1.2:
 * a list of entity tags, compared weakly, or `*`).
 */
export function conditional<const R extends { status: number; headers?: ReplyHeaders }>(
  reply: R,
  etag: string,
  ifNoneMatch: string | string[] | undefined,
): (R & { headers: ReplyHeaders }) | { status: 304; headers: ReplyHeaders } {
  const headers = { ...reply.headers, ETag: etag };
  return matches(ifNoneMatch, etag) ? { status: 304, headers } : { ...reply, headers };
}

function matches(ifNoneMatch: string | string[] | undefined, etag: string): boolean {
  const known = [ifNoneMatch ?? []].flat().join(',').trim();
  if (known === '*') return true;
  const opaque = (tag: string) => tag.replace(/^W\//, '');
  return (known.match(/(?:W\/)?"[^"]*"/g) ?? []).some((tag) => opaque(tag) === opaque(etag));
}
