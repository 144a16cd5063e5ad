/** Exit codes after a signal, as in shells: 128 plus the number of the signal. */
const CODES = { SIGINT: 130, SIGTERM: 143 } as const;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

const end = (signal: NodeJS.Signals) => process.exit(CODES[signal as keyof typeof CODES]);

/**
 * Exits at once on SIGINT or SIGTERM until `started` is called, because a starting process has no work to finish. In a
 * container, process 1 receives only signals for which it has a handler.
 */
export function starting(): void {
  for (const signal of SIGNALS) process.once(signal, end);
}

/** Removes the handlers of `starting`, because the process now has its own handlers for an orderly shutdown. */
export function started(): void {
  for (const signal of SIGNALS) process.off(signal, end);
}
