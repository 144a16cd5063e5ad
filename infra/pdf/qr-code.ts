import { create } from 'qrcode';
import type { Document } from './document.ts';
import { INK, PAPER } from './palette.ts';

/** The width of the empty margin, in modules (ISO/IEC 18004). */
const QUIET = 4;
/** Adjacent modules overlap by this fraction of their width, so that no renderer shows a gap. */
const OVERLAP = 0.04;

/** At error correction level Q, the code is readable even if a quarter of it is damaged. */
export function drawQrCode(
  document: Document,
  text: string,
  { x, y, size }: { x: number; y: number; size: number },
): void {
  const { modules } = create(text, { errorCorrectionLevel: 'Q' });
  const step = size / (modules.size + 2 * QUIET);
  document.rect(x, y, size, size).fill(PAPER);
  const side = (1 + OVERLAP) * step;
  for (let row = 0; row < modules.size; row += 1) {
    for (let column = 0; column < modules.size; column += 1) {
      if (modules.get(row, column) === 1)
        document.rect(x + (QUIET + column) * step, y + (QUIET + row) * step, side, side);
    }
  }
  document.fill(INK);
}
