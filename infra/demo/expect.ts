/** Why the demo cannot go on, in one sentence for its reader. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}

/** @throws DemoError with the sentence, unless what it says was found. */
export function must(found: boolean, otherwise: string): asserts found {
  if (!found) throw new DemoError(otherwise);
}

/** @throws DemoError that names both, unless they are the same. */
export function mustBe(what: string, found: string | number, wanted: string | number): void {
  must(found === wanted, `${what} should be ${wanted}, but it is ${found}.`);
}
