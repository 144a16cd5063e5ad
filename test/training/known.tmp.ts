import { createWriteStream } from 'node:fs';
import { sheetOf } from '../../domain/legacy/cells.ts';
import { featuresOf, tokensOf, type Token } from '../../domain/legacy/features.ts';
import { ROLES, KINDS } from '../../domain/legacy/scored.ts';
import type { Page, Word } from '../../domain/legacy/page.ts';
import { readDocument } from '../../infra/ocr/document.ts';
import { ALL_LAYOUTS, makeDocument, type Truth } from '../helpers/payslips/index.ts';
import { seeded } from '../helpers/payslips/random.ts';
import { seen } from './layouts/noise.ts';
import type { Told } from './layouts/paper.ts';

const [file, from, count] = [process.argv[2]!, Number(process.argv[3]), Number(process.argv[4])];
const out = createWriteStream(file);
const NO_AMOUNT = 250, NO_EMPLOYER = 251, NO_AMOUNT_OR_PENSION = 252, UNTAUGHT = 255;
const AM = [['gross_pay','gross'],['net_pay','net'],['tax_deducted','tax'],['ni_deducted','ni'],['pension_deducted','pension']] as const;
const norm = (t: string) => t.replace(/[,;:]$/, '');

function rolesOf(tokens: Token[], truth: Truth): Uint8Array {
  const roles = new Uint8Array(tokens.length).fill(UNTAUGHT);
  const same = (p: number) => tokens.filter(({ figure }) => figure !== null && Math.abs(figure.pence) === Math.abs(p)).length;
  tokens.forEach(({ figure }, i) => {
    if (figure === null) { roles[i] = NO_EMPLOYER; return; }
    const hits = AM.filter(([f]) => truth[f] !== null && Math.abs(truth[f]!) === Math.abs(figure.pence));
    if (hits.length === 1 && same(figure.pence) === 1) roles[i] = ROLES.indexOf(hits[0]![1]);
    else if (hits.length === 0) roles[i] = truth.pension_deducted === null ? NO_AMOUNT_OR_PENSION : NO_AMOUNT;
  });
  const mark = (text: string | null, role: number, least: number) => {
    if (text === null) return;
    const words = text.split(/\s+/);
    if (words.join('').length < least) return;
    for (let i = 0; i + words.length <= tokens.length; i++)
      if (words.every((w, k) => norm(tokens[i + k]!.text) === norm(w) && tokens[i + k]!.figure === null && (k === 0 || Math.abs(tokens[i + k]!.top - tokens[i + k - 1]!.top) < 0.6)))
        words.forEach((_, k) => (roles[i + k] = role));
  };
  mark(truth.employer_name, ROLES.indexOf('employer'), 3);
  if (truth.document_type !== 'p45') for (const t of [truth.pay_period, ...truth.pay_period_also]) mark(t, ROLES.indexOf('period'), 5);
  else mark(truth.pay_period, ROLES.indexOf('date'), 5);
  return roles;
}

for (const layout of ALL_LAYOUTS) for (let seed = from; seed < from + count; seed++) {
  try {
    const made = await makeDocument({ layout: layout.name, seed, form: 'text' });
    let pages: readonly Page[] = [];
    await readDocument(made.bytes, { extract: () => null, onPages: (all) => (pages = all), budget: { textMs: 0, picturesMs: 0 } }).catch(() => {});
    const page = pages[0];
    if (page === undefined) continue;
    const random = seeded(`${layout.name}:${seed}`);
    const words = random.chance(0.5) ? seen(random, page.words.map((w: Word) => ({ ...w, role: 'none' }) as Told), page.width) : page.words;
    const sheet = sheetOf({ ...page, words });
    const tokens = tokensOf(sheet);
    const { grams, numbers, boxes } = featuresOf(sheet, tokens);
    const head = Int32Array.of(tokens.length, KINDS.indexOf(made.truth.document_type));
    out.write(Buffer.concat([head, new Uint16Array(grams), numbers, boxes, rolesOf(tokens, made.truth)].map((p) => Buffer.from(p.buffer, p.byteOffset, p.byteLength))));
  } catch (error) { console.log(layout.name, String(error)); }
}
out.end();
