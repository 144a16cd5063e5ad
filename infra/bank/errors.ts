const MOST_CAUSES = 10;

/** The error, and what caused it. */
export function causesOf(error: unknown): unknown[] {
  const causes = [error];
  while (causes.length < MOST_CAUSES) {
    const last = causes.at(-1);
    if (!(last instanceof Error) || last.cause === undefined) break;
    causes.push(last.cause);
  }
  return causes;
}

/** A bank's word, if it has the form of an error code of OAuth. */
export function plainCode(word: unknown): string {
  return typeof word === 'string' && /^[a-z_]{1,64}$/.test(word) ? word : 'unknown_error';
}
