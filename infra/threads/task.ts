/**
 * A function that is too slow for the main thread, exported by one of the service's modules. Input and output must be
 * plain data, because threads exchange copies.
 */
export interface Task<Input, Output> {
  module: string;
  name: string;
  /** Exists only for type inference. */
  __types?: (input: Input) => Output;
}

/** Refers to an exported function, for example `task<typeof draw>(import.meta.url, 'draw')`. */
export function task<Calculate extends (input: never) => unknown>(
  module: string,
  name: string,
): Task<Parameters<Calculate>[0], Awaited<ReturnType<Calculate>>> {
  return { module, name };
}
