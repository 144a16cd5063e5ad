/** What text is written in: 15:1 against white. */
export const INK = '#1f2430';
/** Of axes; 5:1 against white. */
export const MUTED = '#667085';
/** Of grid lines, which may be overlooked. */
export const FAINT = '#e4e7ec';
export const BAR_COLOUR = '#2a6f97';

/**
 * From dark to light without a turn (after viridis), so that layers differ in grey and for people who confuse colours. The
 * lightest still stands out from white.
 */
const SCALE = ['#3b1c5a', '#43407f', '#355f8d', '#297a8e', '#21918c', '#35ac7d', '#6cc163', '#a8cf45'];

/** As many colours as there are layers, spread over the scale. */
export function areaColours(count: number): string[] {
  const step = (SCALE.length - 2) / Math.max(count - 1, 1);
  if (count > SCALE.length - 1) return SCALE.slice(0, count);
  return Array.from({ length: count }, (_, index) => SCALE[Math.round(1 + index * step)]!);
}

/** Colours after Okabe and Ito, darkened to 4:1 against white, each with dashes of its own. */
export const LINE_STYLES = [
  { color: '#0067a3', type: 'solid' },
  { color: '#b54700', type: [8, 4] },
  { color: '#00785a', type: [2, 3] },
  { color: '#a3477f', type: [10, 3, 2, 3] },
  { color: '#5c5c5c', type: [4, 2] },
] as const satisfies readonly { color: string; type: 'solid' | number[] }[];
