import { longPeriod } from '../../domain/credential.ts';
import { decoration, group, rule, tagged, type Box, type Element } from './document.ts';
import type { Sheet } from './sheet.ts';
import { ACCENT, DEEP, INK, LINE, PAPER, SOFT } from './palette.ts';
import { drawFitted, fit, heightOf, line } from './text.ts';
import { categoriesOf, momentOf } from './texts.ts';

export const SEAL_HEIGHT = 38;

const NAME_WIDTH = 84;
const ROW_GAP = 3.2;

type Details = ReturnType<typeof detailsOf>;

export function detailsOf({ document, input, width }: Sheet) {
  const rows = [
    ['Credential', input.credential_id],
    ['Issuer', input.issuer],
    ['Issued', momentOf(input.issued_at)],
    ['Valid until', momentOf(input.expires_at)],
    ['Period', `${longPeriod(input.period)} (${input.period})`],
    ['Categories', categoriesOf(input.categories)],
  ] as const;
  const box = { width: width - NAME_WIDTH, lines: 2, least: 6, size: 8.5, colour: INK };
  return rows.map(([name, given]) => ({ name, value: fit(document, given, box) }));
}

export function heightOfDetails(details: Details): number {
  return details.reduce((sum, { value }) => sum + heightOf(value) + ROW_GAP, ROW_GAP);
}

export function drawDetails({ document, root, left, width }: Sheet, details: Details, top: number): void {
  decoration(document, () => rule(document, [left, top, left + width, top], { width: 0.8, colour: LINE }));
  const table = group(document, root, 'Table');
  let y = top + 2 * ROW_GAP;
  for (const { name, value } of details) {
    const row = group(document, table, 'TR');
    const base = y + value.style.size;
    tagged(
      document,
      row,
      'TH',
      () => line(document, name, { x: left, y: base, size: 8.5, weight: 600, colour: SOFT }),
      { scope: 'Row' },
    );
    tagged(document, row, 'TD', () => drawFitted(document, value, { x: left + NAME_WIDTH, y }), {
      actual: value.actual,
    });
    y += heightOf(value) + ROW_GAP;
  }
}

export function drawSeal(
  { document, root, input, left, width }: Sheet,
  top: number,
  signer: string,
): Box & { parent: Element } {
  const box = { x: left, y: top, width, height: SEAL_HEIGHT };
  decoration(document, () => {
    document.roundedRect(box.x, box.y, box.width, box.height, 8).lineWidth(0.8).stroke(ACCENT);
    const [x, y] = [left + 21, top + SEAL_HEIGHT / 2];
    document.circle(x, y, 9).fill(ACCENT);
    document
      .moveTo(x - 4, y + 0.3)
      .lineTo(x - 1.2, y + 3.2)
      .lineTo(x + 4.2, y - 3);
    document.lineWidth(1.8).lineCap('round').lineJoin('round').stroke(PAPER);
  });
  const section = group(document, root, 'Sect');
  const x = left + 40;
  const lines = { width: width - 52, lines: 1, least: 5 };
  const signed = fit(document, `Digitally signed by ${signer}`, { ...lines, size: 9.5, weight: 600, colour: DEEP });
  tagged(document, section, 'P', () => drawFitted(document, signed, { x, y: top + 6.5 }), { actual: signed.actual });
  const text = `Verify at ${new URL(input.verify_url).origin}. Any change to this file breaks its signature; the credential itself is attached.`;
  const how = fit(document, text, { ...lines, size: 7.75, colour: SOFT });
  tagged(document, section, 'P', () => drawFitted(document, how, { x, y: top + 21.5 }), { actual: how.actual });
  return { ...box, parent: group(document, section, 'Form') };
}
