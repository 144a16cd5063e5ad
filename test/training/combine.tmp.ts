import { readdirSync, readFileSync } from 'node:fs';
import { sheetOf } from '../../domain/legacy/cells.ts';
import { extractReading } from '../../domain/legacy/extract.ts';
import { featuresOf, tokensOf } from '../../domain/legacy/features.ts';
import { KINDS } from '../../domain/legacy/scored.ts';
import { solve } from '../../domain/legacy/solve.ts';
import { openScorer } from '../../infra/ocr/scorer.tmp.ts';
import { pageOf } from './layouts/paper.ts';
import { anyPage } from './samples.ts';

const [model, source, count] = process.argv.slice(2);
const scorer = await openScorer(model!);
const AM = [['gross_pay','gross'],['net_pay','net'],['tax_deducted','tax'],['ni_deducted','ni'],['pension_deducted','pension']] as const;
interface Doc { page: any; truth: any; kind: string }
function* docs(): Generator<Doc> {
  if (source === 'synthetic') {
    for (let i = 0; i < Number(count); i++) {
      const { paper, kind } = anyPage(`calibration:${i}`);
      if (kind !== 'payslip') continue;
      const sum = (role: string) => { const w = paper.words.filter((x) => x.role === role); return w; };
      void sum;
      yield { page: pageOf(paper), truth: null, kind };
    }
  } else for (const f of readdirSync('/tmp/pages').filter((x) => x.includes(source!))) {
    const d = JSON.parse(readFileSync(`/tmp/pages/${f}`, 'utf8'));
    if (d.truth.document_type === 'payslip' && d.pages[0]) yield { page: d.pages[0], truth: d.truth, kind: 'payslip' };
  }
}
const table: Record<string, { n: number; right: number; rulesRight: number; bad: string[] }> = {};
for (const { page, truth } of docs()) {
  const sheet = sheetOf(page);
  const tokens = tokensOf(sheet);
  if (tokens.length < 5) continue;
  const scores = await scorer(featuresOf(sheet, tokens));
  const s = solve({ sheet, tokens, scores });
  const rules = extractReading([page]);
  // truth of synthetic: figures tagged
  const want = (k: string, f: string): number | null => {
    if (truth) return truth[f];
    const figs = tokens.filter((t) => t.figure && t.words.some((w) => (w.origin as any).role === k)).map((t) => t.figure!.pence);
    if (figs.length === 0) return null;
    if (k === 'pension') return figs.reduce((a, b) => a + b, 0);
    return figs[0]!;
  };
  for (const [f, k] of AM) {
    const w = want(k, f);
    const got = s[k]?.pence ?? null, r = (rules?.[f] as any)?.value ?? null;
    const eq = (a: number | null, b: number | null) => a === b || (a !== null && b !== null && Math.abs(a) === Math.abs(b) && !truth);
    const rc = (rules?.[f] as any)?.confidence ?? 0;
    const p = s[k]?.probability ?? 1 - (s[k] === null ? 0 : 0);
    const key = [rc >= 0.9 ? 'R+' : r === null ? 'R0' : 'R-', got === null ? 'L0' : got === r ? 'same' : 'diff', s.linesClose ? 'lines' : s.totalsClose ? 'totals' : 'open', got === null ? '' : p > 0.97 ? 'p97' : p > 0.9 ? 'p90' : p > 0.6 ? 'p60' : 'low', f === 'pension_deducted' ? 'pension' : ''].join(' ');
    const t = (table[key] ??= { n: 0, right: 0, rulesRight: 0, bad: [] });
    t.n++; if (eq(got, w)) t.right++; else t.bad.push(`${k}:${got}/${w}`); if (eq(r, w)) t.rulesRight++;
  }
}
for (const [k, t] of Object.entries(table).sort((a, b) => b[1].n - a[1].n)) console.log(k.padEnd(36), String(t.n).padStart(5), 'L', (t.right / t.n).toFixed(3), 'R', (t.rulesRight / t.n).toFixed(3), t.bad.slice(0, 2).join(' '));
