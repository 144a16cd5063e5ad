/** As in shells: 128 plus the number of the signal. */
const CODES = { SIGINT: 130, SIGTERM: 143 } as const;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

const end = (signal: NodeJS.Signals) => process.exit(CODES[signal as keyof typeof CODES]);

/** In a container, process 1 gets only signals that have a handler. A starting process can exit at once. */
export function starting(): void {
  for (const signal of SIGNALS) process.once(signal, end);
}

export function started(): void {
  for (const signal of SIGNALS) process.off(signal, end);
}
