/** The delay after the given number of failures: doubles from `first` up to `most`, in milliseconds. */
export function backoffMs(failures: number, { first, most }: { first: number; most: number }): number {
  return Math.min(most, first * 2 ** Math.min(failures, 30));
}
