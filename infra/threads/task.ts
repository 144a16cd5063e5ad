/** Input and output must be plain data, because threads exchange copies. */
export interface Task<Input, Output> {
  module: string;
  name: string;
  /** Exists only for type inference. */
  __types?: (input: Input) => Output;
}

/** For example `task<typeof draw>(import.meta.url, 'draw')`. */
export function task<Calculate extends (input: never) => unknown>(
  module: string,
  name: string,
): Task<Parameters<Calculate>[0], Awaited<ReturnType<Calculate>>> {
  return { module, name };
}
