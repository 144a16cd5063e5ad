import { readdirSync, readFileSync } from 'node:fs';
import { sheetOf } from '../../domain/legacy/cells.ts';
import { featuresOf, tokensOf } from '../../domain/legacy/features.ts';
import { periodIn } from '../../domain/legacy/period.ts';
import { dateIn } from '../../domain/legacy/printed-dates.ts';
import { KINDS, type ScoredSheet } from '../../domain/legacy/scored.ts';
import { solve, type Solution } from '../../domain/legacy/solve.ts';
import { joinedBelow, spansOf } from '../../domain/legacy/spans.ts';
import { openScorer } from '../../infra/ocr/scorer.tmp.ts';

const [model, pattern = '', verbose = ''] = process.argv.slice(2);
const scorer = await openScorer(model!);
const AM = [
  ['gross_pay', 'gross'],
  ['net_pay', 'net'],
  ['tax_deducted', 'tax'],
  ['ni_deducted', 'ni'],
  ['pension_deducted', 'pension'],
] as const;
const tally: Record<string, { right: number; of: number; oldRight: number; bothWrong: number }> = {};
const note = (k: string, ok: boolean, old: boolean) => {
  const t = (tally[k] ??= { right: 0, of: 0, oldRight: 0, bothWrong: 0 });
  t.of++;
  if (ok) t.right++;
  if (old) t.oldRight++;
  if (!ok && !old) t.bothWrong++;
};
let ms = 0,
  n = 0;
const conf: { ok: boolean; field: string; s: Solution; p: number }[] = [];
for (const file of readdirSync('/tmp/pages').filter((f) => f.includes(pattern))) {
  const { truth, pages, old, form, layout } = JSON.parse(readFileSync(`/tmp/pages/${file}`, 'utf8'));
  let best: { scored: ScoredSheet; s: Solution } | null = null;
  for (const page of pages) {
    const sheet = sheetOf(page);
    const tokens = tokensOf(sheet);
    if (tokens.length === 0) continue;
    const t0 = performance.now();
    const features = featuresOf(sheet, tokens);
    const scores = await scorer(features);
    ms += performance.now() - t0;
    n++;
    const scored = { sheet, tokens, scores };
    const s = solve(scored);
    if (best === null || AM.filter(([, k]) => s[k]).length > AM.filter(([, k]) => best!.s[k]).length)
      best = { scored, s };
  }
  if (!best) continue;
  const faults: string[] = [];
  const kind = KINDS[best.scored.scores.kinds.indexOf(Math.max(...best.scored.scores.kinds))]!;
  note(`${form} kind`, kind === truth.document_type, old?.document_type === truth.document_type);
  if (kind !== truth.document_type) faults.push(`kind ${kind}`);
  for (const [field, k] of AM) {
    if (truth.document_type !== 'payslip' && (field === 'net_pay' || field === 'pension_deducted')) continue;
    if (truth.document_type === 'p45' && field === 'ni_deducted') continue;
    const got = best.s[k]?.pence ?? null;
    const ok = got === truth[field];
    note(`${form} amounts`, ok, (old?.[field]?.value ?? null) === truth[field]);
    conf.push({ ok, field, s: best.s, p: best.s[k]?.probability ?? 1 });
    if (!ok)
      faults.push(
        `${k} got ${got} want ${truth[field]} p=${best.s[k]?.probability.toFixed(2)} closes ${best.s.totalsClose}/${best.s.linesClose}`,
      );
  }
  const emp = joinedBelow(spansOf(best.scored, 'employer'))[0]?.text.replace(/[,;:]$/, '') ?? null;
  note(`${form} employer`, emp === truth.employer_name, (old?.employer_name?.value ?? null) === truth.employer_name);
  if (emp !== truth.employer_name) faults.push(`employer got ${emp} want ${truth.employer_name}`);
  const spans = spansOf(best.scored, truth.document_type === 'p45' ? 'date' : 'period').map((x) => x.text);
  const accepted = [truth.pay_period, ...(truth.pay_period_also ?? [])];
  const ok = truth.pay_period === null ? spans.length === 0 : spans.some((x) => accepted.includes(x));
  note(`${form} period`, ok, accepted.includes(old?.pay_period?.value ?? null));
  if (!ok) faults.push(`period got ${spans.join('|')} want ${accepted[0]}`);
  if (verbose && faults.length) console.log(layout, form, '\n   ' + faults.join('\n   '));
}
for (const [k, t] of Object.entries(tally))
  console.log(
    k.padEnd(20),
    (t.right / t.of).toFixed(4),
    'old',
    (t.oldRight / t.of).toFixed(4),
    'both wrong',
    t.bothWrong,
    'of',
    t.of,
  );
const closed = conf.filter((c) => c.s.linesClose === true && c.field !== 'pension_deducted');
console.log('lines close:', closed.length / conf.length, 'wrong', closed.filter((c) => !c.ok).length);
console.log('ms a page', ms / n);
