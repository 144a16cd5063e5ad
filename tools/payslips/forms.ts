import sharp from 'sharp';
import { opened, pixels, render, type Picture } from './picture.ts';
import type { Random } from './random.ts';
import { faxed, foldOf, screenshot } from './rare-forms.ts';
import { pictureAsPdf } from './sheet.ts';

export const FORMS = ['text', 'scan', 'clean', 'photo', 'turned'] as const;
export type Form = (typeof FORMS)[number];
/** Less common forms, used only to measure unseen layouts. */
export const RARE_FORMS = ['fax', 'screenshot', 'folded'] as const;
export type AnyForm = Form | (typeof RARE_FORMS)[number];

export interface File {
  bytes: Buffer;
  mediaType: 'application/pdf' | 'image/png' | 'image/jpeg';
}

const MOST_BYTES = 5_000_000;

export async function inForm(form: AnyForm, pdf: Buffer, random: Random): Promise<File> {
  switch (form) {
    case 'text':
      return { bytes: pdf, mediaType: 'application/pdf' };
    case 'scan': {
      const dpi = random.pick([150, 200, 200, 240, 300]);
      const page = await scanned(await render(pdf, dpi), random);
      const jpeg = await opened(page).greyscale().jpeg({ quality: random.int(55, 85) }).toBuffer(); // prettier-ignore
      return { bytes: await pictureAsPdf(jpeg, [(page.width * 72) / dpi, (page.height * 72) / dpi]), mediaType: 'application/pdf' }; // prettier-ignore
    }
    case 'clean': {
      const page = await render(pdf, random.int(100, 200));
      return { bytes: await opened(page).png({ compressionLevel: 6 }).toBuffer(), mediaType: 'image/png' };
    }
    case 'photo':
      return { bytes: await photo(pdf, random), mediaType: 'image/jpeg' };
    case 'turned':
      return turned(pdf, random);
    case 'fax':
      return faxed(pdf, random);
    case 'screenshot':
      return { bytes: await screenshot(pdf, random), mediaType: 'image/png' };
    case 'folded':
      return { bytes: await photo(pdf, random, true), mediaType: 'image/jpeg' };
  }
}

async function scanned(page: Picture, random: Random): Promise<Picture> {
  const paper = random.int(236, 254);
  const angle = random.between(-1.5, 1.5);
  const { width, height } = page;
  const skewed = opened(page).rotate(angle, { background: { r: 255, g: 255, b: 255 } });
  // In one pipeline, sharp would extract before it rotates.
  const wide = await pixels(skewed);
  const [left, top] = [Math.floor((wide.width - width) / 2), Math.floor((wide.height - height) / 2)];
  const cut = await pixels(opened(wide).extract({ left, top, width, height }).blur(random.between(0.3, 0.8)));
  const ink = random.int(10, 60);
  const grain = random.between(2, 9);
  const { rgb } = cut;
  const specks = new Set(Array.from({ length: random.int(0, 40) }, () => random.int(0, width * height - 1)));
  for (let at = 0, n = 0; at < rgb.length; at += 3, n++) {
    const level = ink + (rgb[at]! / 255) * (paper - ink) + noise(random, grain);
    rgb.fill(clamp(specks.has(n) ? level * 0.3 : level), at, at + 3);
  }
  return cut;
}

async function turned(pdf: Buffer, random: Random): Promise<File> {
  const page = await render(pdf, random.int(150, 220));
  const base = random.chance(0.5) ? await scanned(page, random) : page;
  const quarter = random.pick([90, 180, 270]);
  if (random.chance(0.4)) {
    // Viewers rotate by the EXIF orientation, so the pixels are rotated the other way.
    const orientation = { 90: 6, 180: 3, 270: 8 }[quarter]!;
    const bytes = await opened(base).rotate(360 - quarter).withMetadata({ orientation }).jpeg({ quality: random.int(70, 90) }).toBuffer(); // prettier-ignore
    return { bytes, mediaType: 'image/jpeg' };
  }
  const image = opened(base).rotate(quarter);
  if (random.chance(0.5)) return { bytes: await image.png().toBuffer(), mediaType: 'image/png' };
  return { bytes: await image.jpeg({ quality: random.int(70, 90) }).toBuffer(), mediaType: 'image/jpeg' };
}

async function photo(pdf: Buffer, random: Random, folded = false): Promise<Buffer> {
  const page = await render(pdf, random.int(230, 270));
  const portrait = page.height >= page.width;
  const [short, long] = random.pick([[2448, 3264], [2448, 3264], [3024, 4032]] as const); // prettier-ignore
  const [width, height] = portrait ? [short, long] : [long, short];
  const shot = await pixels(opened(project(page, width, height, random, folded)).blur(random.between(0.6, 1.5)));
  const exif = random.chance(0.3);
  const image = exif ? opened(await pixels(opened(shot).rotate(270))) : opened(shot);
  for (let quality = random.int(60, 85); ; quality -= 8) {
    const bytes = await (exif ? image.clone().withMetadata({ orientation: 6 }) : image.clone()).jpeg({ quality }).toBuffer(); // prettier-ignore
    if (bytes.length < MOST_BYTES) return bytes;
  }
}

function project(page: Picture, width: number, height: number, random: Random, folded: boolean): Picture {
  const rgb = new Uint8Array(width * height * 3);
  const map = viewpoint(page, width, height, random);
  const light = lightOf(width, height, random);
  const desk = deskOf(random);
  const warm = random.between(0.9, 1);
  const tint = [1, random.between(0.97, 1), warm];
  const paper = random.between(0.86, 0.97);
  const bend = random.between(0, 5);
  const wave = random.between(0.5, 1.5);
  const grain = random.between(2, 6);
  const fold = folded ? foldOf(page, random) : undefined;
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 3) {
      const w = map[6] * x + map[7] * y + 1;
      let u = (map[0] * x + map[1] * y + map[2]) / w;
      let v = (map[3] * x + map[4] * y + map[5]) / w + bend * Math.sin((u / page.width) * Math.PI * wave);
      let bright = light(x, y);
      if (fold !== undefined) {
        const [across, down, shade] = fold(u, v);
        u += across;
        v += down;
        bright *= shade;
      }
      const rough = noise(random, grain);
      const inside = u >= 0 && v >= 0 && u < page.width - 1 && v < page.height - 1;
      const wood = inside ? 0 : desk(x, y);
      for (let channel = 0; channel < 3; channel++) {
        const level = inside ? 18 + sample(page, u, v, channel) * 0.93 * paper : wood * desk.colour[channel]!;
        rgb[at + channel] = clamp(level * bright * tint[channel]! + rough);
      }
    }
  }
  return { width, height, rgb };
}

function sample({ rgb, width }: Picture, u: number, v: number, channel: number): number {
  const x = u | 0;
  const y = v | 0;
  const at = (y * width + x) * 3 + channel;
  const [dx, dy] = [u - x, v - y];
  const top = rgb[at]! * (1 - dx) + rgb[at + 3]! * dx;
  const below = rgb[at + 3 * width]! * (1 - dx) + rgb[at + 3 * width + 3]! * dx;
  return top * (1 - dy) + below * dy;
}

type Eight = [number, number, number, number, number, number, number, number];

/** @returns coefficients that map positions in the photo to positions on the page. */
function viewpoint(page: Picture, width: number, height: number, random: Random): Eight {
  const fill = random.between(0.86, 0.97);
  const angle = (random.between(2, 6) * (random.chance(0.5) ? 1 : -1) * Math.PI) / 180;
  const wide = page.width * Math.abs(Math.cos(angle)) + page.height * Math.abs(Math.sin(angle));
  const tall = page.height * Math.abs(Math.cos(angle)) + page.width * Math.abs(Math.sin(angle));
  const scale = fill * Math.min(width / wide, height / tall);
  const slant = 0.018 * Math.min(width, height);
  const corners = ([[0, 0], [page.width, 0], [page.width, page.height], [0, page.height]] as const).map(([px, py]) => {
    const [dx, dy] = [(px - page.width / 2) * scale, (py - page.height / 2) * scale];
    const x = width / 2 + dx * Math.cos(angle) - dy * Math.sin(angle) + random.between(-slant, slant);
    const y = height / 2 + dx * Math.sin(angle) + dy * Math.cos(angle) + random.between(-slant, slant);
    return { x, y, px, py };
  }); // prettier-ignore
  const rows = corners.flatMap(({ x, y, px, py }) => [
    [x, y, 1, 0, 0, 0, -x * px, -y * px, px],
    [0, 0, 0, x, y, 1, -x * py, -y * py, py],
  ]);
  return solved(rows) as Eight;
}

/** Gaussian elimination with pivots. */
function solved(rows: number[][]): number[] {
  const n = rows.length;
  for (let column = 0; column < n; column++) {
    let best = column;
    for (let row = column; row < n; row++) if (Math.abs(rows[row]![column]!) > Math.abs(rows[best]![column]!)) best = row; // prettier-ignore
    [rows[column], rows[best]] = [rows[best]!, rows[column]!];
    for (let row = 0; row < n; row++) {
      if (row === column) continue;
      const factor = rows[row]![column]! / rows[column]![column]!;
      for (let at = column; at <= n; at++) rows[row]![at]! -= factor * rows[column]![at]!;
    }
  }
  return rows.map((row, n) => row.at(-1)! / row[n]!);
}

function lightOf(width: number, height: number, random: Random): (x: number, y: number) => number {
  const direction = random.between(0, 2 * Math.PI);
  const [lx, ly] = [Math.cos(direction), Math.sin(direction)];
  const slope = random.between(0.08, 0.3);
  const vignette = random.between(0, 0.25);
  const shade = random.chance(0.6) ? random.between(0.12, 0.4) : 0;
  const toward = random.between(0, 2 * Math.PI);
  const [sx, sy] = [Math.cos(toward), Math.sin(toward)];
  const edge = random.between(-0.1, 0.35);
  const soft = random.between(0.02, 0.15);
  const base = random.between(0.88, 1.02);
  return (x, y) => {
    const [u, v] = [x / width - 0.5, y / height - 0.5];
    const lamp = base + slope * (u * lx + v * ly);
    const corner = 1 - vignette * (u * u + v * v) * 2;
    const into = (u * sx + v * sy - edge) / soft;
    return lamp * corner * (1 - shade * (into <= 0 ? 0 : into >= 1 ? 1 : into * into * (3 - 2 * into)));
  };
}

interface Desk {
  (x: number, y: number): number;
  colour: readonly number[];
}

function deskOf(random: Random): Desk {
  const colour = random.pick([[0.55, 0.38, 0.24], [0.25, 0.24, 0.23], [0.8, 0.7, 0.58], [0.4, 0.42, 0.45], [0.62, 0.5, 0.38]]); // prettier-ignore
  const [fine, broad, phase] = [random.between(0.02, 0.08), random.between(0.002, 0.008), random.between(0, 6)];
  const grain = (x: number, y: number) =>
    190 +
    14 * Math.sin(y * broad + phase + 2 * Math.sin(x * 0.0015)) +
    8 * Math.sin(y * fine + Math.sin(x * 0.003) * 3);
  return Object.assign(grain, { colour });
}

/** Approximately normal: the sum of three random numbers. */
function noise(random: Random, deviation: number): number {
  return (random.next() + random.next() + random.next() - 1.5) * 2 * deviation;
}

function clamp(value: number): number {
  return value < 0 ? 0 : value > 255 ? 255 : Math.round(value);
}

sharp.concurrency(1);
