import { decoration, group, tagged } from './document.ts';
import type { Sheet } from './sheet.ts';
import { DEEP, INK, LINE, SOFT } from './palette.ts';
import { drawQrCode } from './qr-code.ts';
import { drawFitted, fit, heightOf, heightOfParagraph, line, paragraph } from './text.ts';
import { meaningOf } from './texts.ts';

const CARD_WIDTH = 208;
const COLUMN_GAP = 24;
const TITLE_BASE = 9;
const TITLE = 15;
const BETWEEN = 4;
const BELOW = 3;
const CODE = 108;
const PADDING = 11;
const BODY = { size: 8.5, colour: INK } as const;

export function heightOfCheck({ document, input, width }: Sheet): number {
  const { says, saysNot } = meaningOf(input);
  const style = { ...BODY, width: width - CARD_WIDTH - COLUMN_GAP };
  const heights = [...says, saysNot].map((text) => heightOfParagraph(document, text, style) + BELOW);
  return Math.max(2 * TITLE + BETWEEN + heights.reduce((sum, height) => sum + height, 0), CODE + PADDING + 34);
}

export function drawCheck(sheet: Sheet, top: number, height: number): void {
  drawMeaning(sheet, top, sheet.width - CARD_WIDTH - COLUMN_GAP);
  drawCard(sheet, top, height);
}

function drawMeaning({ document, root, input, left: x }: Sheet, top: number, width: number): void {
  const { says, saysNot } = meaningOf(input);
  const section = group(document, root, 'Sect');
  let y = top;
  const title = (text: string) => {
    const base = y + TITLE_BASE;
    tagged(document, section, 'H2', () => line(document, text, { x, y: base, size: 10, weight: 600, colour: INK }));
    y += TITLE;
  };
  const body = (text: string) =>
    tagged(document, section, 'P', () => {
      y = paragraph(document, text, { ...BODY, x, y, width }) + BELOW;
    });
  title('What this says');
  for (const text of says) body(text);
  y += BETWEEN;
  title('What it does not say');
  body(saysNot);
}

function drawCard({ document, root, input, left, width }: Sheet, top: number, height: number): void {
  const x = left + width - CARD_WIDTH;
  decoration(document, () => {
    document.roundedRect(x, top, CARD_WIDTH, height, 8).lineWidth(0.8).stroke(LINE);
  });
  const section = group(document, root, 'Sect');
  const beside = x + PADDING / 2 + CODE + 3;
  tagged(document, section, 'H2', () => {
    line(document, 'Check it yourself', { x: beside, y: top + 21, size: 10, weight: 600, colour: INK });
  });
  tagged(document, section, 'P', () => {
    const text =
      'Scan the code or open the address. You see at once whether this credential is valid, expired or revoked.';
    paragraph(document, text, {
      x: beside,
      y: top + 27,
      width: x + CARD_WIDTH - PADDING - beside,
      ...BODY,
      colour: SOFT,
    });
  });
  const code = { x: x + PADDING / 2, y: top + PADDING / 2, size: CODE };
  tagged(document, section, 'Figure', () => drawQrCode(document, input.verify_url, code), {
    alt: 'QR code of the address below.',
    placement: 'Block',
    bbox: [code.x, code.y, code.x + CODE, code.y + CODE],
  });

  const address = fit(document, input.verify_url, {
    width: CARD_WIDTH - 2 * PADDING,
    lines: 3,
    least: 5.5,
    size: 8,
    colour: DEEP,
  });
  const at = { x: x + PADDING, y: top + CODE + PADDING / 2 + 2 };
  const link = document.struct('Link');
  group(document, section, 'P').add(link);
  tagged(document, link, 'Span', () => drawFitted(document, address, at), { actual: address.actual });
  document.annotate(at.x, at.y, CARD_WIDTH - 2 * PADDING, heightOf(address), {
    Subtype: 'Link',
    A: { S: 'URI', URI: new String(input.verify_url) },
    Contents: new String('Check this credential'),
    structParent: link,
  });
}
