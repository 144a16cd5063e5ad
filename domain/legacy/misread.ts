/** Letters that a picture's reader takes figures for, with the figures. */
const FIGURES: Record<string, string> = { l: '1', I: '1', '|': '1', O: '0', o: '0' };
const DATE = /^[\dlI|Oo]{1,2}([./-])[\dlI|Oo]{1,2}\1(?:\d{4}|[\dlI|Oo]{2,4})$/;
/** Words in which a nought stands for a letter; what else is made of a figure and letters may be a tax code. */
const WORDS: Record<string, string> = { T0: 'TO', t0: 'to', N0: 'NO', 'N0.': 'NO.', '0F': 'OF', '0f': 'of' };
const AMOUNT_BEHIND = /^(?!GBP)([A-Za-z]{2,}[.:]?)(?=[£-]?\d{1,3}(?:,?\d{3})*\.\d{2}-?$)/;
const AND = /(?<=[a-z]{2})&(?=[A-Z][a-z])/;
const NEXT_WORD = /(?<!\bMc|\bMac)(?<=[a-z]{2})(?=[A-Z][a-z]{2})/;

/**
 * A word of a picture as it must have been printed, where it tells so itself: `01.1l.2024` has figures only, and a capital letter or an
 * amount within a word begins another one (`forJanuary`, `YTD1,204.36`). Words are parted by a space.
 */
export function reread(text: string): string {
  if (DATE.test(text) && text.replace(/\D/g, '').length >= 4)
    return text.replace(/[lI|Oo]/g, (letter) => FIGURES[letter]!);
  const word = WORDS[text];
  if (word !== undefined) return word;
  const apart = text.replace(AMOUNT_BEHIND, '$1 ').replace(AND, ' & ');
  return apart.split(NEXT_WORD).join(' ');
}
