import { longPeriod } from '../../domain/credential.ts';
import { drawChart, drawLegend, altTextOf } from './chart.ts';
import { drawCheck, heightOfCheck } from './check.ts';
import { decoration, group, rule, tagged, type Box, type Document, type Element } from './document.ts';
import { ACCENT, DEEP, INK, LINE, SOFT } from './palette.ts';
import { drawFigures, figuresHeight } from './figures.ts';
import { drawScore, SCORE_HEIGHT } from './score.ts';
import { drawFitted, fit, heightOf, line, paragraph, widthOf } from './text.ts';
import { detailsOf, drawDetails, drawSeal, heightOfDetails, SEAL_HEIGHT } from './foot.ts';
import type { CredentialPdfInput, Sheet } from './sheet.ts';
import { dayOf } from './texts.ts';

const MARGIN = 46;
const TOP = 38;
const BOTTOM = 32;
const GAP = 15;
const CHART_TITLE = 20;

/** @returns the box of the signature, which PDF readers make clickable. */
export function drawPage(document: Document, input: CredentialPdfInput, signer: string): Box & { parent: Element } {
  const root = document.struct('Document');
  document.addStructure(root);
  const sheet: Sheet = { document, input, root, left: MARGIN, width: document.page.width - 2 * MARGIN };
  drawHead(sheet);
  const titleEnd = drawTitle(sheet, TOP + 40);

  // Places parts from the bottom up. The chart gets the remaining space.
  const sealTop = document.page.height - BOTTOM - SEAL_HEIGHT;
  const details = detailsOf(sheet);
  const detailsTop = sealTop - GAP + 2 - heightOfDetails(details);
  const meaningHeight = heightOfCheck(sheet);
  const meaningTop = detailsTop - GAP + 3 - meaningHeight;
  const figuresTop = titleEnd + GAP + SCORE_HEIGHT;
  const chartTop = figuresTop + figuresHeight(input) + GAP;

  drawScore(sheet, titleEnd + GAP - 3);
  drawFigures(sheet, figuresTop + 8);
  drawMonthly(sheet, chartTop, meaningTop - GAP - chartTop);
  drawCheck(sheet, meaningTop, meaningHeight);
  drawDetails(sheet, details, detailsTop);
  return drawSeal(sheet, sealTop, signer);
}

function drawHead({ document, root, input, left, width }: Sheet): void {
  decoration(document, () => {
    const [x, y] = [left + 9, TOP + 9];
    document.circle(x, y, 7.1).lineWidth(2.25).dash(6.69, { space: 0.75 }).stroke(ACCENT).undash();
    document.circle(x, y, 2.25).fill(ACCENT);
    rule(document, [left, TOP + 27, left + width, TOP + 27], { width: 0.8, colour: LINE });
  });
  tagged(document, root, 'P', () => {
    line(document, 'Ringfence', { x: left + 25, y: TOP + 13.5, size: 13, weight: 600, colour: INK });
  });
  const validity = `Valid until ${dayOf(input.expires_at)}`;
  tagged(document, root, 'P', () => {
    line(document, validity, { x: left + width, y: TOP + 13, size: 9.5, weight: 600, colour: DEEP, align: 'right' });
  });
}

/** @returns the bottom edge. */
function drawTitle({ document, root, input, left, width }: Sheet, top: number): number {
  tagged(document, root, 'H1', () => {
    line(document, 'Payment reliability credential', { x: left, y: top + 22, size: 24, weight: 700, colour: INK });
  });
  let y = top + 33;
  tagged(document, root, 'P', () => {
    const text = `How reliably bills were paid through Ringfence from ${longPeriod(input.period)}.`;
    y = paragraph(document, text, { x: left, y, width, size: 10, colour: SOFT });
  });
  y += 7;
  const label = { size: 10, weight: 600, colour: INK } as const;
  const indent = widthOf(document, 'Issued to', label) + 10;
  const holder = fit(document, input.holder, {
    width: width - indent,
    lines: 3,
    least: 6.5,
    size: 10.5,
    colour: INK,
  });
  const paragraphOfHolder = group(document, root, 'P');
  tagged(document, paragraphOfHolder, 'Span', () => {
    line(document, 'Issued to', { ...label, x: left, y: y + Math.max(holder.style.size, 8.5) });
  });
  tagged(document, paragraphOfHolder, 'Span', () => drawFitted(document, holder, { x: left + indent, y }), {
    actual: holder.actual,
  });
  return y + heightOf(holder);
}

function drawMonthly({ document, root, input, left, width }: Sheet, top: number, height: number): void {
  tagged(document, root, 'H2', () => {
    line(document, 'Payments by month', { x: left, y: top + 9, size: 11, weight: 600, colour: INK });
  });
  const right = left + width;
  const draw = () => {
    drawLegend(document, { x: right, y: top + 9 });
    drawChart(document, input.months, { x: left, y: top + CHART_TITLE, width, height: height - CHART_TITLE });
  };
  tagged(document, root, 'Figure', draw, {
    alt: altTextOf(input.months),
    placement: 'Block',
    bbox: [left, top, right, top + height],
  });
}
