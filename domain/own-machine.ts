/** Host names of the machine itself: what is sent there does not leave it. */
const OWN_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a URL's `hostname` is this machine. */
export function isOwnMachine(hostname: string): boolean {
  return OWN_NAMES.has(hostname);
}
