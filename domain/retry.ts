/** How long to wait after the given number of failures: doubling from `first` up to `most`, in milliseconds. */
export function backoffMs(failures: number, { first, most }: { first: number; most: number }): number {
  return Math.min(most, first * 2 ** Math.min(failures, 30));
}
