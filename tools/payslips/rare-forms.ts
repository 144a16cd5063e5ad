import sharp from 'sharp';
import { opened, pixels, render, type Picture } from './picture.ts';
import type { Random } from './random.ts';
import { pictureAsPdf } from './sheet.ts';

/** About 100 dpi, black or white, slightly rotated, with specks. */
export async function faxed(
  pdf: Buffer,
  random: Random,
): Promise<{ bytes: Buffer; mediaType: 'application/pdf' | 'image/png' }> {
  const dpi = random.int(98, 110);
  const page = await render(pdf, 2 * dpi);
  const askew = opened(page).rotate(random.between(-0.8, 0.8), { background: { r: 255, g: 255, b: 255 } });
  const turned = await pixels(askew);
  const small = await pixels(opened(turned).resize({ width: Math.round(turned.width / 2), kernel: 'cubic' }));
  const { width, height, rgb } = small;
  const threshold = random.int(165, 190);
  const bits = Buffer.alloc(width * height);
  for (let at = 0; at < bits.length; at++) {
    const level = 0.3 * rgb[3 * at]! + 0.59 * rgb[3 * at + 1]! + 0.11 * rgb[3 * at + 2]!;
    bits[at] = level + random.between(-12, 12) < threshold ? 0 : 255;
  }
  for (let speck = random.int(20, 250); speck > 0; speck--) {
    const at = random.int(0, bits.length - 2);
    bits.fill(random.chance(0.8) ? 0 : 255, at, at + random.int(1, 2));
  }
  const raw = sharp(bits, { raw: { width, height, channels: 1 } });
  const png = await raw.png({ palette: true, colours: 2, dither: 0 }).toBuffer();
  if (random.chance(0.4)) return { bytes: png, mediaType: 'image/png' };
  const size = [(width * 72) / dpi, (height * 72) / dpi] as const;
  return { bytes: await pictureAsPdf(png, size), mediaType: 'application/pdf' };
}

/** In pixels. */
const SCREEN = 1080;

export async function screenshot(pdf: Buffer, random: Random): Promise<Buffer> {
  const first = await render(pdf, 20);
  const width = first.width > first.height ? random.pick([1_600, 1_760, 1_920]) : SCREEN;
  const page = await pixels(opened(await render(pdf, (20 * width) / first.width)).resize({ width }));
  let sum = 0;
  for (const level of page.rgb) sum += level;
  const isDark = sum / page.rgb.length < 128;
  const atNight = !isDark && random.chance(0.4);
  if (atNight) for (let at = 0; at < page.rgb.length; at++) page.rgb[at] = 240 - Math.round(page.rgb[at]! * 0.87);
  const bar = isDark || atNight ? '#101214' : random.pick(['#ffffff', '#f2f2f7', '#1c3f60']);
  const ink = bar === '#101214' || bar === '#1c3f60' ? '#ffffff' : '#222222';
  const [top, below] = [random.int(150, 230), random.int(0, 160)];
  const clock = `${random.int(7, 22)}:${random.digits(1).replace(/[6-9]/, '3')}${random.digits(1)}`;
  const title = random.pick(['Document', 'payslip.pdf', 'Preview', 'Attachment (1)', 'View']);
  const marks = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${top}">
    <g fill="${ink}" font-family="DejaVu Sans, sans-serif"><text x="60" y="62" font-size="36">${clock}</text>
    <rect x="${width - 120}" y="36" width="60" height="28" rx="6"/><rect x="${width - 150}" y="40" width="18" height="24"/>
    <text x="90" y="${top - 32}" font-size="42">${title}</text></g></svg>`;
  const extended = opened(page).extend({ top, bottom: below, background: bar });
  return extended
    .composite([{ input: Buffer.from(marks), top: 0, left: 0 }])
    .png({ compressionLevel: 6 })
    .toBuffer();
}

interface Fold {
  /** How far a point of the page is displaced, in pixels, and how bright it is. */
  (u: number, v: number): readonly [across: number, down: number, light: number];
}

export function foldOf({ width, height }: Picture, random: Random): Fold {
  const depth = random.between(0.006, 0.016) * width;
  const shade = random.between(0.05, 0.16);
  const sign = random.chance(0.5) ? 1 : -1;
  const lean = random.between(-0.03, 0.03);
  const kind = random.pick(['thirds', 'halves', 'upright', 'curve'] as const);
  if (kind === 'curve') {
    const [length, phase] = [random.between(0.7, 1.3), random.between(0, 1)];
    return (u) => {
      const turn = Math.PI * (length * (u / width) + phase);
      return [0, 1.3 * sign * depth * Math.sin(turn), 1 + shade * Math.cos(turn)];
    };
  }
  const count = kind === 'thirds' ? 3 : 2;
  return (u, v) => {
    const along = kind === 'upright' ? u / width + lean * (v / height) : v / height + lean * (u / width);
    const position = along * count;
    const panel = Math.min(count - 1, Math.max(0, Math.floor(position)));
    const within = position - panel;
    // The panels between the folds slope in alternating directions.
    const rise = (panel % 2 === 0 ? within : 1 - within) * depth * sign;
    const crease =
      Math.min(Math.abs(position - Math.round(position)), 1) < 0.006 && position > 0.5 && position < count - 0.5;
    const light = 1 + (panel % 2 === 0 ? 0 : -shade) - (crease ? 0.15 : 0);
    return kind === 'upright' ? [0, rise, light] : [rise, 0.5 * rise, light];
  };
}
