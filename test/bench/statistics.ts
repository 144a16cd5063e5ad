/** The middle value, or the mean of the two middle ones. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The value below which `percent` of the values lie, interpolated between neighbours. NaN without values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = ((sorted.length - 1) * percent) / 100;
  const below = sorted[Math.floor(place)] ?? NaN;
  const above = sorted[Math.ceil(place)] ?? NaN;
  return below + (above - below) * (place - Math.floor(place));
}
