/**
 * What V8 allocates where it found that objects live for long, it never allocates among the young again. Here they live for as long as a
 * request, and what is old holds what is young: a tenth of all garbage grew old with them, and a second's work filled the heap.
 */
const YOUNG = '--no-allocation-site-pretenuring';

/**
 * How Node is told to keep memory small, by part; on the command line, as it is read before any code runs.
 *
 * V8 lets the API grow to four times what is in use on a machine that has plenty, unless the most it may take is near. In use are
 * some 70 MB. Its garbage is collected beside the requests by one thread: four of them would take two cores from who answers.
 */
export const HEAP_FLAGS = {
  api: ['--max-old-space-size=384', '--max-semi-space-size=8', '--v8-pool-size=1', YOUNG],
  worker: [YOUNG],
} as const satisfies Record<string, readonly string[]>;

/** The flags of a part; none where it needs none. */
export function heapFlagsOf(part: string): readonly string[] {
  return part === 'api' || part === 'worker' ? HEAP_FLAGS[part] : [];
}
