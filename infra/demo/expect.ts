export class DemoError extends Error {
  override readonly name = 'DemoError';
}

export function must(found: boolean, otherwise: string): asserts found {
  if (!found) throw new DemoError(otherwise);
}

export function mustBe(what: string, found: string | number, wanted: string | number): void {
  must(found === wanted, `${what} should be ${wanted}, but it is ${found}.`);
}
