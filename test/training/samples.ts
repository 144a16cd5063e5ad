import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { sheetOf } from '../../domain/legacy/cells.ts';
import { KINDS, ROLES, type Kind, type Role } from '../../domain/legacy/scored.ts';
import { featuresOf, tokensOf, type Token } from '../../domain/legacy/features.ts';
import { seeded, type Random } from '../helpers/payslips/random.ts';
import { p45, p60 } from './layouts/certificates.ts';
import { seen } from './layouts/noise.ts';
import { another, calculator, guide, register } from './layouts/others.ts';
import { pageOf, type Paper, type Told } from './layouts/paper.ts';
import { payslip } from './layouts/payslips.ts';

/** The value for a token without a role to learn. Training ignores the token. */
const UNTAUGHT = 255;

/** A page of a random layout, with its kind. */
export function anyPage(seed: string): { paper: Paper; kind: Kind } {
  const random = seeded(seed);
  const [kind, draw] = random.weighted<readonly [Kind, (random: Random) => Paper]>([
    [['payslip', payslip], 76],
    [['p60', p60], 8],
    [['p45', p45], 6],
    [['register', register], 3],
    [['other', calculator], 2],
    [['other', guide], 2],
    [['other', another], 3],
  ]);
  const paper = draw(random);
  const words = paper.words.filter(({ x, width }) => x > 0 && x + width < paper.width * 1.05);
  const height = Math.max(paper.height, ...words.map(({ y }) => y + 20));
  const isSeen = random.chance(0.55);
  return { paper: { ...paper, height, words: isSeen ? seen(random, words, paper.width) : words }, kind };
}

/** The role of a token: the first role of its words, if any. */
function roleOf({ words }: Token): Role {
  const roles = words.map(({ origin }) => (origin as Told).role);
  return roles.find((role) => role !== 'none') ?? 'none';
}

/**
 * A page's tokens and features as bytes: the number of tokens, the kind of page, then each array. Null for fewer than
 * five tokens.
 */
export function sampleOf(seed: string): Buffer | null {
  const { paper, kind } = anyPage(seed);
  const sheet = sheetOf(pageOf(paper));
  const tokens = tokensOf(sheet);
  if (tokens.length < 5) return null;
  const { grams, numbers, boxes } = featuresOf(sheet, tokens);
  // From pages that are not a form, the scorer learns only the kind of page.
  const isForm = kind !== 'register' && kind !== 'other';
  const roles = Uint8Array.from(tokens, (token) => (isForm ? ROLES.indexOf(roleOf(token)) : UNTAUGHT));
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
