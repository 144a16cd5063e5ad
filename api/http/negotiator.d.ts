declare module 'negotiator' {
  /** Reads a request's Accept headers; MIT, part of Express. */
  export default class Negotiator {
    constructor(request: { headers: Readonly<Record<string, string | string[] | undefined>> });
    /** The best of the available types, undefined where none is acceptable. */
    mediaType(available: readonly string[]): string | undefined;
  }
}
