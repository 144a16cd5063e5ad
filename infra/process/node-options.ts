/**
 * Options of Node on the command line of a part, as they are read before any code runs. The API has some 70 MB in use. Without a limit
 * V8 lets it grow to four times that on a machine with plenty of memory. One thread collects garbage beside the requests: four would
 * take two cores from the thread that answers.
 */
export const NODE_OPTIONS = {
  api: ['--max-old-space-size=384', '--max-semi-space-size=8', '--v8-pool-size=1'],
} as const;

/** The options of a part; none where it needs none. */
export function nodeOptionsOf(part: string): readonly string[] {
  return part === 'api' ? NODE_OPTIONS.api : [];
}
