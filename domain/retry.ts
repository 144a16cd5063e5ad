/** In milliseconds. Doubles from `first` up to `most`. */
export function backoffMs(failures: number, { first, most }: { first: number; most: number }): number {
  return Math.min(most, first * 2 ** Math.min(failures, 30));
}
