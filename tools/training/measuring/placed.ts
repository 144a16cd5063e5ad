import type { Sheet, TextStyle } from '../../payslips/sheet.ts';

interface Placed {
  text: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Draws on another sheet, and records the position of each text. */
export function noting(sheet: Sheet, fontSize: number): { sheet: Sheet; faults(): string[] } {
  const placed: Placed[] = [];
  const note = (x: number, y: number, text: string, style: TextStyle = {}) => {
    const width = sheet.widthOf(text, style);
    const left = x - (style.align === 'right' ? width : style.align === 'center' ? width / 2 : 0);
    const size = style.size ?? fontSize;
    placed.push({ text, left, right: left + width, top: y - 0.66 * size, bottom: y + 0.12 * size });
  };
  const text: Sheet['text'] = (x, y, written, style) => {
    if (written.trim() !== '') note(x, y, written, style);
    sheet.text(x, y, written, style);
  };
  const lines: Sheet['lines'] = (x, y, leading, all, style) => all.forEach((line, n) => text(x, y + n * leading, line, style)); // prettier-ignore
  return { sheet: { ...sheet, text, lines }, faults: () => [...overlaps(placed), ...outside(placed, sheet)] };
}

function overlaps(placed: readonly Placed[]): string[] {
  return placed.flatMap((one, n) =>
    placed
      .slice(n + 1)
      .filter((other) => one.left < other.right - 0.3 && other.left < one.right - 0.3)
      .filter((other) => one.top < other.bottom && other.top < one.bottom)
      .map((other) => `"${one.text}" overlaps "${other.text}"`),
  );
}

function outside(placed: readonly Placed[], { width, height }: Sheet): string[] {
  return placed
    .filter(({ left, right, top, bottom }) => left < 4 || right > width - 4 || top < 2 || bottom > height - 2)
    .map(({ text }) => `"${text}" leaves the page`);
}
