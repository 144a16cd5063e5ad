import { createCanvas } from '@napi-rs/canvas';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import sharp, { type Sharp } from 'sharp';

/** Three bytes for each pixel. */
export interface Picture {
  width: number;
  height: number;
  rgb: Uint8Array;
}

const HOME = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));

/** Renders the first page of a PDF. */
export async function render(pdf: Buffer, dpi: number): Promise<Picture> {
  const task = getDocument({
    data: new Uint8Array(pdf),
    standardFontDataUrl: `${join(HOME, 'standard_fonts')}/`,
    verbosity: 0,
  });
  const document = await task.promise;
  const page = await document.getPage(1);
  const viewport = page.getViewport({ scale: dpi / 72 });
  const [width, height] = [Math.round(viewport.width), Math.round(viewport.height)];
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = 'white';
  context.fillRect(0, 0, width, height);
  await page.render({ canvas: null, canvasContext: context as never, viewport }).promise;
  const { data } = context.getImageData(0, 0, width, height);
  await task.destroy();
  const rgb = new Uint8Array(width * height * 3);
  for (let from = 0, to = 0; from < data.length; from += 4) {
    rgb[to++] = data[from]!;
    rgb[to++] = data[from + 1]!;
    rgb[to++] = data[from + 2]!;
  }
  return { width, height, rgb };
}

export function opened({ rgb, width, height }: Picture): Sharp {
  return sharp(rgb, { raw: { width, height, channels: 3 } });
}

export async function pixels(image: Sharp): Promise<Picture> {
  const { data, info } = await image.toColourspace('srgb').removeAlpha().raw().toBuffer({ resolveWithObject: true });
  if (info.channels === 3) return { width: info.width, height: info.height, rgb: data };
  const rgb = new Uint8Array(info.width * info.height * 3);
  for (let at = 0; at < data.length; at++) rgb.fill(data[at]!, 3 * at, 3 * at + 3);
  return { width: info.width, height: info.height, rgb };
}
