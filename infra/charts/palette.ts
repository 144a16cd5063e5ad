/** The contrast on white is 15:1. */
export const INK = '#1f2430';
/** The contrast on white is almost 5:1. */
export const MUTED = '#667085';
export const FAINT = '#e4e7ec';
export const BAR_COLOUR = '#2a6f97';
export const BARS = {
  clip: false,
  silent: true,
  barMaxWidth: 26,
  barCategoryGap: '28%',
  itemStyle: { color: BAR_COLOUR },
} as const;

/** From dark to light, so that layers differ in greyscale too. */
const SCALE = ['#3b1c5a', '#43407f', '#355f8d', '#297a8e', '#21918c', '#35ac7d', '#6cc163', '#a8cf45'];

export function areaColours(count: number): string[] {
  const step = (SCALE.length - 2) / Math.max(count - 1, 1);
  if (count > SCALE.length - 1) return SCALE.slice(0, count);
  return Array.from({ length: count }, (_, index) => SCALE[Math.round(1 + index * step)]!);
}

/** The contrast on white is 6:1. */
export const LINE_COLOUR = '#0067a3';
