/**
 * A calculation that takes so long that nobody else should wait for it: the function that a module of ours exports by that
 * name. What goes in and what comes out are copied between threads, so both are plain data.
 */
export interface Task<Input, Output> {
  module: string;
  name: string;
  /** Carries the types only. */
  __types?: (input: Input) => Output;
}

/** Names a calculation: `task<typeof draw>(import.meta.url, 'draw')`. */
export function task<Calculate extends (input: never) => unknown>(
  module: string,
  name: string,
): Task<Parameters<Calculate>[0], Awaited<ReturnType<Calculate>>> {
  return { module, name };
}
