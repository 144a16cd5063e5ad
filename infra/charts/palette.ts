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

/** The Okabe-Ito palette, darkened to a contrast of at least 5:1 on white. */
export const LINE_STYLES = [
  { color: '#0067a3', type: 'solid' },
  { color: '#b54700', type: [8, 4] },
  { color: '#00785a', type: [2, 3] },
  { color: '#a3477f', type: [10, 3, 2, 3] },
  { color: '#5c5c5c', type: [4, 2] },
] as const satisfies readonly { color: string; type: 'solid' | number[] }[];
