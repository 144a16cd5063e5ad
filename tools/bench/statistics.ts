export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** Interpolates between the two nearest values. Returns NaN if there are no values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = ((sorted.length - 1) * percent) / 100;
  const below = sorted[Math.floor(place)] ?? NaN;
  const above = sorted[Math.ceil(place)] ?? NaN;
  return below + (above - below) * (place - Math.floor(place));
}

export interface RouteLoad {
  /** Accepted requests, including those before timing began. */
  count: number;
  perSecond: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  refused: number;
}

export function figuresOf(eachMs: readonly number[], seconds: number): Omit<RouteLoad, 'refused'> {
  const [p50Ms, p95Ms, p99Ms] = [50, 95, 99].map((percent) => percentile(eachMs, percent)) as [number, number, number];
  return { count: eachMs.length, perSecond: eachMs.length / seconds, p50Ms, p95Ms, p99Ms };
}
