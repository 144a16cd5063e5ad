/** The exit code of a process that a signal ended, as shells have it: 128 and the signal's number. */
const CODES = { SIGINT: 130, SIGTERM: 143 } as const;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

const end = (signal: NodeJS.Signals) => process.exit(CODES[signal as keyof typeof CODES]);

/**
 * From now on, being asked to end ends this process at once: while it starts it has nothing under way. As process 1 of a container
 * it would not notice otherwise, because the kernel keeps signals without a handler from that one.
 */
export function starting(): void {
  for (const signal of SIGNALS) process.once(signal, end);
}

/** From now on the process has handlers of its own, which end it in order. */
export function started(): void {
  for (const signal of SIGNALS) process.off(signal, end);
}
