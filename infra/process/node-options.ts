/**
 * Node reads these options before any code runs, so they must be on the command line. The API needs about 70 MB of
 * memory. Without a limit, V8's heap grows to four times as much on machines with plenty of memory. V8 gets one garbage
 * collection thread, because its usual four would take processor time from requests.
 */
export const NODE_OPTIONS = {
  api: ['--max-old-space-size=384', '--max-semi-space-size=8', '--v8-pool-size=1'],
} as const;

export function nodeOptionsOf(part: string): readonly string[] {
  return part === 'api' ? NODE_OPTIONS.api : [];
}
