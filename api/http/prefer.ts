const LONGEST_WAIT_S = 30;

/**
 * How long an answer may be held, in milliseconds, by `Prefer: wait=N` (RFC 7240): N seconds, 30 at most. Nothing, or a
 * preference that is not understood, is 0: preferences are wishes and never refused.
 */
export function waitMsOf(prefer: string | string[] | undefined): number {
  return Math.min(waitOf(prefer) ?? 0, LONGEST_WAIT_S) * 1000;
}

/**
 * How long to hold an answer that reports the end of long work. `Prefer: wait=N` means N seconds, `respond-async` none, and
 * neither means the most. With both, N seconds (RFC 7240, 4.3). `applied` is the wish that was honoured.
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

const WAITS = /(?:^|[,;\s])wait\s*=/i;

/** Whether a caller asks to be answered later, when something changes. */
export function asksToWait(prefer: string | string[] | undefined): boolean {
  return prefer !== undefined && WAITS.test(String(prefer));
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
