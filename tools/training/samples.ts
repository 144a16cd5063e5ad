import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { sheetOf } from '../../domain/legacy/cells.ts';
import { KINDS, ROLES, type Kind, type Role } from '../../domain/legacy/scored.ts';
import { featuresOf, tokensOf, type Token } from '../../domain/legacy/features.ts';
import { seeded, type Random } from '../payslips/random.ts';
import { p45, p60 } from './layouts/certificates.ts';
import { known } from './layouts/known.ts';
import { seen } from './layouts/noise.ts';
import { another, calculator, guide, register, scattered } from './layouts/others.ts';
import { pageOf, type Lesson, type Paper, type LabelledWord, type Words } from './layouts/paper.ts';
import { payslip } from './layouts/payslips.ts';
import { typedPage } from './layouts/typed.ts';

/** For words whose role is unknown or only partly known. `train.py` has the same codes. */
const CODES = { 'no-amount': 252, 'no-name': 253, 'no-name-or-period': 254, untaught: 255 } as const;
/** Of the pages in other layouts than the tests', the share that lose the period's amounts of some roles. */
const LOST = 0.11;
const LOSSES: readonly (readonly Lesson[])[] = [['tax'], ['ni'], ['pension'], ['net'], ['gross'], ['gross', 'net', 'tax', 'ni', 'pension', 'deductions', 'payment'], ['gross', 'net', 'tax', 'ni', 'pension', 'deductions', 'payment', 'other-deduction']]; // prettier-ignore
/** The share of pages with a layout that the tests draw. */
const KNOWN = 0.2;
/** Of the other pages, the share that are short typed pages. */
const TYPED = 0.2;

export function anyPage(seed: string): { paper: Words; kind: Kind } {
  const random = seeded(seed);
  if (random.chance(KNOWN)) {
    const { kind, ...paper } = known(random);
    return { paper: worn(random, paper), kind };
  }
  if (random.chance(TYPED)) {
    const { kind, ...paper } = typedPage(random);
    return { paper: worn(random, withLosses(random, paper)), kind };
  }
  const [kind, draw] = random.weighted<readonly [Kind, (random: Random) => Paper]>([
    [['payslip', payslip], 76],
    [['p60', p60], 8],
    [['p45', p45], 6],
    [['register', register], 3],
    [['other', calculator], 4],
    [['other', guide], 4],
    [['other', another], 6],
    [['other', scattered], 2],
  ]);
  const paper = draw(random);
  const words = paper.words.filter(({ x, width }) => x > 0 && x + width < paper.width * 1.05);
  const height = Math.max(paper.height, ...words.map(({ y }) => y + 20));
  return { paper: worn(random, withLosses(random, { ...paper, height, words })), kind };
}

function withLosses(random: Random, paper: Words): Words {
  const lost = random.chance(LOST) ? random.pick(LOSSES) : [];
  return lost.length === 0 ? paper : { ...paper, words: paper.words.filter(({ role }) => !lost.includes(role)) };
}

const worn = (random: Random, paper: Words): Words =>
  random.chance(0.55) ? { ...paper, words: seen(random, paper.words, paper.width) } : paper;

function lessonOf({ words }: Token): number {
  const lessons = words.map(({ origin }) => (origin as LabelledWord).role);
  const lesson = lessons.find((one) => one !== 'none') ?? 'none';
  return lesson in CODES ? CODES[lesson as keyof typeof CODES] : ROLES.indexOf(lesson as Role);
}

/** The number of tokens, the kind of page, then each array; null for fewer than five tokens. */
export function sampleOf(seed: string): Buffer | null {
  const { paper, kind } = anyPage(seed);
  const sheet = sheetOf(pageOf(paper));
  const tokens = tokensOf(sheet);
  if (tokens.length < 5) return null;
  const { grams, numbers, boxes } = featuresOf(sheet, tokens);
  // From registers and other documents, the model learns only the kind of page.
  const isForm = kind !== 'register' && kind !== 'other';
  const roles = Uint8Array.from(tokens, (token) => (isForm ? lessonOf(token) : CODES.untaught));
  const head = Int32Array.of(tokens.length, KINDS.indexOf(kind));
  return Buffer.concat(
    [head, new Uint16Array(grams), numbers, boxes, roles].map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength)), // prettier-ignore
  );
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { out: { type: 'string' }, from: { type: 'string' }, count: { type: 'string' } },
  });
  const out = createWriteStream(values.out!);
  const from = Number(values.from ?? 0);
  for (let at = 0; at < Number(values.count); at += 1) {
    const bytes = sampleOf(`training:${from + at}`);
    if (bytes !== null && !out.write(bytes)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}
