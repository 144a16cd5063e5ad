/** 0 black to 255 white, row by row. */
export interface Grey {
  data: Uint8Array;
  width: number;
  height: number;
}

/** In pixels. The right and bottom edges are exclusive. */
export interface Box {
  x: number;
  /** The top edge at the middle of the box's width. */
  y: number;
  width: number;
  height: number;
  /** Pixels down for each pixel to the right. In a photo, each line has its own slope. */
  slope: number;
}

const WHITE = 255;
/** Binary places of positions between pixels. With this many, 3,000 pixels still fit into 32 bits. */
const PART_BITS = 18;
const PART = 1 << PART_BITS;
/** Binary places of the weights of neighbouring pixels. */
const WEIGHT_BITS = 8;
const WEIGHTS = 1 << WEIGHT_BITS;

/** Turns clockwise, and fills the new corners with white. */
export function rotated({ data, width, height }: Grey, degrees: number): Grey {
  const angle = (degrees * Math.PI) / 180;
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const wide = Math.ceil(width * Math.abs(cosine) + height * Math.abs(sine));
  const high = Math.ceil(width * Math.abs(sine) + height * Math.abs(cosine));
  const result = new Uint8Array(wide * high).fill(WHITE);
  const [alongStep, acrossStep] = [Math.round(cosine * PART), Math.round(-sine * PART)];
  const [mostAlong, mostAcross] = [(width - 1) * PART, (height - 1) * PART];
  for (let y = 0; y < high; y += 1) {
    const [left, down] = [(1 - wide) / 2, y - (high - 1) / 2];
    let along = Math.round(((width - 1) / 2 + left * cosine + down * sine) * PART);
    let across = Math.round(((height - 1) / 2 - left * sine + down * cosine) * PART);
    for (let to = y * wide; to < (y + 1) * wide; to += 1, along += alongStep, across += acrossStep) {
      if (along < 0 || across < 0 || along >= mostAlong || across >= mostAcross) continue;
      const from = (across >> PART_BITS) * width + (along >> PART_BITS);
      const right = (along >> (PART_BITS - WEIGHT_BITS)) & (WEIGHTS - 1);
      const lower = (across >> (PART_BITS - WEIGHT_BITS)) & (WEIGHTS - 1);
      const above = data[from]! * (WEIGHTS - right) + data[from + 1]! * right;
      const below = data[from + width]! * (WEIGHTS - right) + data[from + width + 1]! * right;
      result[to] = (above * (WEIGHTS - lower) + below * lower + (1 << (2 * WEIGHT_BITS - 1))) >> (2 * WEIGHT_BITS);
    }
  }
  return { data: result, width: wide, height: high };
}

export function halfTurned(box: Box, { width, height }: { width: number; height: number }): Box {
  return { ...box, x: width - box.x - box.width, y: height - box.y - box.height };
}

/** Levels the line in the box, and scales the line to this height and width. */
export function cutOut(picture: Grey, box: Box, height: number, width: number): Grey {
  const data = new Uint8Array(width * height);
  const [right, bottom] = [picture.width - 1, picture.height - 1];
  for (let x = 0; x < width; x += 1) {
    const along = ((x + 0.5) * box.width) / width;
    const across = within(box.x + along - 0.5, right);
    const from = Math.floor(across);
    const to = Math.min(right, from + 1);
    const top = box.y + box.slope * (along - box.width / 2) - 0.5;
    for (let y = 0; y < height; y += 1) {
      const down = within(top + ((y + 0.5) * box.height) / height, bottom);
      const upper = Math.floor(down) * picture.width;
      const lower = Math.min(bottom, Math.floor(down) + 1) * picture.width;
      const share = across - from;
      const above = mix(picture.data[upper + from]!, picture.data[upper + to]!, share);
      const below = mix(picture.data[lower + from]!, picture.data[lower + to]!, share);
      data[y * width + x] = mix(above, below, down - Math.floor(down));
    }
  }
  return { data, width, height };
}

function within(at: number, most: number): number {
  return Math.min(most, Math.max(0, at));
}

function mix(a: number, b: number, share: number): number {
  return a + (b - a) * share;
}
