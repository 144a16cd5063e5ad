/** The demo stops. The message tells the user why. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}

/** @throws DemoError with the sentence `otherwise`, unless `found` is true. */
export function must(found: boolean, otherwise: string): asserts found {
  if (!found) throw new DemoError(otherwise);
}

/** @throws DemoError naming both values, unless they are equal. */
export function mustBe(what: string, found: string | number, wanted: string | number): void {
  must(found === wanted, `${what} should be ${wanted}, but it is ${found}.`);
}
