/**
 * A calculation that takes too long for others to wait for it: an exported function of one of our modules. Input and
 * output are copied between threads, so both must be plain data.
 */
export interface Task<Input, Output> {
  module: string;
  name: string;
  /** Only carries the types. */
  __types?: (input: Input) => Output;
}

/** Names a calculation: `task<typeof draw>(import.meta.url, 'draw')`. */
export function task<Calculate extends (input: never) => unknown>(
  module: string,
  name: string,
): Task<Parameters<Calculate>[0], Awaited<ReturnType<Calculate>>> {
  return { module, name };
}
