import sharp, { type Sharp } from 'sharp';
import { Unreadable } from './failure.ts';
import type { Grey } from './pixels.ts';

// Each page is read once, so a cache would only take memory.
sharp.cache(false);
sharp.concurrency(1);

/** More than an A3 page at 600 dpi has. A larger image is not decoded. */
const MOST_PIXELS = 80_000_000;
const LEAST_SIDE = 32;

/** A smaller image is enlarged, because its letters are too small for the network. */
const SMALL_LONGEST = 1700;
const SMALL_WIDTH = 1400;
const ENLARGED = 1800;
export const LONGEST_SIDE = 3000;

export function readingSide(width: number, height: number): number {
  const longest = Math.max(width, height);
  return longest < SMALL_LONGEST && width < SMALL_WIDTH ? ENLARGED : Math.min(longest, LONGEST_SIDE);
}

/** On a white background, turned as the EXIF orientation says. @throws Unreadable. */
export async function pictureOf(bytes: Uint8Array): Promise<Grey> {
  try {
    const image = sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error' });
    const { autoOrient } = await image.metadata();
    if (Math.min(autoOrient.width, autoOrient.height) < LEAST_SIDE)
      throw new Unreadable('The picture is too small to show a document. Send a larger picture of the whole page.');
    const side = readingSide(autoOrient.width, autoOrient.height);
    const fitted = image.autoOrient().flatten({ background: '#ffffff' }).resize({ width: side, height: side, fit: 'inside' }); // prettier-ignore
    return await greyOf(fitted);
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw undecoded(error);
  }
}

function undecoded(error: unknown): Unreadable {
  const tooMany = error instanceof Error && /pixel limit/i.test(error.message);
  return new Unreadable(
    tooMany
      ? `The picture has more than ${MOST_PIXELS / 1_000_000} million pixels. Send a smaller picture of the same page.`
      : 'The picture cannot be decoded, probably because it is damaged or incomplete. Save the picture again or take a new picture, and send that file.',
  );
}

export function resized(picture: Grey, size: { width: number; height: number }): Promise<Grey> {
  return greyOf(opened(picture).resize({ ...size, fit: 'fill' }));
}

/** Clockwise, by quarters of a full turn. */
export function turned(picture: Grey, quarters: number): Promise<Grey> {
  return greyOf(opened(picture).rotate(90 * quarters));
}

function opened({ data, width, height }: Grey): Sharp {
  return sharp(data, { raw: { width, height, channels: 1 } });
}

async function greyOf(image: Sharp): Promise<Grey> {
  const { data, info } = await image.toColourspace('b-w').raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}
