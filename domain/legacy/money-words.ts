import { isPartOfMoney, moneyOf, type Money } from './figures.ts';
import { tall, type Placed } from './geometry.ts';

/** The widest gap between the parts of an amount that OCR split in two, in word heights. */
const CUT = 0.5;
const UNIT = /^(%|hrs?|hours?|days?|wks?|weeks?|miles?|units?|p|pm|pa|am)\.?$/i;

/** `count` is how many words the amount takes. Null if no amount begins at the word `at`. */
export function moneyAt(run: readonly Placed[], at: number): { money: Money; count: number } | null {
  let best: { money: Money; count: number } | null = null;
  let joined = '';
  for (let count = 1; count <= 5 && at + count <= run.length; count += 1) {
    const word = run[at + count - 1]!;
    if (count > 1 && !continues(run[at + count - 2]!, word, joined)) break;
    joined += word.text;
    const money = moneyOf(joined);
    if (money !== null && (money.exact || best === null)) best = { money, count };
    if (!isPartOfMoney(word.text) && money === null) break;
  }
  if (best === null) return null;
  if (isRate(run, at, best.count)) return null;
  const next = run[at + best.count];
  // `£ 40,523.44 p` ends with the sign for pence.
  const isPence = next?.text === 'p' && [run[at - 1]?.text, run[at]!.text].some((text) => text?.startsWith('£'));
  const isMeasure =
    next !== undefined && !isPence && UNIT.test(next.text) && next.left - run[at + best.count - 1]!.right < 0.8;
  return isMeasure ? null : best;
}

/** OCR may read the percent sign of `8.3%` as a doubtful digit. */
function isRate(run: readonly Placed[], at: number, count: number): boolean {
  const [label, word] = [run[at - 1], run[at]!];
  const isDoubtful = word.source === 'ocr' && word.probability < 0.6;
  return count === 1 && isDoubtful && /^\d{1,2}\.\d8$/.test(word.text) && /[a-z]{2}/i.test(label?.text ?? '');
}

function continues(last: Placed, word: Placed, joined: string): boolean {
  const gap = word.left - last.right;
  if (gap >= CUT * Math.max(1, tall(word)) || !isPartOfMoney(word.text)) return false;
  if (/^[£€(\-–—−]+$/.test(joined)) return true;
  if (/[.,]$/.test(joined) || /^[.,]/.test(word.text) || /^[-–—−)]+$/.test(word.text)) return true;
  if (/\.\d$/.test(joined)) return /^\d$/.test(word.text);
  return /^[£€(-]*\d{1,3}(,\d{3})*$/.test(joined) && /^\d{3}(,\d{3})*([.,]\d{2})?[-)]?$/.test(word.text);
}
