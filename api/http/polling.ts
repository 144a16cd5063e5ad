import type { ReplyHeaders } from './operations.ts';

const LONGEST_WAIT_S = 30;

/**
 * How long an answer may be held, in milliseconds, by `Prefer: wait=N` (RFC 7240): N seconds, 30 at most. Nothing, or a
 * preference that is not understood, is 0: preferences are wishes and never refused.
 */
export function waitMsOf(prefer: string | string[] | undefined): number {
  const wishes = [prefer ?? []].flat().join(',').split(',');
  const wait = wishes
    .map((wish) => /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?$/i.exec(wish)?.[1])
    .find((seconds) => seconds !== undefined);
  return Math.min(Number(wait ?? 0), LONGEST_WAIT_S) * 1000;
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
