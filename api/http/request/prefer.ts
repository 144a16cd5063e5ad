const LONGEST_WAIT_S = 30;

/** How long `Prefer: wait=N` (RFC 7240) lets a request wait, in milliseconds: 0 by default, 30 seconds at most. */
export function waitMsOf(prefer: string | string[] | undefined): number {
  return Math.min(waitOf(prefer) ?? 0, LONGEST_WAIT_S) * 1000;
}

/**
 * How long a request waits for slow work. `respond-async` means no wait, no preference means `mostS` seconds. `wait`
 * takes precedence over `respond-async` (RFC 7240, 4.3). `applied` is the preference that was honoured.
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
