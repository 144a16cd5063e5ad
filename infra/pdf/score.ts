import type { ScorePart } from '../../domain/credential.ts';
import { decoration, group, rule, tagged, type Box, type Document } from './document.ts';
import type { Sheet } from './sheet.ts';
import { ACCENT, DEEP, INK, PAPER, SOFT, WASH } from './palette.ts';
import { line, widthOf } from './text.ts';
import { countOf } from './texts.ts';

export const SCORE_HEIGHT = 119;

const MOST_POINTS = 1_000;
const PADDING = 18;
const PARTS_WIDTH = 196;
const LABELS: Readonly<Record<ScorePart['factor'], string>> = {
  punctuality: 'Paid on time',
  history: 'Length of the record',
  streak: 'On time in a row',
};

export function drawScore(sheet: Sheet, top: number): void {
  const { document, root, input, left, width } = sheet;
  decoration(document, () => document.roundedRect(left, top, width, SCORE_HEIGHT, 10).fill(WASH));
  const section = group(document, root, 'Sect');
  const x = left + PADDING;
  tagged(document, section, 'H2', () => {
    line(document, 'Reliability score', { x, y: top + 24, size: 11, weight: 600, colour: DEEP });
  });
  const score = countOf(input.reliability_score);
  const large = { size: 50, weight: 700, colour: INK } as const;
  tagged(document, section, 'P', () => {
    line(document, `${score} `, { ...large, x: x - 2, y: top + 74 });
    const behind = x + widthOf(document, score, large) + 8;
    line(document, `out of ${countOf(MOST_POINTS)}`, { x: behind, y: top + 74, size: 14, colour: SOFT });
  });
  const scale = width - PARTS_WIDTH - 3 * PADDING - 14;
  const draw = () => drawScale(document, { x, y: top + 89, width: scale }, input.reliability_score);
  tagged(document, section, 'Figure', draw, {
    alt: `A scale from 0 to 1,000 with the score at ${score}.`,
    placement: 'Block',
    bbox: [x, top + 84, x + scale, top + SCORE_HEIGHT - 8],
  });
  drawParts(sheet, { x: left + width - PADDING - PARTS_WIDTH, y: top });
}

function drawScale(document: Document, { x, y, width }: { x: number; y: number; width: number }, score: number): void {
  const height = 9;
  bar(document, { x, y, width, height }, score / MOST_POINTS);
  for (const value of [0, 250, 500, 750, 1_000]) {
    const at = x + (width * value) / MOST_POINTS;
    rule(document, [at, y + height + 2, at, y + height + 5], { width: 0.7, colour: SOFT });
    const align = value === 0 ? 'left' : value === MOST_POINTS ? 'right' : 'center';
    line(document, countOf(value), { x: at, y: y + height + 14, size: 8, colour: SOFT, align });
  }
}

function drawParts({ document, root, input }: Sheet, { x, y }: { x: number; y: number }): void {
  const section = group(document, root, 'Sect');
  tagged(document, section, 'H3', () => {
    line(document, 'What it is made of', { x, y: y + 25, size: 9, weight: 600, colour: DEEP });
  });
  const rowHeight = (SCORE_HEIGHT - 48) / Math.max(input.score_breakdown.length, 3);
  const list = group(document, section, 'L');
  for (const [index, { factor, points, of }] of input.score_breakdown.entries()) {
    const top = y + 33 + index * rowHeight;
    const item = group(document, list, 'LI');
    const at = { size: 8.5, colour: INK, y: top + 10 } as const;
    tagged(document, item, 'Lbl', () => line(document, LABELS[factor], { ...at, x }));
    tagged(document, item, 'LBody', () => {
      const reached = `${countOf(points)} out of ${countOf(of)}`;
      line(document, reached, { ...at, weight: 600, x: x + PARTS_WIDTH, align: 'right' });
    });
    decoration(document, () => {
      bar(document, { x, y: top + 14.5, width: PARTS_WIDTH, height: 5 }, of === 0 ? 0 : points / of);
    });
  }
}

function bar(document: Document, { x, y, width, height }: Box, share: number): void {
  document.save();
  document.roundedRect(x, y, width, height, height / 2).clip();
  document.rect(x, y, width, height).fill(PAPER);
  document.rect(x, y, width * share, height).fill(ACCENT);
  document.restore();
  document
    .roundedRect(x, y, width, height, height / 2)
    .lineWidth(0.6)
    .stroke(ACCENT);
}
