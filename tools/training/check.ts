import { parseArgs } from 'node:util';
import { readPages } from '../../domain/legacy/extract.ts';
import { moneyOf } from '../../domain/legacy/figures.ts';
import type { Role } from '../../domain/legacy/scored.ts';
import { score } from '../../infra/documents/scorer.ts';
import { pageOf, type LabelledWord } from './layouts/paper.ts';
import { anyPage } from './samples.ts';

/*
 * `node tools/training/check.ts [--count N]` reads random payslips that the model was not trained on. The output is
 * JSON: the number of amounts, the number read correctly, and the wrong readings with high confidence.
 */

const FIELDS = [
  ['gross_pay', 'gross'],
  ['net_pay', 'net'],
  ['tax_deducted', 'tax'],
  ['ni_deducted', 'ni'],
] as const;
const SURE = 0.9;

/** In pence; null if there is none, or several. */
function printed(words: readonly LabelledWord[], role: Role): number | null {
  const amounts = new Set(words.filter((word) => word.role === role).map(({ text }) => moneyOf(text)?.pence));
  const [only, ...more] = amounts;
  return only === undefined || more.length > 0 ? null : only;
}

const { values } = parseArgs({ options: { count: { type: 'string', default: '200' } } });
let [all, right] = [0, 0];
const surelyWrong: string[] = [];
for (let at = 0; at < Number(values.count); at += 1) {
  const { paper, kind } = anyPage(`held:${at}`);
  // OCR errors in digits are not the model's errors.
  if (kind !== 'payslip' || paper.words.some(({ source }) => source === 'ocr')) continue;
  const reading = await readPages([pageOf(paper)], undefined, score);
  for (const [field, role] of FIELDS) {
    const amount = printed(paper.words, role);
    if (amount === null) continue;
    const found = reading?.[field] ?? null;
    const isRight = Math.abs(found?.value ?? -1) === Math.abs(amount);
    all += 1;
    if (isRight) right += 1;
    else if ((found?.confidence ?? 0) >= SURE) surelyWrong.push(`held:${at} ${field}: ${found?.value}, not ${amount}`);
  }
}
process.stdout.write(`${JSON.stringify({ all, right, surelyWrong })}\n`);
