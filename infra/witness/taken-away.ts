import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { TakenAwayRow } from '../db/queries/witness.ts';
import type { Keys } from '../keys/index.ts';
import { readCounter, type Counter } from './counter.ts';
import type { WitnessFolder } from './folder.ts';

const PREFIX = 'taken-away-';

const line = z.object({
  /** The number of the line, over all files. The first is 1. */
  line: z.number().int(),
  seq: z.number().int(),
  kind: z.enum(['key', 'grant', 'password', 'payee', 'connection', 'pii', 'client', 'user', 'credential']),
  /** Keyed hash of the id. */
  subject: z.string(),
  at: z.iso.datetime(),
  /** SHA-256 of the line before, over all files. Null in the first. */
  previous: z.string().nullable(),
});
export type TakenAwayLine = z.infer<typeof line>;

/** How many lines the list has, and the SHA-256 of the last. */
export type Tail = Counter['taken'];
const NO_LINES: Tail = { lines: 0, hash: null };

export function takenAwaySubject(keys: Pick<Keys, 'blindIndex'>, id: string): string {
  return keys.blindIndex('taken away', id);
}

/**
 * What was taken away at `since` or later. A subject can stand there twice. `whole`: from `since` to `until`, no line is
 * missing or changed. Without it, `fault` says why, and `lines` are what is left.
 */
export async function readTakenAway(
  folder: WitnessFolder,
  { since }: { since: Date },
): Promise<{ whole: boolean; fault?: string; until: Date | undefined; lines: AsyncIterable<TakenAwayLine> }> {
  const counter = await readCounter(folder).catch(() => undefined);
  const fault =
    counter === undefined ? 'counter.json is missing or cannot be read' : await faultOf(folder, counter, since);
  return {
    whole: fault === undefined,
    ...(fault !== undefined && { fault }),
    until: counter && new Date(counter.at),
    lines: linesSince(folder, since.toISOString()),
  };
}

async function faultOf(folder: WitnessFolder, { begun, taken }: Counter, since: Date): Promise<string | undefined> {
  if (since < new Date(begun)) return `the list begins at ${begun}`;
  let hash = NO_LINES.hash;
  let lines = 0;
  let reached = taken.lines === 0;
  for await (const { file, text } of textsOf(folder)) {
    const found = parsed(text);
    if (found?.line !== lines + 1 || found.previous !== hash)
      return `line ${lines + 1}, in ${file}, is not the next one`;
    [hash, lines] = [hashOf(text), lines + 1];
    if (lines === taken.lines) reached = hash === taken.hash;
  }
  if (reached) return undefined;
  return `the list has ${lines} lines, and line ${taken.lines} is not the one that counter.json names`;
}

async function* linesSince(folder: WitnessFolder, since: string): AsyncGenerator<TakenAwayLine> {
  for await (const { text } of textsOf(folder)) {
    const found = parsed(text);
    if (found !== undefined && found.at >= since) yield found;
  }
}

async function* textsOf(folder: WitnessFolder): AsyncGenerator<{ file: string; text: string }> {
  for (const file of await folder.list(PREFIX)) for await (const text of folder.lines(file)) yield { file, text };
}

function parsed(text: string): TakenAwayLine | undefined {
  try {
    return line.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const hashOf = (text: string) => createHash('sha256').update(text, 'utf8').digest('base64url');

/** Removes the part of a last line that a crash left. @throws Error if the last line is no line of the list. */
export async function tailOf(folder: WitnessFolder): Promise<Tail> {
  for (const file of (await folder.list(PREFIX)).toReversed()) {
    await folder.mend(file);
    const text = await folder.lastLine(file);
    if (text === undefined) continue;
    const found = parsed(text);
    if (found === undefined) throw new Error(`the last line of ${file} in CHECKPOINTS was changed`);
    return { lines: found.line, hash: hashOf(text) };
  }
  return NO_LINES;
}

/** Appends to the file of this month, or of a later one that is already there. @returns the new tail. */
export async function appendTakenAway(
  folder: WitnessFolder,
  keys: Pick<Keys, 'blindIndex'>,
  { rows, tail, now }: { rows: readonly TakenAwayRow[]; tail: Tail; now: Date },
): Promise<Tail> {
  let { lines, hash } = tail;
  const texts = rows.map(({ seq, kind, subject, at }) => {
    const named = { seq, kind, subject: takenAwaySubject(keys, subject), at };
    const text = JSON.stringify({ line: (lines += 1), ...named, previous: hash });
    hash = hashOf(text);
    return text;
  });
  const ofMonth = `${PREFIX}${now.toISOString().slice(0, 'YYYY-MM'.length)}.jsonl`;
  const newest = (await folder.list(PREFIX)).at(-1) ?? ofMonth;
  await folder.append(newest > ofMonth ? newest : ofMonth, texts);
  return { lines, hash };
}
