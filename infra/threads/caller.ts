import { AsyncLocalStorage } from 'node:async_hooks';

const NOBODY = '';
const calling = new AsyncLocalStorage<string>();

/** Long calculations that `work` starts take turns with those of other callers. */
export function asCaller<T>(caller: string, work: () => T): T {
  return calling.run(caller, work);
}

/** Work without a caller shares one turn. */
export function currentCaller(): string {
  return calling.getStore() ?? NOBODY;
}
