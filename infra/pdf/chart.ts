import type { MonthOfPayments } from '../../domain/credential.ts';
import { rule, type Box, type Document } from './document.ts';
import { ACCENT, FAINT, INK, MISSED, PAPER, SOFT } from './palette.ts';
import { line, widthOf, type Style } from './text.ts';

const LABEL: Style = { size: 7.5, colour: SOFT };
const COUNT: Style = { size: 7, weight: 600, colour: MISSED };
const STEPS = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1_000, 2_000, 5_000, 10_000];
const MOST_STEPS = 4;
/** The minimum height of a step of the scale, in points. */
const STEP_HEIGHT = 16;
const WIDEST_BAR = 24;
const MONTH_WIDTH = 20;
const FOOT = 22;
const HEAD = 11;
const LEFT = 44;

const monthName = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' });
const longMonth = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

export function drawChart(document: Document, months: readonly MonthOfPayments[], box: Box): void {
  const plot = { x: box.x + LEFT, y: box.y + HEAD, width: box.width - LEFT, height: box.height - HEAD - FOOT };
  const most = Math.max(...months.map(({ on_time, missed }) => on_time + missed));
  const { step, top } = scaleOf(most, Math.max(1, Math.min(MOST_STEPS, Math.floor(plot.height / STEP_HEIGHT))));
  const perPayment = plot.height / top;
  drawGrid(document, plot, { step, top });
  const slot = plot.width / months.length;
  const bar = Math.min(WIDEST_BAR, slot * 0.66);
  const base = plot.y + plot.height;
  for (const [index, { on_time, missed }] of months.entries()) {
    const x = plot.x + index * slot + (slot - bar) / 2;
    const paid = on_time * perPayment;
    if (on_time > 0) document.rect(x, base - paid, bar, paid).fill(ACCENT);
    if (missed === 0) continue;
    // A single missed payment among hundreds must be visible.
    const height = Math.max(missed * perPayment, 2);
    hatch(document, { x, y: base - paid - height, width: bar, height });
    line(document, String(missed), { ...COUNT, x: x + bar / 2, y: base - paid - height - 3, align: 'center' });
  }
  rule(document, [plot.x, base, plot.x + plot.width, base], { width: 0.8, colour: SOFT });
  drawMonths(document, months, { ...plot, y: base });
}

/** `x` is the right edge. */
export function drawLegend(document: Document, { x, y }: { x: number; y: number }): void {
  const style: Style = { size: 8, colour: INK };
  const [paid, missed] = ['Paid on time', 'Missed (with their number)'];
  const missedAt = x - widthOf(document, missed, style);
  const paidAt = missedAt - 32 - widthOf(document, paid, style);
  document.rect(paidAt - 15, y - 7, 10, 8).fill(ACCENT);
  hatch(document, { x: missedAt - 15, y: y - 7, width: 10, height: 8 });
  line(document, paid, { ...style, x: paidAt, y });
  line(document, missed, { ...style, x: missedAt, y });
}

export function altTextOf(months: readonly MonthOfPayments[]): string {
  const counted = months.map(
    ({ month, on_time, missed }) => `${longMonth.format(new Date(month))}: ${on_time} on time, ${missed} missed`,
  );
  return `Bar chart of payments by month. ${counted.join('; ')}.`;
}

function scaleOf(most: number, steps: number): { step: number; top: number } {
  const step = STEPS.find((candidate) => most / candidate <= steps) ?? Math.ceil(most / steps);
  return { step, top: Math.max(Math.ceil(most / step), 1) * step };
}

function drawGrid(document: Document, plot: Box, { step, top }: { step: number; top: number }): void {
  for (let value = 0; value <= top; value += step) {
    const y = plot.y + plot.height * (1 - value / top);
    if (value > 0) rule(document, [plot.x, y, plot.x + plot.width, y], { width: 0.5, colour: FAINT });
    line(document, value.toLocaleString('en-GB'), { ...LABEL, x: plot.x - 6, y: y + 2.6, align: 'right' });
  }
  document.save();
  const [x, y] = [plot.x - LEFT + 7, plot.y + plot.height / 2];
  document.rotate(-90, { origin: [x, y] });
  line(document, 'Payments', { ...LABEL, x, y, align: 'center' });
  document.restore();
}

/** Hatched bars differ from solid bars in greyscale too. */
function hatch(document: Document, { x, y, width, height }: Box): void {
  document.save();
  document.rect(x, y, width, height).clip();
  document.rect(x, y, width, height).fill(PAPER);
  for (let offset = -height; offset < width; offset += 3.2) {
    document.moveTo(x + offset, y + height).lineTo(x + offset + height, y);
  }
  document.lineWidth(0.9).stroke(MISSED);
  document.restore();
  const edge = 0.8;
  document
    .rect(x + edge / 2, y + edge / 2, width - edge, Math.max(height - edge, 0.1))
    .lineWidth(edge)
    .stroke(MISSED);
}

function drawMonths(document: Document, months: readonly MonthOfPayments[], plot: Box): void {
  const slot = plot.width / months.length;
  const every = Math.ceil(MONTH_WIDTH / slot);
  for (const [index, { month }] of months.entries()) {
    if (index % every !== 0) continue;
    const x = plot.x + (index + 0.5) * slot;
    line(document, monthName.format(new Date(month)), { ...LABEL, x, y: plot.y + 10, align: 'center' });
  }
  const years = Map.groupBy(months.keys(), (index) => months[index]!.month.slice(0, 4));
  for (const [year, indices] of years) {
    const [from, to] = [plot.x + indices[0]! * slot, plot.x + (indices.at(-1)! + 1) * slot];
    if (indices[0]! > 0) {
      // Leaves a gap in the line, because names of months can cross it.
      document.moveTo(from, plot.y).lineTo(from, plot.y + 3);
      document.moveTo(from, plot.y + 13).lineTo(from, plot.y + 22);
      document.lineWidth(0.6).stroke(SOFT);
    }
    const label: Style = { ...LABEL, weight: 600 };
    if (to - from >= widthOf(document, year, label) + 4)
      line(document, year, { ...label, x: (from + to) / 2, y: plot.y + 20, align: 'center' });
  }
  line(document, 'Month', { ...LABEL, x: plot.x - 10, y: plot.y + 10, align: 'right' });
}
