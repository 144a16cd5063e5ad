/** Data sent to these hosts stays on the machine. */
const OWN_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

export function isOwnMachine(hostname: string): boolean {
  return OWN_NAMES.has(hostname);
}
