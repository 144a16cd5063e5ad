import type { Sample } from './samples.ts';

export interface Course {
  what: string;
  samples: number;
  /** The medians of the first and the last quarter of the samples. */
  first: number;
  last: number;
  most: number;
  /** The increase of a line fitted to the samples, from the first to the last. */
  rise: number;
  allowed: number;
  flat: boolean;
}

/** The share of the whole time that counts as warm-up. */
const WARM_UP_SHARE = 1 / 3;

/**
 * A value may rise by `share` of its median, or by `least` if that is more.
 * A leak of one object or connection per request would exceed both limits.
 */
const RULES: readonly { of: RegExp; share: number; least: number }[] = [
  { of: /live heap$/, share: 0.05, least: 4 },
  { of: /resident$/, share: 0.1, least: 25 },
  { of: /file descriptors$/, share: 0.1, least: 8 },
  { of: /database connections$/, share: 0.1, least: 5 },
  { of: /^(outbox|letters|open workflows)$/, share: 0, least: 10 },
];

export const RULE = `Flat is what, after the first third, rises along a straight line (the median of all slopes between two samples) by no more than:
${RULES.map(({ of, share, least }) => `  ${of.source}: ${share * 100} % of its median, or ${least}`).join('\n')}`;

export function coursesOf(samples: readonly Sample[], minutes: number): Course[] {
  const measured = samples.filter(({ minute }) => minute >= minutes * WARM_UP_SHARE);
  const names = [...new Set(measured.flatMap(({ figures }) => Object.keys(figures)))];
  return names.map((what) => {
    const points = measured.flatMap(({ minute, figures }) =>
      figures[what] === undefined ? [] : [{ x: minute, y: figures[what] }],
    );
    const values = points.map(({ y }) => y);
    const quarter = Math.max(1, Math.floor(values.length / 4));
    const span = (points.at(-1)?.x ?? 0) - (points[0]?.x ?? 0);
    const rule = RULES.find(({ of }) => of.test(what))!;
    const rise = slopeOf(points) * span;
    const allowed = Math.max(rule.share * median(values), rule.least);
    const [first, last] = [median(values.slice(0, quarter)), median(values.slice(-quarter))];
    return {
      what,
      samples: values.length,
      first,
      last,
      most: Math.max(...values),
      rise,
      allowed,
      flat: rise <= allowed,
    };
  });
}

/** The Theil-Sen estimator ignores outliers such as a moment of heavy load. */
function slopeOf(points: readonly { x: number; y: number }[]): number {
  const slopes = points.flatMap((one, index) =>
    points.slice(index + 1).map((other) => (other.y - one.y) / (other.x - one.x)),
  );
  return slopes.length === 0 ? 0 : median(slopes);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
